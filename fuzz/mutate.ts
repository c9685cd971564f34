/**
 * Damage as files have it, and as somebody may make it: bytes flipped, cut, taken away, repeated, mixed; in text lines, numbers and long runs; in binary files
 * the fields that look like lengths, counts and offsets, which are those whose value fits into the file.
 */
import { crc32 } from '../src/formats/order-dump/crc32.js';
import { FIELD, MAGIC } from '../src/formats/order-dump/layout.js';
import type { Random } from './random.js';
import { RUNS } from './repeated.js';

const LARGEST_BYTES = 2 << 20;
const MOST_CHANGES = 6;
const NUMBERS = [
	'0',
	'-1',
	'1',
	'2147483647',
	'2147483648',
	'4294967295',
	'4294967296',
	'9007199254740991',
	'9007199254740993',
	'9223372036854775807',
	'18446744073709551615',
	'1e308',
	'1e999',
	'-0',
	'NaN',
	'Infinity',
	'0x',
	'0xffffffffffffffff',
	'7fffffffffffffff',
	'ffffffffffffffff',
	'99999999999999999999999999',
	'0.0000001',
	'',
];
const EXTREMES = [
	0n,
	1n,
	7n,
	8n,
	0x7fn,
	0x80n,
	0xffn,
	0x7fffn,
	0xffffn,
	0x7fffffffn,
	0x80000000n,
	0xffffffffn,
	0x100000000n,
	0x1fffffffffffffn,
	0x7fffffffffffffffn,
	0xffffffffffffffffn,
];

/** One of the seeds, changed at a few places. */
export function mutated(seeds: readonly Uint8Array[], random: Random): Uint8Array {
	const seed = random.one(seeds);
	let bytes: Uint8Array = seed.slice();
	const isBinary = seed.subarray(0, 4096).includes(0);
	const changes = random.size(MOST_CHANGES);
	for (let i = 0; i < changes; i++) {
		const kind = random.below(10);
		bytes = kind < 4 ? anyChange(bytes, seeds, random) : isBinary ? fieldChange(bytes, random) : textChange(bytes, random);
		bytes = bytes.length > LARGEST_BYTES ? bytes.subarray(0, LARGEST_BYTES) : bytes;
	}
	return random.isChance(0.7) ? withChecksum(bytes) : bytes;
}

function anyChange(bytes: Uint8Array, seeds: readonly Uint8Array[], random: Random): Uint8Array {
	const at = random.below(bytes.length + 1);
	const length = Math.min(random.size(4096), bytes.length - at);
	switch (random.below(7)) {
		case 0:
			return bytes.subarray(0, at);
		case 1:
			return joined(bytes.subarray(0, at), bytes.subarray(at + length));
		case 2: {
			const part = bytes.subarray(at, at + length);
			return joined(bytes.subarray(0, at), ...Array.from({ length: random.size(64) }, () => part), bytes.subarray(at));
		}
		case 3: {
			const other = random.one(seeds);
			const from = random.below(other.length + 1);
			return joined(bytes.subarray(0, at), other.subarray(from, from + random.size(16_384)), bytes.subarray(at));
		}
		case 4:
			for (let i = random.size(32); i > 0 && bytes.length > 0; i--) {
				bytes[random.below(bytes.length)] = random.below(256);
			}
			return bytes;
		case 5:
			return joined(bytes.subarray(0, at), latin1(random.one(RUNS).repeat(random.size(20_000))), bytes.subarray(at));
		default:
			if (at < bytes.length) {
				bytes[at] = bytes[at]! ^ (1 << random.below(8));
			}
			return bytes;
	}
}

