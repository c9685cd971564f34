import { expect, test } from 'vitest';
import { foldedLines, nextChange, withNeighbours, withParents } from './equal-folds.js';

const of = (text: string): boolean[] => [...text].map((one) => one === 'x');

test('runs of equal rows are one line each, until they are opened; short ones and what is all equal are not folded', () => {
	const rows = of('....x..x...');
	expect(foldedLines(rows, new Set()).map((line) => (line.kind === 'row' ? line.at : `${line.from}-${line.to}`))).toEqual(['0-3', 4, 5, 6, 7, '8-10']);
	expect(foldedLines(rows, new Set([8])).map((line) => (line.kind === 'row' ? line.at : `${line.from}-${line.to}`))).toEqual(['0-3', 4, 5, 6, 7, 8, 9, 10]);
	expect(foldedLines(rows, 'all')).toHaveLength(11);
	expect(foldedLines(of('.....'), new Set())).toHaveLength(5);
	expect(foldedLines([], new Set())).toEqual([]);
});

test('what is around a change stays', () => {
	expect(withParents([0, 1, 2, 1, 2, 2], of('.....x'))).toEqual(of('x..x.x'));
	expect(withNeighbours(of('.....x..'), 2)).toEqual(of('...xxxxx'));
});

test('the next and the previous change, around the end', () => {
	const rows = of('.x..x.');
	expect([-1, 1, 4, 5].map((from) => nextChange(rows, from, 1))).toEqual([1, 4, 1, 1]);
	expect([-1, 1, 4, 5].map((from) => nextChange(rows, from, -1))).toEqual([4, 4, 1, 4]);
	expect(nextChange(of('...'), 0, 1)).toBe(-1);
});
