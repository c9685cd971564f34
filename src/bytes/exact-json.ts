/**
 * A JSON reader over bytes that keeps what JSON.parse loses and logs of Java programs depend on: whether a number was written
 * as an integer or with a fraction (`1` and `1.0` print and compare differently), integers beyond 2^53, the order of keys,
 * and the offset of the first fault. Nesting is bounded by memory only: no recursion.
 *
 * The grammar is that of Graal's own JSON reader (jdk.graal.compiler.util.json, JDK-25 level): RFC 8259, except that an integer
 * with an exponent (`1e5`) is refused.
 */
import { decodeUtf8, HASH_START, mixHash, StringTable } from './string-table.js';

/** A number that was written with a fraction. */
export interface JsonDouble {
	readonly double: number;
}
/** `bigint` only for integers that a double cannot hold exactly. Objects are Maps: first place kept, last value wins. */
export type JsonValue = null | boolean | string | number | bigint | JsonDouble | JsonValue[] | Map<string, JsonValue>;

/**
 * Why a text is not JSON: `offset` counts bytes from the start of the text. Thrown, and always caught by a reader. It is no Error: their stacks, which nobody looks
 * at, took most of the time of a file of damaged lines.
 */
export class JsonSyntaxError {
	readonly message: string;
	readonly offset: number;
	/** `end` when the text ended too early (more bytes could mend it), `number` for an integer that does not fit a Java long. */
	readonly reason: 'syntax' | 'end' | 'number';
	constructor(offset: number, reason: 'syntax' | 'end' | 'number', message: string) {
		this.message = message;
		this.offset = offset;
		this.reason = reason;
	}
}

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
const BACKSLASH = 0x5c;
const END = -1;

const LONG_MAX = 9223372036854775807n;
const LONG_MIN = -9223372036854775808n;

/** ASCII text to compare with, cut into words of four bytes. */
export interface Literal {
	readonly words: readonly number[];
	readonly rest: readonly number[];
	readonly length: number;
}

export function literal(text: string): Literal {
	const bytes = new TextEncoder().encode(text);
	const view = new DataView(bytes.buffer);
	const wordCount = bytes.length >> 2;
	return {
		words: Array.from({ length: wordCount }, (_, index) => view.getInt32(index * 4, true)),
		rest: [...bytes.subarray(wordCount * 4)],
		length: bytes.length,
	};
}

export class ExactJsonReader {
	readonly table: StringTable;
	private bytes: Uint8Array = new Uint8Array(0);
	private view: DataView = new DataView(new ArrayBuffer(0));
	private start = 0;
	private end = 0;
	/** The next byte to be read, as an index into the bytes given to {@link reset}. */
	position = 0;

	constructor(knownStrings: readonly string[] = []) {
		this.table = new StringTable(knownStrings);
	}

	/** Starts over on bytes [start, end). */
	reset(bytes: Uint8Array, start = 0, end = bytes.length): this {
		if (bytes.buffer !== this.view.buffer || bytes.byteOffset !== this.view.byteOffset || bytes.byteLength !== this.view.byteLength) {
			this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		}
		this.bytes = bytes;
		this.start = start;
		this.position = start;
		this.end = end;
		return this;
	}

	/** Reads one value and the end of the text after it. */
	document(): JsonValue {
		const value = this.value();
		this.expectEnd();
		return value;
	}

	expectEnd(): void {
		if (this.peek() !== END) {
			throw this.unexpected('the end of the object');
		}
	}

