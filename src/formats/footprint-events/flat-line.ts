/**
 * A flat JSON object on one line, read without garbage: keys are compared as bytes, names come from a table of strings, addresses become numbers.
 * Whatever is unusual (an escape, something nested, a number with an exponent) makes it give up.
 */
import { decodeUtf8, hashBytes, StringTable } from '../../bytes/string-table.js';
import { clearFields, type EventFields, KEYS, noFields, setField } from './event-fields.js';
import { MAX_REMEMBERED, nothingRemembered, type Remembered } from './remembered.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const BLANK = 0x20;
const LF = 0x0a;
const CR = 0x0d;
const ZERO = 0x30;
const MINUS = 0x2d;
const POINT = 0x2e;
const BRACE = 0x7b;
const END_BRACE = 0x7d;

/** By the number of a key, see KEYS. */
const EVENT = KEYS.indexOf('event');
const THREAD = KEYS.indexOf('thread');
const COMPILE_ID = KEYS.indexOf('compileId');
const TIME = KEYS.indexOf('t');
const PHASE = KEYS.indexOf('phase');
const BYTES = KEYS.indexOf('bytes');
const NODES = KEYS.indexOf('nodes');
const CHUNK = KEYS.indexOf('chunk');
const ARENA = KEYS.indexOf('arena');
const ARENA_ADDRESS = KEYS.indexOf('arenaAddress');
const ALLOCATED_IN_PHASE = KEYS.indexOf('allocatedInPhase');
const NO_KEY = -1;
/** Keys that mean nothing here, and what is before the first one. */
const OTHER = KEYS.length;
const START = KEYS.length + 1;

const UNTIMED: ReadonlySet<string> = new Set(['chunk-alloc', 'chunk-free', 'phase-start', 'phase-end']);

export class FlatLineReader {
	private readonly names = new StringTable([]);
	private readonly keys = new StringTable(KEYS);
	private readonly fields = noFields();
	/** For each key the bytes from the end of the value before it to its own value, as they were last time, and which key that was. */
	private readonly guesses: (Remembered & { key: number })[] = [];
	private readonly lastTexts: (Remembered & { value: string | number })[] = [];
	private readonly ids = new Map<number, string>();
	private bytes: Uint8Array = new Uint8Array(0);
	private view: DataView = new DataView(new ArrayBuffer(0));
	private position = 0;
	private timeStart = -1;
	private timeEnd = -1;
	private end = 0;

	/** Where the line after the one that was read begins; -1 when that one ended with the bytes. */
	next = -1;

	/** The fields of the line that begins at `start`, valid until the next call; null when it is not of this form. */
	read(bytes: Uint8Array, start: number, end: number): EventFields | null {
		if (bytes !== this.bytes) {
			this.bytes = bytes;
			this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		}
		this.position = start;
		this.end = end;
		const { fields } = this;
		clearFields(fields);
		this.timeStart = -1;
		if (bytes[start] !== BRACE) {
			return null;
		}
		this.position++;
		let key: number = START;
		for (;;) {
			key = this.key(key);
			if (key === NO_KEY || !this.value(fields, key)) {
				return null;
			}
			this.blanks();
			const byte = bytes[this.position];
			if (byte === END_BRACE) {
				this.position++;
				this.readTime(fields);
				return this.endsLine() ? fields : null;
			}
			if (byte !== COMMA || this.position >= end) {
				return null;
			}
		}
	}

	/** A time is sixteen digits to read, and only the events of whole compilations need it. */
	private readTime(fields: EventFields): void {
		const { timeStart, timeEnd } = this;
		if (timeStart < 0 || UNTIMED.has(fields.event)) {
			return;
		}
		const time = this.decimal(timeStart, timeEnd);
		if (time < 0) {
			this.set(fields, TIME, decodeUtf8(this.bytes, timeStart, timeEnd));
		} else {
			fields.seconds = time;
		}
	}

	/** The number of the next key; that of no key in KEYS for one that means nothing here. Producers write keys in the same order each time. */
	private key(before: number): number {
		const guess = this.guesses[before];
		if (guess !== undefined && this.accept(guess)) {
			return guess.key;
		}
		const from = this.position;
		this.position += before === START ? 0 : 1;
		const start = this.string();
		if (start < 0) {
			return NO_KEY;
		}
		const end = this.position - 1;
		const key = Math.min(this.keys.find(this.bytes, this.view, start, end, hashBytes(this.view, start, end)) >>> 0, OTHER);
		this.blanks();
		if (this.bytes[this.position++] !== COLON) {
			return NO_KEY;
		}
		this.blanks();
		const learned = guess ?? { ...nothingRemembered(), key };
		learned.key = key;
		this.copyTo(learned, from, this.position);
		this.guesses[before] = learned;
		return key;
	}

