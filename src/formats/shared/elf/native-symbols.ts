/**
 * The functions of a program or a shared library by their offsets in the file, as perf has them (the Linux kernel's tools/perf/util/symbol.c and symbol-elf.c):
 * functions without a size reach up to the next, and of several names of one place one is chosen.
 */
import { readRange, type Source } from '../../../bytes/source.js';
import { lastAtOrBelow } from '../../../model/binary-search.js';
import { type NativeSymbol, unnamedFunction } from '../../../model/native-symbols.js';
import { isMappingSymbol } from '../../../model/symbol-table.js';
import { frameRanges } from './call-frames.js';
import { goFunctions } from './go-functions.js';
import { long, readSectionTable, type SectionTable, SHT_NOBITS, stringAt, tableBytes } from './section-table.js';

const SHT_SYMTAB = 2;
const SHT_NOTE = 7;
const SHT_DYNSYM = 11;
const SHF_EXECINSTR = 4;
const STT_NOTYPE = 0;
const STT_OBJECT = 1;
const STT_FUNC = 2;
const STT_GNU_IFUNC = 10;
const STB_GLOBAL = 1;
const STB_WEAK = 2;
const STV_INTERNAL = 1;
const STV_HIDDEN = 2;
const NT_GNU_BUILD_ID = 3;
const DOLLAR = 0x24;
const MAX_NOTES = 1 << 16;
const PAGE = 4096;

/** What a program begins with, as every linker calls it. */
const ENTRY = '_start';
/** Behind the names of what lies in a procedure linkage table. */
export const LINKAGE = '@plt';
/** By machine (EM_ARM, EM_AARCH64), where the section does not tell. */
const PLT_LAYOUTS: Readonly<Record<number, { readonly headBytes: number; readonly entryBytes: number }>> = {
	40: { headBytes: 20, entryBytes: 12 },
	183: { headBytes: 32, entryBytes: 16 },
};

/** A symbol with what chooses among several of one place. */
export interface RawSymbol {
	readonly start: number;
	end: number;
	readonly name: string;
	readonly isWeak: boolean;
	readonly isGlobal: boolean;
}

/** Of a table, which may have a hundred thousand: the name is decoded when somebody asks. */
class TableSymbol implements RawSymbol {
	readonly start: number;
	end: number;
	readonly isWeak: boolean;
	readonly isGlobal: boolean;
	private readonly strings: Uint8Array;
	private readonly nameOffset: number;
	private decoded: string | null = null;

	constructor(start: number, sizeBytes: number, binding: number, strings: Uint8Array, nameOffset: number) {
		this.start = start;
		this.end = start + sizeBytes;
		this.isWeak = binding === STB_WEAK;
		this.isGlobal = binding === STB_GLOBAL;
		this.strings = strings;
		this.nameOffset = nameOffset;
	}

	get name(): string {
		this.decoded ??= stringAt(this.strings, this.nameOffset);
		return this.decoded;
	}
}

/** In hexadecimal digits; null without one. */
export function readBuildId(source: Source): string | null {
	const table = readSectionTable(source);
	if (table.kind === 'unusable') {
		return null;
	}
	for (const header of table.headers) {
		const found =
			header.type === SHT_NOTE ? buildIdOfNotes(readRange(source, header.offset, header.offset + Math.min(header.sizeBytes, MAX_NOTES)), table.isLittle) : null;
		if (found !== null) {
			return found;
		}
	}
	return null;
}

