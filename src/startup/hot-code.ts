/**
 * What there is to put in order: the sections that ran in some trace, and where in them each trace executes. The rest stays as it is.
 *
 * Executed bytes that are less than a page apart touch the same pages as everything between them: no whole page fits into the gap. So most sections need one
 * interval a trace, from the first executed byte to the last, and a layout is scored in one pass over these.
 */
import type { TextLayout } from '../model/text-layout.js';
import { type Score, WINDOW_BYTES } from './results.js';
import type { LaidTrace } from './trace-on-layout.js';

export interface HotCode {
	/** Sections of the layout by first execution: of the first trace, then what is new in the second, and so on. The others below count by place in this list. */
	readonly sections: Int32Array;
	readonly sizes: Float64Array;
	readonly alignments: Float64Array;
	/** Intervals of section i: [firstInterval[i], firstInterval[i + 1]), by trace and start. */
	readonly firstInterval: Int32Array;
	readonly intervalTraces: Int32Array;
	readonly intervalStarts: Float64Array;
	readonly intervalEnds: Float64Array;
	/** Which set of traces a section runs in: index in `classes`. */
	readonly classOf: Int32Array;
	/** By first appearance. */
	readonly classes: readonly TraceClass[];
	/** Of the traces. A trace that tells functions only counts twice by half: with their whole bodies, and (behind all traces) with their first bytes. */
	readonly weights: Float64Array;
	/** Whether executed bytes are known of every trace. */
	readonly isExact: boolean;
	/** Where the first listed section goes. */
	readonly start: number;
}

interface TraceClass {
	readonly traces: readonly number[];
	/** Sum of the weights of its traces. */
	readonly weight: number;
}

/** Parts of sections that traces execute: told twice in the same order, to be counted and to be kept. */
class ExecutedParts {
	private readonly firsts: Int32Array;
	private readonly ends: Int32Array;
	private traces = new Int32Array(0);
	private partStarts = new Float64Array(0);
	private partEnds = new Float64Array(0);
	private hasRoom = false;

	constructor(sections: number) {
		this.firsts = new Int32Array(sections + 1);
		this.ends = new Int32Array(sections);
	}

	add(section: number, trace: number, start: number, end: number): void {
		if (!this.hasRoom) {
			this.firsts[section + 1]!++;
			return;
		}
		const at = this.ends[section]!++;
		this.traces[at] = trace;
		this.partStarts[at] = start;
		this.partEnds[at] = end;
	}

	/** All were told once. */
	makeRoom(): void {
		const { firsts } = this;
		for (let i = 1; i < firsts.length; i++) {
			firsts[i] = firsts[i]! + firsts[i - 1]!;
		}
		this.ends.set(firsts.subarray(0, -1));
		const count = firsts.at(-1)!;
		this.traces = new Int32Array(count);
		this.partStarts = new Float64Array(count);
		this.partEnds = new Float64Array(count);
		this.hasRoom = true;
	}

	/** By trace and start. */
	forEachOf(section: number, take: (trace: number, start: number, end: number) => void): void {
		const { traces, partStarts, partEnds } = this;
		const [first, end] = [this.firsts[section]!, this.ends[section]!];
		const compare = (a: number, b: number): number => traces[a]! - traces[b]! || partStarts[a]! - partStarts[b]!;
		let isSorted = true;
		for (let i = first + 1; i < end && isSorted; i++) {
			isSorted = compare(i - 1, i) <= 0;
		}
		if (isSorted) {
			for (let i = first; i < end; i++) {
				take(traces[i]!, partStarts[i]!, partEnds[i]!);
			}
			return;
		}
		for (const i of Array.from({ length: end - first }, (_, at) => first + at).sort(compare)) {
			take(traces[i]!, partStarts[i]!, partEnds[i]!);
		}
	}
}

