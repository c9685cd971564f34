/** Whether a line holds one of some words, in one pass over its bytes. */
export class WordFinder {
	/** By their first byte. */
	private readonly words: (Uint8Array[] | undefined)[] = [];

	/** Of ASCII, none empty. */
	constructor(words: readonly string[]) {
		for (const word of words) {
			const first = word.charCodeAt(0);
			this.words[first] = [...(this.words[first] ?? []), new TextEncoder().encode(word)];
		}
	}

	isIn(bytes: Uint8Array, start: number, end: number): boolean {
		for (let at = start; at < end; at++) {
			const words = this.words[bytes[at]!];
			if (words?.some((word) => at + word.length <= end && word.every((byte, i) => bytes[at + i] === byte))) {
				return true;
			}
		}
		return false;
	}
}
