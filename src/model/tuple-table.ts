/** Sequences of integers, each kept once and numbered from 0 in order of first use: frames, stacks. */

const HASH_START = 0x811c9dc5 | 0;

export class TupleTable {
	private slots = new Int32Array(1 << 10).fill(-1);
	private hashes = new Int32Array(1 << 9);
	private data = new Int32Array(1 << 12);
	private starts = new Int32Array((1 << 9) + 1);
	private count = 0;

	get size(): number {
		return this.count;
	}

	/** The number of the sequence source[from, to). */
	intern(source: Int32Array, from: number, to: number): number {
		let hash = HASH_START;
		for (let i = from; i < to; i++) {
			const mixed = Math.imul(hash ^ source[i]!, 0x01000193);
			hash = mixed ^ (mixed >>> 15);
		}
		const mask = this.slots.length - 1;
		let slot = (hash ^ (hash >>> 16)) & mask;
		for (;;) {
			const entry = this.slots[slot]!;
			if (entry < 0) {
				return this.add(source, from, to, hash, slot);
			}
			if (this.hashes[entry] === hash && this.isEqual(entry, source, from, to)) {
				return entry;
			}
			slot = (slot + 1) & mask;
		}
	}

	/** All sequences one after the other, and where each starts; one start more than there are sequences. */
	build(): { readonly data: Int32Array; readonly starts: Int32Array } {
		return { data: this.data.subarray(0, this.starts[this.count]!), starts: this.starts.subarray(0, this.count + 1) };
	}

	private isEqual(entry: number, source: Int32Array, from: number, to: number): boolean {
		const start = this.starts[entry]!;
		if (this.starts[entry + 1]! - start !== to - from) {
			return false;
		}
		for (let i = from; i < to; i++) {
			if (this.data[start + i - from] !== source[i]) {
				return false;
			}
		}
		return true;
	}

	private add(source: Int32Array, from: number, to: number, hash: number, slot: number): number {
		const entry = this.count++;
		if (entry === this.hashes.length) {
			this.hashes = grown(this.hashes, 2 * entry);
			this.starts = grown(this.starts, 2 * entry + 1);
		}
		const start = this.starts[entry]!;
		const end = start + to - from;
		if (end > this.data.length) {
			this.data = grown(this.data, Math.max(2 * this.data.length, end));
		}
		this.data.set(source.subarray(from, to), start);
		this.starts[entry + 1] = end;
		this.hashes[entry] = hash;
		this.slots[slot] = entry;
		if (2 * this.count >= this.slots.length) {
			this.rehash();
		}
		return entry;
	}

	private rehash(): void {
		const slots = new Int32Array(2 * this.slots.length).fill(-1);
		const mask = slots.length - 1;
		for (let entry = 0; entry < this.count; entry++) {
			const hash = this.hashes[entry]!;
			let slot = (hash ^ (hash >>> 16)) & mask;
			while (slots[slot]! >= 0) {
				slot = (slot + 1) & mask;
			}
			slots[slot] = entry;
		}
		this.slots = slots;
	}
}

function grown(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
	const larger = new Int32Array(length);
	larger.set(array);
	return larger;
}
