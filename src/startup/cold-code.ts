/**
 * What of the functions that ran was never executed. An order cannot part it from the rest: it lies on the same pages. Splitting hot from cold code does
 * (`-fsplit-machine-functions` of clang with a profile; attributes `cold` and `noinline` on what is rarely called).
 */
import type { TextLayout } from '../model/text-layout.js';
import type { ColdCode, ColdFunction } from './results.js';
import type { LaidTrace } from './trace-on-layout.js';

/** Functions with less cold code gain nothing: it is aligned and filled anyway. */
const LEAST_COLD_BYTES = 256;

/** By cold bytes, the most first. Null where there is no trace, or one does not tell what it executed of a function. */
export function coldCode({ functionNames, functionSizes, pageBytes }: TextLayout, traces: readonly LaidTrace[]): ColdCode | null {
	const ranges = traces.map((trace) => trace.ranges);
	if (ranges.length === 0 || ranges.some((of) => of === null)) {
		return null;
	}
	const byFunction = new Map<number, [start: number, end: number][]>();
	for (const of of ranges) {
		of?.functions.forEach((f, i) => {
			const own = byFunction.get(f) ?? [];
			byFunction.set(f, own);
			own.push([of.starts[i]!, of.ends[i]!]);
		});
	}
	const total = { sizeBytes: 0, executedBytes: 0 };
	const functions: ColdFunction[] = [];
	for (const [f, own] of byFunction) {
		const executedBytes = unitedLength(own);
		// Of a function without a size in the listing, what ran is all that is known.
		const sizeBytes = Math.max(functionSizes[f]!, executedBytes);
		total.sizeBytes += sizeBytes;
		total.executedBytes += executedBytes;
		if (sizeBytes - executedBytes >= LEAST_COLD_BYTES) {
			functions.push({ symbol: functionNames[f]!, sizeBytes, executedBytes });
		}
	}
	const cold = ({ sizeBytes, executedBytes }: ColdFunction): number => sizeBytes - executedBytes;
	functions.sort((a, b) => cold(b) - cold(a) || (a.symbol < b.symbol ? -1 : 1));
	return { ...total, executedPages: Math.ceil(total.executedBytes / pageBytes), functions };
}

function unitedLength(ranges: [start: number, end: number][]): number {
	ranges.sort(([a], [b]) => a - b);
	let length = 0;
	let reached = Number.NEGATIVE_INFINITY;
	for (const [start, end] of ranges) {
		length += Math.max(0, end - Math.max(start, reached));
		reached = Math.max(reached, end);
	}
	return length;
}
