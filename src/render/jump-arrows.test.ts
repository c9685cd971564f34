import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jumpArrows } from './jump-arrows.js';

test('none', () => {
	expect(jumpArrows(2, [])).toEqual(['', '']);
	expect(jumpArrows(2, [[1, 1]])).toEqual(['', '']);
});

test('back and forward', () => {
	expect(jumpArrows(4, [[3, 1]])).toEqual(['  ', '╭▸', '│ ', '╰─']);
	expect(jumpArrows(3, [[0, 2]])).toEqual(['╭─', '│ ', '╰▸']);
});

test('one within another: the short one is nearest to the code', () => {
	expect(
		jumpArrows(5, [
			[4, 0],
			[3, 1],
		]),
	).toEqual(['╭─▸', '│╭▸', '││ ', '│╰─', '╰──']);
});

test('one across another', () => {
	expect(
		jumpArrows(5, [
			[0, 3],
			[2, 4],
		]),
	).toEqual(['╭──', '│  ', '│╭─', '╰┼▸', ' ╰▸']);
});

test('two behind each other share a column; two to one line share its end', () => {
	expect(
		jumpArrows(4, [
			[1, 0],
			[3, 2],
		]),
	).toEqual(['╭▸', '╰─', '╭▸', '╰─']);
	expect(
		jumpArrows(3, [
			[1, 0],
			[2, 0],
		]),
	).toEqual(['╭╭▸', '│╰─', '╰──']);
});

test('more than six columns are left out, the longest first', () => {
	const drawing = jumpArrows(
		20,
		Array.from({ length: 9 }, (_, i): [number, number] => [i, 19 - i]),
	);
	expect(drawing[0]?.trim()).toBe('');
	expect(drawing[3]).toBe('╭──────');
});

test('any jumps: all lines have one width, and each end that is drawn points right', () => {
	const jumps = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 })), { maxLength: 8 });
	fc.assert(
		fc.property(jumps, (pairs) => {
			const drawing = jumpArrows(10, pairs);
			expect(new Set(drawing.map((line) => line.length)).size).toBe(1);
			const targets = new Set(pairs.map(([, to]) => to));
			drawing.forEach((line, row) => {
				expect(line.includes('▸') ? targets.has(row) : true).toBe(true);
			});
		}),
	);
});
