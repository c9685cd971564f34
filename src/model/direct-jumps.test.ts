/** Jumps inside code against a search for each. */
import { expect, test } from 'vitest';
import { directJumps } from './direct-jumps.js';
import { Flow, type Instructions, instructionAt } from './instructions.js';

const { Next, Jump, Branch, Call, Return } = Flow;

/** Only what is looked at. */
function code(rows: readonly (readonly [address: number, flow: number, target?: number])[]): Instructions {
	return {
		length: rows.length,
		address: Float64Array.from(rows, ([address]) => address),
		flow: Uint8Array.from(rows, ([, flow]) => flow),
		target: Float64Array.from(rows, ([, , target]) => target ?? Number.NaN),
	} as unknown as Instructions;
}

test.each([
	['close together', 4],
	['far apart, as text that is missing leaves it', 4000],
	['beyond 2^40', 2 ** 40],
])('to an instruction, between two, before the first, behind the last, through a register: %s', (_, distance) => {
	const at = (i: number): number => 0x7f00_0000 + i * distance;
	const rows = [
		[at(0), Branch, at(3)],
		[at(1), Jump, at(0)],
		[at(2), Call, at(0)],
		[at(3), Jump, at(1) + 1],
		[at(4), Branch, at(0) - distance],
		[at(5), Jump, at(9)],
		[at(6), Jump],
		[at(7), Next],
		[at(8), Branch, at(8)],
		[at(8) + 1, Return],
	] as const;
	const given = code(rows);
	const { from, to } = directJumps(given);
	expect([...from]).toEqual([0, 1, 8]);
	expect([...to]).toEqual([...from].map((i) => instructionAt(given.address, given.target[i]!)));
	// What was noted for one code is none of the next.
	expect([...directJumps(code([[at(0), Jump, at(3)]])).from]).toEqual([]);
	expect(directJumps(given)).toBe(directJumps(given));
	expect([...directJumps(code([])).to]).toEqual([]);
});
