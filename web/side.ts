/** One recording as the views need it: rows of compilations, samples in columns on the JVM's time, both filtered by a range of time. */

import type { CompilationResult } from '../src/answers/report-result.js';
import { isAheadOfTimeCompiler } from '../src/model/ahead-of-time.js';
import { THREAD_CLASSES, type ThreadClass } from '../src/model/thread-class.js';
import type { LifeJson, MemorySummaryJson, PageSide } from '../src/page/data.js';
import { displayedName } from './names.js';
import { pausesOf } from './pauses.js';

export interface Row {
	/** Position among all rows. */
	readonly index: number;
	readonly summary: CompilationResult;
	readonly life: LifeJson | null;
	readonly memory: MemorySummaryJson | null;
	/** `C2`, `C1`, `OSR` beside it. */
	readonly tier: string;
	readonly lowerName: string;
}

/** Where a sample was taken, as far as the timeline tells apart. */
export const CATEGORIES = ['top', 'c1', 'interpreter', 'compiler', 'other'] as const;
type Category = (typeof CATEGORIES)[number];

export interface SampleTable {
	readonly length: number;
	/** Milliseconds since the JVM's start, ascending; since the first sample where that is not known. */
	readonly timeMs: Float64Array;
	/** Row of the compilation, -1 outside of all. */
	readonly row: Int32Array;
	readonly instruction: Int32Array;
	/** Position in {@link CATEGORIES}. */
	readonly category: Uint8Array;
	/** Position in THREAD_CLASSES; null where the samples do not tell. */
	readonly threadClass: Uint8Array | null;
	/** Position in `threads`, -1 where the samples do not tell. */
	readonly thread: Int32Array;
	/** One that was renamed stands here several times. */
	readonly threads: readonly Thread[];
	readonly isOnJvmClock: boolean;
	/** Whether the samples tell when they were taken; else no range of time leaves any out. */
	readonly hasTimes: boolean;
}

export interface Side {
	readonly page: PageSide;
	readonly rows: readonly Row[];
	readonly byHandle: ReadonlyMap<string, Row>;
	readonly samples: SampleTable | null;
	/** Milliseconds that the timeline spans; 0 without any time. */
	readonly endMs: number;
	/** Samples that percentages are of. */
	readonly counted: number;
	/** Of a native program: there are no tiers, and no questions that only a JVM has. */
	readonly isNative: boolean;
}

export interface Range {
	readonly from: number;
	readonly to: number;
}

/** What is left in a range of time, of a class of threads. */
export interface Filtered {
	readonly range: Range | null;
	/** Where samples tell their threads. */
	readonly threadClass: ThreadClass | null;
	/** One of the samples' threads. */
	readonly thread: string | null;
	/** Whether no sample was left out. */
	readonly isWhole: boolean;
	/** Samples by row. */
	readonly samples: ArrayLike<number>;
	readonly counted: number;
	/** Samples by category. */
	readonly categories: readonly number[];
	/** Samples by class of threads; null where they do not tell. */
	readonly classes: readonly number[] | null;
	/** Whether the compilation was compiled, installed or sampled then; of a class: whether it was sampled. */
	isIn(row: Row): boolean;
	/** The same of any class. */
	isThere(row: Row): boolean;
}

export function createSide(page: PageSide): Side {
	const lives = new Map(page.compilations?.compilations.map((life) => [life.handle, life]));
	const memory = new Map(page.memory?.compilations.map((row) => [row.handle, row]));
	const rows = page.report.compilations.map(
		(summary, index): Row => ({
			index,
			summary,
			life: lives.get(summary.handle) ?? null,
			// Where files are of several JVMs, what has its handle may be another one's.
			memory: summary.memoryBytes === undefined ? null : (memory.get(summary.handle) ?? memory.get(summary.handle.replace('%', '')) ?? null),
			tier: tierOf(summary),
			lowerName: `${summary.handle} ${summary.method} ${displayedName(summary.method)}`.toLowerCase(),
		}),
	);
	const byHandle = new Map(rows.map((row) => [row.summary.handle, row]));
	const samples = sampleTable(page, byHandle);
	const lastSample = samples === null || samples.length === 0 ? 0 : samples.timeMs[samples.length - 1]!;
	return {
		page,
		rows,
		byHandle,
		samples,
		endMs: Math.max(page.compilations?.recording.endMs ?? 0, lastSample, latest(page)),
		isNative: rows.length > 0 && rows.every(({ summary }) => isAheadOfTimeCompiler(summary.compiler)),
		counted: page.report.samples.counted > 0 ? page.report.samples.counted : rows.reduce((sum, row) => sum + row.summary.samples, 0),
	};
}

