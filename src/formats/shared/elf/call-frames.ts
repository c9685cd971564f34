/**
 * Where functions begin and end by `.eh_frame`, which programs keep when their symbols are stripped, for exceptions and debuggers need it (Linux Standard Base Core 5.0,
 * "Exception Frames"; DWARF 5, section 6.4.1).
 */
import { long, type SectionTable, SHT_NOBITS, tableBytes } from './section-table.js';

const SECTION = '.eh_frame';
/** DW_EH_PE: formats of values, and what they count from. */
const ABSOLUTE = 0;
const PC_RELATIVE = 0x10;
const OMITTED = 0xff;
const FORMAT_BITS = 0x0f;
const SIGNED_BIT = 0x08;
const FORMAT_BYTES: Readonly<Record<number, number>> = { 2: 2, 3: 4, 4: 8, 10: 2, 11: 4, 12: 8 };
const EXTENDED_LENGTH = 0xffffffff;

/** A function's addresses in the file, not its offsets; `end` is behind its last byte. */
export interface FrameRange {
	readonly start: number;
	readonly end: number;
}

/** Of each description of a function's frame, in the order of their starts; those that cannot be read are left out. */
export function frameRanges(table: SectionTable): FrameRange[] {
	const header = table.headers[table.names.indexOf(SECTION)];
	if (header === undefined || header.type === SHT_NOBITS) {
		return [];
	}
	const reader = new FrameReader(tableBytes(table.source, header), header.address, table);
	return reader.ranges().sort((a, b) => a.start - b.start);
}

class FrameReader {
	private readonly bytes: Uint8Array;
	private readonly view: DataView;
	private readonly address: number;
	private readonly is64: boolean;
	private readonly isLittle: boolean;
	/** How addresses are written, by where the common information begins; null where that is not known. */
	private readonly encodings = new Map<number, number | null>();

	constructor(bytes: Uint8Array, address: number, { is64, isLittle }: SectionTable) {
		this.bytes = bytes;
		this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		this.address = address;
		this.is64 = is64;
		this.isLittle = isLittle;
	}

	ranges(): FrameRange[] {
		const { bytes, view, isLittle } = this;
		const result: FrameRange[] = [];
		for (let at = 0; at + 8 <= bytes.length; ) {
			const short = view.getUint32(at, isLittle);
			if (short === EXTENDED_LENGTH && at + 16 > bytes.length) {
				break;
			}
			const body = at + (short === EXTENDED_LENGTH ? 12 : 4);
			const end = body + (short === EXTENDED_LENGTH ? long(view, at + 4, isLittle) : short);
			// A length of 0 ends what one object file brought.
			if (end > body) {
				if (end > bytes.length || end < body + 4) {
					break;
				}
				const back = view.getUint32(body, isLittle);
				if (back === 0) {
					this.encodings.set(at, this.encodingOf(body + 4, end));
				} else {
					const range = this.range(body + 4, end, this.encodings.get(body - back) ?? null);
					if (range !== null) {
						result.push(range);
					}
				}
			}
			at = end;
		}
		return result;
	}

	/** Of the common information whose version stands at `at`. */
	private encodingOf(at: number, end: number): number | null {
		const { bytes } = this;
		const version = bytes[at];
		const zero = bytes.indexOf(0, at + 1);
		if (version === undefined || zero < 0 || zero >= end) {
			return null;
		}
		const letters = Array.from(bytes.subarray(at + 1, zero), (byte) => String.fromCharCode(byte));
		if (letters[0] !== 'z') {
			return letters.length === 0 ? ABSOLUTE : null;
		}
		let position = zero + 1 + (version >= 4 ? 2 : 0);
		// Alignment of code and data, and the register of the return address: one byte in version 1.
		position = this.behindNumber(this.behindNumber(position));
		position = version === 1 ? position + 1 : this.behindNumber(position);
		position = this.behindNumber(position);
		for (const letter of letters.slice(1)) {
			const value = bytes[position];
			if (value === undefined || position >= end) {
				return null;
			}
			if (letter === 'R') {
				return value;
			}
			if (letter === 'P') {
				const size = this.sizeOf(value);
				if (size === null) {
					return null;
				}
				position += 1 + size;
			} else if (letter === 'L') {
				position++;
			} else if (letter !== 'S' && letter !== 'B' && letter !== 'G') {
				return null;
			}
		}
		return ABSOLUTE;
	}

	/** null: an address of another form, or none. */
	private range(at: number, end: number, encoding: number | null): FrameRange | null {
		const size = encoding === null ? null : this.sizeOf(encoding);
		const base = (encoding ?? 0) & 0x70;
		if (encoding === null || size === null || at + 2 * size > end || (base !== ABSOLUTE && base !== PC_RELATIVE)) {
			return null;
		}
		const start = this.value(at, size, (encoding & SIGNED_BIT) !== 0) + (base === PC_RELATIVE ? this.address + at : 0);
		const length = this.value(at + size, size, false);
		return start > 0 && length > 0 && Number.isSafeInteger(start + length) ? { start, end: start + length } : null;
	}

	/** Bytes of a value; null of those that have no fixed size. */
	private sizeOf(encoding: number): number | null {
		const format = encoding & FORMAT_BITS;
		return encoding === OMITTED ? null : format === 0 || format === SIGNED_BIT ? (this.is64 ? 8 : 4) : (FORMAT_BYTES[format] ?? null);
	}

	private value(at: number, size: number, isSigned: boolean): number {
		const { view, isLittle } = this;
		if (size === 8) {
			const low = view.getUint32(at + (isLittle ? 0 : 4), isLittle);
			const high = at + (isLittle ? 4 : 0);
			return (isSigned ? view.getInt32(high, isLittle) : view.getUint32(high, isLittle)) * 2 ** 32 + low;
		}
		if (size === 4) {
			return isSigned ? view.getInt32(at, isLittle) : view.getUint32(at, isLittle);
		}
		return isSigned ? view.getInt16(at, isLittle) : view.getUint16(at, isLittle);
	}

	/** Behind a number of the form LEB128. */
	private behindNumber(at: number): number {
		let position = at;
		while (((this.bytes[position] ?? 0) & 0x80) !== 0) {
			position++;
		}
		return position + 1;
	}
}
