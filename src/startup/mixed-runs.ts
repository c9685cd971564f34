/**
 * Runs as they might have been: each does what one of the traced runs did, leaves stretches out that not all of them ran, and does stretches that others ran. An order
 * that gains only in the very runs that it was made of shows it there. The same traces give the same runs.
 *
 * A stretch is what a trace ran between two functions that all traces ran: what is run for one purpose is run one after the other.
 */
import type { ExecutedRanges } from './executed-ranges.js';
import type { LaidTrace } from './trace-on-layout.js';

const MIXED_RUNS = 40;
/** Shares of the stretches of the run itself and of each other one. */
const OWN_STRETCHES = 0.6;
const OTHER_STRETCHES = 0.25;
/** How often a stretch ends without a function that all ran. */
const STRETCH_ENDS = 0.1;
/** How often a function executes the bytes that it did in the run that it was taken from; else those of any run that it ran in. */
const OWN_BYTES = 0.7;

/** Of more than one trace. Each weighs 1. */
export function mixedRuns(traces: readonly LaidTrace[]): LaidTrace[] {
	const random = randomNumbers(traces.length);
	const ranBy = new Map<number, number[]>();
	traces.forEach(({ functions }, trace) => {
		for (const f of functions) {
			const known = ranBy.get(f);
			if (known === undefined) {
				ranBy.set(f, [trace]);
			} else {
				known.push(trace);
			}
		}
	});
	const ranges = traces.map((trace) => rangesByFunction(trace.ranges));
	return Array.from({ length: MIXED_RUNS }, (_run, i) => {
		const base = i % traces.length;
		const bytesOf = new Map<number, number>();
		const takeFrom = (trace: number): void => {
			let isTaken = true;
			let isNew = true;
			for (const f of traces[trace]!.functions) {
				const all = ranBy.get(f)!;
				if (all.length < traces.length) {
					isTaken = isNew || random() < STRETCH_ENDS ? random() < (trace === base ? OWN_STRETCHES : OTHER_STRETCHES) : isTaken;
				}
				isNew = all.length === traces.length;
				if ((isNew ? trace === base : isTaken) && !bytesOf.has(f)) {
					bytesOf.set(f, random() < OWN_BYTES ? trace : all[Math.floor(random() * all.length)]!);
				}
			}
		};
		takeFrom(base);
		traces.forEach((_trace, trace) => {
			if (trace !== base) {
				takeFrom(trace);
			}
		});
		const functions = Int32Array.from(bytesOf.keys());
		return { ...traces[base]!, weight: 1, functions, ranges: traces[base]!.ranges === null ? null : rangesOf(bytesOf, ranges) };
	});
}

type FunctionRanges = ReadonlyMap<number, readonly (readonly [start: number, end: number])[]>;

function rangesByFunction(ranges: ExecutedRanges | null): FunctionRanges {
	const byFunction = new Map<number, [number, number][]>();
	ranges?.functions.forEach((f, i) => {
		const known = byFunction.get(f) ?? [];
		byFunction.set(f, known);
		known.push([ranges.starts[i]!, ranges.ends[i]!]);
	});
	return byFunction;
}

/** By number and place, as those of a trace. */
function rangesOf(bytesOf: ReadonlyMap<number, number>, ranges: readonly FunctionRanges[]): ExecutedRanges {
	const functions: number[] = [];
	const starts: number[] = [];
	const ends: number[] = [];
	for (const f of [...bytesOf.keys()].sort((a, b) => a - b)) {
		for (const [start, end] of ranges[bytesOf.get(f)!]!.get(f) ?? []) {
			functions.push(f);
			starts.push(start);
			ends.push(end);
		}
	}
	return { functions: Int32Array.from(functions), starts: Float64Array.from(starts), ends: Float64Array.from(ends) };
}

/** From 0 to 1 (mulberry32). */
function randomNumbers(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let t = Math.imul(state ^ (state >>> 15), 1 | state);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
}
