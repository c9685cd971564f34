/**
 * Strings of a log, each made once. Logs repeat a few thousand names a million times; looking bytes up in this table costs a
 * hash and a comparison and leaves no garbage, where decoding costs an allocation.
 *
 * Entries are numbered from 0 in order of first use; the numbers of the strings given to the constructor are their positions
 * there, so that a parser can switch over keys. The table is bounded: past the bound new strings are decoded and not kept.
 */

const MAX_ENTRY_BYTES = 512;
const MAX_TOTAL_BYTES = 8 << 20;
const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;

export class StringTable {
	/** The strings by number. */
	readonly strings: string[] = [];
	private slots = new Int32Array(1 << 12).fill(-1);
	private hashes = new Int32Array(1 << 11);
	private starts = new Int32Array(1 << 11);
	private lengths = new Int32Array(1 << 11);
	private bytes: Uint8Array = Buffer.alloc(1 << 16);
	private usedBytes = 0;

	constructor(known: readonly string[]) {
		for (const text of known) {
			const encoded = Buffer.from(text, 'utf8');
			this.find(encoded, 0, encoded.length, hashBytes(encoded, 0, encoded.length));
		}
	}

	/** The number of the string in bytes [start, end) whose hash is `hash` (see {@link hashBytes}), or -1 when it is not kept. */
	find(source: Uint8Array, start: number, end: number, hash: number): number {
		const length = end - start;
		const mask = this.slots.length - 1;
		let slot = hash & mask;
		for (;;) {
			const entry = this.slots[slot] as number;
			if (entry < 0) {
				return this.add(source, start, end, hash, slot);
			}
			if (this.hashes[entry] === hash && this.lengths[entry] === length && this.equalBytes(entry, source, start, length)) {
				return entry;
			}
			slot = (slot + 1) & mask;
		}
	}

	private equalBytes(entry: number, source: Uint8Array, start: number, length: number): boolean {
		const kept = this.bytes;
		const keptStart = this.starts[entry] as number;
		for (let i = 0; i < length; i++) {
			if (kept[keptStart + i] !== source[start + i]) {
				return false;
			}
		}
		return true;
	}

	private add(source: Uint8Array, start: number, end: number, hash: number, slot: number): number {
		const length = end - start;
		if (length > MAX_ENTRY_BYTES || this.usedBytes + length > MAX_TOTAL_BYTES) {
			return -1;
		}
		const entry = this.strings.length;
		if (entry === this.hashes.length) {
			this.hashes = grown(this.hashes);
			this.starts = grown(this.starts);
			this.lengths = grown(this.lengths);
		}
		while (this.usedBytes + length > this.bytes.length) {
			const larger = Buffer.alloc(this.bytes.length * 2);
			larger.set(this.bytes);
			this.bytes = larger;
		}
		this.bytes.set(source.subarray(start, end), this.usedBytes);
		this.hashes[entry] = hash;
		this.starts[entry] = this.usedBytes;
		this.lengths[entry] = length;
		this.usedBytes += length;
		this.strings.push(decodeUtf8(source, start, end));
		this.slots[slot] = entry;
		if (entry * 2 >= this.slots.length) {
			this.rehash();
		}
		return entry;
	}

	private rehash(): void {
		const slots = new Int32Array(this.slots.length * 2).fill(-1);
		const mask = slots.length - 1;
		for (let entry = 0; entry < this.strings.length; entry++) {
			let slot = (this.hashes[entry] as number) & mask;
			while ((slots[slot] as number) >= 0) {
				slot = (slot + 1) & mask;
			}
			slots[slot] = entry;
		}
		this.slots = slots;
	}
}

/** FNV-1a over bytes [start, end), 32 bits. A parser may compute the same while it looks for the closing quote. */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
	let hash = FNV_OFFSET;
	for (let i = start; i < end; i++) {
		hash = Math.imul(hash ^ (bytes[i] as number), FNV_PRIME);
	}
	return hash;
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** UTF-8 to text; malformed bytes become U+FFFD. */
export function decodeUtf8(bytes: Uint8Array, start: number, end: number): string {
	return utf8.decode(bytes.subarray(start, end));
}

function grown(array: Int32Array): Int32Array<ArrayBuffer> {
	const larger = new Int32Array(array.length * 2);
	larger.set(array);
	return larger;
}
