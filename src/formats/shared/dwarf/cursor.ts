/** Numbers of DWARF, one after the other (DWARF 5, 7.6 and appendix C). Reading past the end throws a {@link DwarfError}, which ends the unit that is read. */
import { decodeUtf8 } from '../../../bytes/string-table.js';

/** What is damaged, or of a form that is not known. */
export class DwarfError extends Error {}

export class Cursor {
	readonly bytes: Uint8Array;
	readonly isLittle: boolean;
	private readonly view: DataView;
	at: number;

	constructor(bytes: Uint8Array, isLittle: boolean, at = 0) {
		this.bytes = bytes;
		this.isLittle = isLittle;
		this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		this.at = at;
		this.check(0);
	}

	private check(length: number): void {
		if (!(this.at >= 0 && this.at + length <= this.bytes.length)) {
			throw new DwarfError(`its bytes end at ${this.bytes.length}, and ${length} are expected at ${this.at}`);
		}
	}

	skip(length: number): void {
		this.check(length);
		this.at += length;
	}

	u8(): number {
		const value = this.bytes[this.at];
		if (value === undefined) {
			this.check(1);
		}
		this.at++;
		return value ?? 0;
	}

	u16(): number {
		this.check(2);
		this.at += 2;
		return this.view.getUint16(this.at - 2, this.isLittle);
	}

	u24(): number {
		const bytes = [this.u8(), this.u8(), this.u8()];
		const [low = 0, middle = 0, high = 0] = this.isLittle ? bytes : bytes.reverse();
		return low | (middle << 8) | (high << 16);
	}

	u32(): number {
		this.check(4);
		this.at += 4;
		return this.view.getUint32(this.at - 4, this.isLittle);
	}

	/** As a double. */
	u64(): number {
		const first = this.u32();
		const second = this.u32();
		return this.isLittle ? second * 2 ** 32 + first : first * 2 ** 32 + second;
	}

	/** An offset of a 32-bit or 64-bit unit, an address. */
	sized(bytes: number): number {
		switch (bytes) {
			case 8:
				return this.u64();
			case 4:
				return this.u32();
			case 2:
				return this.u16();
			case 1:
				return this.u8();
			default:
				throw new DwarfError(`numbers of ${bytes} bytes`);
		}
	}

	/** Unsigned LEB128. */
	uleb(): number {
		let byte = this.u8();
		let value = byte & 0x7f;
		for (let factor = 128; (byte & 0x80) !== 0; factor *= 128) {
			byte = this.u8();
			value += (byte & 0x7f) * factor;
		}
		return value;
	}

	/** Signed LEB128. */
	sleb(): number {
		let value = 0;
		let factor = 1;
		for (;;) {
			const byte = this.u8();
			value += (byte & 0x7f) * factor;
			factor *= 128;
			if ((byte & 0x80) === 0) {
				return (byte & 0x40) === 0 ? value : value - factor;
			}
		}
	}

	text(): string {
		const end = this.bytes.indexOf(0, this.at);
		if (end < 0) {
			throw new DwarfError('a text has no end');
		}
		const text = decodeUtf8(this.bytes, this.at, end);
		this.at = end + 1;
		return text;
	}

	/** The length at the begin of a unit: where it ends, and how long its offsets are. */
	unitEnd(): { readonly end: number; readonly offsetBytes: 4 | 8 } {
		const first = this.u32();
		const is64 = first === 0xffffffff;
		const length = is64 ? this.u64() : first;
		return { end: Math.min(this.at + length, this.bytes.length), offsetBytes: is64 ? 8 : 4 };
	}
}

/** The text at an offset; empty where there is none. */
export function textAt(bytes: Uint8Array, offset: number): string {
	if (!(offset >= 0 && offset < bytes.length)) {
		return '';
	}
	const end = bytes.indexOf(0, offset);
	return decodeUtf8(bytes, offset, end < 0 ? bytes.length : end);
}
