/**
 * Lines of printed machine code, most of a log that has any, for readers that want what is between: from `[MachCode]` on headings, rows of bytes, and what
 * the JVM says of them. Whatever does not look like it, another thread's output in its middle too, ends it.
 *
 *       0x00007f9bc5400f48: ;   {poll}
 *                           ; - T::f@30 (line 1)
 *       0x00007f9bc5400f48: 0300 0041 | 8b45 10
 */
import { begins } from '../../../bytes/begins.js';
import type { Passage } from '../../../bytes/lines.js';

const [BLANK, SEMICOLON, ZERO, X, NUMBER_SIGN, BRACKET, CLOSING, A, Z] = [0x20, 0x3b, 0x30, 0x78, 0x23, 0x5b, 0x5d, 0x41, 0x5a];
const HEAD = new TextEncoder().encode('[MachCode]');
/** Of the semicolons below each other. */
const COMMENT_COLUMN = 22;

export const PRINTED_CODE: Passage = {
	isBefore(bytes, start, end) {
		return end - start === HEAD.length && begins(bytes, start, HEAD);
	},
	goesOn(bytes, start, end) {
		if (end === start) {
			return true;
		}
		if (bytes[start] === BRACKET) {
			return bytes[start + 1]! >= A && bytes[start + 1]! <= Z && bytes[end - 1] === CLOSING;
		}
		if (bytes[start] !== BLANK || bytes[start + 1] !== BLANK) {
			return false;
		}
		const third = bytes[start + 2];
		return third === NUMBER_SIGN || (third === ZERO ? bytes[start + 3] === X : isComment(bytes, start, end));
	},
};

function isComment(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < start + COMMENT_COLUMN; i++) {
		if (bytes[i] !== BLANK) {
			return false;
		}
	}
	return start + COMMENT_COLUMN < end && bytes[start + COMMENT_COLUMN] === SEMICOLON;
}
