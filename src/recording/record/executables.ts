/** `assay record` of a program that starts no JVM: keeps the executables and libraries that samples and their callers lie in, so that their code can be read later and elsewhere. */
import fs from 'node:fs';
import path from 'node:path';
import { memorySource } from '../../bytes/source.js';
import { readBuildId } from '../../formats/shared/elf/native-symbols.js';
import { type MappedCode, NO_DETAILS, type SampleDetails, type Samples } from '../../model/samples.js';
import { debugFileOf, SYSTEM_DEBUG_FOLDER } from '../debug-files.js';
import { fileSource } from '../file-source.js';
import { readVdso } from '../machine-symbols.js';
import { isRuntimeLibrary, mostSampled, sampledMappings } from '../native-code.js';
import { asOneProcess } from '../same-program.js';
import type { RecordRequest } from './record-request.js';
import type { Recorder } from './recorder.js';
import { PERF_DATA } from './recording-folder.js';

/** Larger ones are referred to by their build id. */
const MOST_BYTES = 256 << 20;
/** Of the build id, or of the number of a file that has none. */
const ID_DIGITS = 12;

export function isElf(file: string): boolean {
	const head = Buffer.alloc(4);
	try {
		const opened = fs.openSync(file, 'r');
		try {
			return fs.readSync(opened, head, 0, 4, 0) === 4 && head.toString('latin1') === '\x7fELF';
		} finally {
			fs.closeSync(opened);
		}
	} catch {
		return false;
	}
}

/** What was sampled, and what lay where, by process. */
export interface SampledCode {
	readonly samples: Samples;
	/** Left out where no native code's callers were found. */
	readonly unwound?: NonNullable<SampleDetails['unwound']>;
	readonly mappedCode: ReadonlyMap<number, readonly MappedCode[]>;
}

/** Only where most samples are of no JVM and no other runtime with a compiler, as those are whose code was `kept`. */
export function keepExecutables(
	recorder: Recorder,
	{ outputFolder }: RecordRequest,
	{ samples, unwound, mappedCode }: SampledCode,
	kept: ReadonlySet<number> = new Set(),
): void {
	try {
		const processId = mostSampled(samples);
		const own = processId === null ? undefined : mappedCode.get(processId);
		if (processId === null || kept.has(processId) || own === undefined || own.some(({ name }) => isRuntimeLibrary(name))) {
			return;
		}
		keepVdso(own, outputFolder);
		const details = { ...NO_DETAILS, mappedCode, ...(unwound === undefined ? {} : { unwound }) };
		const { read, mappings } = asOneProcess({ ...details, samples }, processId, own);
		for (const mapping of new Map(sampledMappings(read.samples, read.unwound, mappings, processId).map((one) => [one.name, one])).values()) {
			recorder.hasOtherCode = keep(mapping, outputFolder, recorder) || recorder.hasOtherCode;
		}
	} catch (error) {
		recorder.problem('warning', PERF_DATA, `the executables cannot be kept (${(error as Error).message})`, 'they are looked for where they were');
	}
}

/** Stacks lead through it. */
function keepVdso(mappings: readonly MappedCode[], folder: string): void {
	const bytes = mappings.some(({ name }) => name === '[vdso]') ? readVdso() : null;
	const id = bytes === null ? null : readBuildId(memorySource('[vdso]', bytes));
	if (bytes !== null && id !== null) {
		fs.writeFileSync(path.join(folder, `vdso.${id.slice(0, ID_DIGITS)}.elf`), bytes);
	}
}

/** Whether it is there. */
function keep({ name, buildId, inode }: MappedCode, folder: string, recorder: Recorder): boolean {
	const stats = name.startsWith('/') ? fs.statSync(name, { throwIfNoEntry: false }) : undefined;
	if (stats?.isFile() !== true) {
		return false;
	}
	const source = fileSource(name, name, stats.size);
	const own = readBuildId(source);
	const debug = debugFileOf(source, name, []);
	source.close();
	// The same file as when it was mapped, and nobody wrote into it since: its copy is the one that ran.
	if (own === null && stats.ino === inode && stats.mtimeMs < Date.parse(recorder.current.startTime)) {
		if (stats.size <= MOST_BYTES) {
			fs.copyFileSync(name, path.join(folder, `${path.basename(name)}.${String(inode).slice(-ID_DIGITS).padStart(ID_DIGITS, '0')}.elf`));
		}
		debug?.close();
		return true;
	}
	if (own === null) {
		recorder.problem(
			'warning',
			path.basename(name),
			'has no build id: nothing tells later whether it is the one that was sampled',
			'link it with -Wl,--build-id',
		);
		return true;
	}
	if (own !== buildId && buildId !== null) {
		return false;
	}
	if (stats.size <= MOST_BYTES) {
		fs.copyFileSync(name, path.join(folder, `${path.basename(name)}.${own.slice(0, ID_DIGITS)}.elf`));
	}
	// Those of the system are found by their build ids.
	if (debug !== null && debug.sizeBytes <= MOST_BYTES && !debug.name.startsWith(SYSTEM_DEBUG_FOLDER)) {
		fs.copyFileSync(debug.name, path.join(folder, `${path.basename(name)}.debug.${own.slice(0, ID_DIGITS)}.elf`));
	}
	debug?.close();
	return true;
}
