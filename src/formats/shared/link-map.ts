/** What link maps of several linkers have in common: which sections are code, which function a section is of, what addresses tell of alignments, and the columns of lld and mold. */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { appendTo } from '../../model/append.js';
import { InputError, type Problem, SkippedLines } from '../../model/problem.js';
import { isMappingSymbol, type OutputSection, type PlacedInputSection, type SymbolCollector, type SymbolTable } from '../../model/symbol-table.js';

/** Code has no flag in a map; these are the names of output sections that hold it. */
const CODE = /^\.(?:text|init|fini|plt|iplt)(?:\.|$)/;

function isCodeSection(name: string): boolean {
	return CODE.test(name);
}

/** A section of an object file as a map tells it, with the symbols that stand below it. */
export interface MappedSection {
	readonly file: string;
	/** `.text.main` */
	readonly name: string;
	readonly address: number;
	readonly sizeBytes: number;
	/** Null where the map does not tell it. */
	readonly alignment: number | null;
	/** Index of its output section. */
	readonly section: number;
	readonly symbols: { readonly name: string; readonly address: number }[];
}

/** What compilers put between `.text` and the name of the function that a section is of (`-ffunction-sections`). */
const FUNCTION_SECTION = /^\.text\.(?:(?:hot|unlikely|startup|exit|split|eh|unknown|sorted\.\d{1,9})\.)?(.+)$/;
const KINDS = new Set(['hot', 'unlikely', 'startup', 'exit', 'split', 'unknown']);

/** The function whose section it is; null: it holds those of a whole object file, or of a kind of them. */
function functionOf(section: string): string | null {
	const [, name = ''] = FUNCTION_SECTION.exec(section) ?? [];
	return name === '' || KINDS.has(name) ? null : name;
}

