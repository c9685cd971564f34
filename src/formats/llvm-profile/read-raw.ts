/**
 * Raw profiles, what a program built with `-fprofile-generate -ftemporal-profile` (LLVM 17 and later: versions 8, 9 and 10) leaves: a header,
 * binary ids, a record for each function, counters, bitmaps, names, from version 10 on tables of virtual functions, values. The first counter of a
 * function is the time of its first execution: 1 for the first, 2 for the next, 0 or all ones where it never ran. Several profiles may follow each other.
 * Source: InstrProfData.inc and InstrProfReader of LLVM, docs/InstrProfileFormat.
 */
import { readRange, type Source } from '../../bytes/source.js';
import { FunctionTracesBuilder, type ReadTraces } from '../../model/function-trace.js';
import type { InputError, Problem } from '../../model/problem.js';
import { profileErrors, unusable, viewOf } from './binary-profile.js';
import { readNamesSection } from './names-section.js';
import { splitProfileName } from './profile-names.js';
import { type ProfileVariant, profileVariant } from './variant.js';

const { cut, damaged } = profileErrors('raw', 'let the program end by itself', 'record it again');

const LITTLE_64 = '\x81rforpl\xff';
const LITTLE_32 = '\x81Rforpl\xff';
const BIG_64 = '\xfflprofr\x81';
const BIG_32 = '\xfflprofR\x81';

const FIRST_VERSION = 8;
const LAST_VERSION = 10;
const NEVER = 0xffffffffffffffffn;
const LARGEST_GAP = 64n;

/** Sections as byte offsets in the file. */
interface Layout {
	readonly is64: boolean;
	readonly variant: ProfileVariant;
	readonly records: number;
	readonly dataStart: number;
	readonly countersStart: number;
	readonly countersBytes: number;
	readonly namesStart: number;
	readonly namesBytes: number;
	readonly valuesStart: number;
	/** From the first record to the counters, in the memory of the program. */
	readonly countersDelta: bigint;
}

/** Bytes of a function's record. */
interface RecordLayout {
	readonly sizeBytes: number;
	readonly counterPointer: number;
	readonly counterCount: number;
	readonly valueSites: number;
	readonly valueKinds: number;
}

/** Whether a file begins (as Latin-1) like a raw profile, of whatever machine. */
export function isRawProfile(head: string): boolean {
	return [LITTLE_64, LITTLE_32, BIG_64, BIG_32].some((magic) => head.startsWith(magic));
}

/** A trace for each profile in the file. Throws an {@link InputError} where the file cannot be trusted: it is cut, damaged, or of another kind. */
export function readRawProfile(source: Source): ReadTraces {
	const builder = new FunctionTracesBuilder();
	const problems: Problem[] = [];
	const profiles: bigint[][] = [];
	const orders: number[][] = [];
	let position = 0;
	while (position < source.sizeBytes) {
		const start = position;
		const layout = readHeader(source, start);
		const { order, times, end } = readProfile(source, layout, builder);
		orders.push(order);
		profiles.push(times);
		problems.push(...problemsOfTimes(source, times));
		position = skipZeros(source, end);
	}
	orders.forEach((order, i) => {
		builder.addTrace(orders.length === 1 ? source.name : `${source.name} profile ${i}`, 1, order);
	});
	if (profiles.every((times) => times.length === 0)) {
		problems.push({
			severity: 'warning',
			file: source.name,
			message: 'no function ran, says the profile',
			action: 'let the program end by itself, or write its profile',
		});
	}
	return { ...builder.build(), problems };
}

