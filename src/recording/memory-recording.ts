/** Opens what tells of the compilers' memory: a folder or files of a JVM's output, or the answers of `jcmd`. Told by what they hold. */
import fs from 'node:fs';
import path from 'node:path';
import { memorySource, type Source } from '../bytes/source.js';
import { isFootprintEvents } from '../formats/footprint-events/detect.js';
import { readDetails } from '../formats/hotspot-memory-statistics/details.js';
import { scanMemoryStatistics } from '../formats/hotspot-memory-statistics/scan.js';
import { InputError, type Problem } from '../model/problem.js';
import { asInputError, openFile } from './file-source.js';
import { mergeRows, type UnnamedCompilation } from './merge-memory.js';
import type { LogFile } from './optimization-log.js';
import { readHead } from './read-head.js';
import { samplesFormatOf } from './sample-formats.js';

export interface MemoryRecording {
	/** In the order of the files, and in each of its lines. */
	readonly compilations: readonly UnnamedCompilation[];
	/** Of very many the smallest are not kept. */
	readonly omitted: number;
	/** Files that hold events, which are to be replayed. */
	readonly eventFiles: readonly LogFile[];
	readonly problems: readonly Problem[];
	close(): void;
}

const HEAD_BYTES = 1 << 12;
const MAX_FILES = 1000;

/** Throws an {@link InputError} when a file cannot be read, or nothing tells of the compilers' memory. */
export async function openMemoryRecording(paths: readonly LogFile[]): Promise<MemoryRecording> {
	const compilations: UnnamedCompilation[] = [];
	const eventFiles: LogFile[] = [];
	const problems: Problem[] = [];
	const sources: Source[] = [];
	let omitted = 0;
	let isStatistic = false;
	for (const given of paths) {
		const isFolder = fs.statSync(given.filePath, { throwIfNoEntry: false })?.isDirectory() ?? false;
		for (const file of isFolder ? filesOf(given) : [given]) {
			const head = await headOf(file, isFolder);
			if (isFootprintEvents(head)) {
				eventFiles.push(file);
				continue;
			}
			if (isFolder && isSomethingElse(head)) {
				continue;
			}
			const opened = await openFile(file.filePath, file.name);
			const statistics = scanMemoryStatistics(opened.source);
			sources.push(opened.source);
			isStatistic ||= statistics.rows.length > 0 || statistics.tables.length > 0;
			omitted += statistics.droppedRows;
			compilations.push(...mergeRows(statistics, ({ details }) => readDetails(opened.source, details ?? { start: 0, end: 0 })));
			problems.push(...opened.problems, ...statistics.problems);
		}
	}
	if (!isStatistic && eventFiles.length === 0) {
		const [said] = problems;
		throw new InputError({
			severity: 'error',
			file: paths.map(({ name }) => name).join(', '),
			message: said?.message ?? 'holds no statistic of the memory of compilers',
			action: said?.action ?? 'run the JVM (22 or later) with -XX:CompileCommand=memstat,*.*,print, or ask it with jcmd PID Compiler.memory',
		});
	}
	const close = (): void => {
		for (const source of sources) {
			source.close();
		}
	};
	return { compilations, omitted, eventFiles, problems, close };
}

/** The same of texts, which jcmd gave. */
export function memoryOfTexts(name: string, texts: readonly string[]): MemoryRecording {
	const source = memorySource(name, Buffer.from(texts.join('')));
	const statistics = scanMemoryStatistics(source);
	return {
		compilations: mergeRows(statistics, ({ details }) => readDetails(source, details ?? { start: 0, end: 0 })),
		omitted: statistics.droppedRows,
		eventFiles: [],
		problems: statistics.problems,
		close: () => {},
	};
}

/** Files of a recording that hold no output of the JVM. */
function isSomethingElse(head: string): boolean {
	return head.startsWith('PERFILE2') || head.trimStart().startsWith('{') || samplesFormatOf(head) !== undefined;
}

function filesOf(folder: LogFile): LogFile[] {
	try {
		const names = fs.readdirSync(folder.filePath, { withFileTypes: true }).filter((entry) => entry.isFile());
		if (names.length > MAX_FILES) {
			throw new InputError({ severity: 'error', file: folder.name, message: `is a folder of ${names.length} files`, action: 'give the files themselves' });
		}
		return names
			.map(({ name }) => ({ filePath: path.join(folder.filePath, name), name: path.join(folder.name, name) }))
			.sort((a, b) => (a.name < b.name ? -1 : 1));
	} catch (error) {
		throw asInputError(error, folder.name);
	}
}

async function headOf({ filePath, name }: LogFile, isOneOfMany: boolean): Promise<string> {
	try {
		return fs.statSync(filePath).isFile() ? await readHead(filePath, HEAD_BYTES) : '';
	} catch (error) {
		if (isOneOfMany) {
			return '';
		}
		throw asInputError(error, name);
	}
}
