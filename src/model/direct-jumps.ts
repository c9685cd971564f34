/** Jumps and branches that lead to an instruction of the same code: found together, without a search for each, and kept for the code that was looked at last. */
import type { FlowColumns } from './flow-columns.js';
import { Flow, type Instructions, instructionAt, lookAt } from './instructions.js';
import { RecentlyMade } from './recent-columns.js';

interface DirectJumps {
	/** Instructions, ascending. */
	readonly from: Int32Array;
	/** The instruction that each leads to. */
	readonly to: Int32Array;
}

export function directJumps(code: Instructions): DirectJumps {
	return RECENT.of(code);
}

const RECENT = new RecentlyMade(
	1 << 22,
	(code: Instructions): DirectJumps => lookAt(code, find),
	({ from, to }) => from.byteLength + to.byteLength,
);

/** By the distance from the first address: one more than the number of the instruction that begins there, 0 for none. Empty between two uses. */
let numbers = new Int32Array(1 << 12);
/** What is found. Empty between two uses. */
let froms = new Int32Array(1 << 12);
let tos = new Int32Array(1 << 12);
/** Code with larger holes is searched. */
const MOST_BYTES_AN_INSTRUCTION = 32;

function find({ flow, target, address }: FlowColumns): DirectJumps {
	const { length } = address;
	const first = address[0] ?? 0;
	const span = length === 0 ? 0 : address[length - 1]! - first + 1;
	const isDense = span <= length * MOST_BYTES_AN_INSTRUCTION;
	if (isDense) {
		note(address, first, span);
	}
	let found = 0;
	if (froms.length < length) {
		froms = new Int32Array(2 * length);
		tos = new Int32Array(2 * length);
	}
	for (let i = 0; i < length; i++) {
		if (flow[i] !== Flow.Jump && flow[i] !== Flow.Branch) {
			continue;
		}
		const distance = target[i]! - first;
		const at = isDense ? (distance >= 0 && distance < span ? numbers[distance]! - 1 : -1) : instructionAt(address, target[i]!);
		if (at >= 0) {
			froms[found] = i;
			tos[found++] = at;
		}
	}
	if (isDense) {
		numbers.fill(0, 0, span);
	}
	return { from: froms.slice(0, found), to: tos.slice(0, found) };
}

function note(address: Float64Array, first: number, span: number): void {
	if (numbers.length < span) {
		numbers = new Int32Array(Math.max(span, 2 * numbers.length));
	}
	for (let i = 0; i < address.length; i++) {
		numbers[address[i]! - first] = i + 1;
	}
}
