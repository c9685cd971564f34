/** What one line says the next one often says again: bytes to compare with, cut into words of four. */

const MAX_REMEMBERED = 64;
/** The length of what is too long to be remembered: nothing is as long. */
const NOTHING = 0x3fffffff;

export interface Remembered {
	readonly words: Int32Array;
	readonly tail: Uint8Array;
	length: number;
}

export function nothingRemembered(): Remembered {
	return { words: new Int32Array(MAX_REMEMBERED / 4), tail: new Uint8Array(4), length: NOTHING };
}

/** Where the bytes go on behind what is remembered, if they have it at `at`; -1 if not. Comparing words of four bytes is most of the work that there is. */
export function behind(view: DataView, at: number, end: number, remembered: Remembered): number {
	const { length } = remembered;
	if (length > end - at) {
		return -1;
	}
	const { words, tail } = remembered;
	const count = length >> 2;
	for (let i = 0; i < count; i++) {
		if (view.getInt32(at + 4 * i, true) !== words[i]) {
			return -1;
		}
	}
	for (let i = 4 * count; i < length; i++) {
		if (view.getUint8(at + i) !== tail[i & 3]) {
			return -1;
		}
	}
	return at + length;
}

/** Remembers bytes [start, end); nothing when they are too many. */
export function remember(into: Remembered, view: DataView, start: number, end: number): void {
	const length = end - start;
	if (length > MAX_REMEMBERED) {
		into.length = NOTHING;
		return;
	}
	const count = length >> 2;
	for (let i = 0; i < count; i++) {
		into.words[i] = view.getInt32(start + 4 * i, true);
	}
	for (let i = 4 * count; i < length; i++) {
		into.tail[i & 3] = view.getUint8(start + i);
	}
	into.length = length;
}