	/** The next byte that is no white space, without taking it; -1 at the end. */
	peek(): number {
		const { bytes, end } = this;
		let position = this.position;
		while (position < end) {
			const byte = bytes[position]!;
			if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) {
				this.position = position;
				return byte;
			}
			position++;
		}
		this.position = position;
		return END;
	}

	/** Takes `byte` (after white space) or throws. */
	expect(byte: number): void {
		if (this.peek() !== byte) {
			throw this.unexpected(`'${String.fromCharCode(byte)}'`);
		}
		this.position++;
	}

	/** Takes `byte` if it comes next. */
	accept(byte: number): boolean {
		if (this.peek() === byte) {
			this.position++;
			return true;
		}
		return false;
	}

	/**
	 * Takes exactly the bytes of `literal` if they come next, white space and all. For what a log repeats: comparing is several
	 * times cheaper than reading. When it returns false nothing was taken.
	 */
	acceptLiteral(literal: Literal): boolean {
		const { words, rest, length } = literal;
		const { view, position } = this;
		if (position + length > this.end) {
			return false;
		}
		let i = position;
		for (const word of words) {
			if (view.getInt32(i, true) !== word) {
				return false;
			}
			i += 4;
		}
		for (const byte of rest) {
			if (view.getUint8(i) !== byte) {
				return false;
			}
			i++;
		}
		this.position = i;
		return true;
	}

	/** Takes the rest of a string whose opening quote was taken. */
	restOfString(): string {
		this.position--;
		return this.string();
	}

	/**
	 * Takes a string and gives its number in the table, or -1 when the table does not hold it; then {@link lastString} does.
	 * The common form, no escape, costs one pass over the bytes.
	 */
	stringId(): number {
		if (this.peek() !== QUOTE) {
			throw this.unexpected('a string');
		}
		const { bytes, view, end } = this;
		const start = this.position + 1;
		let hash = HASH_START;
		let i = start;
		// Four bytes at a time, as long as none of them is a quote, a backslash or a control character.
		for (const wordEnd = end - 4; i <= wordEnd; i += 4) {
			const word = view.getInt32(i, true);
			const quote = word ^ 0x22222222;
			const backslash = word ^ 0x5c5c5c5c;
			const found = ((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash) | ((word - 0x20202020) & ~word);
			if ((found & 0x80808080) !== 0) {
				break;
			}
			hash = mixHash(hash, word);
		}
		for (; i < end; i++) {
			const byte = bytes[i]!;
			if (byte === QUOTE) {
				this.position = i + 1;
				const id = this.table.find(bytes, view, start, i, hash);
				if (id < 0) {
					this.lastString = decodeUtf8(bytes, start, i);
				}
				return id;
			}
			if (byte === BACKSLASH) {
				this.lastString = this.escapedString(start);
				return -1;
			}
			if (byte < 0x20) {
				this.position = i;
				throw this.unexpected('no control character inside a string');
			}
			hash = mixHash(hash, byte);
		}
		this.position = end;
		throw this.unexpected('a closing quote');
	}

	/** The string that {@link stringId} read when it returned -1. */
	lastString = '';

	string(): string {
		const id = this.stringId();
		return id < 0 ? this.lastString : this.table.strings[id]!;
	}

	private escapedString(start: number): string {
		const { bytes, end } = this;
		let text = '';
		let plainStart = start;
		let i = start;
		for (;;) {
			if (i >= end) {
				this.position = end;
				throw this.unexpected('a closing quote');
			}
			const byte = bytes[i]!;
			if (byte === QUOTE) {
				this.position = i + 1;
				return text + decodeUtf8(bytes, plainStart, i);
			}
			if (byte < 0x20) {
				this.position = i;
				throw this.unexpected('no control character inside a string');
			}
			if (byte !== BACKSLASH) {
				i++;
				continue;
			}
			text += decodeUtf8(bytes, plainStart, i);
			const escaped = i + 1 < end ? bytes[i + 1]! : END;
			const simple = '"\\/bfnrt'.indexOf(String.fromCharCode(escaped));
			if (escaped === 0x75) {
				text += String.fromCharCode(this.hexDigits(i + 2));
				i += 6;
			} else if (escaped !== END && simple >= 0) {
				text += '"\\/\b\f\n\r\t'[simple];
				i += 2;
			} else {
				this.position = Math.min(i + 1, end);
				throw this.unexpected('an escape sequence');
			}
			plainStart = i;
		}
	}

	private hexDigits(start: number): number {
		let code = 0;
		for (let i = start; i < start + 4; i++) {
			const digit = i < this.end ? hexValue(this.bytes[i]!) : -1;
			if (digit < 0) {
				this.position = Math.min(i, this.end);
				throw this.unexpected('a hexadecimal digit');
			}
			code = code * 16 + digit;
		}
		return code;
	}

	/** Takes a number: an integer as number or bigint, one with a fraction as {@link JsonDouble}. */
	number(): number | bigint | JsonDouble {
		this.peek();
		const { bytes, end } = this;
		const start = this.position;
		let i = start;
		if (bytes[i] === 0x2d) {
			i++;
		}
		const digits = i;
		let small = 0;
		while (i < end && isDigit(bytes[i]!)) {
			small = small * 10 + bytes[i]! - 0x30;
			i++;
			if (i === digits + 1 && small === 0) {
				break; // nothing may follow a leading zero
			}
		}
		if (i === digits) {
			this.position = i;
			throw this.unexpected('a digit');
		}
		const integerEnd = i;
		let fraction = false;
		if (i < end && bytes[i] === 0x2e) {
			fraction = true;
			i = this.digitsAfter(i + 1);
		}
		if (i < end && (bytes[i] === 0x65 || bytes[i] === 0x45)) {
			const sign = bytes[i + 1] === 0x2b || bytes[i + 1] === 0x2d ? 1 : 0;
			i = this.digitsAfter(i + 1 + sign);
		}
		this.position = i;
		if (fraction) {
			return { double: Number(decodeUtf8(bytes, start, i)) };
		}
		if (i !== integerEnd) {
			throw new JsonSyntaxError(start - this.start, 'number', `${shortened(bytes, start, i)} is an integer with an exponent; write it out or add a fraction`);
		}
		const negative = digits > start;
		if (integerEnd - digits <= 15) {
			return negative ? 0 - small : small;
		}
		const exact = integerEnd - digits <= 19 ? BigInt(decodeUtf8(bytes, start, i)) : undefined;
		if (exact === undefined || exact > LONG_MAX || exact < LONG_MIN) {
			throw new JsonSyntaxError(start - this.start, 'number', `the integer ${shortened(bytes, start, i)} does not fit 64 bits`);
		}
		return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
	}

	private digitsAfter(start: number): number {
		let i = start;
		while (i < this.end && isDigit(this.bytes[i]!)) {
			i++;
		}
		if (i === start) {
			this.position = Math.min(i, this.end);
			throw this.unexpected('a digit');
		}
		return i;
	}

	/** Takes any value. */
	value(): JsonValue {
		// The containers that are open, outermost first, and the key under which the next value of each object goes.
		const open: (JsonValue[] | Map<string, JsonValue>)[] = [];
		const keys: string[] = [];
		for (;;) {
			let value: JsonValue;
			const byte = this.peek();
			if (byte === OPEN_BRACE) {
				this.position++;
				const object = new Map<string, JsonValue>();
				if (!this.accept(CLOSE_BRACE)) {
					open.push(object);
					keys.push(this.key());
					continue;
				}
				value = object;
			} else if (byte === OPEN_BRACKET) {
				this.position++;
				const list: JsonValue[] = [];
				if (!this.accept(CLOSE_BRACKET)) {
					open.push(list);
					keys.push('');
					continue;
				}
				value = list;
			} else {
				value = this.scalar(byte);
			}
			// A value is complete: put it where it belongs and close what it ends.
			for (;;) {
				const container = open[open.length - 1];
				if (container === undefined) {
					return value;
				}
				if (Array.isArray(container)) {
					container.push(value);
					if (this.accept(COMMA)) {
						break;
					}
					this.expect(CLOSE_BRACKET);
				} else {
					container.set(keys[keys.length - 1]!, value);
					if (this.accept(COMMA)) {
						keys[keys.length - 1] = this.key();
						break;
					}
					this.expect(CLOSE_BRACE);
				}
				value = container;
				open.pop();
				keys.pop();
			}
		}
	}

	private key(): string {
		const key = this.string();
		this.expect(COLON);
		return key;
	}

	/** Takes a string, number, boolean or null; `byte` is what {@link peek} gave. */
	scalar(byte: number): string | number | bigint | JsonDouble | boolean | null {
		if (byte === QUOTE) {
			return this.string();
		}
		if (isDigit(byte) || byte === 0x2d) {
			return this.number();
		}
		if (byte === 0x74) {
			this.keyword('true');
			return true;
		}
		if (byte === 0x66) {
			this.keyword('false');
			return false;
		}
		if (byte === 0x6e) {
			this.keyword('null');
			return null;
		}
		throw this.unexpected('a value');
	}

	private keyword(word: string): void {
		for (let i = 0; i < word.length; i++) {
			if (this.position + i >= this.end) {
				this.position = this.end;
				throw this.unexpected(`'${word}'`);
			}
			if (this.bytes[this.position + i] !== word.charCodeAt(i)) {
				throw this.unexpected(`'${word}'`);
			}
		}
		this.position += word.length;
	}

	/** The error for what stands at the position. */
	unexpected(expected: string): JsonSyntaxError {
		const offset = this.position - this.start;
		if (this.position >= this.end) {
			return new JsonSyntaxError(offset, 'end', `expected ${expected}, but the text ends`);
		}
		const found = decodeUtf8(this.bytes, this.position, Math.min(this.position + 12, this.end));
		return new JsonSyntaxError(offset, 'syntax', `expected ${expected}, found ${JSON.stringify(found)}`);
	}
}

export function isJsonDouble(value: JsonValue): value is JsonDouble {
	return typeof value === 'object' && value !== null && 'double' in value;
}

function isDigit(byte: number): boolean {
	return byte >= 0x30 && byte <= 0x39;
}

function hexValue(byte: number): number {
	if (isDigit(byte)) {
		return byte - 0x30;
	}
	const lower = byte | 0x20;
	return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function shortened(bytes: Uint8Array, start: number, end: number): string {
	return end - start > 40 ? `${decodeUtf8(bytes, start, start + 40)}…` : decodeUtf8(bytes, start, end);
}