/** Of one region of the layout. */
export function hotCode(layout: TextLayout, region: TextLayout['regions'][number], traces: readonly LaidTrace[]): HotCode {
	const { functionSections, functionOffsets, functionSizes, sectionSizes, sectionAlignments, pageBytes } = layout;
	const isInRegion = (section: number): boolean => section >= region.firstSection && section < region.endSection;
	const place = new Int32Array(layout.sectionStarts.length).fill(-1);
	const sections: number[] = [];
	for (const { functions } of traces) {
		for (const f of functions) {
			const section = functionSections[f]!;
			if (place[section] === -1 && isInRegion(section)) {
				place[section] = sections.length;
				sections.push(section);
			}
		}
	}
	const executed = new ExecutedParts(sections.length);
	for (const isFilled of [false, true]) {
		traces.forEach(({ ranges, functions }, trace) => {
			const add = (of: number, f: number, start: number, end: number): void => {
				const at = place[functionSections[f]!]!;
				if (at >= 0) {
					executed.add(at, of, functionOffsets[f]! + start, functionOffsets[f]! + end);
				}
			};
			if (ranges === null) {
				for (const f of functions) {
					add(trace, f, 0, Math.max(1, functionSizes[f]!));
					add(traces.length + trace, f, 0, 1);
				}
				return;
			}
			for (let i = 0; i < ranges.functions.length; i++) {
				add(trace, ranges.functions[i]!, ranges.starts[i]!, ranges.ends[i]!);
			}
		});
		if (!isFilled) {
			executed.makeRoom();
		}
	}
	const firstInterval = new Int32Array(sections.length + 1);
	const intervals = { traces: [] as number[], starts: [] as number[], ends: [] as number[] };
	const classNumbers = new Map<string, number>();
	const classes: TraceClass[] = [];
	const weights = new Float64Array(2 * traces.length);
	traces.forEach(({ weight, ranges }, trace) => {
		weights[trace] = ranges === null ? weight / 2 : weight;
		weights[traces.length + trace] = ranges === null ? weight / 2 : 0;
	});
	const classOf = new Int32Array(sections.length);
	const ran: number[] = [];
	for (let i = 0; i < sections.length; i++) {
		ran.length = 0;
		executed.forEachOf(i, (trace, start, end) => {
			const last = intervals.traces.length - 1;
			const isOpen = last >= firstInterval[i]! && intervals.traces[last] === trace;
			if (isOpen && start - intervals.ends[last]! < pageBytes) {
				intervals.ends[last] = Math.max(intervals.ends[last]!, end);
				return;
			}
			if (!isOpen && trace < traces.length) {
				ran.push(trace);
			}
			intervals.traces.push(trace);
			intervals.starts.push(start);
			intervals.ends.push(end);
		});
		firstInterval[i + 1] = intervals.traces.length;
		const key = ran.join(',');
		let number = classNumbers.get(key);
		if (number === undefined) {
			number = classes.length;
			classNumbers.set(key, number);
			classes.push({ traces: [...ran], weight: ran.reduce((sum, trace) => sum + (traces[trace]?.weight ?? 0), 0) });
		}
		classOf[i] = number;
	}
	return {
		sections: Int32Array.from(sections),
		sizes: Float64Array.from(sections, (section) => sectionSizes[section]!),
		alignments: Float64Array.from(sections, (section) => sectionAlignments[section]!),
		firstInterval,
		intervalTraces: Int32Array.from(intervals.traces),
		intervalStarts: Float64Array.from(intervals.starts),
		intervalEnds: Float64Array.from(intervals.ends),
		classOf,
		classes,
		weights,
		isExact: traces.every(({ ranges }) => ranges !== null),
		start: region.start,
	};
}

/**
 * Pages and windows that the traces touch when the sections are listed in this order. Those that ran are given by their place in {@link HotCode}, others,
 * that fill, as -1 less their section in the layout.
 */
export function scoreOrder(hot: HotCode, layout: TextLayout, listed: Int32Array): Score {
	const { sizes, alignments, firstInterval, intervalTraces, intervalStarts, intervalEnds, weights } = hot;
	const { pageBytes } = layout;
	const lastPage = new Float64Array(weights.length).fill(-1);
	const lastWindow = new Float64Array(weights.length).fill(-1);
	const pagesPerWindow = WINDOW_BYTES / pageBytes;
	let position = hot.start;
	let pages = 0;
	let windows = 0;
	for (const one of listed) {
		const isFilling = one < 0;
		const alignment = isFilling ? layout.sectionAlignments[-1 - one]! : alignments[one]!;
		const over = position % alignment;
		position += over === 0 ? 0 : alignment - over;
		if (isFilling) {
			position += layout.sectionSizes[-1 - one]!;
			continue;
		}
		const end = firstInterval[one + 1]!;
		for (let i = firstInterval[one]!; i < end; i++) {
			const trace = intervalTraces[i]!;
			const last = Math.floor((position + intervalEnds[i]! - 1) / pageBytes);
			const first = Math.max(Math.floor((position + intervalStarts[i]!) / pageBytes), lastPage[trace]! + 1);
			if (last >= first) {
				const weight = weights[trace]!;
				pages += weight * (last - first + 1);
				lastPage[trace] = last;
				const lastOne = Math.floor(last / pagesPerWindow);
				const firstOne = Math.max(Math.floor(first / pagesPerWindow), lastWindow[trace]! + 1);
				windows += weight * Math.max(0, lastOne - firstOne + 1);
				lastWindow[trace] = Math.max(lastWindow[trace]!, lastOne);
			}
		}
		position += sizes[one]!;
	}
	return { pages, windows };
}
