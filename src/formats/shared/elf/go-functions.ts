/**
 * The functions of programs in Go by `.gopclntab`, which Go's runtime needs, so that it is there also when they are stripped. Its forms changed with Go 1.2, 1.16, 1.18
 * and 1.20; since 1.26 it does not say any more where the code begins (Go's src/debug/gosym/pclntab.go, src/runtime/symtab.go).
 */
import type { Source } from '../../../bytes/source.js';
import { lastAtOrBelow } from '../../../model/binary-search.js';
import { long, readSectionTable, type SectionTable, SHT_NOBITS, stringAt, tableBytes } from './section-table.js';

const SECTIONS = ['.gopclntab', '.data.rel.ro.gopclntab'];
/** Where the C linker puts it in a position-independent program with C code, among other things. */
const MERGED_SECTION = '.data.rel.ro';
const GO_SECTIONS = ['.go.buildinfo', '.note.go.buildid'];
/** Since Go 1.26 what the runtime knows of the program lies in a section of its own. */
const MODULE_SECTION = '.go.module';
/** Which of its words is the address of the first function. */
const MODULE_TEXT = 22;
const GO_2 = 0xfffffffb;
const GO_16 = 0xfffffffa;
const GO_18 = 0xfffffff0;
const GO_20 = 0xfffffff1;
const MAGICS: ReadonlySet<number> = new Set([GO_2, GO_16, GO_18, GO_20]);
/** Behind the offset of a function's name: the offset of how deep its stack is. */
const DEPTH_OFFSET = 12;
const SHT_RELA = 4;
const RELA_BYTES = 24;

/** A function's addresses in the file, not its offsets; `end` is where the next begins. */
export interface GoFunction {
	readonly start: number;
	readonly end: number;
	readonly name: string;
}

export function isGoProgram(source: Source): boolean {
	const table = readSectionTable(source);
	return table.kind !== 'unusable' && isGo(table);
}

function isGo({ names }: SectionTable): boolean {
	return names.some((name) => GO_SECTIONS.includes(name));
}

/** In the order of their addresses; empty of programs in other languages. */
export function goFunctions(table: SectionTable): GoFunction[] {
	return described(table)?.functions ?? [];
}

/** How deep the stack is in code of Go. */
export interface GoStackDepths {
	/** Bytes from the stack pointer to the return address; null where it is not told. */
	depthAt(address: number): number | null;
}

/** null: it is no program in Go. */
export function goStackDepths(table: SectionTable): GoStackDepths | null {
	const told = described(table);
	if (told === null) {
		return null;
	}
	const { functions, bytes, view, isLittle, depths, quantum } = told;
	const starts = Float64Array.from(functions, ({ start }) => start);
	return {
		depthAt(address) {
			const of = functions[lastAtOrBelow(starts, address)];
			const at = of === undefined || address >= of.end ? bytes.length : of.description + DEPTH_OFFSET;
			const place = at + 4 <= bytes.length ? view.getUint32(at, isLittle) : 0;
			return of === undefined || place === 0 ? null : valueAt(bytes, depths + place, address - of.start, quantum);
		},
	};
}

/** Pairs of numbers of variable length: by how much the value changes, with its sign in the lowest bit, and for how many units of code it holds. */
function valueAt(bytes: Uint8Array, from: number, wanted: number, quantum: number): number | null {
	let at = from;
	const next = (): number => {
		let value = 0;
		let scale = 1;
		for (;;) {
			const byte = bytes[at++] ?? 0;
			value += (byte & 0x7f) * scale;
			scale *= 128;
			if ((byte & 0x80) === 0) {
				return value;
			}
		}
	};
	let value = -1;
	for (let covered = 0; at < bytes.length; ) {
		const change = next();
		if (change === 0 && covered > 0) {
			return null;
		}
		value += change % 2 === 0 ? change / 2 : -(change + 1) / 2;
		covered += next() * quantum;
		if (wanted < covered) {
			return value;
		}
	}
	return null;
}

interface Described {
	readonly bytes: Uint8Array;
	readonly view: DataView;
	readonly isLittle: boolean;
	readonly functions: NamedFunction[];
	/** Where the depths of stacks begin, which functions' offsets count from. */
	readonly depths: number;
	/** Bytes of a unit of code. */
	readonly quantum: number;
}

