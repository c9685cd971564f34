/**
 * From a symbol table to the input sections that a linker moved. A link map tells them. Otherwise they are inferred:
 *
 * - lld fills the space between sections with trap instructions (x86: int3) or zeros, the assembler that inside a section with nops. So where the bytes
 *   are at hand, functions with nops between them share a section.
 * - Without bytes each distinct start address begins a section, but for symbols inside another's body, and the start-up code of the C library, whose
 *   symbols have no size: crt1.o is one section, crtbegin.o another.
 * - A section's alignment is at least what the gap before it needs and at most what its address allows; between these, that of most sections.
 */
import { codeSections, type PlacedInputSection, type SymbolTable } from '../model/symbol-table.js';
import type { TextLayout, TextRegion } from '../model/text-layout.js';
import { sumOf } from '../statistics/sums.js';
import { PAGE_BYTES } from './results.js';
import { inferAlignments, lowerColdAlignments, neededBy } from './section-alignments.js';
import { markWholeObjects } from './whole-objects.js';

/** Most bytes of code that are read to look at the padding. */
const MAX_CODE_BYTES = 2 ** 29;
/** Symbols of start-up code beside `.text`; listings without sections cannot tell them from functions. */
const BESIDE_TEXT = new Set(['_init', '_fini']);
const MACHO_TEXT = '__TEXT,__text';
const SAME_SECTION_AS_BEFORE = new Set(['_dl_relocate_static_pie']);

interface Region {
	readonly name: string;
	readonly start: number;
	readonly end: number;
	readonly alignment: number;
	/** Index of the output section in the symbol table. */
	readonly index: number;
}

/** Functions of one region, by address, before they are put into sections. */
interface Functions {
	readonly starts: number[];
	readonly sizes: number[];
	readonly symbols: number[][];
}

interface Sections {
	readonly starts: number[];
	readonly sizes: number[];
	readonly alignments: number[];
	/** Of each function of the region. */
	readonly ofFunction: number[];
	/** As in a layout. */
	readonly touching: number;
}

/** `name` is what the layout is called. Regions without symbols are left out. */
export function inferLayout(table: SymbolTable, name: string): TextLayout {
	const { symbols } = table;
	const regions = textRegions(table);
	const order = symbolOrder(table);
	const taken = new Uint8Array(symbols.names.length);
	const placed: TextRegion[] = [];
	let touching = 0;
	const columns = { starts: [] as number[], sizes: [] as number[], alignments: [] as number[] };
	const functions = { sections: [] as number[], offsets: [] as number[], sizes: [] as number[], names: [] as string[] };
	const named = { symbols: [] as number[], functions: [] as number[] };
	for (const region of regions) {
		const found = functionsOf(table, region, order, taken);
		if (found.starts.length === 0) {
			continue;
		}
		const sections =
			table.inputSections === null
				? inferSections(table, region, found)
				: mappedSections(
						table.inputSections.filter(({ section }) => section === region.index),
						found,
					);
		touching += sections.touching;
		const firstSection = columns.starts.length;
		for (let i = 0; i < sections.starts.length; i++) {
			columns.starts.push(sections.starts[i]!);
			columns.sizes.push(sections.sizes[i]!);
			columns.alignments.push(sections.alignments[i]!);
		}
		for (let i = 0; i < found.starts.length; i++) {
			const section = firstSection + sections.ofFunction[i]!;
			const ownSymbols = found.symbols[i]!;
			for (const symbol of ownSymbols) {
				named.symbols.push(symbol);
				named.functions.push(functions.sections.length);
			}
			functions.sections.push(section);
			functions.offsets.push(found.starts[i]! - columns.starts[section]!);
			functions.sizes.push(found.sizes[i]!);
			functions.names.push(symbols.names[ownSymbols[0]!]!);
		}
		const before = placed.at(-1);
		const precededBy = before === undefined ? [] : sectionsBetween(table, before.start, region.start);
		placed.push({ name: region.name, start: region.start, alignment: region.alignment, precededBy, firstSection, endSection: columns.starts.length });
	}
	const elsewhere: { name: string; section: string | null }[] = [];
	for (let i = 0; i < taken.length; i++) {
		if (taken[i] === 0) {
			elsewhere.push({ name: symbols.names[i]!, section: table.sections[symbols.sections[i]!]?.name ?? null });
		}
	}
	return {
		name,
		machine: table.machine,
		machOArchitecture: table.machOArchitecture ?? null,
		pageBytes: pageBytesOf(table),
		isRelocatable: table.isRelocatable,
		entry: table.entry ?? (table.machOArchitecture === undefined ? startOf(symbols) : null),
		code: codeSections(table.sections),
		regions: placed,
		sectionStarts: Float64Array.from(columns.starts),
		sectionSizes: Float64Array.from(columns.sizes),
		sectionAlignments: Float64Array.from(columns.alignments),
		functionSections: Int32Array.from(functions.sections),
		functionOffsets: Float64Array.from(functions.offsets),
		functionSizes: Float64Array.from(functions.sizes),
		functionNames: functions.names,
		symbolNames: named.symbols.map((symbol) => symbols.names[symbol]!),
		symbolFunctions: Int32Array.from(named.functions),
		symbolIsLocal: Uint8Array.from(named.symbols, (symbol) => symbols.isLocal[symbol]!),
		symbolFiles: named.symbols.map((symbol) => symbols.files[symbol] ?? null),
		elsewhere,
		touching,
	};
}

