/**
 * Strings of a log, each made once. Logs repeat a few thousand names a million times; looking bytes up in this table costs a
 * hash and a comparison and leaves no garbage, where decoding costs an allocation.
 *
 * Entries are numbered from 0 in order of first use; the numbers of the strings given to the constructor are their positions
 * there, so that a parser can switch over keys. The table is bounded: past the bound new strings are decoded and not kept.
 */

const MAX_ENTRY_BYTES = 512;
const MAX_TOTAL_BYTES = 8 << 20;
export const HASH_START = 0x811c9dc5 | 0;

export class StringTable {
	/** The strings by number. */
	readonly strings: string[] = [];
	private slots = new Int32Array(1 << 12).fill(-1);
	private hashes = new Int32Array(1 << 11);
	private starts = new Int32Array(1 << 11);
	private lengths = new Int32Array(1 << 11);
	private bytes = new Uint8Array(1 << 16);
	private view = new DataView(this.bytes.buffer);
	private usedBytes = 0;

	constructor(known: readonly string[]) {
		for (const text of known) {
			const encoded = new TextEncoder().encode(text);
			const view = new DataView(encoded.buffer);
			this.find(encoded, view, 0, encoded.length, hashBytes(view, 0, encoded.length));
		}
	}

	/**
	 * The number of the string in bytes [start, end) whose hash is `hash` (see {@link hashBytes}), or -1 when it is not kept.
	 * `view` shows the same bytes as `source`.
	 */
	find(source: Uint8Array, view: DataView, start: number, end: number, hash: number): number {
		const length = end - start;
		const mask = this.slots.length - 1;
		let slot = (hash ^ (hash >>> 16)) & mask;
		for (;;) {
			const entry = this.slots[slot]!;
			if (entry < 0) {
				return this.add(source, start, end, hash, slot);
			}
			if (this.hashes[entry] === hash && this.lengths[entry] === length && this.equalBytes(entry, view, start, length)) {
				return entry;
			}
			slot = (slot + 1) & mask;
		}
	}

	private equalBytes(entry: number, view: DataView, start: number, length: number): boolean {
		const kept = this.view;
		const keptStart = this.starts[entry]!;
		let i = 0;
		for (; i + 4 <= length; i += 4) {
			if (kept.getInt32(keptStart + i, true) !== view.getInt32(start + i, true)) {
				return false;
			}
		}
		for (; i < length; i++) {
			if (kept.getUint8(keptStart + i) !== view.getUint8(start + i)) {
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
			const larger = new Uint8Array(this.bytes.length * 2);
			larger.set(this.bytes);
			this.bytes = larger;
			this.view = new DataView(larger.buffer);
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

/**
 * The hash of bytes [start, end): FNV-1a over words of four bytes from the start on, then over the bytes that remain. A parser
 * may compute the same on its way to the closing quote, with {@link mixHash} from {@link HASH_START} on.
 */
export function hashBytes(view: DataView, start: number, end: number): number {
	let hash = HASH_START;
	let i = start;
	for (; i + 4 <= end; i += 4) {
		hash = mixHash(hash, view.getInt32(i, true));
	}
	for (; i < end; i++) {
		hash = mixHash(hash, view.getUint8(i));
	}
	return hash;
}

export function mixHash(hash: number, word: number): number {
	const mixed = Math.imul(hash ^ word, 0x01000193);
	return mixed ^ (mixed >>> 15);
}

const { latin1Slice, utf8Slice } = Buffer.prototype as Buffer & {
	latin1Slice(this: Uint8Array, start: number, end: number): string;
	utf8Slice(this: Uint8Array, start: number, end: number): string;
};

/** UTF-8 to text; malformed bytes become U+FFFD. ASCII, nearly all there is in logs, takes a shorter way. */
export function decodeUtf8(bytes: Uint8Array, start: number, end: number): string {
	for (let i = start; i < end; i++) {
		if (bytes[i]! >= 0x80) {
			return utf8Slice.call(bytes, start, end);
		}
	}
	return latin1Slice.call(bytes, start, end);
}

function grown(array: Int32Array): Int32Array<ArrayBuffer> {
	const larger = new Int32Array(array.length * 2);
	larger.set(array);
	return larger;
}
