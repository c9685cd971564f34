import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InliningRowJson } from '../src/answers/profdiff-result.js';
import { formatPosition, isInside, parsePosition, positionsOfTree, rowOfCode, rowOfPosition } from './position.js';

const row = (depth: number, bci: number, kind: InliningRowJson['kind'] = 'inlined'): InliningRowJson => ({
	depth,
	kind,
	method: 'a.B.c',
	signature: '()',
	bci,
	reasons: [],
	receiverTypes: null,
});

test('addresses give the position that they were made of', () => {
	fc.assert(
		fc.property(fc.array(fc.integer({ min: -1, max: 70_000 })), (position) => {
			expect(parsePosition(formatPosition(position))).toEqual(position);
		}),
	);
	for (const text of [undefined, '', 'x', '1..2', '<script>', '1.2.']) {
		expect(parsePosition(text)).toBeNull();
	}
});

test('calls lie in the calls around them; the receivers of a dispatched call at the call', () => {
	const rows = [row(0, -1, 'root'), row(1, 5), row(2, 7), row(1, 9, 'devirtualized'), row(2, 9), row(3, 2), row(2, 9)];
	const positions = positionsOfTree(rows);
	expect(positions).toEqual([[], [5], [5, 7], [9], [9], [9, 2], [9]]);
	expect(rowOfPosition(positions, [5, 7, 1])).toBe(2);
	expect(rowOfPosition(positions, [5, 8])).toBe(1);
	expect(rowOfPosition(positions, [9, 2, 4])).toBe(5);
	expect(rowOfPosition(positions, [77])).toBe(0);
	// What lies at the call itself is the caller's own code.
	expect([[], [3], [5], [5, 7], [5, 7, 1], [5, 8], [9], [9, 2], [9, 2, 4], [77]].map((position) => rowOfCode(positions, position))).toEqual([
		0, 0, 0, 1, 2, 1, 0, 3, 5, 0,
	]);
	expect(isInside([5, 7, 1], [5])).toBe(true);
	expect(isInside([5], [5, 7])).toBe(false);
});