function described(table: SectionTable): Described | null {
	const found = findTable(table);
	if (found === null) {
		return null;
	}
	const { bytes, address } = found;
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const { isLittle } = table;
	const quantum = bytes[6] ?? 1;
	const pointerBytes = bytes[7] ?? 0;
	const magic = bytes.length < 16 ? 0 : view.getUint32(0, isLittle);
	if ((pointerBytes !== 4 && pointerBytes !== 8) || bytes.length < 8 + 8 * pointerBytes) {
		return null;
	}
	const word = (at: number): number => (pointerBytes === 8 ? long(view, at, isLittle) : view.getUint32(at, isLittle));
	const field = (index: number): number => word(8 + index * pointerBytes);
	const layout = layoutOf(magic, field, pointerBytes);
	if (layout === null) {
		return null;
	}
	const { names, functions, entryBytes, isRelative, depths } = layout;
	const textStart = isRelative ? field(2) || textOf(table, address + 8 + 2 * pointerBytes) : 0;
	const entry = (at: number): number => (entryBytes === 8 ? word(at) : view.getUint32(at, isLittle));
	const result: NamedFunction[] = [];
	const rows = Math.min(field(0), Math.floor((bytes.length - layout.table - entryBytes) / (2 * entryBytes)));
	for (let i = 0; i < rows; i++) {
		const at = layout.table + 2 * i * entryBytes;
		const start = textStart + entry(at);
		const end = textStart + entry(at + 2 * entryBytes);
		// A function's description begins with its address, as in the table of functions, or its offset.
		const description = functions + entry(at + entryBytes) + (isRelative ? 4 : pointerBytes);
		const name = description + 4 <= bytes.length ? names + view.getUint32(description, isLittle) : bytes.length;
		if ((bytes[name] ?? 0) !== 0 && end > start && Number.isSafeInteger(end)) {
			result.push(new NamedFunction(start, end, bytes, name, description));
		}
	}
	return { bytes, view, isLittle, functions: result, depths, quantum };
}

function findTable(table: SectionTable): { readonly bytes: Uint8Array; readonly address: number } | null {
	const { headers, names, source, isLittle } = table;
	const own = headers[names.findIndex((name) => SECTIONS.includes(name))];
	if (own !== undefined) {
		return own.type === SHT_NOBITS ? null : { bytes: tableBytes(source, own), address: own.address };
	}
	const merged = headers[names.indexOf(MERGED_SECTION)];
	if (merged === undefined || !isGo(table)) {
		return null;
	}
	const bytes = tableBytes(source, merged);
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	for (let at = 0; at + 16 <= bytes.length; at += 8) {
		const isHead = MAGICS.has(view.getUint32(at, isLittle)) && bytes[at + 4] === 0 && bytes[at + 5] === 0;
		if (isHead && [1, 2, 4].includes(bytes[at + 6]!) && [4, 8].includes(bytes[at + 7]!)) {
			return { bytes: bytes.subarray(at), address: merged.address + at };
		}
	}
	return null;
}

/** A program has a hundred thousand: the name is decoded when somebody asks. */
class NamedFunction implements GoFunction {
	readonly start: number;
	readonly end: number;
	private readonly bytes: Uint8Array;
	/** Where in the table it is described, from its name on. */
	readonly description: number;
	private readonly nameOffset: number;
	private decoded: string | null = null;

	constructor(start: number, end: number, bytes: Uint8Array, nameOffset: number, description: number) {
		this.start = start;
		this.end = end;
		this.bytes = bytes;
		this.nameOffset = nameOffset;
		this.description = description;
	}

	get name(): string {
		this.decoded ??= stringAt(this.bytes, this.nameOffset);
		return this.decoded;
	}
}

interface Layout {
	/** Where names and descriptions of functions begin, which offsets count from, and the table of functions. */
	readonly names: number;
	readonly functions: number;
	readonly table: number;
	/** Of each of the two values of a row. */
	readonly entryBytes: number;
	/** Whether addresses count from the first function. */
	readonly isRelative: boolean;
	/** Where what changes within functions begins. */
	readonly depths: number;
}

function layoutOf(magic: number, field: (index: number) => number, pointerBytes: number): Layout | null {
	switch (magic) {
		case GO_2:
			return { names: 0, functions: 0, table: 8 + pointerBytes, entryBytes: pointerBytes, isRelative: false, depths: 0 };
		case GO_16:
			return { names: field(2), functions: field(6), table: field(6), entryBytes: pointerBytes, isRelative: false, depths: field(5) };
		case GO_18:
		case GO_20:
			return { names: field(3), functions: field(7), table: field(7), entryBytes: 4, isRelative: true, depths: field(6) };
		default:
			return null;
	}
}

/** Where the first function lies, of a table that does not say so itself: what the loader puts there, what the runtime is told, or where all code begins. */
function textOf(table: SectionTable, place: number): number {
	const { headers, names, is64, isLittle } = table;
	const module = headers[names.indexOf(MODULE_SECTION)];
	const wordBytes = is64 ? 8 : 4;
	let told = 0;
	if (module !== undefined) {
		const bytes = tableBytes(table.source, module);
		const at = MODULE_TEXT * wordBytes;
		const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		told = at + wordBytes > bytes.length ? 0 : is64 ? long(view, at, isLittle) : view.getUint32(at, isLittle);
		told ||= relocated(table, module.address + at);
	}
	return told || relocated(table, place) || (headers[names.indexOf('.text')]?.address ?? 0);
}

/** The address that the loader of a position-independent program puts at `place`, as the file has it; 0 where none. */
function relocated({ headers, source, is64, isLittle }: SectionTable, place: number): number {
	for (const header of is64 ? headers.filter(({ type }) => type === SHT_RELA) : []) {
		const bytes = tableBytes(source, header);
		const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		for (let at = 0; at + RELA_BYTES <= bytes.length; at += RELA_BYTES) {
			if (long(view, at, isLittle) === place) {
				return long(view, at + 16, isLittle);
			}
		}
	}
	return 0;
}
