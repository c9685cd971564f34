/** Which code lay at an address, and when: address ranges with lifetimes, since a code cache uses addresses again. */
import { lastAtOrBelow } from './binary-search.js';
import type { GeneratedCode } from './generated-code.js';

/** Finds code by address. */
export interface CodeMap {
	/** Sorted by start, then by the time of installation. */
	readonly code: readonly GeneratedCode[];
	/** Positions in `code` of what ever lay at the address, the first installed first. */
	at(address: number): readonly number[];
	/** The same for what ever lay at any address from `start` up to `end`. */
	overlapping(start: number, end: number): readonly number[];
}

/** Code without a time of installation counts as being there from the start (stubs), or before any other of its place. */
export function codeMap(pieces: readonly GeneratedCode[]): CodeMap {
	const code = [...pieces].sort((a, b) => a.start - b.start || installed(a) - installed(b));
	const starts = Float64Array.from(code, ({ start }) => start);
	/** The largest end of all up to each: where to stop going back. */
	const ends = new Float64Array(code.length);
	for (let i = 0, end = 0; i < code.length; i++) {
		end = Math.max(end, code[i]!.end);
		ends[i] = end;
	}
	const overlapping = (start: number, end: number): readonly number[] => {
		const result: number[] = [];
		for (let i = lastAtOrBelow(starts, end - 1); i >= 0 && ends[i]! > start; i--) {
			if (code[i]!.end > start) {
				result.push(i);
			}
		}
		return result.sort((a, b) => installed(code[a]!) - installed(code[b]!) || a - b);
	};
	return { code, at: (address) => overlapping(address, address + 1), overlapping };
}

/**
 * When a piece was installed of which only the time is known at which it was told: a stub counts as being there from the start, unless code lay at its place
 * before it was told; then it came later. `earlier` has code whose times are known. Seconds as `toldSeconds`, or null: from the start.
 */
export function installationOfStub(earlier: CodeMap, { start, end }: Pick<GeneratedCode, 'start' | 'end'>, toldSeconds: number): number | null {
	const lay = earlier.overlapping(start, end).some((position) => (earlier.code[position]!.installedSeconds ?? Number.POSITIVE_INFINITY) <= toldSeconds);
	return lay ? toldSeconds : null;
}

function installed({ installedSeconds }: GeneratedCode): number {
	return installedSeconds ?? Number.NEGATIVE_INFINITY;
}
