/**
 * Where any of some marks stands in bytes, in one pass whatever their number: pairs of bytes tell how far the next mark's end is away at least (S. Wu, U. Manber, A
 * fast algorithm for multi-pattern searching, 1994).
 */

export class MarkFinder {
	private readonly marks: readonly Buffer[];
	/** All marks have so many bytes at least. */
	private readonly shortest: number;
	/** By the last two bytes that were looked at. */
	private readonly shift: Uint8Array;
	/** Marks whose beginning ends in these two bytes. */
	private readonly endingIn = new Map<number, number[]>();

	/** Marks are Latin-1, of two bytes at least. */
	constructor(marks: readonly string[]) {
		this.marks = marks.map((mark) => Buffer.from(mark, 'latin1'));
		this.shortest = Math.min(255, ...marks.map(({ length }) => length));
		this.shift = new Uint8Array(1 << 16).fill(this.shortest - 1);
		this.marks.forEach((mark, number) => {
			for (let i = 1; i < this.shortest; i++) {
				const pair = (mark[i - 1]! << 8) | mark[i]!;
				this.shift[pair] = Math.min(this.shift[pair]!, this.shortest - 1 - i);
			}
			const last = (mark[this.shortest - 2]! << 8) | mark[this.shortest - 1]!;
			const ending = this.endingIn.get(last) ?? [];
			ending.push(number);
			this.endingIn.set(last, ending);
		});
	}

	/** Tells each place and the number of the mark there, in the order of places, until `take` says that it is enough. */
	find(bytes: Uint8Array, take: (at: number, mark: number) => boolean): void {
		const { shift, shortest, marks, endingIn } = this;
		for (let i = shortest - 1; i < bytes.length; ) {
			const pair = (bytes[i - 1]! << 8) | bytes[i]!;
			const step = shift[pair]!;
			if (step > 0) {
				i += step;
				continue;
			}
			const at = i - shortest + 1;
			for (const number of endingIn.get(pair) ?? []) {
				if (isAt(bytes, at, marks[number]!) && take(at, number)) {
					return;
				}
			}
			i++;
		}
	}
}

function isAt(bytes: Uint8Array, at: number, mark: Uint8Array): boolean {
	if (at + mark.length > bytes.length) {
		return false;
	}
	for (let i = 0; i < mark.length; i++) {
		if (bytes[at + i] !== mark[i]) {
			return false;
		}
	}
	return true;
}
