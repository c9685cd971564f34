/**
 * The headers of ELF files (System V ABI, "Object Files"; 32 and 64 bit, both byte orders): what sections there are, where they lie and what they are called.
 * Everything that a header says is checked against the size of the file.
 */
import { readRange, type Source } from '../../../bytes/source.js';
import { decodeUtf8 } from '../../../bytes/string-table.js';

export const SHT_NOBITS = 8;
export const SHN_XINDEX = 0xffff;
const MAX_SECTIONS = 1 << 20;
/** Larger string and symbol tables are read as far as this. */
const MAX_TABLE_BYTES = 2 ** 30;

export interface SectionHeader {
	readonly nameOffset: number;
	readonly type: number;
	readonly flags: number;
	readonly address: number;
	readonly offset: number;
	readonly sizeBytes: number;
	readonly link: number;
	readonly alignment: number;
	readonly entryBytes: number;
}

/** A file's sections. */
export interface SectionTable {
	readonly kind: 'sections';
	readonly source: Source;
	readonly is64: boolean;
	readonly isLittle: boolean;
	/** Of the file: ET_REL, ET_DYN and so on. */
	readonly type: number;
	readonly machine: number;
	/** 0 for none. */
	readonly entry: number;
	readonly headers: readonly SectionHeader[];
	/** How many there should be: more where the file is cut off. */
	readonly expectedHeaders: number;
	/** Of the sections; empty where the table of names does not have it. */
	readonly names: readonly string[];
}

/** Why nothing can be said of a file's sections. */
interface UnusableElf {
	readonly kind: 'unusable';
	readonly message: string;
	readonly action: string;
}

/** Headers as far as the file has them. */
export function readSectionTable(source: Source): SectionTable | UnusableElf {
	const head = readRange(source, 0, 64);
	if (head.length < 52 || head[0] !== 0x7f || head[1] !== 0x45 || head[2] !== 0x4c || head[3] !== 0x46) {
		return unusable('is no ELF file', 'give a linked program for Linux, or the listing of nm of one');
	}
	const is64 = head[4] === 2;
	const isLittle = head[5] === 1;
	if ((head[4] !== 1 && !is64) || (head[5] !== 2 && !isLittle) || (is64 && head.length < 64)) {
		return unusable(`is an ELF file of unknown class ${head[4]} or byte order ${head[5]}`, 'it may be damaged');
	}
	const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
	const word = (offset: number): number => view.getUint32(offset, isLittle);
	const half = (offset: number): number => view.getUint16(offset, isLittle);
	const sectionOffset = is64 ? long(view, 40, isLittle) : word(32);
	const entryBytes = half(is64 ? 58 : 46);
	let count = half(is64 ? 60 : 48);
	let nameIndex = half(is64 ? 62 : 50);
	const least = is64 ? 64 : 40;
	if (sectionOffset === 0 || entryBytes < least) {
		return unusable('has no section headers', 'give the program before sstrip, or the listing of nm of it');
	}
	const headerAt = (index: number): SectionHeader | null => {
		const start = sectionOffset + index * entryBytes;
		const bytes = readRange(source, start, start + least);
		return bytes.length < least ? null : sectionHeader(bytes, is64, isLittle);
	};
	const first = headerAt(0);
	if (first === null) {
		return unusable(`is cut off: its section headers should be at byte ${sectionOffset} of ${source.sizeBytes}`, 'copy the file again');
	}
	// More sections than a half word can count: the first header says how many.
	count = count === 0 ? Math.min(first.sizeBytes, MAX_SECTIONS) : count;
	nameIndex = nameIndex === SHN_XINDEX ? first.link : nameIndex;
	const headers: SectionHeader[] = [];
	for (let i = 0; i < count; i++) {
		const header = headerAt(i);
		if (header === null) {
			break;
		}
		headers.push(header);
	}
	const nameHeader = headers[nameIndex];
	const strings = nameHeader === undefined ? new Uint8Array(0) : tableBytes(source, nameHeader);
	return {
		kind: 'sections',
		source,
		is64,
		isLittle,
		type: half(16),
		machine: half(18),
		entry: is64 ? long(view, 24, isLittle) : word(24),
		headers,
		expectedHeaders: count,
		names: headers.map(({ nameOffset }) => stringAt(strings, nameOffset)),
	};
}

function sectionHeader(bytes: Uint8Array, is64: boolean, isLittle: boolean): SectionHeader {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const word = (offset: number): number => view.getUint32(offset, isLittle);
	const address = (offset64: number, offset32: number): number => (is64 ? long(view, offset64, isLittle) : word(offset32));
	return {
		nameOffset: word(0),
		type: word(4),
		flags: address(8, 8),
		address: address(16, 12),
		offset: address(24, 16),
		sizeBytes: address(32, 20),
		link: word(is64 ? 40 : 24),
		alignment: address(48, 32),
		entryBytes: address(56, 36),
	};
}

/** 64 bits as a double; beyond 2^53 not exact, which is told where it matters. */
export function long(view: DataView, offset: number, isLittle: boolean): number {
	const low = view.getUint32(offset + (isLittle ? 0 : 4), isLittle);
	return view.getUint32(offset + (isLittle ? 4 : 0), isLittle) * 2 ** 32 + low;
}

export function tableBytes(source: Source, { type, offset, sizeBytes }: SectionHeader): Uint8Array {
	return type === SHT_NOBITS ? new Uint8Array(0) : readRange(source, offset, offset + Math.min(sizeBytes, MAX_TABLE_BYTES));
}

export function stringAt(strings: Uint8Array, offset: number): string {
	if (offset >= strings.length) {
		return '';
	}
	const end = strings.indexOf(0, offset);
	return decodeUtf8(strings, offset, end < 0 ? strings.length : end);
}

function unusable(message: string, action: string): UnusableElf {
	return { kind: 'unusable', message, action };
}
