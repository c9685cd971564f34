/** Writes LLVM's profiles as its runtime and llvm-profdata do, of every version and machine that has the order of functions, for tests of the readers. */
import { zlibSync } from 'fflate';
import { nameHash } from '../src/bytes/name-hash.js';

export interface ProfiledFunction {
	readonly name: string;
	/** When it first ran, from 1; 0 never. */
	readonly time: bigint;
	readonly counts: readonly number[];
	/** Bytes of values that it has behind the names. */
	readonly valueBytes?: number;
}

export interface RawProfileForm {
	readonly version: 8 | 9 | 10;
	readonly is64: boolean;
	readonly isPacked: boolean;
	readonly hasByteCounters: boolean;
	/** The upper half of the version word; the temporal bit by default. */
	readonly variant?: bigint;
}

const TEMPORAL = 1n << 63n;
const BYTE_COVERAGE = 1n << 60n;
const IR_LEVEL = 1n << 56n;

export function rawProfile(functions: readonly ProfiledFunction[], form: RawProfileForm): Uint8Array {
	const { version, is64, isPacked, hasByteCounters, variant = TEMPORAL } = form;
	const pointer = is64 ? 8 : 4;
	const kinds = version === 10 ? 3 : 2;
	const names = namesSection(
		functions.map(({ name }) => name),
		isPacked,
	);
	const recordBytes = padded(16 + pointer * (version === 8 ? 3 : 4) + 4 + kinds * 2 + (version === 8 ? 0 : version === 10 ? 6 : 4));
	const counterBytes = hasByteCounters ? 1 : 8;
	const countersBytes = functions.reduce((sum, { counts }) => sum + 8 + counts.length * counterBytes, 0);
	const afterCounters = padded(countersBytes) - countersBytes;
	const delta = 0x4000n;
	const out = new Output();
	out.bytes(Buffer.from(is64 ? '\x81rforpl\xff' : '\x81Rforpl\xff', 'latin1'));
	out.u64(BigInt(version) | IR_LEVEL | variant | (hasByteCounters ? BYTE_COVERAGE : 0n));
	// Binary ids: a length, then as many bytes.
	out.u64(16n);
	out.u64(BigInt(functions.length));
	out.u64(0n);
	out.u64(BigInt(countersBytes / counterBytes));
	out.u64(BigInt(afterCounters));
	if (version >= 9) {
		out.u64(0n);
		out.u64(0n);
	}
	out.u64(BigInt(names.length));
	out.u64(delta);
	if (version >= 9) {
		out.u64(0n);
	}
	out.u64(0x5000n);
	if (version >= 10) {
		out.u64(0n);
		out.u64(0n);
	}
	out.u64(BigInt(kinds - 1));
	out.u64(8n);
	out.u64(0x1122334455667788n);
	let counter = 0;
	functions.forEach(({ name, counts, valueBytes = 0 }, i) => {
		const start = out.length;
		out.u64(nameHash(Buffer.from(name)));
		out.u64(BigInt(i));
		const distance = delta - BigInt(i * recordBytes) + BigInt(counter);
		for (const value of [distance, ...(version === 8 ? [] : [0n]), 0x7000n, 0n]) {
			if (is64) {
				out.u64(value);
			} else {
				out.u32(Number(BigInt.asUintN(32, value)));
			}
		}
		out.u32(hasByteCounters ? 8 + counts.length : 1 + counts.length);
		for (let kind = 0; kind < kinds; kind++) {
			out.u16(kind === 0 && valueBytes > 0 ? 1 : 0);
		}
		out.padTo(start + recordBytes);
		counter += 8 + counts.length * counterBytes;
	});
	for (const { time, counts } of functions) {
		out.u64(time);
		for (const count of counts) {
			if (hasByteCounters) {
				out.bytes(Uint8Array.of(count === 0 ? 255 : 0));
			} else {
				out.u64(BigInt(count));
			}
		}
	}
	out.padTo(out.length + afterCounters);
	out.bytes(names);
	out.padTo(padded(out.length));
	for (const { valueBytes = 0 } of functions) {
		if (valueBytes > 0) {
			out.u32(valueBytes);
			out.u32(1);
			out.padTo(out.length + valueBytes - 8);
		}
	}
	return out.take();
}