function textChange(bytes: Uint8Array, random: Random): Uint8Array {
	const line = lineAt(bytes, random.below(bytes.length + 1));
	const text = bytes.subarray(line.start, line.end);
	const replaced = (...parts: readonly Uint8Array[]): Uint8Array => joined(bytes.subarray(0, line.start), ...parts, bytes.subarray(line.end));
	switch (random.below(7)) {
		case 0:
			return replaced();
		case 1:
			return replaced(...Array.from({ length: random.size(500) }, () => text));
		case 2: {
			const other = lineAt(bytes, random.below(bytes.length + 1));
			return replaced(bytes.subarray(other.start, other.end), text);
		}
		case 3:
			return replaced(latin1(random.one(RUNS).repeat(random.size(100_000))), text);
		case 4: {
			// Within the line, between words.
			const at = random.below(text.length + 1);
			return replaced(text.subarray(0, at), latin1(random.one(RUNS).repeat(random.size(50_000))), text.subarray(at));
		}
		default: {
			const words = Buffer.from(text)
				.toString('latin1')
				.split(/(\b\d[\da-fx.]*)/i);
			const numbers = words.map((_, i) => i).filter((i) => i % 2 === 1);
			if (numbers.length === 0) {
				return replaced(text.subarray(0, random.below(text.length + 1)));
			}
			words[random.one(numbers)] = random.one(NUMBERS);
			return replaced(latin1(words.join('')));
		}
	}
}

function lineAt(bytes: Uint8Array, place: number): { readonly start: number; readonly end: number } {
	const end = bytes.indexOf(10, place);
	return { start: place === 0 ? 0 : bytes.lastIndexOf(10, place - 1) + 1, end: end < 0 ? bytes.length : end + 1 };
}

/** Fields are tried where they are likely: whole words, whose value is a length or a place in the file. */
function fieldChange(bytes: Uint8Array, random: Random): Uint8Array {
	const width = random.one([1, 2, 4, 4, 8, 8]);
	if (bytes.length < width) {
		return bytes;
	}
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
	const isLittle = random.isChance(0.7);
	const places = bytes.length - width + 1;
	// Headers are small, and stand at the beginning or the end.
	const near = (): number =>
		random.isChance(0.4)
			? random.below(Math.min(places, 512))
			: random.isChance(0.2)
				? places - 1 - random.below(Math.min(places, 4096))
				: random.below(places);
	let at = near();
	for (let tries = 0; tries < 40; tries++) {
		const value = read(view, at, width, isLittle);
		if (value > 0n && value <= BigInt(bytes.length)) {
			break;
		}
		at = near();
	}
	const value = read(view, at, width, isLittle);
	const size = BigInt(bytes.length);
	const news = [
		value + 1n,
		value - 1n,
		value * 2n,
		value << 8n,
		size,
		size - BigInt(at),
		size + 1n,
		-value,
		value ^ (1n << BigInt(random.below(width * 8))),
		random.one(EXTREMES),
		random.one(EXTREMES),
	];
	write(view, at, width, random.one(news), isLittle);
	return bytes;
}

function read(view: DataView, at: number, width: number, isLittle: boolean): bigint {
	return width === 1
		? BigInt(view.getUint8(at))
		: width === 2
			? BigInt(view.getUint16(at, isLittle))
			: width === 4
				? BigInt(view.getUint32(at, isLittle))
				: view.getBigUint64(at, isLittle);
}

function write(view: DataView, at: number, width: number, value: bigint, isLittle: boolean): void {
	const low = Number(BigInt.asUintN(32, value));
	if (width === 1) {
		view.setUint8(at, low & 0xff);
	} else if (width === 2) {
		view.setUint16(at, low & 0xffff, isLittle);
	} else if (width === 4) {
		view.setUint32(at, low, isLittle);
	} else {
		view.setBigUint64(at, BigInt.asUintN(64, value), isLittle);
	}
}

/** A wrong checksum would hide what is behind it. */
function withChecksum(bytes: Uint8Array): Uint8Array {
	if (bytes.length < FIELD.checksum + 4 || Buffer.from(bytes.subarray(0, MAGIC.length)).toString('latin1') !== MAGIC) {
		return bytes;
	}
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
	const isLittle = view.getUint8(FIELD.byteOrder) === 4;
	view.setUint32(FIELD.checksum, 0, isLittle);
	view.setUint32(FIELD.checksum, crc32(bytes), isLittle);
	return bytes;
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
	const kept: Uint8Array[] = [];
	let length = 0;
	for (const part of parts) {
		if (length + part.length > LARGEST_BYTES) {
			break;
		}
		kept.push(part);
		length += part.length;
	}
	return new Uint8Array(Buffer.concat(kept));
}

function latin1(text: string): Uint8Array {
	return Buffer.from(text, 'latin1');
}
