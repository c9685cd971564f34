/**
 * Code of other compilers than the JVM's. Node is told to write its code (V8's `--perf-prof`); the files that compilers leave for perf, which names them in its events
 * or finds them by the number of the process, are brought into the recording: jitdumps, and maps of addresses.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { MappedCode } from '../../model/samples.js';
import type { SampledCode } from './executables.js';
import type { RecordRequest } from './record-request.js';
import type { Recorder } from './recorder.js';

/** V8 logs more where it writes its code: into a file that it deletes. */
export const NODE_FLAGS: readonly string[] = ['--perf-prof', '--no-logfile-per-isolate', '--logfile=+'];
/** The one of them that NODE_OPTIONS may have; what V8 logs is then left beside its code. */
const NODE_OPTION = '--perf-prof';

export function isNode(program: string): boolean {
	return /^node(?:js)?$/.test(path.basename(program));
}

/** For the processes that a program starts. */
export function nodeOptions({ NODE_OPTIONS = '' }: NodeJS.ProcessEnv): string {
	return NODE_OPTIONS === '' ? NODE_OPTION : `${NODE_OPTIONS} ${NODE_OPTION}`;
}

/** Whether the user asked Node for its code: what it leaves is then the user's, too. */
function asksNode({ environment }: RecordRequest, command: readonly string[]): boolean {
	return [...command, environment.NODE_OPTIONS ?? ''].some((word) => /(?:^|\s)--perf[-_]prof\b/.test(word));
}

const DUMP = /\/jit-(\d+)\.dump$/;
const MAP_FOLDER = '/tmp';

/** Brings them into the folder. The processes whose code that is. `fromMs`: when the recording began. */
export function keepRuntimeCode(recorder: Recorder, request: RecordRequest, { samples, mappedCode }: SampledCode, fromMs: number): ReadonlySet<number> {
	const { outputFolder } = request;
	const sampled = new Set(samples.processId);
	const isOurs = !asksNode(request, recorder.current.command);
	const kept = new Set<number>();
	for (const [processId, mappings] of mappedCode) {
		const dumps = new Set(mappings.flatMap(({ name }) => (DUMP.test(name) && fs.existsSync(name) ? [name] : [])));
		for (const dump of dumps) {
			if (sampled.has(processId)) {
				bring(dump, outputFolder);
				kept.add(processId);
			}
			if (isOurs && isOfNode(mappings) && path.dirname(dump) !== outputFolder) {
				removeDump(dump);
			}
		}
		if (!sampled.has(processId)) {
			continue;
		}
		const map = path.join(MAP_FOLDER, `perf-${processId}.map`);
		const hasMap = dumps.size === 0 && (fs.statSync(map, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY) >= fromMs;
		if (hasMap) {
			bring(map, outputFolder);
			kept.add(processId);
		} else if (dumps.size === 0 && isOfNode(mappings) && request.code !== 'none') {
			recorder.problem(
				'warning',
				request.outputName,
				`Node wrote no code of process ${processId}`,
				'it writes into its working directory: is there room, and may it?',
			);
			recorder.hasOtherCode = true;
		}
	}
	recorder.hasOtherCode ||= kept.size > 0;
	return kept;
}

function isOfNode(mappings: readonly MappedCode[]): boolean {
	return mappings.some(({ name }) => isNode(name));
}

function bring(file: string, folder: string): void {
	if (path.dirname(file) !== folder) {
		fs.copyFileSync(file, path.join(folder, path.basename(file)));
	}
}

/** Nobody else asked for it, nor for the log that V8 leaves beside. */
function removeDump(file: string): void {
	fs.rmSync(file, { force: true });
	const [, processId] = DUMP.exec(file) ?? [];
	const beside = path.dirname(file);
	const log = new RegExp(`^isolate-0x[0-9a-f]+-${processId}-v8\\.log$`);
	for (const name of fs.readdirSync(beside).filter((one) => log.test(one))) {
		fs.rmSync(path.join(beside, name), { force: true });
	}
}
