/**
 * A flat JSON object on one line, read without garbage: keys are compared as bytes, names come from a table of strings, addresses become numbers.
 * Whatever is unusual (an escape, something nested, a number with an exponent) makes it give up.
 */
import { decodeUtf8, hashBytes, StringTable } from '../../bytes/string-table.js';
import { clearFields, type EventFields, KEYS, noFields, setField } from './event-fields.js';
import { behind, nothingRemembered, type Remembered, remember } from './remembered.js';

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
	/** Behind the key or value that was read last by a method. */
	private position = 0;
	private timeStart = -1;
	private timeEnd = -1;

	/** Where the line after the one that was read begins; -1 when that one ended with the bytes. */
	next = -1;

	/** The fields of the line that begins at `start`, valid until the next call; null when it is not of this form. */
	read(bytes: Uint8Array, start: number, end: number): EventFields | null {
		if (bytes !== this.bytes) {
			this.bytes = bytes;
			this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		}
		const { fields, view, guesses, lastTexts } = this;
		if (bytes[start] !== BRACE) {
			return null;
		}
		clearFields(fields);
		this.timeStart = -1;
		let at = start + 1;
		let key: number = START;
		for (;;) {
			const guess = guesses[key];
			const valueAt = guess === undefined ? -1 : behind(view, at, end, guess);
			if (valueAt >= 0) {
				at = valueAt;
				key = (guess as { key: number }).key;
			} else {
				key = this.key(key, at, end);
				if (key === NO_KEY) {
					return null;
				}
				at = this.position;
			}
			if (bytes[at] === BLANK) {
				at = behindBlanks(bytes, at, end);
			}
			if (bytes[at] === QUOTE) {
				const last = lastTexts[key];
				const textEnd = last === undefined ? -1 : behind(view, at, end, last);
				if (textEnd >= 0) {
					at = textEnd;
					repeat(fields, key, (last as { value: string | number }).value);
				} else {
					const quoteAt = endOfText(bytes, at + 1, end);
					if (quoteAt < 0 || !this.text(fields, key, at + 1, quoteAt)) {
						return null;
					}
					at = quoteAt + 1;
				}
			} else if (this.scalar(fields, key, at, end)) {
				at = this.position;
			} else {
				return null;
			}
			at = behindBlanks(bytes, at, end);
			if (at >= end) {
				return null;
			}
			if (bytes[at] === END_BRACE) {
				this.readTime(fields);
				return this.endsLine(at + 1, end) ? fields : null;
			}
			if (bytes[at] !== COMMA) {
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

	/** The number of the next key, the position at its value; that of no key in KEYS for one that means nothing here. Producers write keys in the same order each time. */
	private key(before: number, from: number, end: number): number {
		const { bytes, view } = this;
		const start = behindBlanks(bytes, before === START ? from : from + 1, end);
		const keyEnd = start < end && bytes[start] === QUOTE ? endOfText(bytes, start + 1, end) : -1;
		if (keyEnd < 0) {
			return NO_KEY;
		}
		const key = Math.min(this.keys.find(bytes, view, start + 1, keyEnd, hashBytes(view, start + 1, keyEnd)) >>> 0, OTHER);
		const colon = behindBlanks(bytes, keyEnd + 1, end);
		if (colon >= end || bytes[colon] !== COLON) {
			return NO_KEY;
		}
		this.position = behindBlanks(bytes, colon + 1, end);
		const learned = this.guesses[before] ?? { ...nothingRemembered(), key };
		learned.key = key;
		remember(learned, view, from, this.position);
		this.guesses[before] = learned;
		return key;
	}

	/** null or a number, the position behind it. */
	private scalar(fields: EventFields, key: number, at: number, end: number): boolean {
		if (this.bytes[at] === 0x6e) {
			this.position = at + 4;
			return decodeUtf8(this.bytes, at, Math.min(at + 4, end)) === 'null' && this.set(fields, key, null);
		}
		return this.number(fields, key, at, end);
	}

	private set(fields: EventFields, key: number, value: string | number | null): boolean {
		const name = KEYS[key];
		return name === undefined || setField(fields, name, value);
	}

	private text(fields: EventFields, key: number, start: number, end: number): boolean {
		switch (key) {
			case EVENT:
			case THREAD:
			case PHASE:
			case ARENA:
			case ALLOCATED_IN_PHASE:
				return this.keep(fields, key, start, end, this.name(start, end));
			case ARENA_ADDRESS: {
				const address = this.address(start, end);
				if (address < 0) {
					break;
				}
				return this.keep(fields, key, start, end, address);
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
	private keep(fields: EventFields, key: number, start: number, end: number, value: string | number): boolean {
		if (key !== ALLOCATED_IN_PHASE) {
			const last = this.lastTexts[key] ?? { ...nothingRemembered(), value };
			last.value = value;
			remember(last, this.view, start - 1, end + 1);
			this.lastTexts[key] = last;
		}
		repeat(fields, key, value);
		return true;
	}

	/** Text that many lines repeat. */
	private name(start: number, end: number): string {
		const number = this.names.find(this.bytes, this.view, start, end, hashBytes(this.view, start, end));
		return number < 0 ? decodeUtf8(this.bytes, start, end) : this.names.strings[number]!;
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
			const byte = bytes[i]!;
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
			const byte = bytes[i]!;
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

	private number(fields: EventFields, key: number, at: number, end: number): boolean {
		const { bytes } = this;
		const isNegative = bytes[at] === MINUS;
		const start = at + (isNegative ? 1 : 0);
		let i = start;
		let value = 0;
		for (; i < end; i++) {
			const digit = bytes[i]! - ZERO;
			if (digit < 0 || digit > 9) {
				break;
			}
			value = value * 10 + digit;
		}
		if (i < end && bytes[i] === POINT) {
			while (i < end && ((bytes[i]! >= ZERO && bytes[i]! <= 0x39) || bytes[i] === POINT)) {
				i++;
			}
			value = this.decimal(start, i);
		}
		const hasLeadingZero = bytes[start] === ZERO && i - start > 1 && bytes[start + 1] !== POINT;
		if (i === start || i - start > 16 || value < 0 || hasLeadingZero || (isNegative && value === 0)) {
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

	private endsLine(behindObject: number, end: number): boolean {
		const { bytes } = this;
		let at = behindBlanks(bytes, behindObject, end);
		if (at < end && bytes[at] === CR) {
			at++;
		}
		if (at >= end) {
			this.next = -1;
			return true;
		}
		this.next = at + 1;
		return bytes[at] === LF;
	}
}

function repeat(fields: EventFields, key: number, value: string | number): void {
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
}

function behindBlanks(bytes: Uint8Array, start: number, end: number): number {
	let at = start;
	while (at < end && bytes[at] === BLANK) {
		at++;
	}
	return at;
}

/** Where the closing quote of a text is; -1 when it has an escape, a control character or no end. */
function endOfText(bytes: Uint8Array, start: number, end: number): number {
	for (let i = start; i < end; i++) {
		const byte = bytes[i]!;
		if (byte === QUOTE) {
			return i;
		}
		if (byte === BACKSLASH || byte < BLANK) {
			return -1;
		}
	}
	return -1;
}
