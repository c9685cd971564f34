/**
 * Indexed profiles, what `llvm-profdata merge` writes, little-endian everywhere; versions 10 to 13 (LLVM 17 to 22) with temporal traces: a header, a
 * summary, a hash table of functions (buckets of hash, key length, data length, key, data; its directory after it), other sections, and last the
 * traces: how many, how many were seen, and of each its weight, its length and the hashes of its functions. A hash is the first eight bytes of the MD5
 * of a name. Source: InstrProf.h, InstrProfReader and OnDiskHashTable of LLVM.
 */
import { nameHash } from '../../bytes/name-hash.js';
import { readRange, type Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import { FunctionTracesBuilder, type ReadTraces } from '../../model/function-trace.js';
import type { InputError, Problem } from '../../model/problem.js';
import { profileErrors, unusable, viewOf } from './binary-profile.js';
import { splitProfileName } from './profile-names.js';
import { profileVariant } from './variant.js';

const { cut, damaged } = profileErrors('indexed', 'merge the raw profiles again', 'merge the raw profiles again');

const MAGIC = '\xfflprofi\x81';
const FIRST_VERSION = 10;
const LAST_VERSION = 13;
/** How many fields of eight bytes a header has. */
const HEADER_FIELDS = { 10: 8, 11: 8, 12: 9, 13: 9 } as Record<number, number>;
const HASH_OFFSET = 4;
const MD5_HASHES = 0n;
const TRACES_OFFSET = 7;
/** Traces are short: this many hashes are read at a time. */
const HASHES_AT_A_TIME = 1 << 15;

export function isIndexedProfile(head: string): boolean {
	return head.startsWith(MAGIC) || head.startsWith([...MAGIC].reverse().join(''));
}

/** The traces in the order of the file. Throws an {@link InputError} where the file cannot be trusted: it is cut, damaged, or has no traces. */
export function readIndexedProfile(source: Source): ReadTraces {
	const header = readHeader(source);
	const names = readFunctionNames(source, header.hashOffset);
	const builder = new FunctionTracesBuilder();
	const problems: Problem[] = [];
	let at = header.tracesOffset;
	const take = (count: number): DataView => {
		const view = viewOf(source, at, count * 8);
		if (view.byteLength < count * 8) {
			throw cut(source, 'its traces');
		}
		at += count * 8;
		return view;
	};
	const counts = take(2);
	const traces = checkedCount(source, counts.getBigUint64(0, true), at);
	for (let i = 0; i < traces; i++) {
		const head = take(2);
		const weight = Number(head.getBigUint64(0, true));
		const length = checkedCount(source, head.getBigUint64(8, true), at);
		const order: number[] = [];
		let unknown = 0;
		for (let left = length; left > 0; left -= Math.min(left, HASHES_AT_A_TIME)) {
			const hashes = take(Math.min(left, HASHES_AT_A_TIME));
			for (let j = 0; j < hashes.byteLength; j += 8) {
				const name = names.get(hashes.getBigUint64(j, true));
				if (name === undefined) {
					unknown++;
				} else {
					order.push(builder.functionNumber(splitProfileName(name)));
				}
			}
		}
		if (unknown > 0) {
			problems.push({
				severity: 'error',
				file: source.name,
				message: `${unknown} of the ${length} functions of trace ${i} have no name in the file: it was filtered when it was merged, or is damaged`,
				action: 'they are left out; merge the profiles again without a filter',
			});
		}
		builder.addTrace(traces === 1 ? source.name : `${source.name} trace ${i}`, weight, order);
	}
	if (at !== source.sizeBytes) {
		throw damaged(source, at, `${source.sizeBytes - at} bytes follow its traces, which should be last`);
	}
	return { ...builder.build(), problems };
}

interface IndexedHeader {
	readonly hashOffset: number;
	readonly tracesOffset: number;
}

function readHeader(source: Source): IndexedHeader {
	const view = viewOf(source, 0, 9 * 8);
	if (view.byteLength >= 1 && view.getUint8(0) === 0x81) {
		throw unusable(source, 'is an indexed profile with its bytes in the wrong order: they are little-endian on every machine', 'merge the raw profiles again');
	}
	if (view.byteLength < 16) {
		throw cut(source, 'its header');
	}
	const { version, isTemporal, hasUnknown } = profileVariant(view.getBigUint64(8, true));
	if (version > LAST_VERSION || version < 1 || hasUnknown) {
		throw unusable(
			source,
			`is an indexed profile of version ${version}${hasUnknown ? ' with features of an unknown LLVM' : ''}; known are ${FIRST_VERSION} to ${LAST_VERSION}`,
			'print its traces with its own llvm-profdata (show --temporal-profile-traces) and give the text',
		);
	}
	if (version < FIRST_VERSION || !isTemporal) {
		throw unusable(
			source,
			`is an indexed profile (version ${version}) without the order of functions`,
			'build with -fprofile-generate -ftemporal-profile (LLVM 20; before: -mllvm -pgo-temporal-instrumentation), LLVM 17 or later',
		);
	}
	const fields = HEADER_FIELDS[version]!;
	if (view.byteLength < fields * 8) {
		throw cut(source, 'its header');
	}
	const hashType = view.getBigUint64(3 * 8, true);
	if (hashType !== MD5_HASHES) {
		throw damaged(source, 3 * 8, `hashes of kind ${hashType}`);
	}
	const offset = (index: number): number => {
		const value = view.getBigUint64(index * 8, true);
		if (value < BigInt(fields * 8) || value % 8n !== 0n) {
			throw damaged(source, index * 8, `a section at byte ${value}`);
		}
		if (value + 16n > BigInt(source.sizeBytes)) {
			throw cut(source, `the section that should be at byte ${value}`);
		}
		return Number(value);
	};
	return { hashOffset: offset(HASH_OFFSET), tracesOffset: offset(TRACES_OFFSET) };
}

/** The keys of the hash table by hash. */
function readFunctionNames(source: Source, hashOffset: number): Map<bigint, string> {
	const names = new Map<bigint, string>();
	const head = viewOf(source, hashOffset, 16);
	if (head.byteLength < 16) {
		throw cut(source, 'its functions');
	}
	const buckets = checkedCount(source, head.getBigUint64(0, true), hashOffset + 16);
	const entries = head.getBigUint64(8, true);
	const directory = viewOf(source, hashOffset + 16, buckets * 8);
	// All buckets lie before their directory.
	const bytes = readRange(source, 0, hashOffset);
	const table = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const check = (end: number, at: number): void => {
		if (end > table.byteLength) {
			throw damaged(source, at, 'a function of its table lies outside of the table');
		}
	};
	for (let bucket = 0; bucket < buckets; bucket++) {
		const start = directory.getBigUint64(bucket * 8, true);
		if (start === 0n) {
			continue;
		}
		if (start >= BigInt(hashOffset)) {
			throw damaged(source, hashOffset + 16 + bucket * 8, `a bucket at byte ${start}`);
		}
		let at = Number(start);
		check(at + 2, at);
		const items = table.getUint16(at, true);
		at += 2;
		for (let item = 0; item < items; item++) {
			check(at + 24, at);
			const hash = table.getBigUint64(at, true);
			const keyBytes = Number(table.getBigUint64(at + 8, true));
			const dataBytes = Number(table.getBigUint64(at + 16, true));
			const key = at + 24;
			check(key + keyBytes + dataBytes, at);
			if (nameHash(bytes.subarray(key, key + keyBytes)) !== hash) {
				throw damaged(source, key, 'the name of a function does not fit its hash');
			}
			names.set(hash, decodeUtf8(bytes, key, key + keyBytes));
			at = key + keyBytes + dataBytes;
		}
	}
	if (BigInt(names.size) !== entries) {
		throw damaged(source, hashOffset, `its table has ${names.size} functions, and says that there are ${entries}`);
	}
	return names;
}

/** A number of things of eight bytes or more: no more than fit into the rest of the file. */
function checkedCount(source: Source, count: bigint, at: number): number {
	if (count * 8n > BigInt(source.sizeBytes - at)) {
		throw damaged(source, at, `${count} things of eight bytes should follow, and ${source.sizeBytes - at} bytes are left`);
	}
	return Number(count);
}