/** As a demangler writes it: linkers demangle what they list unless they are told not to. */
export function isDemangled(name: string): boolean {
	return /[ (<~]|::/.test(name);
}

/** What demanglers put in brackets behind the name of a part of a function, or of a copy: `f(int) (.cold)`, `f(int) [clone .cold]`. */
const CLONE = / (?:\((\.[\w.]+)\)|\[clone (\.[\w.]+)\])$/;

/** The mangled name of a symbol that begins a section of one function's code; null: it is not demangled, or the section does not tell. */
export function mangledName(section: { readonly name: string; readonly address: number }, symbol: string, address: number): string | null {
	const own = functionOf(section.name);
	if (own === null || address !== section.address || !isDemangled(symbol)) {
		return null;
	}
	const [, byLlvm, byGnu] = CLONE.exec(symbol) ?? [];
	const clone = byLlvm ?? byGnu;
	// The section of a copy has its name, that of a part the name of the whole.
	return clone === undefined ? own : `${own.split('.', 1)[0]}${clone}`;
}

/** Of symbols whose mangled names are not told: orders, which have those, do not find them. */
export function demangledProblems(file: string, count: number, outcome: string): Problem[] {
	const message = `${count === 1 ? '1 symbol is' : `${count} symbols are`} demangled and ${outcome}`;
	return count === 0 ? [] : [{ severity: 'warning', file, message, action: 'link with -Wl,--no-demangle, or give the program with --elf' }];
}

/** A line of a map with columns. */
export interface MapColumns {
	/** Hexadecimal. */
	readonly address: string;
	readonly sizeBytes: number;
	readonly alignment: string;
	/** Blanks in front of the name: below 8 for an output section, below 16 for an input section, else for a symbol. */
	readonly indent: string;
	readonly name: string;
}

export interface PlacedLine {
	readonly name: string;
	readonly address: number;
	readonly sizeBytes: number;
	readonly alignment: number;
	/** Index of its output section, which holds code. */
	readonly section: number;
}

/** Reads a map with columns: output sections, and calls back with input sections and symbols of those that hold code. Gives lines that are none. */
export function readColumns(
	source: Source,
	columns: { readonly linker: string; readonly head: RegExp; readonly parse: (line: string) => MapColumns | null },
	sections: OutputSection[],
	take: { input(line: PlacedLine): void; symbol(line: PlacedLine): void },
): Problem[] {
	const skipped = new SkippedLines(source.name, `expected a line of a link map of ${columns.linker}`);
	forEachLine(source, (line, offset, number) => {
		const row = columns.parse(line);
		const address = Number.parseInt(row?.address ?? '', 16);
		if (row === null || !Number.isSafeInteger(address) || !Number.isSafeInteger(row.sizeBytes)) {
			if (line !== '' && !columns.head.test(line)) {
				skipped.add(number, offset);
			}
			return;
		}
		const { name, sizeBytes, indent } = row;
		const alignment = Math.max(1, Number(row.alignment));
		if (indent.length < 8) {
			sections.push(outputSection(name, address, sizeBytes, alignment));
			return;
		}
		const section = sections.length - 1;
		if (sections[section]?.isExecutable !== true) {
			return;
		}
		const placed = { name, address, sizeBytes, alignment, section };
		if (indent.length < 16) {
			take.input(placed);
		} else if (!isMappingSymbol(name)) {
			take.symbol(placed);
		}
	});
	return skipped.problems();
}

/** The table of a map of an ELF program. Throws an {@link InputError} without symbols; `writes`: how the map is made. */
export function tableOfMap(
	source: Source,
	kind: SymbolTable['kind'],
	writes: string,
	sections: OutputSection[],
	symbols: SymbolCollector,
	inputSections: readonly PlacedInputSection[],
): SymbolTable {
	if (symbols.count === 0) {
		const action = `give the map that ${writes}, or the program itself with --elf`;
		throw new InputError({ severity: 'error', file: source.name, message: 'holds no symbol of code', action });
	}
	return { kind, name: source.name, machine: null, isRelocatable: null, entry: null, sections, symbols: symbols.columns(), inputSections, readCode: null };
}

/**
 * Adds the symbols of sections, the first name of a function first. Linkers demangle, and some leave local symbols out; the section of a function tells its name then. Gives how
 * many names there were only as a demangler writes them. `hasLocals`: the map lists local symbols.
 */
export function addSymbols(sections: readonly MappedSection[], hasLocals: boolean, symbols: SymbolCollector): number {
	const whole = new Set(sections.map(({ file, name }) => `${file}\0${name.startsWith('.text.unlikely.') ? '' : functionOf(name)}`));
	const all: { name: string; address: number; sizeBytes: number; section: number; file: string; isListed: boolean }[] = [];
	let demangled = 0;
	for (const { file, name, address, sizeBytes, section, symbols: listed } of sections) {
		const own = functionOf(name);
		const plain = listed.filter((symbol) => !isDemangled(symbol.name));
		const at = new Map<number, string[]>();
		const put = (start: number, symbol: string): void => {
			appendTo(at, start, symbol);
		};
		const [part = own] = listed.flatMap((symbol) => mangledName({ name, address }, symbol.name, symbol.address) ?? []);
		if (own !== null && sizeBytes > 0) {
			// gcc calls what it splits off a function so, and puts it into a section of the function's name.
			const isColdPart = !hasLocals && listed.length === 0 && name.startsWith('.text.unlikely.') && whole.has(`${file}\0${own}`);
			put(address, isColdPart ? `${own}.cold` : (part ?? own));
		}
		for (const symbol of plain) {
			const isOwn = symbol.name === own || (symbol.address === address && symbol.name === `${own}.cold`);
			if (isOwn && symbol.name !== own) {
				at.set(address, [symbol.name]);
			} else if (!isOwn || !at.has(address)) {
				put(symbol.address, symbol.name);
			}
		}
		demangled += own === null ? listed.length - plain.length : Math.max(0, listed.length - plain.length - 1);
		const starts = [...at.keys()].sort((a, b) => a - b);
		starts.forEach((start, i) => {
			const end = starts[i + 1] ?? address + sizeBytes;
			for (const symbol of at.get(start)!) {
				const isListed = hasLocals || listed.length > 0;
				all.push({ name: symbol, address: start, sizeBytes: Math.max(0, end - start), section, file, isListed });
			}
		});
	}
	const counts = new Map<string, number>();
	for (const { name } of all) {
		counts.set(name, (counts.get(name) ?? 0) + 1);
	}
	for (const { name, address, sizeBytes, section, file, isListed } of all) {
		symbols.add(name, address, sizeBytes, section, !isListed || counts.get(name) !== 1, file);
	}
	return demangled;
}

/** Largest alignment that is taken for the usual one. */
const MOST_USUAL = 64;

/** What three quarters of the addresses are multiples of. */
function usualAlignment(addresses: readonly number[]): number {
	let usual = MOST_USUAL;
	while (usual > 1 && addresses.filter((address) => address % usual === 0).length < 0.75 * addresses.length) {
		usual /= 2;
	}
	return usual;
}

/** Of a section behind a gap: what its address allows, up to the usual one, or to what the gap needs. */
export function alignmentAt(address: number, gapBytes: number, usual: number): number {
	let alignment = 1;
	while (address % (2 * alignment) === 0 && (alignment < usual || alignment <= gapBytes)) {
		alignment *= 2;
	}
	return alignment;
}

/** Sections of code as the table of symbols has them. */
export function placedSections(sections: readonly MappedSection[]): PlacedInputSection[] {
	const usual = usualAlignment(sections.filter(({ sizeBytes }) => sizeBytes > 0).map(({ address }) => address));
	let end = 0;
	return sections.map(({ file, name, address, sizeBytes, alignment, section }) => {
		const gap = end === 0 ? 0 : address - end;
		end = Math.max(end, address + sizeBytes);
		return { name: `${file}:(${name})`, address, sizeBytes, alignment: alignment ?? alignmentAt(address, gap, usual), section };
	});
}

/** An output section. */
export function outputSection(name: string, address: number, sizeBytes: number, alignment: number): OutputSection {
	return { name, address, sizeBytes, alignment, isExecutable: isCodeSection(name), fileOffset: null };
}