/** Among notes one after the other, such as in `.note.gnu.build-id` or `/sys/kernel/notes`. */
export function buildIdOfNotes(notes: Uint8Array, isLittle: boolean): string | null {
	const view = new DataView(notes.buffer, notes.byteOffset, notes.byteLength);
	for (let at = 0; at + 12 <= notes.length; ) {
		const nameBytes = view.getUint32(at, isLittle);
		const valueBytes = view.getUint32(at + 4, isLittle);
		const value = at + 12 + ((nameBytes + 3) & ~3);
		if (view.getUint32(at + 8, isLittle) === NT_GNU_BUILD_ID && nameBytes === 4 && stringAt(notes, at + 12) === 'GNU' && value + valueBytes <= notes.length) {
			return Array.from(notes.subarray(value, value + valueBytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
		}
		at = value + ((valueBytes + 3) & ~3);
		if (nameBytes > notes.length || valueBytes > notes.length) {
			break;
		}
	}
	return null;
}

/**
 * By offset in `program`; `debug` is the file of its debug information, or the program itself. Functions without a symbol, such as all that are not exported of a
 * stripped program, are those of which the frames are described, called by `file`, the name that it was mapped by, and their addresses; that which a program begins with is
 * called `_start`.
 */
export function readNativeSymbols(program: Source, debug: Source, file = program.name): NativeSymbol[] {
	const layout = readSectionTable(program);
	const table = debug === program ? layout : readSectionTable(debug);
	if (layout.kind === 'unusable' || table.kind === 'unusable') {
		return [];
	}
	const named = [...chosenSymbols(rawSymbols(layout, table)), ...linkageSymbols(layout)];
	const inGo = between(layout, named, goFunctions(layout), (start, end, own) => ({
		start,
		end,
		get name() {
			return own.name;
		},
	}));
	const told = [...named, ...inGo];
	return [
		...told,
		...between(layout, told, frameRanges(layout), (start, end, range) =>
			range.start === layout.entry ? { start, end, name: ENTRY } : unnamedFunction(start, end, file, range.start),
		),
	];
}

export function hasSymbolTable(source: Source): boolean {
	const table = readSectionTable(source);
	return table.kind !== 'unusable' && table.headers.some(({ type, sizeBytes }) => type === SHT_SYMTAB && sizeBytes > 0);
}

/** Functions that begin in no symbol; they end where the next symbol begins at the latest. `ranges` in the order of their addresses. */
function between<T extends { readonly start: number; readonly end: number }>(
	layout: SectionTable,
	named: readonly NativeSymbol[],
	ranges: readonly T[],
	symbolOf: (start: number, end: number, range: T) => NativeSymbol,
): NativeSymbol[] {
	const sections = layout.headers.filter(({ flags, type }, i) => (flags & SHF_EXECINSTR) !== 0 && type !== SHT_NOBITS && !layout.names[i]!.startsWith('.plt'));
	const sorted = [...named].sort((a, b) => a.start - b.start);
	const starts = Float64Array.from(sorted, ({ start }) => start);
	const result: NativeSymbol[] = [];
	for (const range of ranges) {
		const section = sections.find(({ address, sizeBytes }) => range.start >= address && range.end <= address + sizeBytes);
		const offset = section === undefined ? 0 : section.offset - section.address;
		const start = range.start + offset;
		const before = lastAtOrBelow(starts, start);
		if (section !== undefined && !(before >= 0 && start < sorted[before]!.end) && start !== result.at(-1)?.start) {
			result.push(symbolOf(start, Math.min(range.end + offset, starts[before + 1] ?? Number.POSITIVE_INFINITY), range));
		}
	}
	return result;
}

/** Gives ends to symbols that have none, and leaves one of those that begin at one place. */
export function chosenSymbols(raw: readonly RawSymbol[]): NativeSymbol[] {
	const sorted = byStart(raw);
	const result: RawSymbol[] = [];
	for (let i = 0; i < sorted.length; i++) {
		const symbol = sorted[i]!;
		if (symbol.end === symbol.start) {
			symbol.end = sorted[i + 1]?.start ?? Math.ceil((symbol.start + PAGE) / PAGE) * PAGE;
		}
		const before = result.at(-1);
		if (before === undefined || before.start !== symbol.start) {
			result.push(symbol);
		} else if (!isBetter(before, symbol)) {
			result[result.length - 1] = symbol;
		}
	}
	return result;
}

/** Those of one start as they were. Numbers are sorted many times faster than objects. */
function byStart(raw: readonly RawSymbol[]): RawSymbol[] {
	const keys = new Float64Array(raw.length);
	let isSorted = true;
	let largest = 0;
	for (let i = 0; i < raw.length; i++) {
		const { start } = raw[i]!;
		keys[i] = start;
		isSorted &&= i === 0 || start >= keys[i - 1]!;
		largest = Math.max(largest, start);
	}
	if (isSorted) {
		return [...raw];
	}
	if (!((largest + 1) * raw.length <= Number.MAX_SAFE_INTEGER)) {
		return raw.toSorted((a, b) => a.start - b.start);
	}
	for (let i = 0; i < keys.length; i++) {
		keys[i] = keys[i]! * raw.length + i;
	}
	keys.sort();
	return Array.from(keys, (key) => raw[key % raw.length]!);
}

/** Which of two names of one place perf prints: the first for equal ones. */
function isBetter(a: RawSymbol, b: RawSymbol): boolean {
	const hasSize = a.end > a.start;
	if (hasSize !== b.end > b.start) {
		return hasSize;
	}
	if (a.isWeak !== b.isWeak) {
		return b.isWeak;
	}
	if (a.isGlobal !== b.isGlobal) {
		return a.isGlobal;
	}
	const [name, other] = [a.name, b.name];
	const underscores = underscoresOf(name) - underscoresOf(other);
	if (underscores !== 0) {
		return underscores < 0;
	}
	return name.length === other.length ? !name.startsWith('SyS') : name.length > other.length;
}

function underscoresOf(name: string): number {
	let count = 0;
	while (name[count] === '_') {
		count++;
	}
	return count;
}

/** Where the sections of code lie comes from the program: a file of debug information has none of them. */
function rawSymbols(layout: SectionTable, { source, is64, isLittle, headers }: SectionTable): RawSymbol[] {
	const header = headers.find(({ type, sizeBytes }) => type === SHT_SYMTAB && sizeBytes > 0) ?? headers.find(({ type }) => type === SHT_DYNSYM);
	const stringHeader = header === undefined ? undefined : headers[header.link];
	if (header === undefined || stringHeader === undefined) {
		return [];
	}
	const code = layout.headers.filter(({ flags, type }) => (flags & SHF_EXECINSTR) !== 0 && type !== SHT_NOBITS);
	const bytes = tableBytes(source, header);
	const strings = tableBytes(source, stringHeader);
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const entryBytes = is64 ? 24 : 16;
	const result: RawSymbol[] = [];
	for (let at = entryBytes; at + entryBytes <= bytes.length; at += entryBytes) {
		const info = view.getUint8(at + (is64 ? 4 : 12));
		const type = info & 15;
		const visibility = view.getUint8(at + (is64 ? 5 : 13)) & 3;
		const isLabel = type === STT_NOTYPE && visibility !== STV_HIDDEN && visibility !== STV_INTERNAL;
		if (type !== STT_FUNC && type !== STT_GNU_IFUNC && type !== STT_OBJECT && !isLabel) {
			continue;
		}
		const address = is64 ? long(view, at + 8, isLittle) : view.getUint32(at + 4, isLittle);
		const section = code.find(({ address: start, sizeBytes }) => address >= start && address < start + sizeBytes);
		const nameOffset = view.getUint32(at, isLittle);
		const first = strings[nameOffset] ?? 0;
		if (section === undefined || first === 0 || (first === DOLLAR && isMappingSymbol(stringAt(strings, nameOffset)))) {
			continue;
		}
		const sizeBytes = is64 ? long(view, at + 16, isLittle) : view.getUint32(at + 8, isLittle);
		const start = address - section.address + section.offset;
		result.push(new TableSymbol(start, sizeBytes, info >> 4, strings, nameOffset));
	}
	return result;
}

/** What lies in a procedure linkage table (.plt), in the order of its relocations: `memcpy@plt`. */
function linkageSymbols({ source, is64, isLittle, headers, names, machine }: SectionTable): NativeSymbol[] {
	const plt = headers[names.indexOf('.plt')];
	const relocations = headers[Math.max(names.indexOf('.rela.plt'), names.indexOf('.rel.plt'))];
	const symbols = relocations === undefined ? undefined : headers[relocations.link];
	const stringHeader = symbols === undefined ? undefined : headers[symbols.link];
	const layout = plt === undefined ? undefined : (PLT_LAYOUTS[machine] ?? { headBytes: plt.entryBytes, entryBytes: plt.entryBytes });
	if (
		plt === undefined ||
		relocations === undefined ||
		symbols === undefined ||
		stringHeader === undefined ||
		layout === undefined ||
		layout.entryBytes === 0
	) {
		return [];
	}
	const bytes = tableBytes(source, relocations);
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const table = tableBytes(source, symbols);
	const tableView = new DataView(table.buffer, table.byteOffset, table.byteLength);
	const strings = tableBytes(source, stringHeader);
	const result: NativeSymbol[] = [];
	let start = plt.offset + layout.headBytes;
	const end = plt.offset + plt.sizeBytes;
	const stepBytes = Math.max(relocations.entryBytes, is64 ? 16 : 8);
	for (let at = 0; at + stepBytes <= bytes.length && start < end; at += stepBytes, start += layout.entryBytes) {
		const number = is64 ? view.getUint32(at + (isLittle ? 12 : 8), isLittle) : view.getUint32(at + 4, isLittle) >>> 8;
		const entry = number * (is64 ? 24 : 16);
		const name = entry + 4 <= table.length ? stringAt(strings, tableView.getUint32(entry, isLittle)) : '';
		result.push({ start, end: start + layout.entryBytes, name: `${name}${LINKAGE}` });
	}
	return result;
}
