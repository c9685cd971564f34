/**
 * Basic block address maps: the sections of type SHT_LLVM_BB_ADDR_MAP that clang writes with `-fbasic-block-address-map`, and lld with `--lto-basic-block-address-map`, in
 * a linked program. Source: LLVM's "Extensions" (docs/Extensions.rst), versions 1 to 4, and for version 5 (two bytes of features; clang 22) what llvm-readobj reads.
 * Checked against llvm-readobj of LLVM 19 and 22: live/order-blocks.test.ts.
 *
 * A function is `version (1 byte), features (1 byte, from version 5 on 2)`, then its ranges: with the feature of several ranges first their number (ULEB128), else one.
 * A range is `address (of the file's class), number of blocks`, and its blocks: `id (from version 2 on), bytes from the end of the block before, [number of calls, for each
 * the bytes from the call before to its end,] bytes from there to its end, what it is, [hash (8 bytes)]`. What profiles say of the function may follow. Numbers are ULEB128.
 */
import { readRange, type Source } from '../../bytes/source.js';
import type { BlockMap } from '../../model/block-map.js';
import type { Problem } from '../../model/problem.js';
import { long, readSectionTable, type SectionTable, stringAt } from '../shared/elf/section-table.js';

const SHT_LLVM_BB_ADDR_MAP = 0x6fff4c0a;
const ET_REL = 1;
const NEWEST_VERSION = 5;
const MAX_SECTION_BYTES = 1 << 30;

const HAS_ENTRY_COUNT = 1;
const HAS_FREQUENCIES = 2;
const HAS_PROBABILITIES = 4;
const HAS_RANGES = 8;
const OMITS_BLOCKS = 16;
const HAS_CALLS = 32;
const HAS_HASHES = 64;
const HAS_LINKED_PROFILE = 128;
const KNOWN_FEATURES = 255;

/** Null: the file has no such section. What could not be read stands among the problems, and of the section's functions those before it are kept. Never throws on content. */
export function readBlockMap(source: Source): { map: BlockMap | null; problems: Problem[] } {
	const problems: Problem[] = [];
	const elf = readSectionTable(source);
	if (elf.kind === 'unusable') {
		return { map: null, problems };
	}
	const sections = elf.headers.filter(({ type, sizeBytes }) => type === SHT_LLVM_BB_ADDR_MAP && sizeBytes > 0);
	if (sections.length === 0) {
		return { map: null, problems };
	}
	if (elf.type === ET_REL) {
		const message = 'is an object file: its map of blocks has no addresses yet';
		return { map: null, problems: [{ severity: 'error', file: source.name, message, action: 'give the linked program' }] };
	}
	const blocks = new BlockCollector();
	for (const { offset, sizeBytes } of sections) {
		const wanted = Math.min(sizeBytes, MAX_SECTION_BYTES);
		const bytes = readRange(source, offset, offset + wanted);
		const stopped = readFunctions(bytes, elf, blocks);
		if (stopped !== null) {
			problems.push({
				severity: 'error',
				file: source.name,
				offsetBytes: offset + stopped.at,
				message: `the map of blocks (.llvm_bb_addr_map) cannot be read on: ${stopped.message}`,
				action: 'the functions before that are used; build again with clang 15 to 22, or copy the file again',
			});
		}
	}
	return { map: blocks.map(compilersOf(elf)), problems };
}

/** Collects blocks function by function; what was begun last can be taken back. */
class BlockCollector {
	private readonly functionStarts: number[] = [];
	private readonly firstBlock: number[] = [];
	private readonly ids: number[] = [];
	private readonly starts: number[] = [];
	private readonly sizes: number[] = [];
	private readonly flags: number[] = [];
	private readonly calls: (readonly number[] | null)[] = [];

	add(id: number, start: number, sizeBytes: number, flags: number, calls: readonly number[] | null): void {
		this.ids.push(id);
		this.starts.push(start);
		this.sizes.push(sizeBytes);
		this.flags.push(flags);
		this.calls.push(calls);
	}

	get count(): number {
		return this.ids.length;
	}

	/** What was added from `first` on is a function. */
	endFunction(start: number, first: number): void {
		this.functionStarts.push(start);
		this.firstBlock.push(first);
	}

	cutTo(count: number): void {
		for (const column of [this.ids, this.starts, this.sizes, this.flags, this.calls]) {
			column.length = count;
		}
	}

	map(compilers: readonly string[]): BlockMap {
		return {
			functionStarts: Float64Array.from(this.functionStarts),
			firstBlock: Int32Array.from([...this.firstBlock, this.ids.length]),
			ids: Int32Array.from(this.ids),
			starts: Float64Array.from(this.starts),
			sizes: Float64Array.from(this.sizes),
			flags: Uint8Array.from(this.flags),
			calls: this.calls,
			compilers,
		};
	}
}

/** Why and where (bytes of the section) it could not go on; null: the section was read to its end. */
function readFunctions(bytes: Uint8Array, elf: SectionTable, blocks: BlockCollector): { at: number; message: string } | null {
	const reader = new SectionReader(bytes, elf);
	while (reader.at < bytes.length) {
		const begin = reader.at;
		const first = blocks.count;
		const why = readFunction(reader, blocks);
		if (why !== null || reader.hasFailed) {
			blocks.cutTo(first);
			return { at: begin, message: why ?? 'a function is cut off, or has a number that is too large' };
		}
	}
	return null;
}

