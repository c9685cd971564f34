/**
 * A flat JSON object on one line, read without garbage: keys are compared as bytes, names come from a table of strings, addresses become numbers.
 * Whatever is unusual (an escape, something nested, a number with an exponent) makes it give up.
 */
import { decodeUtf8, hashBytes, StringTable } from '../../bytes/string-table.js';
import { type EventFields, KEYS, type Key, noFields, setField } from './event-fields.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const BLANK = 0x20;
const ZERO = 0x30;
const MINUS = 0x2d;
const POINT = 0x2e;
const BRACE = 0x7b;
const END_BRACE = 0x7d;

/** Keys whose values are told by many lines in the same words. */
const NAMES: ReadonlySet<Key> = new Set(['event', 'thread', 'phase', 'arena', 'allocatedInPhase', 'result', 'compiler']);

export class FlatLineReader {
	private readonly names = new StringTable([]);
	private readonly keys = new StringTable(KEYS);
	private readonly fields = noFields();
	private readonly empty = noFields();
	private readonly ignored = noFields();
	private readonly ids = new Map<number, string>();
	private bytes: Uint8Array = new Uint8Array(0);
	private view: DataView = new DataView(new ArrayBuffer(0));
	private position = 0;
	private end = 0;

	/** The fields, valid until the next call; null when the line is not of this form. */
	read(bytes: Uint8Array, start: number, end: number): EventFields | null {
		if (bytes !== this.bytes) {
			this.bytes = bytes;
			this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		}
		this.position = start;
		this.end = end;
		const { fields } = this;
		Object.assign(fields, this.empty);
		if (bytes[start] !== BRACE) {
			return null;
		}
		this.position++;
		for (;;) {
			const key = this.key();
			if (key === undefined || !(key === 'other' ? this.skipValue() : this.value(fields, key))) {
				return null;
			}
			this.blanks();
			const byte = bytes[this.position++];
			if (byte === END_BRACE) {
				return this.isAtEnd() ? fields : null;
			}
			if (byte !== COMMA || this.position >= end) {
				return null;
			}
		}
	}

	/** undefined: no key; `other`: one that means nothing here. */
	private key(): Key | 'other' | undefined {
		const range = this.string();
		if (range < 0) {
			return undefined;
		}
		const number = this.keys.find(this.bytes, this.view, range, this.position - 1, hashBytes(this.view, range, this.position - 1));
		this.blanks();
		return this.bytes[this.position++] === COLON ? (KEYS[number] ?? 'other') : undefined;
	}

	private value(fields: EventFields, key: Key): boolean {
		this.blanks();
		const { bytes } = this;
		const first = bytes[this.position] as number;
		if (first === QUOTE) {
			const start = this.string();
			return start >= 0 && this.text(fields, key, start, this.position - 1);
		}
		if (first === 0x6e) {
			this.position += 4;
			return decodeUtf8(bytes, this.position - 4, Math.min(this.position, this.end)) === 'null' && setField(fields, key, null);
		}
		return this.number(fields, key);
	}

	private skipValue(): boolean {
		this.blanks();
		if (this.bytes[this.position] === QUOTE) {
			return this.string() >= 0;
		}
		return this.value(this.ignored, 'nodes');
	}

	/** After the opening quote of a string; -1 when it is none. The position is then behind its closing quote. */
	private string(): number {
		this.blanks();
		const { bytes, end } = this;
		if (bytes[this.position] !== QUOTE) {
			return -1;
		}
		const start = this.position + 1;
		for (let i = start; i < end; i++) {
			const byte = bytes[i] as number;
			if (byte === QUOTE) {
				this.position = i + 1;
				return start;
			}
			if (byte === BACKSLASH || byte < BLANK) {
				return -1;
			}
		}
		return -1;
	}

	private text(fields: EventFields, key: Key, start: number, end: number): boolean {
		if (NAMES.has(key)) {
			const number = this.names.find(this.bytes, this.view, start, end, hashBytes(this.view, start, end));
			return setField(fields, key, number < 0 ? decodeUtf8(this.bytes, start, end) : (this.names.strings[number] as string));
		}
		if (key === 'chunk' || key === 'arenaAddress') {
			const address = this.address(start, end);
			if (address >= 0) {
				fields[key] = address;
				return true;
			}
		}
		if (key === 't') {
			const time = this.decimal(start, end);
			if (time >= 0) {
				fields.seconds = time;
				return true;
			}
		}
		return setField(fields, key, decodeUtf8(this.bytes, start, end));
	}

	/** -1: no hexadecimal number of at most 52 bits in lower case. */
	private address(start: number, end: number): number {
		const { bytes } = this;
		if (end - start < 3 || end - start > 15 || bytes[start] !== ZERO || bytes[start + 1] !== 0x78) {
			return -1;
		}
		let high = 0;
		let low = 0;
		for (let i = start + 2; i < end; i++) {
			const byte = bytes[i] as number;
			const digit = byte >= ZERO && byte <= 0x39 ? byte - ZERO : byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : -1;
			if (digit < 0) {
				return -1;
			}
			high = high * 16 + (low >>> 28);
			low = ((low << 4) | digit) >>> 0;
		}
		return high * 4294967296 + low;
	}

	/** -1: not of digits with at most one point, or too long to be exact. */
	private decimal(start: number, end: number): number {
		const { bytes } = this;
		let value = 0;
		let scale = 0;
		if (end - start > 16 || end === start) {
			return -1;
		}
		for (let i = start; i < end; i++) {
			const byte = bytes[i] as number;
			if (byte === POINT && scale === 0 && i > start && i < end - 1) {
				scale = 1;
			} else if (byte >= ZERO && byte <= 0x39) {
				value = value * 10 + byte - ZERO;
				scale *= 10;
			} else {
				return -1;
			}
		}
		return scale === 0 ? value : value / scale;
	}

	private number(fields: EventFields, key: Key): boolean {
		const { bytes, end } = this;
		const isNegative = bytes[this.position] === MINUS;
		const start = this.position + (isNegative ? 1 : 0);
		let i = start;
		while (i < end && (((bytes[i] as number) >= ZERO && (bytes[i] as number) <= 0x39) || bytes[i] === POINT)) {
			i++;
		}
		const value = this.decimal(start, i);
		const hasLeadingZero = bytes[start] === ZERO && i - start > 1 && bytes[start + 1] !== POINT;
		if (value < 0 || hasLeadingZero || (isNegative && value === 0)) {
			return false;
		}
		this.position = i;
		if (key === 'compileId') {
			fields.compileId = this.id(isNegative ? -value : value);
			return true;
		}
		return setField(fields, key, isNegative ? 0 - value : value);
	}

	/** The text of a compile id, made once. */
	private id(value: number): string {
		const known = this.ids.get(value);
		if (known !== undefined) {
			return known;
		}
		if (this.ids.size > 1000) {
			this.ids.clear();
		}
		const text = String(value);
		this.ids.set(value, text);
		return text;
	}

	private blanks(): void {
		while (this.bytes[this.position] === BLANK && this.position < this.end) {
			this.position++;
		}
	}

	private isAtEnd(): boolean {
		this.blanks();
		return this.position >= this.end;
	}
}
