/** What link maps of several linkers have in common: which sections are code, which function a section is of, and what addresses tell of alignments. */
import type { OutputSection, PlacedInputSection, SymbolCollector } from '../../model/symbol-table.js';

/** Code has no flag in a map; these are the names of output sections that hold it. */
const CODE = /^\.(?:text|init|fini|plt|iplt)(?:\.|$)/;

export function isCodeSection(name: string): boolean {
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
const FUNCTION_SECTION = /^\.text\.(?:(?:hot|unlikely|startup|exit|split|unknown|sorted\.\d{1,9})\.)?(.+)$/;
const KINDS = new Set(['hot', 'unlikely', 'startup', 'exit', 'split', 'unknown']);

/** The function whose section it is; null: it holds those of a whole object file, or of a kind of them. */
function functionOf(section: string): string | null {
	const [, name = ''] = FUNCTION_SECTION.exec(section) ?? [];
	return name === '' || KINDS.has(name) ? null : name;
}

/** As a demangler writes it: linkers demangle what they list unless they are told not to. */
function isDemangled(name: string): boolean {
	return /[ (<~]|::/.test(name);
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
			at.set(start, [...(at.get(start) ?? []), symbol]);
		};
		if (own !== null && sizeBytes > 0) {
			// gcc calls what it splits off a function so, and puts it into a section of the function's name.
			const isColdPart = !hasLocals && listed.length === 0 && name.startsWith('.text.unlikely.') && whole.has(`${file}\0${own}`);
			put(address, isColdPart ? `${own}.cold` : own);
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
