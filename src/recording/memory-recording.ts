/** Opens what tells of the compilers' memory: the output of a JVM, or the answers of `jcmd`. */

import { memorySource } from '../bytes/source.js';
import { readDetails } from '../formats/hotspot-memory-statistics/details.js';
import { scanMemoryStatistics } from '../formats/hotspot-memory-statistics/scan.js';
import { append } from '../model/append.js';
import type { NativeMemory } from '../model/compiler-memory.js';
import { InputError, type Problem } from '../model/problem.js';
import type { EvidenceFile, FoundEvidence } from './find-evidence.js';
import { readFlightRecorder } from './flight-recorder-file.js';
import { openLogFile } from './log-file.js';
import { mergeRows, type UnnamedCompilation } from './merge-memory.js';
import { recordedMemory, withRecorded } from './recorded-memory.js';

export interface MemoryRecording {
	/** In the order of the files, and in each of its lines. */
	readonly compilations: readonly UnnamedCompilation[];
	/** Of very many the smallest are not kept. */
	readonly omitted: number;
	/** What the JVM itself counts for its compilers. */
	readonly nativeMemory: readonly NativeMemory[];
	/** Files that hold events, which are to be replayed. */
	readonly eventFiles: readonly EvidenceFile[];
	/** Files with statistics. */
	readonly files: readonly string[];
	readonly problems: readonly Problem[];
}

/** Throws an {@link InputError} when nothing tells of the compilers' memory. */
export async function openMemoryRecording({ name, files: found }: Pick<FoundEvidence, 'name' | 'files'>): Promise<MemoryRecording> {
	const compilations: UnnamedCompilation[] = [];
	const eventFiles: EvidenceFile[] = [];
	const nativeMemory: NativeMemory[] = [];
	const files: string[] = [];
	const problems: Problem[] = [];
	let omitted = 0;
	let isStatistic = false;
	for (const file of found.compilerMemory) {
		if (file.formats.some(({ place, kinds }) => place === 'file' && kinds.length === 1)) {
			eventFiles.push(file);
			continue;
		}
		const opened = await openLogFile(file);
		const statistics = scanMemoryStatistics(opened.source);
		if (statistics.rows.length > 0 || statistics.tables.length > 0) {
			isStatistic = true;
			files.push(file.name);
		}
		omitted += statistics.droppedRows;
		nativeMemory.push(...statistics.nativeMemory);
		append(
			compilations,
			mergeRows(statistics, ({ details }) => readDetails(opened.source, details ?? { start: 0, end: 0 })),
		);
		problems.push(...opened.problems, ...statistics.problems);
	}
	const recorded = await addRecorded(found.flightRecorder, compilations, problems);
	files.push(...recorded.files);
	if (!isStatistic && eventFiles.length === 0 && recorded.files.length === 0) {
		const [said] = nativeMemory.length > 0 ? [] : problems;
		throw new InputError({
			severity: 'error',
			file: name,
			message: said?.message ?? `holds no statistic of the memory of compilers${nativeMemory.length > 0 ? onlySummary(nativeMemory) : ''}`,
			action: said?.action ?? 'run the JVM (22 or later) with -XX:CompileCommand=memstat,*.*,print, or ask it with jcmd PID Compiler.memory',
		});
	}
	return { compilations: recorded.compilations, omitted, nativeMemory, eventFiles, files, problems };
}

/** What the last summary says of compilers, which is nothing of a single compilation. */
function onlySummary(summaries: readonly NativeMemory[]): string {
	const { committedBytes, arenaPeakBytes } = summaries.at(-1)!;
	const size = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(2)}M`;
	const peak = arenaPeakBytes === null ? '' : `, arenas up to ${size(arenaPeakBytes)}`;
	return `, only Native Memory Tracking's summary (${committedBytes === null ? 'nothing of compilers' : `compilers ${size(committedBytes)}${peak}`})`;
}

/** What Flight Recorder adds; files that counted no memory add nothing. */
async function addRecorded(
	found: readonly EvidenceFile[],
	statistics: readonly UnnamedCompilation[],
	problems: Problem[],
): Promise<{ readonly compilations: readonly UnnamedCompilation[]; readonly files: readonly string[] }> {
	let compilations = statistics;
	const files: string[] = [];
	for (const file of found) {
		const own: Problem[] = [];
		const { read } = await readFlightRecorder(file, 'compilations', own);
		const recorded = recordedMemory(read);
		if (recorded.length > 0) {
			const merged = withRecorded(compilations, recorded, file.name);
			compilations = merged.compilations;
			files.push(file.name);
			problems.push(...own, ...read.problems, ...merged.problems);
		}
	}
	return { compilations, files };
}

/** The same of texts, which jcmd gave. */
export function memoryOfTexts(name: string, texts: readonly string[]): MemoryRecording {
	const source = memorySource(name, Buffer.from(texts.join('')));
	const statistics = scanMemoryStatistics(source);
	return {
		compilations: mergeRows(statistics, ({ details }) => readDetails(source, details ?? { start: 0, end: 0 })),
		omitted: statistics.droppedRows,
		nativeMemory: statistics.nativeMemory,
		eventFiles: [],
		files: [name],
		problems: statistics.problems,
	};
}
