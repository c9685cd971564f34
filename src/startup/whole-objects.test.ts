import { expect, test } from 'vitest';
import { markWholeObjects } from './whole-objects.js';

/** A function a letter: its file, `-` for a global one, `*` for a cold part; before it nothing where it touches, `.` for an assembler's padding, `|` for a linker's. */
function marked(text: string): string {
	const functions = [...text.matchAll(/([.|]?)([a-z*-])/g)].map(([, gap = '', file = '']) => ({
		gap,
		file: /[a-z]/.test(file) ? file : null,
		isCold: file === '*',
	}));
	const isShared = Uint8Array.from(functions, ({ gap }) => (gap === '.' ? 1 : 0));
	markWholeObjects(
		functions,
		isShared,
		Uint8Array.from(functions, ({ gap }) => (gap === '' ? 1 : 0)),
	);
	return isShared.slice(1).join('');
}

test.each([
	['functions of a file with padding between two of them', 'aa.a', '111'],
	['and global ones among them', 'a-.a-a', '11111'],
	['a file of which each function may have its own section', 'aaa', '000'],
	['up to another file', 'a.abb', '1000'.slice(0, 4)],
	['up to the padding of the linker', 'a.a|a-a', '1000'],
	['up to a cold part', 'a.a*a', '100'],
	['global functions behind the last of a file may be of another', 'a.a--', '1000'.slice(0, 3)],
])('%s', (_what, text, expected) => {
	expect(marked(text)).toBe(expected.slice(0, marked(text).length));
});
