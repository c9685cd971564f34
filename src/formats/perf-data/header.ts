/**
 * The head of a perf.data file: what was sampled, how a sample is laid out, and what perf noted of the machine. The format is in the Linux kernel's
 * tools/perf/Documentation/perf.data-file-format.txt, the attributes in include/uapi/linux/perf_event.h.
 */
import { readRange, type Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import { hexadecimal, type Piece, pieceOf, signed, unsigned } from './bytes.js';
import { nameOfEvent } from './event-names.js';

const ATTRIBUTES_FLAGS = 40;
/** `sample_regs_user`, behind `branch_sample_type`; the size of the copied stack stands behind it. */
const REGISTERS = 80;
const ATTRIBUTES_WITH_REGISTERS = 96;
const FEATURE_BUILD_ID = 2;
const FEATURE_EVENT_DESC = 12;
const FEATURES = 256;
/** Larger sections are none that perf writes. */
const MAX_SECTION_BYTES = 1 << 26;
const MAX_EVENTS = 1 << 16;

/** Bits of `sample_type`. */
const ADDRESS = 1 << 0;
const TID = 1 << 1;
const TIME = 1 << 2;
const ADDR = 1 << 3;
const READ = 1 << 4;
const CALLCHAIN = 1 << 5;
const ID = 1 << 6;
const CPU = 1 << 7;
const PERIOD = 1 << 8;
const STREAM_ID = 1 << 9;
const RAW = 1 << 10;
const BRANCH_STACK = 1 << 11;
const REGS_USER = 1 << 12;
const STACK_USER = 1 << 13;
const IDENTIFIER = 1 << 16;

/** Bits of `read_format`. */
const READ_TIME_ENABLED = 1;
const READ_TIME_RUNNING = 2;
const READ_ID = 4;
const READ_GROUP = 8;
const READ_LOST = 16;

/** Registers of x86, as bits of `sample_regs_user`; of AArch64 the program counter has a higher one than any that is sampled on x86. */
const BP = 1 << 6;
const SP = 1 << 7;
const IP = 1 << 8;
const OF_X86 = 0xffffff;

const FREQUENCY = 1 << 10;
const SAMPLE_ID_ALL = 1 << 18;

/** An event that was sampled. Positions count from the beginning of a record; -1: its records do not have it. */
export interface SampledEvent {
	readonly name: string;
	readonly ids: readonly number[];
	readonly idAt: number;
	readonly ipAt: number;
	readonly tidAt: number;
	readonly timeAt: number;
	/** What was touched. */
	readonly addressAt: number;
	readonly periodAt: number;
	/** Of every sample, where its records have no period; 0 where only the records tell. */
	readonly fixedPeriod: number;
	/** Where the fields of various length begin. */
	readonly restAt: number;
	readonly hasRead: boolean;
	readonly readFormat: number;
	readonly hasStacks: boolean;
	/** Records have one, though nobody asked for it where `hasStacks` is false. */
	readonly hasCallChain: boolean;
	/** The stack itself was copied, for whoever reads to unwind. */
	readonly hasCopiedStacks: boolean;
	/** How many registers are before a copied stack, the program counter among them; 0: none that can be read here. */
	readonly registers: number;
	/** Which of them is the program counter. */
	readonly registerOfCode: number;
	readonly registerOfStack: number;
	/** -1: it was not copied. */
	readonly registerOfFrame: number;
	/** From the end of other records: the id, the time; -1 where they have none. */
	readonly idFromEnd: number;
	readonly timeFromEnd: number;
}

export interface PerfHeader {
	readonly events: readonly SampledEvent[];
	readonly dataStart: number;
	readonly dataEnd: number;
	/** perf ended before it could complete the file. */
	readonly isUnfinished: boolean;
	/** What perf noted at the end is cut off. */
	readonly isCut: boolean;
	/** Names of files with the build ids that perf noted at the end. */
	readonly buildIds: ReadonlyMap<string, string>;
	/** What was written to a pipe has its attributes among the records. */
	readonly isPipe: boolean;
}

interface UnusableHeader {
	readonly unusable: string;
}

export function isPerfData(head: string): boolean {
	return head.startsWith('PERFILE2') || head.startsWith('2ELIFREP');
}

export function readHeader(source: Source): PerfHeader | UnusableHeader {
	const { bytes, view } = pieceOf(readRange(source, 0, 104));
	const magic = decodeUtf8(bytes, 0, Math.min(8, bytes.length));
	if (magic === '2ELIFREP') {
		return { unusable: 'was recorded on a big-endian machine' };
	}
	if (magic !== 'PERFILE2' || bytes.length < 16) {
		return { unusable: 'ends within its header' };
	}
	if (unsigned(view, 8) === 16) {
		return { events: [], dataStart: 16, dataEnd: source.sizeBytes, isUnfinished: false, isCut: false, buildIds: new Map(), isPipe: true };
	}
	if (bytes.length < 104) {
		return { unusable: 'ends within its header' };
	}
	const attributeBytes = unsigned(view, 16);
	const dataStart = unsigned(view, 40);
	const dataBytes = unsigned(view, 48);
	const isUnfinished = dataBytes === 0;
	const dataEnd = isUnfinished ? source.sizeBytes : dataStart + dataBytes;
	const { sections, isCut } = isUnfinished ? { sections: new Map<number, Piece>(), isCut: false } : readFeatures(source, view, dataEnd);
	const names = readEventNames(sections.get(FEATURE_EVENT_DESC));
	const table = pieceOf(readRange(source, unsigned(view, 24), unsigned(view, 24) + Math.min(unsigned(view, 32), MAX_SECTION_BYTES)));
	const events: SampledEvent[] = [];
	if (attributeBytes >= 64 + 16) {
		for (let at = 0; at + attributeBytes <= table.bytes.length && events.length < MAX_EVENTS; at += attributeBytes) {
			const idsStart = unsigned(table.view, at + attributeBytes - 16);
			const idBytes = Math.min(unsigned(table.view, at + attributeBytes - 8), MAX_SECTION_BYTES);
			const ids = readIds(pieceOf(readRange(source, idsStart, idsStart + idBytes)), 0, idBytes);
			events.push(readAttributes(table, at, names[events.length] ?? null, ids));
		}
	}
	return { events, dataStart, dataEnd, isUnfinished, isCut, buildIds: readBuildIds(sections.get(FEATURE_BUILD_ID)), isPipe: false };
}

/** The attributes at a position with at least 64 bytes behind it. */
export function readAttributes({ view }: Piece, at: number, name: string | null, ids: readonly number[]): SampledEvent {
	const type = view.getUint32(at + 24, true);
	const flags = view.getUint32(at + ATTRIBUTES_FLAGS, true);
	let next = 8;
	const field = (bit: number): number => {
		const position = (type & bit) === 0 ? -1 : next;
		next += position < 0 ? 0 : 8;
		return position;
	};
	const identifierAt = field(IDENTIFIER);
	const ipAt = field(ADDRESS);
	const tidAt = field(TID);
	const timeAt = field(TIME);
	const addressAt = field(ADDR);
	const plainIdAt = field(ID);
	field(STREAM_ID);
	field(CPU);
	const periodAt = field(PERIOD);
	const trailer = (flags & SAMPLE_ID_ALL) === 0 ? 0 : type;
	const behind = (bits: readonly number[]): number => 8 * bits.filter((bit) => (trailer & bit) !== 0).length;
	const registers = copiedRegisters(view, at, type);
	// Only what tells where a frame's caller is: no stack is meant to be unwound, and calls within the kernel are not asked for.
	const isTop = (registers & ~BP) === (SP | IP);
	const plainIdFromEnd = (trailer & ID) === 0 ? -1 : 8 + behind([STREAM_ID, CPU]);
	return {
		name: name ?? nameOfEvent(view.getUint32(at, true), unsigned(view, at + 8), flags),
		ids,
		idAt: identifierAt >= 0 ? identifierAt : plainIdAt,
		ipAt,
		tidAt,
		timeAt,
		addressAt,
		periodAt,
		fixedPeriod: (flags & FREQUENCY) === 0 ? unsigned(view, at + 16) : 0,
		restAt: next,
		hasRead: (type & READ) !== 0,
		readFormat: view.getUint32(at + 32, true),
		hasStacks: (type & CALLCHAIN) !== 0 && !isTop,
		hasCallChain: (type & CALLCHAIN) !== 0,
		hasCopiedStacks: (type & STACK_USER) !== 0 && !isTop,
		registers: countOfBits(registers),
		registerOfCode: countOfBits(registers & (IP - 1)),
		registerOfStack: countOfBits(registers & (SP - 1)),
		registerOfFrame: (registers & BP) === 0 ? -1 : countOfBits(registers & (BP - 1)),
		idFromEnd: (trailer & IDENTIFIER) !== 0 ? 8 : plainIdFromEnd,
		timeFromEnd: (trailer & TIME) === 0 ? -1 : 8 + behind([ID, STREAM_ID, CPU, IDENTIFIER]),
	};
}

/** Registers that stand before a copied stack; 0 where there is none, or it cannot be found. */
function copiedRegisters(view: DataView, at: number, type: number): number {
	const isThere = (type & (RAW | BRANCH_STACK | REGS_USER | STACK_USER)) === (REGS_USER | STACK_USER);
	if (!isThere || view.getUint32(at + 4, true) < ATTRIBUTES_WITH_REGISTERS || at + ATTRIBUTES_WITH_REGISTERS > view.byteLength) {
		return 0;
	}
	const [low, high] = [view.getUint32(at + REGISTERS, true), view.getUint32(at + REGISTERS + 4, true)];
	return high === 0 && low <= OF_X86 && (low & SP) !== 0 && (low & IP) !== 0 ? low : 0;
}

function countOfBits(mask: number): number {
	let count = 0;
	for (let rest = mask; rest !== 0; rest &= rest - 1) {
		count++;
	}
	return count;
}

/** Past what `PERF_SAMPLE_READ` puts at a position; beyond `end` where the record is damaged. */
export function skipReadFormat(view: DataView, at: number, end: number, readFormat: number): number {
	const bit = (mask: number): number => ((readFormat & mask) === 0 ? 0 : 8);
	const times = bit(READ_TIME_ENABLED) + bit(READ_TIME_RUNNING);
	const perValue = 8 + bit(READ_ID) + bit(READ_LOST);
	if ((readFormat & READ_GROUP) === 0) {
		return at + times + perValue;
	}
	return at + 8 > end ? end + 8 : at + 8 + times + unsigned(view, at) * perValue;
}

export function readIds({ view, bytes }: Piece, start: number, end: number): number[] {
	const ids: number[] = [];
	for (let at = start; at + 8 <= Math.min(end, bytes.length); at += 8) {
		ids.push(signed(view, at));
	}
	return ids;
}

/** Sections by the number of their feature: their positions stand behind the data. */
function readFeatures(source: Source, head: DataView, dataEnd: number): { sections: Map<number, Piece>; isCut: boolean } {
	const sections = new Map<number, Piece>();
	let at = dataEnd;
	let isCut = false;
	for (let feature = 0; feature < FEATURES; feature++) {
		if ((head.getUint8(72 + (feature >> 3)) & (1 << (feature & 7))) === 0) {
			continue;
		}
		const place = pieceOf(readRange(source, at, at + 16));
		at += 16;
		isCut ||= place.bytes.length < 16 || unsigned(place.view, 0) + unsigned(place.view, 8) > source.sizeBytes;
		if (place.bytes.length === 16 && (feature === FEATURE_BUILD_ID || feature === FEATURE_EVENT_DESC)) {
			const start = unsigned(place.view, 0);
			sections.set(feature, pieceOf(readRange(source, start, start + Math.min(unsigned(place.view, 8), MAX_SECTION_BYTES))));
		}
	}
	return { sections, isCut };
}

/** Names of events, in the order of their attributes. */
export function readEventNames(section: Piece | undefined, start = 0): string[] {
	if (section === undefined || section.bytes.length < start + 8) {
		return [];
	}
	const { bytes, view } = section;
	const count = Math.min(view.getUint32(start, true), MAX_EVENTS);
	const attributeBytes = view.getUint32(start + 4, true);
	const names: string[] = [];
	let at = start + 8;
	for (let i = 0; i < count && at + attributeBytes + 8 <= bytes.length; i++) {
		at += attributeBytes;
		const ids = view.getUint32(at, true);
		const length = view.getUint32(at + 4, true);
		names.push(textAt(bytes, at + 8, Math.min(at + 8 + length, bytes.length)));
		at += 8 + length + 8 * ids;
	}
	return names;
}

function readBuildIds(section: Piece | undefined): Map<string, string> {
	const result = new Map<string, string>();
	if (section === undefined) {
		return result;
	}
	const { bytes, view } = section;
	for (let at = 0; at + 36 <= bytes.length; ) {
		const misc = view.getUint16(at + 4, true);
		const size = view.getUint16(at + 6, true);
		if (size < 36) {
			break;
		}
		// A bit of `misc` says whether the length is told; else it has 20 bytes.
		const length = (misc & (1 << 15)) === 0 ? 20 : Math.min(bytes[at + 32]!, 20);
		result.set(textAt(bytes, at + 36, Math.min(at + size, bytes.length)), hexadecimal(bytes.subarray(at + 12, at + 12 + length)));
		at += size;
	}
	return result;
}

/** Up to its NUL. */
export function textAt(bytes: Uint8Array, start: number, end: number): string {
	const nul = bytes.subarray(0, Math.max(end, 0)).indexOf(0, start);
	return decodeUtf8(bytes, start, nul < 0 ? Math.max(start, end) : nul);
}