function tierOf({ compiler, level }: Pick<CompilationResult, 'compiler' | 'level'>): string {
	return compiler === null
		? 'native'
		: compiler === 'jvmci'
			? 'JVMCI'
			: compiler.toLowerCase() === 'graal'
				? 'Graal'
				: isAheadOfTimeCompiler(compiler)
					? compiler
					: `${compiler.toUpperCase()}${level !== null && level > 0 && level < 4 ? `·${level}` : ''}`;
}

function sampleTable(page: PageSide, byHandle: ReadonlyMap<string, Row>): SampleTable | null {
	if (page.hot === null) {
		return null;
	}
	const { clock, sampleColumns: columns, sampleClasses } = page.hot;
	const { length } = columns.deltaUs;
	const timeMs = new Float64Array(length);
	const row = new Int32Array(length);
	const category = new Uint8Array(length);
	const rowOfPlace = columns.places.map(({ compileId }) => (compileId === null ? -1 : (byHandle.get(`c${compileId}`)?.index ?? -1)));
	const categoryOfPlace = columns.places.map(({ compileId, reason }) => categoryOf(compileId === null ? undefined : byHandle.get(`c${compileId}`), reason));
	const isCompiler = columns.threads.map(({ name }) => /^(?:C[12] CompilerThre|JVMCI|Graal|LibGraal)/i.test(name));
	const origin = clock.startSeconds === null ? 0 : (columns.startSeconds - clock.startSeconds) * 1000;
	let us = 0;
	for (let i = 0; i < length; i++) {
		us += columns.deltaUs[i]!;
		timeMs[i] = origin + us / 1000;
		const place = columns.place[i]!;
		row[i] = rowOfPlace[place]!;
		const isCompiling = isCompiler[columns.thread[i]!] === true && row[i] === -1;
		category[i] = CATEGORIES.indexOf(isCompiling ? 'compiler' : categoryOfPlace[place]!);
	}
	const threadClass = sampleClasses === null ? null : Uint8Array.from(sampleClasses);
	return {
		length,
		timeMs,
		row,
		instruction: Int32Array.from(columns.instruction),
		category,
		threadClass,
		thread: Int32Array.from(columns.thread),
		threads: columns.threads,
		isOnJvmClock: clock.startSeconds !== null,
		hasTimes: us > 0,
	};
}

interface Thread {
	readonly name: string;
	/** Of the operating system, -1 where it is not told. */
	readonly id: number;
}

/** `main/2694`: as the page names and chooses a thread. */
export function threadName({ name, id }: Thread): string {
	return id < 0 ? name : `${name}/${id}`;
}

function categoryOf(row: Row | undefined, reason: string | null): Category {
	if (row !== undefined) {
		// No compiler makes the JVM's wrappers of native methods.
		return row.summary.kind === 'native wrapper' ? 'interpreter' : row.summary.compiler === 'c1' ? 'c1' : 'top';
	}
	return reason === null || reason === 'interpreter' || reason === 'stub' ? 'interpreter' : 'other';
}

/** Rows from the first at or after `from` up to the first after `to`. */
export function samplesIn(samples: SampleTable, range: Range | null): { first: number; end: number } {
	if (range === null || !samples.hasTimes) {
		return { first: 0, end: samples.length };
	}
	return { first: firstAfter(samples.timeMs, range.from, true), end: firstAfter(samples.timeMs, range.to, false) };
}