function readFunction(reader: SectionReader, blocks: BlockCollector): string | null {
	const version = reader.byte();
	if (version < 1 || version > NEWEST_VERSION) {
		return `version ${version} is not known; versions 1 to ${NEWEST_VERSION} are`;
	}
	const features = reader.byte() + (version < 5 ? 0 : reader.byte() * 256);
	if ((features & ~KNOWN_FEATURES) !== 0) {
		return `features 0x${features.toString(16)} are not known`;
	}
	const has = (feature: number): boolean => (features & feature) !== 0;
	const ranges = has(HAS_RANGES) ? reader.number() : 1;
	const first = blocks.count;
	let start: number | null = null;
	for (let range = 0; range < ranges && !reader.hasFailed; range++) {
		const base = reader.address();
		start ??= base;
		const count = reader.number();
		let end = base;
		for (let block = 0; block < count && !has(OMITS_BLOCKS) && !reader.hasFailed; block++) {
			const id = version >= 2 ? reader.number() : block;
			const at = end + reader.number();
			let calls: number[] | null = null;
			let done = 0;
			if (has(HAS_CALLS)) {
				calls = [];
				for (let left = reader.number(); left > 0 && !reader.hasFailed; left--) {
					done += reader.number();
					calls.push(done);
				}
			}
			const sizeBytes = done + reader.number();
			const flags = reader.number();
			reader.skip(has(HAS_HASHES) ? 8 : 0);
			end = at + sizeBytes;
			blocks.add(id, at, sizeBytes, flags, calls);
		}
	}
	skipProfile(reader, has, blocks.count - first);
	if (start === null) {
		return 'a function has no range';
	}
	if (!Number.isSafeInteger(start)) {
		return 'an address is beyond 2^53';
	}
	if (!reader.hasFailed) {
		blocks.endFunction(start, first);
	}
	return null;
}

/** What a profile said when the function was compiled. */
function skipProfile(reader: SectionReader, has: (feature: number) => boolean, count: number): void {
	if (has(HAS_ENTRY_COUNT)) {
		reader.number();
	}
	const isLinked = has(HAS_LINKED_PROFILE);
	for (let block = 0; block < count && (has(HAS_FREQUENCIES) || has(HAS_PROBABILITIES)) && !reader.hasFailed; block++) {
		for (let left = (has(HAS_FREQUENCIES) ? 1 : 0) + (isLinked ? 1 : 0); left > 0; left--) {
			reader.number();
		}
		for (let left = has(HAS_PROBABILITIES) ? reader.number() : 0; left > 0 && !reader.hasFailed; left--) {
			reader.number();
			reader.number();
			if (isLinked) {
				reader.number();
			}
		}
	}
}

/** Reads on until the end of the section; then everything is 0 and {@link hasFailed} is set. */
class SectionReader {
	at = 0;
	hasFailed = false;
	private readonly bytes: Uint8Array;
	private readonly view: DataView;
	private readonly is64: boolean;
	private readonly isLittle: boolean;

	constructor(bytes: Uint8Array, { is64, isLittle }: Pick<SectionTable, 'is64' | 'isLittle'>) {
		this.bytes = bytes;
		this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		this.is64 = is64;
		this.isLittle = isLittle;
	}

	byte(): number {
		return this.take(1) ? this.bytes[this.at - 1]! : 0;
	}

	skip(count: number): void {
		this.take(count);
	}

	address(): number {
		const size = this.is64 ? 8 : 4;
		if (!this.take(size)) {
			return 0;
		}
		return this.is64 ? long(this.view, this.at - size, this.isLittle) : this.view.getUint32(this.at - size, this.isLittle);
	}

	/** ULEB128 of up to 32 bits, which all numbers of the map are but the counts of profiles. Those are read with their lowest 53 bits. */
	number(): number {
		let value = 0;
		for (let scale = 1; ; scale *= 128) {
			const byte = this.byte();
			value += (byte & 127) * scale;
			if (byte < 128) {
				return value;
			}
			if (scale > 2 ** 63) {
				this.hasFailed = true;
				return 0;
			}
		}
	}

	private take(count: number): boolean {
		if (this.at + count > this.bytes.length) {
			this.hasFailed = true;
			this.at = this.bytes.length;
			return false;
		}
		this.at += count;
		return true;
	}
}

/** Strings of `.comment` but for the linker's, which is not what chose the blocks. */
function compilersOf(elf: SectionTable): string[] {
	const header = elf.headers[elf.names.indexOf('.comment')];
	if (header === undefined) {
		return [];
	}
	const bytes = readRange(elf.source, header.offset, header.offset + Math.min(header.sizeBytes, 1 << 16));
	const found = new Set<string>();
	for (let at = 0; at < bytes.length; ) {
		const text = stringAt(bytes, at);
		const next = bytes.indexOf(0, at);
		at = next < 0 ? bytes.length : next + 1;
		if (/clang/i.test(text) && !text.startsWith('Linker: ')) {
			found.add(text);
		}
	}
	return [...found].sort();
}
