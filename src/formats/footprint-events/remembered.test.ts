import { expect, test } from 'vitest';
import { behind, nothingRemembered, remember } from './remembered.js';

const viewOf = (text: string): DataView => {
	const bytes = Buffer.from(text);
	return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
};

/** Where a text goes on behind what is remembered of [start, end) of another. */
function after(text: string, start: number, end: number, other: string, at: number, limit = other.length): number {
	const remembered = nothingRemembered();
	remember(remembered, viewOf(text), start, end);
	return behind(viewOf(other), at, limit, remembered);
}

test('the same bytes, wherever they stand', () => {
	const text = 'abcdefghijklmnop';
	for (let length = 0; length <= text.length; length++) {
		expect(after(text, 0, length, text, 0)).toBe(length);
		expect(after(text, 0, length, `xyz${text}`, 3)).toBe(3 + length);
		expect(after(`12${text}`, 2, 2 + length, text, 0)).toBe(length);
	}
});

test('another byte anywhere, or an end before', () => {
	const text = 'abcdefghijk';
	for (let i = 0; i < text.length; i++) {
		expect(after(text, 0, text.length, `${text.slice(0, i)}X${text.slice(i + 1)}`, 0)).toBe(-1);
		expect(after(text, 0, text.length, text, 0, i)).toBe(-1);
	}
	expect([after(text, 0, 4, text, 0, 4), after(text, 0, 4, text, 0, 3), after(text, 0, 4, text, 1)]).toEqual([4, -1, -1]);
});

test('at most 64 bytes, and nothing at first', () => {
	const text = 'x'.repeat(100);
	expect([after(text, 0, 64, text, 0), after(text, 0, 65, text, 0)]).toEqual([64, -1]);
	expect(behind(viewOf(text), 0, 100, nothingRemembered())).toBe(-1);
	const remembered = nothingRemembered();
	remember(remembered, viewOf(text), 0, 8);
	remember(remembered, viewOf(text), 0, 65);
	expect(behind(viewOf(text), 0, 100, remembered)).toBe(-1);
	remember(remembered, viewOf(text), 0, 3);
	expect(behind(viewOf(text), 5, 100, remembered)).toBe(8);
});