function readHeader(source: Source, start: number): Layout {
	const bytes = readRange(source, start, start + 16 * 8);
	const magic = String.fromCharCode(...bytes.subarray(0, 8));
	if (magic === BIG_64 || magic === BIG_32) {
		throw unusable(
			source,
			'is a raw profile of a big-endian machine',
			'merge it with llvm-profdata there (llvm-profdata merge FILE -o FILE.profdata) and give the result',
		);
	}
	if (magic !== LITTLE_64 && magic !== LITTLE_32) {
		throw damaged(source, start, 'expected the header of another raw profile');
	}
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const variant = profileVariant(bytes.length < 16 ? 0n : view.getBigUint64(8, true));
	const { version } = variant;
	if (bytes.length >= 16) {
		checkVariant(source, variant);
	}
	// Version, then the fields that each version added.
	const fields = version === 8 ? 11 : version === 9 ? 14 : 16;
	if (bytes.length < fields * 8) {
		throw cut(source, 'its header');
	}
	const field = (index: number): number => {
		const value = view.getBigUint64(index * 8, true);
		if (value > BigInt(source.sizeBytes)) {
			throw damaged(source, start + index * 8, `the header says ${value} of something in a file of ${source.sizeBytes} bytes`);
		}
		return Number(value);
	};
	const hasBitmaps = version >= 9;
	const hasVirtualTables = version >= 10;
	const is64 = magic === LITTLE_64;
	const namesIndex = hasBitmaps ? 9 : 7;
	const deltaIndex = namesIndex + 1;
	const lastKind = view.getBigUint64((fields - 1) * 8, true);
	if (lastKind !== (hasVirtualTables ? 2n : 1n)) {
		throw damaged(source, start + (fields - 1) * 8, `the last kind of values is ${lastKind}`);
	}
	const idsBytes = field(2);
	const records = field(3);
	const countersBytes = field(5) * (variant.hasByteCounters ? 1 : 8);
	const namesBytes = field(namesIndex);
	if (idsBytes % 8 !== 0) {
		throw damaged(source, start + 16, `binary ids of ${idsBytes} bytes`);
	}
	if (variant.isCorrelated || (records === 0 && countersBytes > 0)) {
		throw unusable(
			source,
			'holds counters only: names and functions are in the program (-profile-correlate)',
			'merge it with llvm-profdata merge --debug-info=PROGRAM (or --binary-file=PROGRAM) and give the result',
		);
	}
	const dataStart = start + fields * 8 + idsBytes;
	const countersStart = dataStart + records * recordLayout(is64, version).sizeBytes + field(4);
	const bitmapsStart = countersStart + countersBytes + field(6);
	const namesStart = hasBitmaps ? bitmapsStart + field(7) + field(8) : bitmapsStart;
	const virtualTablesStart = namesStart + padded(namesBytes);
	const virtualTableBytes = hasVirtualTables ? padded(field(13) * (is64 ? 24 : 16)) + padded(field(14)) : 0;
	const valuesStart = virtualTablesStart + virtualTableBytes;
	if (valuesStart > source.sizeBytes) {
		throw cut(source, `its sections, which take ${valuesStart} bytes`);
	}
	const countersDelta = view.getBigUint64(deltaIndex * 8, true);
	return { is64, variant, records, dataStart, countersStart, countersBytes, namesStart, namesBytes, valuesStart, countersDelta };
}

function checkVariant(source: Source, { version, isTemporal, hasUnknown }: ProfileVariant): void {
	if (version > LAST_VERSION || version < 1 || hasUnknown) {
		throw unusable(
			source,
			`is a raw profile of version ${version}${hasUnknown ? ' with features of an unknown LLVM' : ''}; known are ${FIRST_VERSION} to ${LAST_VERSION}`,
			'print its traces with the llvm-profdata of the compiler (merge, then show --temporal-profile-traces) and give the text',
		);
	}
	if (version < FIRST_VERSION || !isTemporal) {
		throw unusable(
			source,
			`is a raw profile (version ${version}) without the order of functions`,
			'build with -fprofile-generate -ftemporal-profile (LLVM 20; before: -mllvm -pgo-temporal-instrumentation), LLVM 17 or later',
		);
	}
}

function recordLayout(is64: boolean, version: number): RecordLayout {
	const pointer = is64 ? 8 : 4;
	const counterPointer = 16;
	// Counters, from version 9 on bitmaps, the function, its values.
	const counterCount = counterPointer + pointer * (version >= 9 ? 4 : 3);
	const valueSites = counterCount + 4;
	const valueKinds = version >= 10 ? 3 : 2;
	const end = version >= 9 ? Math.ceil((valueSites + valueKinds * 2) / 4) * 4 + 4 : valueSites + valueKinds * 2;
	return { sizeBytes: padded(end), counterPointer, counterCount, valueSites, valueKinds };
}

interface RawProfile {
	/** Positions of functions in the order of their times. */
	readonly order: number[];
	/** Sorted. */
	readonly times: bigint[];
	/** The byte after the profile. */
	readonly end: number;
}

function readProfile(source: Source, layout: Layout, builder: FunctionTracesBuilder): RawProfile {
	const names = readNamesSection(readRange(source, layout.namesStart, layout.namesStart + layout.namesBytes));
	if (typeof names === 'string') {
		throw damaged(source, layout.namesStart, names);
	}
	const record = recordLayout(layout.is64, layout.variant.version);
	const data = viewOf(source, layout.dataStart, layout.records * record.sizeBytes);
	const counters = viewOf(source, layout.countersStart, layout.countersBytes);
	const counterBytes = layout.variant.hasByteCounters ? 1 : 8;
	const ran: { readonly time: bigint; readonly hash: bigint }[] = [];
	const spans: { readonly start: number; readonly end: number; readonly hash: bigint }[] = [];
	let untimed = 0;
	let end = layout.valuesStart;
	for (let i = 0; i < layout.records; i++) {
		const at = i * record.sizeBytes;
		const hash = data.getBigUint64(at, true);
		const place = layout.dataStart + at;
		if (!names.has(hash)) {
			throw damaged(source, place, `function ${i} of ${layout.records} has no name in the file`);
		}
		const start = counterOffset(layout, data, at, record, i);
		const count = data.getUint32(at + record.counterCount, true);
		// The time is eight bytes wide also where a counter is one.
		const stop = start + Math.max(count * counterBytes, 8);
		if (start < 0 || count === 0 || stop > layout.countersBytes) {
			throw damaged(source, place, `the counters of function ${i} lie outside of theirs (bytes ${start} to ${stop} of ${layout.countersBytes})`);
		}
		spans.push({ start, end: stop, hash });
		const time = counters.getBigUint64(start, true);
		if (time !== 0n && time !== NEVER) {
			ran.push({ time, hash });
		} else if (counterBytes === 8 ? hasCounts(counters, start + 8, stop) : hasCoveredBytes(counters, start + 8, stop)) {
			untimed++;
		}
		end += valueBytes(source, data, at, record, end);
	}
	checkSpans(source, layout, spans);
	if (untimed > 0) {
		throw damaged(source, layout.countersStart, `${untimed} functions have counts, and no time of their first execution`);
	}
	ran.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : a.hash < b.hash ? -1 : 1));
	checkGaps(source, layout, ran);
	const order = ran.map(({ hash }) => builder.functionNumber(splitProfileName(names.get(hash)!)));
	return { order, times: ran.map(({ time }) => time), end };
}

