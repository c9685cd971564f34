/** Opens what tells of the compilers' memory: a folder or files of a JVM's output, or the answers of `jcmd`. Told by what they hold. */
import fs from 'node:fs';
import path from 'node:path';
import { memorySource, type Source } from '../bytes/source.js';
import { isFootprintEvents } from '../formats/footprint-events/detect.js';
import { readDetails } from '../formats/hotspot-memory-statistics/details.js';
import { scanMemoryStatistics } from '../formats/hotspot-memory-statistics/scan.js';
import { InputError, type Problem } from '../model/problem.js';
import { asInputError } from './file-source.js';
import { isIndexFile } from './index-name.js';
import { headOfFile, isFolder, type LogFile, openLogFile } from './log-file.js';
import { mergeRows, type UnnamedCompilation } from './merge-memory.js';
import { isBinaryProfile } from './observed-file.js';
import { samplesFormatOf } from './sample-formats.js';

export interface MemoryRecording {
	/** In the order of the files, and in each of its lines. */
	readonly compilations: readonly UnnamedCompilation[];
	/** Of very many the smallest are not kept. */
	readonly omitted: number;
	/** Files that hold events, which are to be replayed. */
	readonly eventFiles: readonly LogFile[];
	/** Files with statistics. */
	readonly files: readonly string[];
	readonly problems: readonly Problem[];
	close(): void;
}

const HEAD_BYTES = 1 << 12;
const MAX_FILES = 1000;

/** Throws an {@link InputError} when a file cannot be read, or nothing tells of the compilers' memory. */
export async function openMemoryRecording(paths: readonly LogFile[]): Promise<MemoryRecording> {
	const compilations: UnnamedCompilation[] = [];
	const eventFiles: LogFile[] = [];
	const files: string[] = [];
	const problems: Problem[] = [];
	const sources: Source[] = [];
	let omitted = 0;
	let isStatistic = false;
	for (const given of paths) {
		const isOneOfMany = isFolder(given);
		for (const file of isOneOfMany ? filesOf(given) : [given]) {
			const head = await headOf(file, isOneOfMany);
			if (isFootprintEvents(head)) {
				eventFiles.push(file);
				continue;
			}
			if (isOneOfMany && isSomethingElse(head)) {
				continue;
			}
			const opened = await openLogFile(file);
			const statistics = scanMemoryStatistics(opened.source);
			sources.push(opened.source);
			if (statistics.rows.length > 0 || statistics.tables.length > 0) {
				isStatistic = true;
				files.push(file.name);
			}
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
	return { compilations, omitted, eventFiles, files, problems, close };
}

/** The same of texts, which jcmd gave. */
export function memoryOfTexts(name: string, texts: readonly string[]): MemoryRecording {
	const source = memorySource(name, Buffer.from(texts.join('')));
	const statistics = scanMemoryStatistics(source);
	return {
		compilations: mergeRows(statistics, ({ details }) => readDetails(source, details ?? { start: 0, end: 0 })),
		omitted: statistics.droppedRows,
		eventFiles: [],
		files: [name],
		problems: statistics.problems,
		close: () => {},
	};
}

/** Files of a recording that hold no output of the JVM. */
function isSomethingElse(head: string): boolean {
	return head.startsWith('PERFILE2') || isBinaryProfile(head) || head.trimStart().startsWith('{') || samplesFormatOf(head) !== undefined;
}

function filesOf(folder: LogFile): LogFile[] {
	try {
		const names = fs.readdirSync(folder.filePath, { withFileTypes: true }).filter((entry) => entry.isFile() && !isIndexFile(entry.name));
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

async function headOf(file: LogFile, isOneOfMany: boolean): Promise<string> {
	try {
		return file.source !== undefined || fs.statSync(file.filePath).isFile() ? await headOfFile(file, HEAD_BYTES) : '';
	} catch (error) {
		if (isOneOfMany) {
			return '';
		}
		throw asInputError(error, file.name);
	}
}
