import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InliningRowJson } from '../src/answers/profdiff-result.js';
import { formatPosition, isInside, parsePosition, positionsOfTree, rowOfCode, rowOfPosition } from './position.js';

const row = (depth: number, bci: number, kind: InliningRowJson['kind'] = 'inlined', method = 'a.B.c'): InliningRowJson => ({
	depth,
	kind,
	method,
	signature: '()',
	bci,
	reasons: [],
	receiverTypes: null,
});

test('addresses give the position that they were made of', () => {
	const step = fc
		.tuple(fc.integer({ min: -1, max: 70_000 }), fc.integer({ min: 0, max: 9 }))
		.map(([bci, receiver]) => `${bci}${receiver ? `~${receiver}` : ''}`);
	fc.assert(
		fc.property(fc.array(step), (position) => {
			expect(parsePosition(formatPosition(position))).toEqual(position);
		}),
	);
	for (const text of [undefined, '', 'x', '1..2', '<script>', '1.2.', '1~', '~2']) {
		expect(parsePosition(text)).toBeNull();
	}
});

const path = (text: string): string[] => (text === '' ? [] : text.split('.'));

test('calls lie in the calls around them; the receivers of a dispatched call at the call', () => {
	const rows = [row(0, -1, 'root'), row(1, 5), row(2, 7), row(1, 9, 'devirtualized'), row(2, 9), row(3, 2), row(2, 9, 'inlined', 'a.B.other')];
	const { ofRows } = positionsOfTree(rows);
	expect(ofRows.map(formatPosition)).toEqual(['root', '5', '5.7', '9', '9~1', '9~1.2', '9~2']);
	expect(['5.7.1', '5.8', '9.2.4', '9~1.2.4', '9~2.2', '9', '77'].map((text) => rowOfPosition(ofRows, path(text)))).toEqual([2, 1, 5, 5, 6, 3, 0]);
	// What lies at the call itself is the caller's own code.
	expect(['', '3', '5', '5.7', '5.7.1', '5.8', '9', '9~1.2', '9~1.2.4', '9~2.2', '77'].map((text) => rowOfCode(ofRows, path(text)))).toEqual([
		0, 0, 0, 1, 2, 1, 0, 4, 5, 6, 0,
	]);
	expect(isInside(['5', '7', '1'], ['5'])).toBe(true);
	expect(isInside(['5'], ['5', '7'])).toBe(false);
});

test('two receivers inlined at one bytecode index are two positions, and code belongs to the one that its frames name', () => {
	const rows = [row(0, -1, 'root', 'A.run'), row(1, 9, 'inlined', 'Circle.area'), row(2, 3, 'inlined', 'A.square'), row(1, 9, 'inlined', 'Box.area')];
	const tree = positionsOfTree(rows);
	expect(tree.ofRows.map(formatPosition)).toEqual(['root', '9~1', '9~1.3', '9~2']);
	const frames = (...names: readonly (readonly [string, number])[]) => names.map(([method, bci]) => ({ method, bci }));
	const code = [
		frames(['A.run', 9]),
		frames(['Circle.area', 1], ['A.run', 9]),
		frames(['A.square', 2], ['Circle.area', 3], ['A.run', 9]),
		frames(['Box.area', 3], ['A.run', 9]),
		frames(['Other.area', 3], ['A.run', 9]),
	].map((one) => tree.ofFrames(one));
	expect(code.map(formatPosition)).toEqual(['9', '9~1.1', '9~1.3.2', '9~2.3', '9.3']);
	expect(code.slice(0, 4).map((one) => rowOfCode(tree.ofRows, one))).toEqual([0, 1, 2, 3]);
	// A chosen receiver is marked alone, the call with both.
	expect(code.map((one) => isInside(one, ['9~2']))).toEqual([false, false, false, true, false]);
	expect(code.every((one) => isInside(one, ['9']))).toBe(true);
});
