/** What compilations cost their compiler in memory: of a recording, of a running JVM, of events that are replayed; of one run, or of runs beside each other. */
import { adviseOn, overBudget } from '../footprint/advice.js';
import { compareMemory, MAX_RUNS_PER_SIDE } from '../footprint/compare-memory.js';
import { FootprintReplay, type ReplayOptions } from '../footprint/replay.js';
import type { MemoryComparison, Replay } from '../footprint/results.js';
import { FootprintEventReader, readFootprintEvents } from '../formats/footprint-events/read.js';
import { InputError, type Problem, UsageError } from '../model/problem.js';
import type { Progress } from '../model/progress.js';
import { type AskRequest, memoryAsker } from '../recording/ask-memory.js';
import type { Evidence } from '../recording/evidence.js';
import { openFile } from '../recording/file-source.js';
import { type LogFile, openLogFile } from '../recording/log-file.js';
import { type MemoryRecording, memoryOfTexts } from '../recording/memory-recording.js';
import { nameCompilations, type UnnamedCompilation } from '../recording/merge-memory.js';
import {
	type MemorySelection,
	type MemoryTotals,
	memoryComparisonResult,
	memoryResult,
	memoryTotals,
	type OpenedMemory,
	type ShownCompilation,
} from './memory-result.js';
import type { CompareMemoryResult, MemoryResult } from './results.js';
import type { Streamed } from './streamed.js';

export interface MemoryRequest {
	/** Only these: `c12`, `12`, `c12@2` for a second one; null: all. */
	readonly handles: readonly string[] | null;
	/** Which compilations needed more than so many bytes; null: not asked. */
	readonly budgetBytes: number | null;
}

export interface MemoryAnswer extends OpenedMemory, MemorySelection, MemoryTotals {
	result(): Streamed<MemoryResult>;
}

/** Throws a UsageError when there is no such handle. */
export function answerMemory(opened: OpenedMemory, { handles, budgetBytes }: MemoryRequest): MemoryAnswer {
	const { compilations } = opened;
	const chosen = handles?.map((handle) => choose(compilations, handle)) ?? null;
	const budget = budgetBytes === null ? null : { bytes: budgetBytes, over: overBudget(compilations, budgetBytes) };
	const advice = (chosen ?? mostExpensive(compilations)).flatMap((compilation) => adviseOn(compilation, compilations));
	return { ...opened, ...memoryTotals(compilations), budget, advice, chosen, result: () => memoryResult(opened, { chosen, budget, advice }) };
}

function choose(compilations: readonly ShownCompilation[], handle: string): ShownCompilation {
	const plain = `c${handle.replace(/^c(?=\d)/, '').replace('%', '')}`;
	const found = compilations.find((one) => one.handle === handle) ?? compilations.find((one) => one.handle === plain);
	if (found === undefined) {
		throw new UsageError(`no compilation is called ${handle}`);
	}
	return found;
}

/** One, or none where there is none; of equal ones the first. */
export function mostExpensive(compilations: readonly ShownCompilation[]): readonly ShownCompilation[] {
	let most = compilations[0];
	for (const compilation of compilations) {
		most = most === undefined || compilation.totalBytes > most.totalBytes ? compilation : most;
	}
	return most === undefined ? [] : [most];
}

/** Runs of a side are opened one after the other. */
export interface MemorySideRequest {
	/** What the side is called. */
	readonly name: string;
	readonly runs: readonly (() => Promise<OpenedMemory>)[];
}

export interface MemoryComparisonAnswer {
	readonly nameA: string;
	readonly nameB: string;
	readonly comparison: MemoryComparison;
	/** Whether a compilation of the second side needed more than the budget. */
	readonly isOverBudget: boolean;
	readonly problems: readonly Problem[];
	result(): Streamed<CompareMemoryResult>;
}

/** Which methods cost more or less. Throws a UsageError for too many runs of a side, an InputError when one cannot be opened. */
export async function answerMemoryComparison(a: MemorySideRequest, b: MemorySideRequest, budgetBytes: number | null): Promise<MemoryComparisonAnswer> {
	for (const { runs } of [a, b]) {
		if (runs.length > MAX_RUNS_PER_SIDE) {
			throw new UsageError(`at most ${MAX_RUNS_PER_SIDE} runs of a side can be compared, ${runs.length} given`);
		}
	}
	const openedA = await openAll(a);
	const openedB = await openAll(b);
	const comparison = compareMemory(
		openedA.map(({ compilations }) => compilations),
		openedB.map(({ compilations }) => compilations),
	);
	return {
		nameA: a.name,
		nameB: b.name,
		comparison,
		isOverBudget: budgetBytes !== null && openedB.some(({ compilations }) => overBudget(compilations, budgetBytes).length > 0),
		problems: [...openedA, ...openedB].flatMap(({ problems }) => problems),
		result: () => memoryComparisonResult(a.name, b.name, comparison),
	};
}