	/** Takes these bytes if they come next. Words of four bytes: comparing is most of the work there is. */
	private accept({ words, tail, length }: Remembered): boolean {
		const { view, position } = this;
		if (position + length > this.end) {
			return false;
		}
		const count = length >> 2;
		for (let i = 0; i < count; i++) {
			if (view.getInt32(position + 4 * i, true) !== words[i]) {
				return false;
			}
		}
		for (let i = 4 * count; i < length; i++) {
			if (view.getUint8(position + i) !== tail[i & 3]) {
				return false;
			}
		}
		this.position = position + length;
		return true;
	}

	/** false: too long to be remembered. */
	private copyTo(into: Remembered, start: number, end: number): boolean {
		const length = end - start;
		if (length > MAX_REMEMBERED) {
			into.length = Number.POSITIVE_INFINITY;
			return false;
		}
		const { view } = this;
		const count = length >> 2;
		for (let i = 0; i < count; i++) {
			into.words[i] = view.getInt32(start + 4 * i, true);
		}
		for (let i = 4 * count; i < length; i++) {
			into.tail[i & 3] = view.getUint8(start + i);
		}
		into.length = length;
		return true;
	}

	private value(fields: EventFields, key: number): boolean {
		this.blanks();
		const { bytes } = this;
		const first = bytes[this.position] as number;
		if (first === QUOTE) {
			const last = this.lastTexts[key];
			if (last !== undefined && this.accept(last)) {
				return this.repeat(fields, key, last.value);
			}
			const start = this.string();
			return start >= 0 && this.text(fields, key, start, this.position - 1);
		}
		if (first === 0x6e) {
			this.position += 4;
			return decodeUtf8(bytes, this.position - 4, Math.min(this.position, this.end)) === 'null' && this.set(fields, key, null);
		}
		return this.number(fields, key);
	}

	private set(fields: EventFields, key: number, value: string | number | null): boolean {
		const name = KEYS[key];
		return name === undefined || setField(fields, name, value);
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

	private text(fields: EventFields, key: number, start: number, end: number): boolean {
		switch (key) {
			case EVENT:
			case THREAD:
			case PHASE:
			case ARENA:
			case ALLOCATED_IN_PHASE:
				return this.repeat(fields, key, this.remember(key, start, end, this.name(start, end)));
			case ARENA_ADDRESS: {
				const address = this.address(start, end);
				if (address < 0) {
					break;
				}
				return this.repeat(fields, key, this.remember(key, start, end, address));
			}
			case CHUNK: {
				const address = this.address(start, end);
				if (address < 0) {
					break;
				}
				fields.chunk = address;
				return true;
			}
			case TIME:
				this.timeStart = start;
				this.timeEnd = end;
				return true;
			case OTHER:
				return true;
		}
		return this.set(fields, key, decodeUtf8(this.bytes, start, end));
	}

	/** What one line says the next one often says again. */
	private remember(key: number, start: number, end: number, value: string | number): string | number {
		if (key !== ALLOCATED_IN_PHASE) {
			const last = this.lastTexts[key] ?? { ...nothingRemembered(), value };
			last.value = value;
			this.copyTo(last, start - 1, end + 1);
			this.lastTexts[key] = last;
		}
		return value;
	}

	private repeat(fields: EventFields, key: number, value: string | number): boolean {
		switch (key) {
			case EVENT:
				fields.event = value as string;
				break;
			case THREAD:
				fields.thread = value as string;
				break;
			case PHASE:
				fields.phase = value as string;
				break;
			case ARENA:
				fields.arena = value as string;
				break;
			case ALLOCATED_IN_PHASE:
				fields.allocatedInPhase = value as string;
				break;
			default:
				fields.arenaAddress = value;
		}
		return true;
	}

	/** Text that many lines repeat. */
	private name(start: number, end: number): string {
		const number = this.names.find(this.bytes, this.view, start, end, hashBytes(this.view, start, end));
		return number < 0 ? decodeUtf8(this.bytes, start, end) : (this.names.strings[number] as string);
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

	private number(fields: EventFields, key: number): boolean {
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
		const signed = isNegative ? 0 - value : value;
		switch (key) {
			case COMPILE_ID:
				fields.compileId = this.id(signed);
				return true;
			case BYTES:
				fields.bytes = signed;
				return true;
			case NODES:
				fields.nodes = signed;
				return true;
			case OTHER:
				return true;
		}
		return this.set(fields, key, signed);
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

	private endsLine(): boolean {
		this.blanks();
		const { bytes, end } = this;
		if (bytes[this.position] === CR) {
			this.position++;
		}
		if (this.position >= end) {
			this.next = -1;
			return true;
		}
		this.next = this.position + 1;
		return bytes[this.position] === LF;
	}
}
