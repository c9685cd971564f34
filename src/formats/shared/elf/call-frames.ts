/**
 * Where functions begin and end by `.eh_frame`, which programs keep when their symbols are stripped, for exceptions and debuggers need it (Linux Standard Base Core 5.0,
 * "Exception Frames"; DWARF 5, section 6.4.1), and where the instructions stand that tell of their frames.
 */
import { Cursor, DwarfError } from '../dwarf/cursor.js';
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

/** What several functions have in common. */
interface CommonFrame {
	readonly codeAlignment: number;
	readonly dataAlignment: number;
	/** How addresses are written; null: in a way that is not known. */
	readonly encoding: number | null;
	/** Descriptions have a length of data of their own before the instructions. */
	readonly hasData: boolean;
	readonly isSignal: boolean;
	/** Where its instructions begin and end. */
	readonly at: number;
	readonly end: number;
}

/** Of a function; places are those in {@link CallFrames.bytes}. */
export interface DescribedFrame extends FrameRange {
	readonly common: CommonFrame;
	/** Behind the addresses: what tells of the frame up to `bodyEnd`. */
	readonly body: number;
	readonly bodyEnd: number;
}

export interface CallFrames {
	readonly bytes: Uint8Array;
	/** In the order of their starts. */
	readonly frames: readonly DescribedFrame[];
}

/** Of each description of a function's frame, in the order of their starts; those that cannot be read are left out. */
export function frameRanges(table: SectionTable): readonly FrameRange[] {
	return callFrames(table).frames;
}

/** The same with what tells of the frames. */
export function callFrames(table: SectionTable): CallFrames {
	const header = table.headers[table.names.indexOf(SECTION)];
	if (header === undefined || header.type === SHT_NOBITS) {
		return { bytes: new Uint8Array(0), frames: [] };
	}
	const bytes = tableBytes(table.source, header);
	return { bytes, frames: new FrameReader(bytes, header.address, table).frames().sort((a, b) => a.start - b.start) };
}

class FrameReader {
	private readonly bytes: Uint8Array;
	private readonly view: DataView;
	private readonly address: number;
	private readonly is64: boolean;
	private readonly isLittle: boolean;
	/** By where it begins; null: it cannot be read. */
	private readonly commons = new Map<number, CommonFrame | null>();

	constructor(bytes: Uint8Array, address: number, { is64, isLittle }: SectionTable) {
		this.bytes = bytes;
		this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		this.address = address;
		this.is64 = is64;
		this.isLittle = isLittle;
	}

	frames(): DescribedFrame[] {
		const { bytes, view, isLittle } = this;
		const result: DescribedFrame[] = [];
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
					this.commons.set(at, this.commonOf(body + 4, end));
				} else {
					const frame = this.frame(body + 4, end, this.commons.get(body - back) ?? null);
					if (frame !== null) {
						result.push(frame);
					}
				}
			}
			at = end;
		}
		return result;
	}

	/** Of the common information whose version stands at `at`. */
	private commonOf(at: number, end: number): CommonFrame | null {
		try {
			const cursor = new Cursor(this.bytes.subarray(0, end), this.isLittle, at);
			const version = cursor.u8();
			const letters = cursor.text();
			const hasData = letters.startsWith('z');
			if (!hasData && letters !== '') {
				return null;
			}
			cursor.skip(version >= 4 ? 2 : 0);
			const codeAlignment = cursor.uleb();
			const dataAlignment = cursor.sleb();
			// The register of the return address.
			cursor.skip(version === 1 ? 1 : 0);
			if (version !== 1) {
				cursor.uleb();
			}
			const dataBytes = hasData ? cursor.uleb() : 0;
			const start = cursor.at + dataBytes;
			const encoding = this.encodingOf(letters.slice(1), cursor);
			return { codeAlignment, dataAlignment, encoding, hasData, isSignal: letters.includes('S'), at: start, end };
		} catch (error) {
			if (error instanceof DwarfError) {
				return null;
			}
			throw error;
		}
	}

	/** By the letters that tell which data there are, and the data. */
	private encodingOf(letters: string, data: Cursor): number | null {
		for (const letter of letters) {
			if (letter === 'R') {
				return data.u8();
			}
			if (letter === 'P') {
				const size = this.sizeOf(data.u8());
				if (size === null) {
					return null;
				}
				data.skip(size);
			} else if (letter === 'L') {
				data.skip(1);
			} else if (letter !== 'S' && letter !== 'B' && letter !== 'G') {
				return null;
			}
		}
		return ABSOLUTE;
	}

	/** null: an address of another form, or none. */
	private frame(at: number, end: number, common: CommonFrame | null): DescribedFrame | null {
		const encoding = common?.encoding ?? null;
		const size = encoding === null ? null : this.sizeOf(encoding);
		const base = (encoding ?? 0) & 0x70;
		if (common === null || encoding === null || size === null || at + 2 * size > end || (base !== ABSOLUTE && base !== PC_RELATIVE)) {
			return null;
		}
		const start = this.value(at, size, (encoding & SIGNED_BIT) !== 0) + (base === PC_RELATIVE ? this.address + at : 0);
		const length = this.value(at + size, size, false);
		return start > 0 && length > 0 && Number.isSafeInteger(start + length) ? { start, end: start + length, common, body: at + 2 * size, bodyEnd: end } : null;
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
}
