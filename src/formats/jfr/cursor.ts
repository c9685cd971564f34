/**
 * Numbers and strings of a JFR file, in bytes that are in memory. Integers are LEB128 with seven bits a byte, the ninth byte whole (feature bit 0 of
 * the chunk's header), or of fixed size and big-endian; floating point is always big-endian, bytes and booleans are one byte.
 */
import { decodeUtf8, hashBytes, type StringTable } from '../../bytes/string-table.js';

/** The bytes are not what their description says. Caught where the rest can still be read. */
export class JfrDamage extends Error {}

/** Of a constant: exact, also where a double is not. */
export type ConstantKey = number | bigint;

/** A string, or the key of one in the constant pool of strings. */
export type JfrString = string | null | { readonly key: ConstantKey };

const LOW_BITS = 1 << 28;
const MAX_EXACT_BYTES = 7;
/** The last of these is whole. */
const MOST_BYTES = 9;
const { latin1Slice } = Buffer.prototype as Buffer & { latin1Slice(this: Uint8Array, start: number, end: number): string };

export class JfrCursor {
	at: number;
	readonly end: number;
	readonly bytes: Uint8Array;
	readonly isCompressed: boolean;
	private readonly view: DataView;
	private readonly strings: StringTable | null;

	/** Reads bytes [start, end). `strings`: those that are made once. */
	constructor(bytes: Uint8Array, isCompressed: boolean, start = 0, end = bytes.length, strings: StringTable | null = null) {
		this.bytes = bytes;
		this.strings = strings;
		this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		this.isCompressed = isCompressed;
		this.at = start;
		this.end = end;
	}

	/** An integer of up to 64 bits, signed; beyond 2^53 not exact. */
	long(): number {
		if (!this.isCompressed) {
			const at = this.take(8);
			return this.view.getInt32(at) * 0x1_0000_0000 + this.view.getUint32(at + 4);
		}
		const { bytes, end } = this;
		let at = this.at;
		let byte = 0x80;
		let low = 0;
		for (let shift = 0; byte >= 0x80 && shift < 28; shift += 7) {
			if (at >= end) {
				throw new JfrDamage('ends inside a number');
			}
			byte = bytes[at++]!;
			low |= (byte & 0x7f) << shift;
		}
		if (byte < 0x80) {
			this.at = at;
			return low;
		}
		let high = 0;
		for (let shift = 0; byte >= 0x80 && shift < 28; shift += 7) {
			if (at >= end) {
				throw new JfrDamage('ends inside a number');
			}
			byte = bytes[at++]!;
			high |= (byte & 0x7f) << shift;
		}
		let top = 0;
		if (byte >= 0x80) {
			if (at >= end) {
				throw new JfrDamage('ends inside a number');
			}
			top = bytes[at++]!;
		}
		this.at = at;
		// A negative number as the complement of one that a double holds.
		return top < 0x80
			? (top * LOW_BITS + high) * LOW_BITS + low
			: -(((top ^ 0xff) * LOW_BITS + (high ^ (LOW_BITS - 1))) * LOW_BITS + (low ^ (LOW_BITS - 1))) - 1;
	}

	/** An integer of up to 32 bits, signed. */
	int(): number {
		if (!this.isCompressed) {
			return this.view.getInt32(this.take(4));
		}
		return this.long() | 0;
	}

	/** A number of elements or bytes: throws where so many cannot follow. */
	length(): number {
		const length = this.int();
		if (length < 0 || length > this.end - this.at) {
			throw new JfrDamage(`${length} elements cannot follow in ${this.end - this.at} bytes`);
		}
		return length;
	}

	/** An integer of up to 64 bits as a key. */
	key(): ConstantKey {
		const start = this.at;
		const value = this.long();
		if (this.isCompressed ? this.at - start <= MAX_EXACT_BYTES : Number.isSafeInteger(value)) {
			return value;
		}
		let exact = 0n;
		for (let i = 0; i < this.at - start; i++) {
			const byte = BigInt(this.bytes[start + i]!);
			exact = this.isCompressed ? exact | ((i === 8 ? byte : byte & 0x7fn) << BigInt(7 * i)) : (exact << 8n) | byte;
		}
		return BigInt.asIntN(64, exact);
	}

	/** Reads over so many integers of LEB128. */
	skipIntegers(count: number): void {
		const { bytes, end } = this;
		let at = this.at;
		for (let left = count; left > 0; left--) {
			const longest = at + MOST_BYTES - 1;
			while (at < end && at < longest && bytes[at]! >= 0x80) {
				at++;
			}
			if (at >= end) {
				throw new JfrDamage('ends inside a number');
			}
			at++;
		}
		this.at = at;
	}

	byte(): number {
		return this.bytes[this.take(1)]!;
	}

	skip(count: number): void {
		this.take(count);
	}

	string(): JfrString {
		const encoding = this.byte();
		switch (encoding) {
			case 0:
				return null;
			case 1:
				return '';
			case 2:
				return { key: this.key() };
			case 3: {
				const length = this.length();
				const start = this.take(length);
				return this.utf8(start, start + length);
			}
			case 4: {
				let text = '';
				for (let left = this.length(); left > 0; left--) {
					text += String.fromCharCode(this.isCompressed ? this.long() & 0xffff : this.view.getUint16(this.take(2)));
				}
				return text;
			}
			case 5: {
				const length = this.length();
				const start = this.take(length);
				return latin1Slice.call(this.bytes, start, start + length);
			}
			default:
				throw new JfrDamage(`a string has the encoding ${encoding}, expected 0 to 5`);
		}
	}

	/** Reads over a string. */
	skipString(): void {
		const encoding = this.bytes[this.at];
		if (this.at < this.end && (encoding === 3 || encoding === 5)) {
			this.at++;
			this.take(this.length());
		} else {
			this.string();
		}
	}

	private utf8(start: number, end: number): string {
		const { bytes, view, strings } = this;
		const number = strings === null ? -1 : strings.find(bytes, view, start, end, hashBytes(view, start, end));
		return strings === null || number < 0 ? decodeUtf8(bytes, start, end) : strings.strings[number]!;
	}

	private take(count: number): number {
		const start = this.at;
		if (count > this.end - start) {
			throw new JfrDamage(`ends inside a value of ${count} bytes`);
		}
		this.at = start + count;
		return start;
	}
}