/** Where the counters of a function begin; the record holds their distance from itself in the memory of the program. */
function counterOffset({ is64, countersDelta }: Layout, data: DataView, at: number, { sizeBytes, counterPointer }: RecordLayout, index: number): number {
	const pointer = is64 ? data.getBigUint64(at + counterPointer, true) : BigInt(data.getUint32(at + counterPointer, true));
	const offset = pointer - (countersDelta - BigInt(index * sizeBytes));
	return Number(is64 ? BigInt.asIntN(64, offset) : BigInt.asIntN(32, offset));
}

/** Values of indirect calls and sizes that stand after the names: how many bytes a function has there. */
function valueBytes(source: Source, data: DataView, at: number, { valueSites, valueKinds }: RecordLayout, position: number): number {
	let sites = 0;
	for (let kind = 0; kind < valueKinds; kind++) {
		sites += data.getUint16(at + valueSites + 2 * kind, true);
	}
	if (sites === 0) {
		return 0;
	}
	const head = readRange(source, position, position + 8);
	const sizeBytes = head.length < 8 ? 0 : new DataView(head.buffer, head.byteOffset).getUint32(0, true);
	if (head.length < 8 || position + sizeBytes > source.sizeBytes) {
		throw cut(source, 'the values after its names');
	}
	if (sizeBytes < 8 || sizeBytes % 8 !== 0) {
		throw damaged(source, position, `expected the values of a function, found ${sizeBytes} bytes of them`);
	}
	return sizeBytes;
}

/** Counters belong to one function each; records may stand there twice. */
function checkSpans(source: Source, layout: Layout, spans: { readonly start: number; readonly end: number; readonly hash: bigint }[]): void {
	spans.sort((a, b) => a.start - b.start);
	for (let i = 1; i < spans.length; i++) {
		const [one, next] = [spans[i - 1], spans[i]] as [(typeof spans)[0], (typeof spans)[0]];
		if (next.start < one.end && !(next.start === one.start && next.hash === one.hash)) {
			throw damaged(source, layout.countersStart + next.start, 'two functions share counters');
		}
	}
}

/** Times are counted by one; threads that start a function at once waste one each. So many in a row are no race. */
function checkGaps(source: Source, { countersStart }: Layout, ran: readonly { readonly time: bigint }[]): void {
	let before = 0n;
	for (const { time } of ran) {
		if (time - before > LARGEST_GAP) {
			throw damaged(source, countersStart, `no function ran as number ${before + 1n} to ${time - 1n}, and one as number ${time}`);
		}
		before = time;
	}
}

function hasCounts(counters: DataView, start: number, end: number): boolean {
	for (let at = start; at < end; at += 8) {
		if (counters.getUint32(at, true) !== 0 || counters.getUint32(at + 4, true) !== 0) {
			return true;
		}
	}
	return false;
}

/** In one thread the times are 1, 2, 3 and so on, each once. */
function problemsOfTimes({ name: file }: Source, times: readonly bigint[]): Problem[] {
	const distinct = new Set(times).size;
	const twice = times.length - distinct;
	const missing = Number(times.at(-1) ?? 0n) - distinct;
	if (twice === 0 && missing === 0) {
		return [];
	}
	const counts = [twice > 0 ? `${twice} are given twice` : '', missing > 0 ? `${missing} are given to no function` : ''].filter((text) => text !== '');
	return [
		{
			severity: 'warning',
			file,
			message: `of the numbers of first executions ${counts.join(' and ')}: functions started by several threads at once, merged runs, or a damaged file`,
			action: 'the order is as the numbers say; record again with one thread to be sure',
		},
	];
}

/** Of a counter of one byte, 0 means that the code ran. */
function hasCoveredBytes(counters: DataView, start: number, end: number): boolean {
	for (let at = start; at < end; at++) {
		if (counters.getUint8(at) === 0) {
			return true;
		}
	}
	return false;
}

function skipZeros(source: Source, start: number): number {
	const bytes = readRange(source, start, start + (1 << 16));
	const found = bytes.findIndex((byte) => byte !== 0);
	return found < 0 && bytes.length > 0 ? skipZeros(source, start + bytes.length) : start + Math.max(0, found);
}

function padded(sizeBytes: number): number {
	return Math.ceil(sizeBytes / 8) * 8;
}
