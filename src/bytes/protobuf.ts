/**
 * The wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding): fields one after the other, each a number with its wire type, then a varint,
 * 4 or 8 bytes, or bytes with their length before them. What the numbers mean, the formats say that are written in it.
 */

/** Bytes that are no message. */
export class ProtobufError extends Error {
	readonly offset: number;
	constructor(message: string, offset: number) {
		super(message);
		this.offset = offset;
	}
}

/** Of a field: its number, its value if it is one (64-bit integers as signed, rounded to a double), else where its bytes start and end. */
type TakeField = (field: number, value: number, start: number, end: number) => void;

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** Calls `take` with each field of the message in [start, end). Throws a {@link ProtobufError} where the bytes are none. */
export function forEachField(bytes: Uint8Array, start: number, end: number, take: TakeField): void {
	const cursor = { at: start };
	while (cursor.at < end) {
		const from = cursor.at;
		const key = varint(bytes, cursor, end);
		const field = Math.floor(key / 8);
		const wire = key % 8;
		if (field < 1 || field >= 2 ** 29) {
			throw new ProtobufError('expected the number of a field', from);
		}
		if (wire === VARINT) {
			take(field, varint(bytes, cursor, end), -1, -1);
		} else if (wire === BYTES) {
			const length = varint(bytes, cursor, end);
			const first = cursor.at;
			if (length < 0 || first + length > end) {
				throw new ProtobufError(`field ${field} has ${length} bytes, and its message ends after ${end - first}`, from);
			}
			cursor.at = first + length;
			take(field, Number.NaN, first, cursor.at);
		} else if (wire === FIXED64 || wire === FIXED32) {
			const length = wire === FIXED64 ? 8 : 4;
			if (cursor.at + length > end) {
				throw new ProtobufError(`field ${field} has ${length} bytes, and its message ends after ${end - cursor.at}`, from);
			}
			take(field, fixed(bytes, cursor.at, length), -1, -1);
			cursor.at += length;
		} else {
			throw new ProtobufError(`field ${field} has the wire type ${wire}, which no message has`, from);
		}
	}
}

/** Numbers of a repeated field: one value, or several packed into bytes. Throws a {@link ProtobufError}. */
export function addNumbers(target: number[], bytes: Uint8Array, value: number, start: number, end: number): void {
	if (start < 0) {
		target.push(value);
		return;
	}
	for (const cursor = { at: start }; cursor.at < end; ) {
		target.push(varint(bytes, cursor, end));
	}
}

/** The same of a repeated field of 8 bytes each. */
export function addFixed64(target: number[], bytes: Uint8Array, value: number, start: number, end: number): void {
	if (start < 0) {
		target.push(value);
		return;
	}
	for (let at = start; at + 8 <= end; at += 8) {
		target.push(fixed(bytes, at, 8));
	}
}

/** Signed, rounded to a double. */
function varint(bytes: Uint8Array, cursor: { at: number }, end: number): number {
	const start = cursor.at;
	let low = 0;
	let high = 0;
	for (let shift = 0; shift < 70; shift += 7) {
		if (cursor.at >= end) {
			throw new ProtobufError('the message ends in a number', start);
		}
		const byte = bytes[cursor.at++]!;
		if (shift < 28) {
			low += (byte & 0x7f) * 2 ** shift;
		} else {
			high += (byte & 0x7f) * 2 ** (shift - 28);
		}
		if (byte < 0x80) {
			// Negative numbers have their 64 bits as they are.
			return high >= 2 ** 35 ? (high - 2 ** 36) * 2 ** 28 + low : high * 2 ** 28 + low;
		}
	}
	throw new ProtobufError('a number has more than 10 bytes', start);
}

function fixed(bytes: Uint8Array, start: number, length: number): number {
	let result = 0;
	for (let i = length - 1; i >= 0; i--) {
		result = result * 256 + bytes[start + i]!;
	}
	return result;
}

/** Writes a message field by field. What has the default value (0, no bytes) is left out, as the format wants it. */
export class ProtobufWriter {
	private bytes = new Uint8Array(256);
	private length = 0;

	/** Negative numbers as 64-bit integers. */
	number(field: number, value: number | bigint): void {
		if (value !== 0 && value !== 0n) {
			this.varint(field * 8 + VARINT);
			this.varint(value);
		}
	}

	/** The same, and 0 too: of a choice it says that it was chosen. */
	presentNumber(field: number, value: number): void {
		this.varint(field * 8 + VARINT);
		this.varint(value);
	}

	fixed64(field: number, value: bigint): void {
		if (value !== 0n) {
			this.varint(field * 8 + FIXED64);
			this.append(new Uint8Array(new BigUint64Array([value]).buffer));
		}
	}

	text(field: number, value: string): void {
		if (value !== '') {
			this.element(field, new TextEncoder().encode(value));
		}
	}

	/** One of a repeated field: written also where it is empty. */
	element(field: number, value: Uint8Array): void {
		this.varint(field * 8 + BYTES);
		this.varint(value.length);
		this.append(value);
	}

	message(field: number, fill: (message: ProtobufWriter) => void): void {
		const message = new ProtobufWriter();
		fill(message);
		this.element(field, message.build());
	}

	/** A repeated field of numbers, packed. */
	numbers(field: number, values: readonly (number | bigint)[]): void {
		if (values.length > 0) {
			const packed = new ProtobufWriter();
			for (const value of values) {
				packed.varint(value);
			}
			this.element(field, packed.build());
		}
	}

	/** The same of 8 bytes each. */
	fixed64s(field: number, values: readonly bigint[]): void {
		if (values.length > 0) {
			this.element(field, new Uint8Array(BigUint64Array.from(values).buffer));
		}
	}

	build(): Uint8Array {
		return this.bytes.subarray(0, this.length);
	}

	private varint(value: number | bigint): void {
		if (typeof value === 'number' && value >= 0 && value < 2 ** 53) {
			this.reserve(10);
			let rest = value;
			while (rest >= 0x80) {
				this.bytes[this.length++] = (rest % 0x80) + 0x80;
				rest = Math.floor(rest / 0x80);
			}
			this.bytes[this.length++] = rest;
			return;
		}
		this.reserve(10);
		let rest = BigInt.asUintN(64, BigInt(value));
		while (rest >= 0x80n) {
			this.bytes[this.length++] = Number(rest & 0x7fn) + 0x80;
			rest >>= 7n;
		}
		this.bytes[this.length++] = Number(rest);
	}

	private append(bytes: Uint8Array): void {
		this.reserve(bytes.length);
		this.bytes.set(bytes, this.length);
		this.length += bytes.length;
	}

	private reserve(more: number): void {
		if (this.length + more > this.bytes.length) {
			const larger = new Uint8Array(Math.max(2 * this.bytes.length, this.length + more));
			larger.set(this.bytes);
			this.bytes = larger;
		}
	}
}
