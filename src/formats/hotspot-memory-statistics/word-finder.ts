/** Whether a line holds one of some words: each word is looked for once a chunk, not once a line. */
export class WordFinder {
	private readonly words: readonly Uint8Array[];
	private readonly next: number[];
	private base = Number.NaN;

	constructor(words: readonly string[]) {
		this.words = words.map((word) => new TextEncoder().encode(word));
		this.next = words.map(() => -1);
	}

	/** `offset` is that of the byte at `start` in the file: it tells one chunk from another. */
	isIn(bytes: Uint8Array, start: number, end: number, offset: number): boolean {
		if (offset - start !== this.base) {
			this.base = offset - start;
			this.next.fill(-1);
		}
		let found = false;
		for (let word = 0; word < this.words.length; word++) {
			let at = this.next[word]!;
			if (at < start) {
				at = indexOf(bytes, this.words[word]!, start);
				this.next[word] = at;
			}
			found ||= at < end;
		}
		return found;
	}
}

function indexOf(bytes: Uint8Array, word: Uint8Array, start: number): number {
	const at = Buffer.prototype.indexOf.call(bytes, word, start);
	return at < 0 ? Number.POSITIVE_INFINITY : at;
}