async function openAll({ runs }: MemorySideRequest): Promise<OpenedMemory[]> {
	const opened: OpenedMemory[] = [];
	for (const open of runs) {
		opened.push(await open());
	}
	return opened;
}

/** Of a recording that is open. Throws an InputError when nothing of it tells of the compilers' memory. */
export async function memoryOf(evidence: Evidence, replay: ReplayOptions, of: 'chosen' | 'all' = 'chosen'): Promise<OpenedMemory> {
	const recording = await evidence.memory(of);
	const problems: Problem[] = [...recording.problems];
	let replayed: Replay | null = null;
	for (const file of recording.eventFiles) {
		const opened = await openLogFile(file);
		const engine = new FootprintReplay(replay);
		const read = readFootprintEvents(opened.source, engine);
		opened.source.close();
		problems.push(...opened.problems, ...read.problems);
		replayed = joined(replayed, engine.finish());
	}
	return {
		compilations: nameCompilations([...recording.compilations, ...(replayed === null ? [] : unnamed(replayed))]),
		omitted: recording.omitted + (replayed?.omitted ?? 0),
		nativeMemory: recording.nativeMemory,
		replay: replayed,
		problems,
	};
}

/** Of a JVM that runs. Throws an InputError when it does not answer. */
export async function memoryOfProcess(processId: number, request: AskRequest): Promise<OpenedMemory> {
	const { table, verbose } = await memoryAsker(processId, request).ask();
	const { compilations, omitted, nativeMemory, problems }: MemoryRecording = memoryOfTexts(`process ${processId}`, [table, verbose ?? '']);
	return { compilations: nameCompilations(compilations), omitted, nativeMemory, replay: null, problems };
}

/** A file of events, or standard input while they are written; undefined pieces: it is not there. */
export type EventsInput = LogFile | { readonly pieces: AsyncIterable<Uint8Array> | undefined };

/** The result is that at the end of the events. Throws an InputError when there are none. */
export async function memoryOfEvents(input: EventsInput, replay: ReplayOptions, progress: Progress): Promise<OpenedMemory> {
	const engine = new FootprintReplay(replay);
	const name = 'pieces' in input ? 'standard input' : input.name;
	const problems = 'pieces' in input ? await readPieces(input.pieces, engine, progress) : await readEventFile(input, engine);
	const replayed = engine.finish();
	if (replayed.events === 0) {
		throw new InputError({
			severity: 'error',
			file: name,
			message: 'holds no event of a compiler',
			action: 'lines of JSON are expected: docs/schema/footprint-events.json',
		});
	}
	return { compilations: nameCompilations(unnamed(replayed)), omitted: replayed.omitted, nativeMemory: [], replay: replayed, problems };
}

async function readPieces(pieces: AsyncIterable<Uint8Array> | undefined, engine: FootprintReplay, progress: Progress): Promise<readonly Problem[]> {
	if (pieces === undefined) {
		throw new InputError({ severity: 'error', file: 'standard input', message: 'is not there', action: 'name a file' });
	}
	const reader = new FootprintEventReader('standard input', engine);
	let bytes = 0;
	for await (const piece of pieces) {
		reader.push(piece);
		bytes += piece.length;
		progress.report(`${(bytes / 1e6).toFixed(0)} MB of events`);
	}
	return reader.finish().problems;
}

async function readEventFile({ filePath, name }: LogFile, engine: FootprintReplay): Promise<readonly Problem[]> {
	const opened = await openFile(filePath, name);
	const read = readFootprintEvents(opened.source, engine);
	opened.source.close();
	return [...opened.problems, ...read.problems];
}

function unnamed({ compilations }: Replay): UnnamedCompilation[] {
	return compilations.map(({ details, heldAtEndBytes: _held, limitHits: _hits, isFinished: _finished, ...memory }) => ({ ...memory, details: () => details }));
}

function joined(a: Replay | null, b: Replay): Replay {
	if (a === null) {
		return b;
	}
	const malformed = Object.fromEntries(Object.entries(a.malformed).map(([key, count]) => [key, count + b.malformed[key as keyof Replay['malformed']]]));
	return {
		compilations: [...a.compilations, ...b.compilations],
		omitted: a.omitted + b.omitted,
		events: a.events + b.events,
		malformed: malformed as unknown as Replay['malformed'],
		isCrashed: a.isCrashed || b.isCrashed,
	};
}
