/** Whether a line holds one of some words, in one pass over its bytes. */
export class WordFinder {
	/** By their first byte. */
	private readonly words: (Uint8Array[] | undefined)[] = [];
	private readonly isFirst = new Uint8Array(256);

	/** Of ASCII, none empty. */
	constructor(words: readonly string[]) {
		for (const word of words) {
			const first = word.charCodeAt(0);
			this.isFirst[first] = 1;
			this.words[first] = [...(this.words[first] ?? []), new TextEncoder().encode(word)];
		}
	}

	isIn(bytes: Uint8Array, start: number, end: number): boolean {
		const { isFirst } = this;
		for (let at = start; at < end; at++) {
			if (isFirst[bytes[at]!] === 1 && this.begins(bytes, at, end)) {
				return true;
			}
		}
		return false;
	}

	private begins(bytes: Uint8Array, at: number, end: number): boolean {
		const words = this.words[bytes[at]!] ?? [];
		return words.some((word) => at + word.length <= end && word.every((byte, i) => bytes[at + i] === byte));
	}
}
