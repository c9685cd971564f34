import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MarkFinder } from './mark-finder.js';

const places = (marks: readonly string[], text: string): string[] => {
	const found: string[] = [];
	new MarkFinder(marks).find(Buffer.from(text, 'latin1'), (at, mark) => {
		found.push(`${at} ${marks[mark]}`);
		return false;
	});
	return found.sort();
};

/** One mark after the other. */
const expected = (marks: readonly string[], text: string): string[] =>
	marks.flatMap((mark) => Array.from({ length: text.length }, (_, at) => at).flatMap((at) => (text.startsWith(mark, at) ? [`${at} ${mark}`] : []))).sort();

test('every place of every mark, also of marks that begin alike or lie in each other', () => {
	const mark = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\u00e9'), minLength: 2, maxLength: 7 });
	fc.assert(
		fc.property(
			fc.uniqueArray(mark, { minLength: 1, maxLength: 6 }),
			fc.array(fc.oneof(mark, fc.constantFrom('a', 'c')), { maxLength: 40 }),
			(marks, parts) => {
				expect(places(marks, parts.join(''))).toEqual(expected(marks, parts.join('')));
			},
		),
	);
});

test('ends where it is told to', () => {
	const found: number[] = [];
	new MarkFinder(['ab']).find(Buffer.from('ab ab ab'), (at) => found.push(at) === 2);
	expect(found).toEqual([0, 3]);
});