/** Systems of Apple for arm64 have pages of 16 KiB; all others are counted in pages of 4 KiB. */
function pageBytesOf({ machOArchitecture = '' }: SymbolTable): number {
	return machOArchitecture.startsWith('arm64') ? 4 * PAGE_BYTES : PAGE_BYTES;
}

function startOf({ names, addresses }: SymbolTable['symbols']): number | null {
	const start = names.indexOf('_start');
	return start < 0 ? null : addresses[start]!;
}

/** `.text` and what is kept apart from it by name (-z keep-text-section-prefix); of programs that have neither, all code but the linker's own. */
function textRegions({ sections, symbols }: SymbolTable): Region[] {
	const regions = sections.map(({ name, address, sizeBytes, alignment, isExecutable }, index) => ({
		region: { name, start: address, end: address + sizeBytes, alignment, index },
		isCode: isExecutable && sizeBytes > 0,
	}));
	const code = regions.filter(({ isCode }) => isCode).map(({ region }) => region);
	if (sections.length > 0) {
		const text = code.filter(({ name }) => name === '.text' || name.startsWith('.text.') || name === MACHO_TEXT);
		const chosen = text.length > 0 ? text : code.filter(({ name }) => !/^\.(?:init|fini|i?plt)(?:\.|$)/.test(name));
		return chosen.sort((a, b) => a.start - b.start);
	}
	let start = Number.POSITIVE_INFINITY;
	let end = 0;
	symbols.names.forEach((name, i) => {
		if (!BESIDE_TEXT.has(name)) {
			start = Math.min(start, symbols.addresses[i]!);
			end = Math.max(end, symbols.addresses[i]! + Math.max(1, symbols.sizes[i]!));
		}
	});
	return end === 0 ? [] : [{ name: '.text', start, end, alignment: 16, index: -1 }];
}

/** Output sections of code that begin after one region begins and before the next. */
function sectionsBetween({ sections }: SymbolTable, after: number, before: number): { sizeBytes: number; alignment: number }[] {
	return sections.filter(({ isExecutable, address }) => isExecutable && address > after && address < before).sort((a, b) => a.address - b.address);
}

/** Symbols by address, of equal ones in the order of the table. */
function symbolOrder({ symbols: { addresses } }: SymbolTable): Uint32Array {
	const order = Uint32Array.from(addresses, (_address, i) => i);
	return order.sort((a, b) => addresses[a]! - addresses[b]! || a - b);
}

function functionsOf({ symbols, sections }: SymbolTable, region: Region, order: Uint32Array, taken: Uint8Array): Functions {
	const functions: Functions = { starts: [], sizes: [], symbols: [] };
	for (const symbol of order) {
		const address = symbols.addresses[symbol]!;
		if (address < region.start || address >= region.end) {
			continue;
		}
		if (sections.length === 0 ? BESIDE_TEXT.has(symbols.names[symbol]!) : symbols.sections[symbol] !== region.index) {
			continue;
		}
		taken[symbol] = 1;
		const last = functions.starts.length - 1;
		if (functions.starts[last] === address) {
			functions.symbols[last]!.push(symbol);
			functions.sizes[last] = Math.max(functions.sizes[last]!, symbols.sizes[symbol]!);
		} else {
			functions.starts.push(address);
			functions.sizes.push(symbols.sizes[symbol]!);
			functions.symbols.push([symbol]);
		}
	}
	return functions;
}

function mappedSections(inputs: readonly PlacedInputSection[], functions: Functions): Sections {
	const sections: Sections = { starts: [], sizes: [], alignments: [], ofFunction: [], touching: 0 };
	for (const { address, sizeBytes, alignment } of inputs) {
		sections.starts.push(address);
		sections.sizes.push(sizeBytes);
		sections.alignments.push(alignment);
	}
	let at = 0;
	for (const start of functions.starts) {
		while (at + 1 < inputs.length && start >= sections.starts[at]! + sections.sizes[at]!) {
			at++;
		}
		sections.ofFunction.push(at);
	}
	return sections;
}