export interface IndexedTrace {
	readonly weight: bigint;
	readonly names: readonly string[];
}

/** A profile as llvm-profdata writes it, with as many buckets as functions. */
export function indexedProfile(names: readonly string[], traces: readonly IndexedTrace[], version: 10 | 11 | 12 | 13 = 13, variant = TEMPORAL): Uint8Array {
	const out = new Output();
	const fields = version >= 12 ? 9 : 8;
	out.padTo(fields * 8);
	// A summary: nothing that the order of functions needs.
	out.padTo(out.length + 128);
	const hashes = names.map((name) => nameHash(Buffer.from(name)));
	const buckets = Math.max(1, names.length);
	const starts: number[] = [];
	for (let bucket = 0; bucket < buckets; bucket++) {
		const inBucket = names.filter((_, i) => Number(hashes[i]! % BigInt(buckets)) === bucket);
		starts.push(inBucket.length === 0 ? 0 : out.length);
		if (inBucket.length > 0) {
			out.u16(inBucket.length);
		}
		for (const name of inBucket) {
			const key = Buffer.from(name);
			out.u64(nameHash(key));
			out.u64(BigInt(key.length));
			out.u64(24n);
			out.bytes(key);
			out.padTo(out.length + 24);
		}
	}
	out.padTo(padded(out.length));
	const hashOffset = out.length;
	out.u64(BigInt(buckets));
	out.u64(BigInt(names.length));
	for (const start of starts) {
		out.u64(BigInt(start));
	}
	const tracesOffset = out.length;
	out.u64(BigInt(traces.length));
	out.u64(BigInt(traces.length));
	for (const { weight, names: order } of traces) {
		out.u64(weight);
		out.u64(BigInt(order.length));
		for (const name of order) {
			out.u64(nameHash(Buffer.from(name)));
		}
	}
	const bytes = out.take();
	const view = new DataView(bytes.buffer);
	bytes.set(Buffer.from('\xfflprofi\x81', 'latin1'));
	view.setBigUint64(8, BigInt(version) | IR_LEVEL | variant, true);
	view.setBigUint64(32, BigInt(hashOffset), true);
	view.setBigUint64(56, BigInt(tracesOffset), true);
	return bytes;
}

function namesSection(names: readonly string[], isPacked: boolean): Uint8Array {
	const plain = Buffer.from(names.join('\x01'));
	const packed = zlibSync(plain);
	return Buffer.concat([uleb128(plain.length), uleb128(isPacked ? packed.length : 0), isPacked ? packed : plain]);
}

function uleb128(value: number): Uint8Array {
	const bytes: number[] = [];
	let rest = value;
	do {
		bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
		rest = Math.floor(rest / 128);
	} while (rest > 0);
	return Uint8Array.from(bytes);
}

function padded(length: number): number {
	return Math.ceil(length / 8) * 8;
}

/** Bytes that grow, little-endian. */
class Output {
	private readonly pieces: Uint8Array[] = [];
	length = 0;

	bytes(piece: Uint8Array): void {
		this.pieces.push(piece);
		this.length += piece.length;
	}
	u16(value: number): void {
		this.number(2, (view) => view.setUint16(0, value, true));
	}
	u32(value: number): void {
		this.number(4, (view) => view.setUint32(0, value, true));
	}
	u64(value: bigint): void {
		this.number(8, (view) => view.setBigUint64(0, BigInt.asUintN(64, value), true));
	}
	padTo(length: number): void {
		this.bytes(new Uint8Array(length - this.length));
	}
	take(): Uint8Array {
		return Uint8Array.from(Buffer.concat(this.pieces));
	}

	private number(length: number, put: (view: DataView) => void): void {
		const piece = new Uint8Array(length);
		put(new DataView(piece.buffer));
		this.bytes(piece);
	}
}