function firstAfter(times: Float64Array, time: number, isInclusive: boolean): number {
	let low = 0;
	let high = times.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		const value = times[middle]!;
		if (isInclusive ? value < time : value <= time) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

/** The last that anything tells of: a log may end before the run, or not tell when it ends. */
function latest(page: PageSide): number {
	const events = page.report.compilations.map(({ startedMs, doneMs, installedMs, notEntrantMs }) =>
		Math.max(startedMs ?? 0, doneMs ?? 0, installedMs ?? 0, notEntrantMs ?? 0),
	);
	return [...events, ...pausesOf(page).map(({ ms, totalNs }) => ms + totalNs / 1e6)].reduce((most, ms) => Math.max(most, ms), 0);
}

/** Samples in the chosen range of time and class of threads, by their position. */
export function* chosenSamples(samples: SampleTable, filtered: Pick<Filtered, 'range' | 'threadClass' | 'thread'>): Generator<number> {
	const { first, end } = samplesIn(samples, filtered.range);
	const isChosen = ofThreads(samples, filtered);
	for (let i = first; i < end; i++) {
		if (isChosen(i)) {
			yield i;
		}
	}
}

/** Whether a sample is in a thread of the class, and in the thread; null: in any. */
export function ofThreads(samples: SampleTable, { threadClass, thread }: Pick<Filtered, 'threadClass' | 'thread'>): (sample: number) => boolean {
	const { threadClass: classes, thread: threads } = samples;
	const wanted = threadClass === null ? -1 : THREAD_CLASSES.indexOf(threadClass);
	const isOfClass = classes === null || threadClass === null ? () => true : (sample: number) => classes[sample] === wanted;
	if (thread === null) {
		return isOfClass;
	}
	const chosen = samples.threads.find((one) => threadName(one) === thread);
	const named = new Set(samples.threads.flatMap(({ name, id }, i) => ((id >= 0 ? id === chosen?.id : name === chosen?.name) ? [i] : [])));
	return (sample) => named.has(threads[sample]!) && isOfClass(sample);
}

/** `wantedClass`, `wantedThread`: samples of this class of threads, and of this thread alone, where they tell; null: of all. */
export function filterSide(side: Side, range: Range | null, wantedClass: ThreadClass | null = null, wantedThread: string | null = null): Filtered {
	const { samples, rows } = side;
	const threadClass = samples?.threadClass == null ? null : wantedClass;
	const thread = wantedThread !== null && samples?.threads.some((one) => threadName(one) === wantedThread) === true ? wantedThread : null;
	const isThere = (row: Row): boolean => wasThere(row, range);
	const categories = CATEGORIES.map(() => 0);
	if (samples === null) {
		return {
			range,
			threadClass,
			thread,
			isWhole: range === null,
			samples: rows.map((row) => row.summary.samples),
			counted: side.counted,
			categories,
			classes: null,
			isIn: isThere,
			isThere,
		};
	}
	const counts = new Int32Array(rows.length);
	const { first, end } = samplesIn(samples, range);
	const isChosen = ofThreads(samples, { threadClass, thread });
	const classes = THREAD_CLASSES.map(() => 0);
	const isWhole = (range === null || !samples.hasTimes) && threadClass === null && thread === null;
	let counted = 0;
	for (let i = first; i < end; i++) {
		if (!isChosen(i)) {
			continue;
		}
		counted++;
		const row = samples.row[i]!;
		if (row >= 0) {
			counts[row] = counts[row]! + 1;
		}
		const category = samples.category[i]!;
		categories[category] = categories[category]! + 1;
		const ofThread = samples.threadClass?.[i] ?? -1;
		if (ofThread >= 0) {
			classes[ofThread] = classes[ofThread]! + 1;
		}
	}
	return {
		range,
		threadClass,
		thread,
		isWhole,
		samples: isWhole ? rows.map((row) => row.summary.samples) : counts,
		counted: isWhole ? side.counted : counted,
		categories,
		classes: samples.threadClass === null ? null : classes,
		isIn: (row) => counts[row.index]! > 0 || (threadClass === null && thread === null && isThere(row)),
		isThere,
	};
}

/** Whether a compiler worked on it then; without a range always. */
export function wasCompiledIn({ summary }: Row, range: Range | null): boolean {
	if (range === null) {
		return true;
	}
	const to = summary.doneMs ?? summary.installedMs ?? summary.startedMs;
	const from = summary.startedMs ?? to;
	return from !== undefined && to !== undefined && from <= range.to && to >= range.from;
}

function wasThere({ summary }: Row, range: Range | null): boolean {
	if (range === null) {
		return true;
	}
	const from = summary.queuedMs ?? summary.startedMs ?? summary.installedMs;
	const to = summary.notEntrantMs ?? (summary.installedMs === undefined ? summary.doneMs : undefined) ?? Number.POSITIVE_INFINITY;
	return from !== undefined && from <= range.to && to >= range.from;
}

/** `1400-4100` of the address. */
export function parseRange(text: string | undefined): Range | null {
	const [, from, to] = /^(-?[\d.]+)-([\d.]+)$/.exec(text ?? '') ?? [];
	const range = { from: Number(from), to: Number(to) };
	return from !== undefined && Number.isFinite(range.from) && range.to > range.from ? range : null;
}
