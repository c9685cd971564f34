/** The constant pool of a class (JVMS §4.4), as far as names need it: where each constant begins, its text read when it is asked for. */
import { decodeUtf8 } from '../../../bytes/string-table.js';

const Tag = { Utf8: 1, Long: 5, Double: 6, Class: 7, NameAndType: 12 } as const;

/** Bytes of constants by tag, without it; texts are as long as they say. Long and double take two places. */
const CONSTANT_BYTES: Readonly<Record<number, number>> = {
	3: 4,
	4: 4,
	5: 8,
	6: 8,
	7: 2,
	8: 2,
	9: 4,
	10: 4,
	11: 4,
	12: 4,
	15: 3,
	16: 2,
	17: 4,
	18: 4,
	19: 2,
	20: 2,
};

export class ConstantPool {
	/** The byte after the last constant that could be read. */
	readonly end: number;
	/** The first constant that could not: its tag is unknown, or NaN where the bytes end. Null: all were read. */
	readonly unread: { readonly index: number; readonly tag: number } | null;
	private readonly bytes: Uint8Array;
	/** Where each constant begins, at its tag. */
	private readonly offsets: number[] = [];

	/** Constants 1 to `count` - 1 from byte `start` on. */
	constructor(bytes: Uint8Array, start: number, count: number) {
		this.bytes = bytes;
		let at = start;
		let unread: ConstantPool['unread'] = null;
		for (let index = 1; index < count && unread === null; index++) {
			const tag = bytes[at] ?? Number.NaN;
			const size = tag === Tag.Utf8 ? 2 + this.u2(at + 1) : CONSTANT_BYTES[tag];
			if (size === undefined || at + 1 + size > bytes.length) {
				unread = { index, tag: size === undefined ? tag : Number.NaN };
			} else {
				this.offsets[index] = at;
				at += 1 + size;
				index += tag === Tag.Long || tag === Tag.Double ? 1 : 0;
			}
		}
		this.end = at;
		this.unread = unread;
	}

	utf8(index: number): string | null {
		const at = this.offsetOf(index, Tag.Utf8);
		return at === null ? null : decodeUtf8(this.bytes, at + 3, at + 3 + this.u2(at + 1));
	}

	/** With slashes. */
	className(index: number): string | null {
		const at = this.offsetOf(index, Tag.Class);
		return at === null ? null : this.utf8(this.u2(at + 1));
	}

	/** Of a field, method or call site: the name in its NameAndType. */
	memberName(index: number): string | null {
		const member = this.offsets[index];
		const nameAndType = member === undefined ? null : this.offsetOf(this.u2(member + 3), Tag.NameAndType);
		return nameAndType === null ? null : this.utf8(this.u2(nameAndType + 1));
	}

	private offsetOf(index: number, tag: number): number | null {
		const at = this.offsets[index];
		return at === undefined || this.bytes[at] !== tag ? null : at;
	}

	private u2(at: number): number {
		return (this.bytes[at] ?? 0) * 256 + (this.bytes[at + 1] ?? 0);
	}
}
