/**
 * An element of HotSpot's log, `<call method='1276' count='98' inline='1'/>`, read from its bytes: one line, attributes in single quotes.
 * One reader is used for all lines; what it gives is valid until the next one.
 */
import { decodeUtf8, hashBytes, StringTable } from '../../../bytes/string-table.js';
import { unescapeXml } from '../../../bytes/xml-text.js';

const SPACE = 0x20;
const LESS_THAN = 0x3c;
const EQUALS = 0x3d;
const QUOTE = 0x27;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
/** Attributes of one element; those beyond are not read. HotSpot writes at most thirty. */
const MAX_ATTRIBUTES = 64;
const FIELDS = 4;

export class Element {
	private bytes: Uint8Array = new Uint8Array(0);
	/** For each attribute that was come upon the bytes of its name and of its value: [from, to, from, to). */
	private readonly places = new Int32Array(MAX_ATTRIBUTES * FIELDS);
	private used = 0;
	private view = new DataView(this.bytes.buffer);
	private readonly table = new StringTable([]);
	/** The strings of the table, unescaped. */
	private readonly unescaped: string[] = [];
	private at = 0;
	private end = 0;

	/** Takes the line [start, end); `start` is at `<`. Attributes are looked at as far as somebody asks. */
	read(bytes: Uint8Array, start: number, end: number): void {
		if (bytes !== this.bytes) {
			this.bytes = bytes;
			this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		}
		this.used = 0;
		this.end = end;
		let at = start + 1;
		while (at < end && bytes[at] !== SPACE) {
			at++;
		}
		this.at = at;
	}

	/** False when the line is cut in an attribute, or another element begins before its end. */
	isWhole(): boolean {
		while (this.next()) {}
		return this.at >= this.end;
	}

	has(name: string): boolean {
		return this.find(name) >= 0;
	}

	/** The value, unescaped; null without the attribute. */
	text(name: string): string | null {
		const place = this.find(name);
		return place < 0 ? null : unescapeXml(decodeUtf8(this.bytes, this.places[place + 2]!, this.places[place + 3]!));
	}

	/** The same for names and words that come again and again: each is made once. */
	word(name: string): string | null {
		const place = this.find(name);
		if (place < 0) {
			return null;
		}
		const from = this.places[place + 2]!;
		const to = this.places[place + 3]!;
		const number = this.table.find(this.bytes, this.view, from, to, hashBytes(this.view, from, to));
		if (number < 0) {
			return unescapeXml(decodeUtf8(this.bytes, from, to));
		}
		let text = this.unescaped[number];
		if (text === undefined) {
			text = unescapeXml(this.table.strings[number]!);
			this.unescaped[number] = text;
		}
		return text;
	}

	/** Whether the value is this text, which needs no escapes. */
	is(name: string, value: string): boolean {
		const place = this.find(name);
		return place >= 0 && this.equals(this.places[place + 2]!, this.places[place + 3]!, value);
	}

	/** A whole number; -1 without one: ids, counts and bytecode indices. */
	integer(name: string): number {
		const place = this.find(name);
		return place < 0 ? -1 : (integerOf(this.bytes, this.places[place + 2]!, this.places[place + 3]!) ?? -1);
	}

	/** The same; null without one. */
	integerOrNull(name: string): number | null {
		const place = this.find(name);
		return place < 0 ? null : integerOf(this.bytes, this.places[place + 2]!, this.places[place + 3]!);
	}

	/** A number with or without decimals; null without one. */
	number(name: string): number | null {
		const text = this.text(name)?.trim();
		const value = text === undefined || text === '' ? Number.NaN : Number(text);
		return Number.isFinite(value) ? value : null;
	}

	/** Seconds with three decimals, as milliseconds; null without. */
	milliseconds(name: string): number | null {
		const place = this.find(name);
		return place < 0 ? null : millisecondsOf(this.bytes, this.places[place + 2]!, this.places[place + 3]!);
	}

	private find(name: string): number {
		for (let place = 0; place < this.used || this.next(); place += FIELDS) {
			if (this.equals(this.places[place]!, this.places[place + 1]!, name)) {
				return place;
			}
		}
		return -1;
	}

	/** One attribute more; false when there is none, or none that is whole. */
	private next(): boolean {
		const { bytes, end, places, used } = this;
		let { at } = this;
		if (used === places.length) {
			this.at = end;
			return false;
		}
		let nameStart = at;
		while (at < end && bytes[at] !== EQUALS && bytes[at] !== LESS_THAN) {
			if (bytes[at] === SPACE) {
				nameStart = at + 1;
			}
			at++;
		}
		if (at >= end) {
			this.at = end;
			return false;
		}
		const valueStart = at + 2;
		const nameEnd = at;
		if (bytes[at] !== EQUALS || bytes[at + 1] !== QUOTE) {
			return false;
		}
		at = valueStart;
		while (at < end && bytes[at] !== QUOTE && bytes[at] !== LESS_THAN) {
			at++;
		}
		if (bytes[at] !== QUOTE || at >= end) {
			return false;
		}
		places[used] = nameStart;
		places[used + 1] = nameEnd;
		places[used + 2] = valueStart;
		places[used + 3] = at;
		this.used = used + FIELDS;
		this.at = at + 1;
		return true;
	}

	private equals(start: number, end: number, text: string): boolean {
		if (end - start !== text.length) {
			return false;
		}
		for (let i = 0; i < text.length; i++) {
			if (this.bytes[start + i] !== text.charCodeAt(i)) {
				return false;
			}
		}
		return true;
	}
}

function integerOf(bytes: Uint8Array, start: number, end: number): number | null {
	const isNegative = bytes[start] === MINUS;
	let value = 0;
	let at = isNegative ? start + 1 : start;
	if (at >= end) {
		return null;
	}
	for (; at < end; at++) {
		const digit = bytes[at]! - ZERO;
		if (digit < 0 || digit > 9) {
			return null;
		}
		value = value * 10 + digit;
	}
	return isNegative ? -value : value;
}

/** `0.143`; the log writes a comma in locales that do. */
function millisecondsOf(bytes: Uint8Array, start: number, end: number): number | null {
	let whole = 0;
	let thousandths = 0;
	let scale = 0;
	for (let at = start; at < end; at++) {
		const digit = bytes[at]! - ZERO;
		if (digit >= 0 && digit <= 9) {
			if (scale === 0) {
				whole = whole * 10 + digit;
			} else {
				thousandths += digit * scale;
				scale /= 10;
			}
		} else if ((bytes[at] === POINT || bytes[at] === 0x2c) && scale === 0) {
			scale = 100;
		} else {
			return null;
		}
	}
	return start === end ? null : whole * 1000 + Math.round(thousandths);
}
