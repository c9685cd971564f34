/** Instructions of a region as ranges: most regions are counted and never shown. */

/** [from, to) after [from, to), ascending. */
export type LineRanges = Int32Array;

export const NO_LINES: LineRanges = new Int32Array(0);

export function linesIn(ranges: LineRanges): number[] {
	const result: number[] = [];
	for (let k = 0; k < ranges.length; k += 2) {
		for (let i = ranges[k]!; i < ranges[k + 1]!; i++) {
			result.push(i);
		}
	}
	return result;
}

export function sumIn(ranges: LineRanges, column: Float64Array): number {
	let result = 0;
	for (let k = 0; k < ranges.length; k += 2) {
		for (let i = ranges[k]!; i < ranges[k + 1]!; i++) {
			result += column[i]!;
		}
	}
	return result;
}

export function someIn(ranges: LineRanges, isWanted: (instruction: number) => boolean): boolean {
	for (let k = 0; k < ranges.length; k += 2) {
		for (let i = ranges[k]!; i < ranges[k + 1]!; i++) {
			if (isWanted(i)) {
				return true;
			}
		}
	}
	return false;
}
