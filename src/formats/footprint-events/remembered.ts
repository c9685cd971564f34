/** What one line says the next one often says again: bytes to compare with, cut into words of four. */

export const MAX_REMEMBERED = 64;

export interface Remembered {
	readonly words: Int32Array;
	readonly tail: Uint8Array;
	length: number;
}

export function nothingRemembered(): Remembered {
	return { words: new Int32Array(MAX_REMEMBERED / 4), tail: new Uint8Array(4), length: Number.POSITIVE_INFINITY };
}
