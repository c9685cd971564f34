/** Two listings of the same code laid beside each other: what differs are instructions, not the registers and addresses they happen to use. */
import type { Instructions } from '../model/instructions.js';

/** Positions in the two lists of instructions; -1 where one side has none. */
export type AlignedPair = readonly [number, number];

/** Beyond so many steps two listings are not aligned: a table of that many cells is 64 MB. */
const MAX_CELLS = 64 << 20;

const REGISTER =
	/%?\b(?:r(?:1[0-5]|[89])[dwb]?|[re]?(?:[abcd]x|[sd]i|[sb]p)|[abcd][lh]|(?:si|di|sp|bp)l|[xyz]mm(?:[12]?\d|3[01])|k[1-7]|[wx](?:[12]?\d|30)|[vqdsh](?:[12]?\d|3[01]))\b/g;
/** Code, constants and metadata lie elsewhere in each run; what is smaller is a displacement or a constant of the program. */
const ADDRESS = /\b0x[0-9a-f]{6,16}\b/g;
/** Frames are laid out anew in each compilation. */
const STACK = /-?\b0x[0-9a-f]+\((?:%rsp|%rbp)\)|\[(?:rsp|rbp|sp)[^\]]{0,200}\]/g;

/** `mov 0x10(%r14,%rcx,4),%edx` → `mov 0x10(r,r,4),r` */
function abstractText(text: string): string {
	return text.replace(STACK, 'frame').replace(ADDRESS, 'address').replace(REGISTER, 'r');
}

/**
 * A longest common subsequence of two lists of instructions by their abstract texts, in order; null when they are too long to be compared.
 * `a` and `b` are numbers of instructions.
 */
export function alignCode(codeA: Instructions, a: readonly number[], codeB: Instructions, b: readonly number[]): AlignedPair[] | null {
	const textsA = a.map((i) => abstractText(codeA.textAt(i)));
	const textsB = b.map((i) => abstractText(codeB.textAt(i)));
	let head = 0;
	while (head < a.length && head < b.length && textsA[head] === textsB[head]) {
		head++;
	}
	const rows = a.length - head;
	const columns = b.length - head;
	if (rows * columns > MAX_CELLS) {
		return null;
	}
	const result: AlignedPair[] = [];
	for (let i = 0; i < head; i++) {
		result.push([i, i]);
	}
	// lengths[i][j]: of the longest common subsequence of what follows i and j; only comparisons are kept.
	const skipsA = new Uint8Array(rows * columns);
	let below = new Int32Array(columns + 1);
	let current = new Int32Array(columns + 1);
	for (let i = rows - 1; i >= 0; i--) {
		current[columns] = 0;
		for (let j = columns - 1; j >= 0; j--) {
			if (textsA[head + i] === textsB[head + j]) {
				current[j] = below[j + 1]! + 1;
				skipsA[i * columns + j] = 2;
			} else {
				const skip = below[j]! >= current[j + 1]!;
				current[j] = skip ? below[j]! : current[j + 1]!;
				skipsA[i * columns + j] = skip ? 1 : 0;
			}
		}
		[below, current] = [current, below];
	}
	let i = 0;
	let j = 0;
	while (i < rows || j < columns) {
		const step = i === rows ? 0 : j === columns ? 1 : skipsA[i * columns + j]!;
		result.push([step === 0 ? -1 : head + i, step === 1 ? -1 : head + j]);
		i += step === 0 ? 0 : 1;
		j += step === 1 ? 0 : 1;
	}
	return result;
}