function inferSections(table: SymbolTable, region: Region, functions: Functions): Sections {
	const { starts, sizes } = functions;
	const count = starts.length;
	const padding = table.readCode === null ? null : lookAtPadding(table, table.readCode, region, functions);
	const sections: Sections = { starts: [], sizes: [], alignments: [], ofFunction: [], touching: padding?.touching ?? 0 };
	/** Where the code of the open section is known to end, and whether that is known at all. */
	let end = Number.NEGATIVE_INFINITY;
	let isEndKnown = true;
	const gaps: number[] = [];
	/** What the padding inside a section shows: the assembler aligns no more than the section is. */
	const insideNeeds: number[] = [];
	for (let i = 0; i < count; i++) {
		const start = starts[i]!;
		const size = sizes[i]!;
		const name = table.symbols.names[functions.symbols[i]![0]!]!;
		const isSame = i > 0 && (start < end || (padding === null ? (!isEndKnown && size === 0) || SAME_SECTION_AS_BEFORE.has(name) : padding.isShared[i] === 1));
		if (!isSame) {
			if (i > 0) {
				close(sections, padding?.ends[i] ?? (isEndKnown ? end : start));
			}
			gaps.push(i === 0 ? 0 : start - (sections.starts.at(-1)! + sections.sizes.at(-1)!));
			sections.starts.push(start);
			insideNeeds.push(1);
			end = start + size;
			isEndKnown = size > 0;
		} else {
			const needed = isEndKnown ? neededBy(start - end) : 1;
			if (start % needed === 0) {
				insideNeeds[insideNeeds.length - 1] = Math.max(insideNeeds.at(-1)!, needed);
			}
			end = Math.max(end, start + size);
			isEndKnown = size > 0 || start < end;
		}
		sections.ofFunction.push(sections.starts.length - 1);
	}
	close(sections, padding?.ends[count] ?? (isEndKnown ? end : Math.max(end, lastEnd(table, region, starts[count - 1]!))));
	inferAlignments(sections, gaps, insideNeeds);
	const isCold = new Uint8Array(sections.starts.length);
	functions.symbols.forEach((own, i) => {
		isCold[sections.ofFunction[i]!] = isColdPart(table, own) ? 1 : 0;
	});
	lowerColdAlignments(sections, gaps, isCold);
	return sections;
}

function close(sections: Sections, end: number): void {
	sections.sizes.push(Math.max(0, end - sections.starts.at(-1)!));
}

/** A last function without a size ends at the next symbol of code, or with the region. */
function lastEnd({ symbols, sections }: SymbolTable, region: Region, start: number): number {
	if (sections.length > 0) {
		return region.end;
	}
	let end = start + 256;
	for (const address of symbols.addresses) {
		end = address > start && address < end ? address : end;
	}
	return end;
}

interface Padding {
	/** 1: function i shares the section of the one before it. */
	readonly isShared: Uint8Array;
	/** Where the code before function i ends, the linker's padding taken off; of the last index, where the region's ends. */
	readonly ends: Float64Array;
	/** Functions that nothing parts from the one before, where most are such and are taken for sections of their own. */
	readonly touching: number;
}

/** Null when there are no bytes, or the linker padded like an assembler. */
function lookAtPadding(table: SymbolTable, readCode: NonNullable<SymbolTable['readCode']>, region: Region, functions: Functions): Padding | null {
	const { machine, symbols } = table;
	const bytes = readCode(region.start, Math.min(region.end - region.start, MAX_CODE_BYTES));
	const filler = machine === 'X86_64' || machine === '386' ? 0xcc : 0;
	const { starts, sizes } = functions;
	const count = starts.length;
	const isShared = new Uint8Array(count);
	const ends = new Float64Array(count + 1);
	const isGapless = new Uint8Array(count);
	let filled = 0;
	let other = 0;
	let end = region.start;
	for (let i = 0; i <= count; i++) {
		const next = i < count ? starts[i]! : region.end;
		if (i > 0) {
			end = Math.max(end, starts[i - 1]! + Math.max(sizes[i - 1]!, 1));
		}
		let codeEnd = next;
		while (codeEnd > end && bytes[codeEnd - 1 - region.start] === filler) {
			codeEnd--;
		}
		ends[i] = next < end ? end : codeEnd;
		if (i === 0 || i === count) {
			continue;
		}
		if (next < end) {
			isShared[i] = 1;
		} else if (codeEnd < next && next > end) {
			filled++;
		} else if (next === end || (sizes[i - 1] === 0 && sizes[i]! > 0)) {
			// Start-up code of the C library has no size, and may end right there.
			isGapless[i] = 1;
		} else {
			isShared[i] = 1;
			other++;
		}
	}
	if (filled === 0 || bytes.length < region.end - region.start) {
		return null;
	}
	// Where most functions touch, few gaps tell nothing of the others.
	const touching = sumOf(isGapless);
	if (other > filled && other > touching) {
		// Most functions share their object's section: those that touch do too.
		for (let i = 1; i < count; i++) {
			isShared[i] = Math.max(isShared[i]!, isGapless[i]!);
		}
	}
	const ofFiles = functions.symbols.map((own) => ({
		file: own.map((symbol) => (symbols.isLocal[symbol] === 1 ? (symbols.files[symbol] ?? null) : null)).find((file) => file !== null) ?? null,
		isCold: isColdPart(table, own),
	}));
	markWholeObjects(ofFiles, isShared, isGapless);
	const apart = isGapless.filter((gapless, i) => gapless === 1 && isShared[i] === 0).length;
	return { isShared, ends, touching: 2 * apart > count ? apart : 0 };
}

/** Compilers put the part of a function that they expect to run rarely apart under this name. */
function isColdPart({ symbols }: SymbolTable, own: readonly number[]): boolean {
	return own.some((symbol) => symbols.names[symbol]!.endsWith('.cold'));
}
