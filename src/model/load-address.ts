/**
 * Where a position-independent program was loaded: what is to be taken off from the addresses of a recording to get those of the link. A memory map tells it; else the
 * address that the program was entered at, which has the place in its page that the linker gave it; else starts of functions. Distances are multiples of a page.
 */
import { firstWhere, lastAtOrBelow } from './binary-search.js';
import type { ExecutedInstructions } from './executed-code.js';
import type { ListedFunction } from './listed-function.js';
import type { FileMapping } from './page-faults.js';
import type { Problem } from './problem.js';
import type { CodeSection, SymbolColumns } from './symbol-table.js';

/** What told it; null: nothing did. `linked`: the addresses are those of the link. */
type LoadAddressSource = 'linked' | 'memory map' | 'entry' | 'functions' | null;

export interface LoadAddress {
	/** Bytes, a multiple of a page. */
	readonly slide: number;
	readonly by: LoadAddressSource;
}

/** A program as it is linked. */
export interface LinkedProgram {
	/** What its file is called. */
	readonly name: string;
	readonly isRelocatable: boolean | null;
	/** Where it is entered; null where it is not told. */
	readonly entry: number | null;
	/** Empty where it is not told. */
	readonly code: readonly CodeSection[];
	/** Addresses of its functions, ascending. */
	readonly starts: Float64Array;
	/** Where the last of them ends. */
	readonly end: number;
}

const PAGE_BYTES = 4096;
const DISTANCES_TRIED = 200;
/** With all that was executed: the right one lays most functions that ran on their starts. */
const DISTANCES_FITTED = 12;
/** Rows that are looked at. */
const ADDRESSES_LOOKED_AT = 500;
const LINKED: LoadAddress = { slide: 0, by: 'linked' };
/** What no linker symbol holds, and demangled names do. */
export const DEMANGLED = /[\s<>(]|::/;

/** Symbols as columns. */
type NamedSymbols = { readonly names: readonly string[] } & Pick<SymbolColumns, 'addresses' | 'sizes' | 'isLocal'>;

/** How well executed instructions fit a program that was loaded at a distance. */
interface Fit {
	/** Of the functions that have executed instructions those whose first byte is one. */
	readonly entered: number;
	readonly ran: number;
	/** Instructions in the code. */
	readonly inside: number;
	/** Instructions between its sections of code, where there is none. */
	readonly astray: number;
}

/** What runs is entered at its first byte, but for parts that the compiler split off: at a wrong distance addresses fall anywhere. */
const LEAST_SHARE_OF_ENTRIES = 0.5;
const LEAST_FUNCTIONS = 2;
/** Of a list without a function's first byte, for it to be one of addresses as linked. */
const LEAST_SHARE_LINKED = 0.9;

/** Of a list of executed instructions, which may hold those of libraries and of the loader too. */
export function loadAddressOfInstructions(program: LinkedProgram, { addresses, sizes }: ExecutedInstructions, mappings: readonly FileMapping[]): LoadAddress {
	if (program.isRelocatable === false || program.starts.length === 0) {
		return LINKED;
	}
	const sorted = addresses.slice().sort();
	const bounds = codeBounds(program);
	const fitAt = (slide: number): Fit => fitOf(program, bounds, sorted, slide);
	const mapped = slidesOfMappings(program, mappings);
	if (mapped.sure !== null) {
		return { slide: mapped.sure, by: 'memory map' };
	}
	const linked = fitAt(0);
	if (isConvincing(linked, 1)) {
		return LINKED;
	}
	const ways: readonly (readonly [LoadAddressSource, () => Iterable<number>])[] = [
		['memory map', () => mapped.possible],
		['entry', () => slidesOfEntry(program, addresses)],
		['functions', () => slidesOfStarts(program.starts, jumpTargets(addresses, sizes)).slice(0, DISTANCES_FITTED)],
	];
	for (const [by, slides] of ways) {
		const best = bestOf(slides(), fitAt);
		if (best !== null && isConvincing(best.fit, LEAST_FUNCTIONS) && worthOf(best.fit) > worthOf(linked)) {
			return { slide: best.slide, by };
		}
	}
	const isLinked = program.isRelocatable !== true || (linked.inside > 0 && linked.inside >= LEAST_SHARE_LINKED * addresses.length);
	return isLinked ? LINKED : { slide: 0, by: null };
}

/** What to say of a trace for which nothing tells where the program was loaded. */
export function notLoaded(file: string, program: string): Problem {
	return {
		severity: 'error',
		file,
		message: `nothing tells where ${program}, which is position-independent, was loaded: there is no memory map, and no executed address fits its entry or its functions`,
		action: `is it the program that was recorded (--recorded-on)? Put a copy of /proc/PID/maps of the run beside the trace, as ${file}.maps, or record from the program's start`,
	};
}

/** Of rows with addresses, some of them with names: samples, lists of functions. */
export function loadAddressOfRows(
	program: Pick<LinkedProgram, 'name' | 'isRelocatable' | 'code'>,
	symbols: NamedSymbols,
	allRows: readonly ListedFunction[],
	mappings: readonly FileMapping[],
): LoadAddress {
	if (program.isRelocatable === false) {
		return LINKED;
	}
	const { sure, possible } = slidesOfMappings(program, mappings);
	const sorted = symbolsByAddress(symbols);
	const rows = distinctAddresses(allRows);
	let best: LoadAddress = LINKED;
	let most = rowsExplained(symbols, sorted, rows, 0);
	if (sure !== null) {
		// perf script prints frames of stacks as they are linked, also of a program that was loaded elsewhere.
		return most > rowsExplained(symbols, sorted, rows, sure) ? LINKED : { slide: sure, by: 'memory map' };
	}
	for (const slide of possible) {
		const score = rowsExplained(symbols, sorted, rows, slide);
		if (score > most) {
			best = { slide, by: 'memory map' };
			most = score;
		}
	}
	for (const slide of mostSuggested(suggestedSlides(symbols, sorted, rows))) {
		const score = rowsExplained(symbols, sorted, rows, slide);
		// Linux puts a program below the libraries.
		if (score > most || (score === most && score > 0 && slide < best.slide)) {
			best = { slide, by: slide === 0 ? 'linked' : 'functions' };
			most = score;
		}
	}
	return best;
}

/** Numbers of symbols by address, of equal ones in the order of the table. */
export function symbolsByAddress({ addresses }: Pick<SymbolColumns, 'addresses'>): Int32Array {
	return Int32Array.from(addresses.keys()).sort((a, b) => addresses[a]! - addresses[b]! || a - b);
}

/** The symbol that an address of the link belongs to, -1 without one. Of several the one of this name, else a global one, else the first. */
export function symbolAt(symbols: NamedSymbols, sorted: Int32Array, address: number, name: string | null): number {
	const { addresses } = symbols;
	const last = firstWhere(sorted.length, (i) => addresses[sorted[i]!]! > address) - 1;
	if (last < 0) {
		return -1;
	}
	const start = addresses[sorted[last]!]!;
	let chosen = -1;
	for (let i = last; i >= 0 && addresses[sorted[i]!] === start; i--) {
		const candidate = sorted[i]!;
		const isNamed = symbols.names[candidate] === name;
		if (isNamed || chosen < 0 || symbols.isLocal[candidate] === 0 || symbols.isLocal[chosen] === 1) {
			chosen = candidate;
		}
		if (isNamed) {
			break;
		}
	}
	const sizeBytes = symbols.sizes[chosen]!;
	return address !== start && (sizeBytes === 0 || address >= start + sizeBytes) ? -1 : chosen;
}

/** `sure`: of a mapped file with the program's name; `possible`: of other files, as programs are renamed. */
function slidesOfMappings({ name, code }: Pick<LinkedProgram, 'name' | 'code'>, mappings: readonly FileMapping[]): { sure: number | null; possible: number[] } {
	let sure: number | null = null;
	const possible: number[] = [];
	for (const { start, sizeBytes, fileOffset, isExecutable, file } of mappings) {
		const section = code.find((one) => one.fileOffset !== null && one.fileOffset >= fileOffset && one.fileOffset < fileOffset + sizeBytes);
		if (!isExecutable || section === undefined) {
			continue;
		}
		const slide = start - fileOffset + (section.fileOffset ?? 0) - section.address;
		if (slide % PAGE_BYTES === 0) {
			sure ??= baseName(file) === baseName(name).replace(/\.gz$/, '') ? slide : null;
			possible.push(slide);
		}
	}
	return { sure, possible };
}

function baseName(file: string): string {
	return file.slice(file.lastIndexOf('/') + 1);
}

function codeBounds({ code, starts, end }: LinkedProgram): { low: number; high: number } {
	if (code.length === 0) {
		return { low: starts[0]!, high: end };
	}
	let low = Number.POSITIVE_INFINITY;
	let high = 0;
	for (const { address, sizeBytes } of code) {
		low = Math.min(low, address);
		high = Math.max(high, address + sizeBytes);
	}
	return { low, high };
}

function fitOf({ code, starts }: LinkedProgram, { low, high }: { low: number; high: number }, sorted: Float64Array, slide: number): Fit {
	const ranges = code.map(({ address, sizeBytes }) => ({ start: address, end: address + sizeBytes })).sort((a, b) => a.start - b.start);
	let entered = 0;
	let ran = 0;
	let inside = 0;
	let astray = 0;
	let range = 0;
	let owner = -1;
	let lastOwner = -1;
	for (let i = lastAtOrBelow(sorted, low + slide - 1) + 1; i < sorted.length; i++) {
		const address = sorted[i]! - slide;
		if (address >= high) {
			break;
		}
		while (range < ranges.length && address >= ranges[range]!.end) {
			range++;
		}
		if (range < ranges.length && address < ranges[range]!.start) {
			astray++;
			continue;
		}
		inside++;
		while (owner + 1 < starts.length && starts[owner + 1]! <= address) {
			owner++;
		}
		// What lies before the first function of its section is the linker's own.
		if (owner < 0 || owner === lastOwner || (ranges.length > 0 && starts[owner]! < ranges[range]!.start)) {
			continue;
		}
		lastOwner = owner;
		ran++;
		entered += starts[owner] === address ? 1 : 0;
	}
	return { entered, ran, inside, astray };
}

function isConvincing({ entered, ran, inside, astray }: Fit, leastFunctions: number): boolean {
	return ran >= leastFunctions && entered >= LEAST_SHARE_OF_ENTRIES * ran && astray <= 0.1 * inside;
}

function worthOf({ entered, ran, astray }: Fit): number {
	return entered - 2 * (ran - entered) - astray;
}

function bestOf(slides: Iterable<number>, fitAt: (slide: number) => Fit): { slide: number; fit: Fit } | null {
	let best: { slide: number; fit: Fit } | null = null;
	for (const slide of new Set(slides)) {
		const fit = fitAt(slide);
		if (best === null || worthOf(fit) > worthOf(best.fit)) {
			best = { slide, fit };
		}
	}
	return best;
}

/** Of each executed address that may be the one that the program was entered at. */
function* slidesOfEntry({ entry }: LinkedProgram, addresses: Float64Array): Generator<number> {
	if (entry === null) {
		return;
	}
	for (const address of addresses) {
		if (address >= entry && (address - entry) % PAGE_BYTES === 0) {
			yield address - entry;
		}
	}
}

/** Executed addresses that were not come to from the instruction before them: among them are the functions that were called. */
function jumpTargets(addresses: Float64Array, sizes: Uint8Array): Float64Array {
	return addresses.filter((address, i) => i === 0 || address !== addresses[i - 1]! + sizes[i - 1]!);
}

/** Distances that lay addresses on starts of functions, those of the most addresses first. */
function slidesOfStarts(starts: Float64Array, addresses: Float64Array): number[] {
	const byPageOffset = new Map<number, number[]>();
	for (const start of starts) {
		add(byPageOffset, start % PAGE_BYTES, start);
	}
	const suggested = new Map<number, number>();
	for (const address of addresses) {
		for (const start of byPageOffset.get(address % PAGE_BYTES) ?? []) {
			if (address >= start) {
				suggested.set(address - start, (suggested.get(address - start) ?? 0) + 1);
			}
		}
	}
	return mostSuggested(suggested);
}

function mostSuggested(suggested: ReadonlyMap<number, number>): number[] {
	return [...suggested]
		.sort((a, b) => b[1] - a[1])
		.slice(0, DISTANCES_TRIED)
		.map(([slide]) => slide);
}

function distinctAddresses(rows: readonly ListedFunction[]): ListedFunction[] {
	const seen = new Map<number, ListedFunction>();
	for (const row of rows) {
		if (row.address !== null && !seen.has(row.address)) {
			seen.set(row.address, row);
			if (seen.size === ADDRESSES_LOOKED_AT) {
				break;
			}
		}
	}
	return [...seen.values()];
}

/** How many rows the program explains if it lies so far from where it was linked; a row whose name says otherwise counts against it. */
function rowsExplained(symbols: NamedSymbols, sorted: Int32Array, rows: readonly ListedFunction[], slide: number): number {
	let score = 0;
	for (const { address, symbol: name, offset = null } of rows) {
		if (address === null) {
			continue;
		}
		const wanted = address - slide;
		const symbol = symbolAt(symbols, sorted, wanted, name);
		if (symbol < 0) {
			continue;
		}
		const isStart = wanted - (offset ?? 0) === symbols.addresses[symbol];
		const isEverywhere = name === '_init' || name === '_fini';
		if (name === null || DEMANGLED.test(name)) {
			score += isStart ? 1 : 0;
		} else {
			score += symbols.names[symbol] === name && (offset === null || isStart) ? (isEverywhere ? 1 : 2) : -1;
		}
	}
	return score;
}

/** Distances that lay an address of a row on a function that it may be in, and how many rows suggest each. */
function suggestedSlides(symbols: NamedSymbols, sorted: Int32Array, rows: readonly ListedFunction[]): Map<number, number> {
	const byPageOffset = new Map<number, number[]>();
	const byName = new Map<string, number[]>();
	for (const symbol of sorted) {
		add(byPageOffset, symbols.addresses[symbol]! % PAGE_BYTES, symbol);
		add(byName, symbols.names[symbol]!, symbol);
	}
	const suggested = new Map<number, number>();
	for (const { address, symbol, offset = null } of rows) {
		if (address === null) {
			continue;
		}
		const start = address - (offset ?? 0);
		const named = symbol === null ? undefined : byName.get(symbol);
		// A name that the program does not have may be one of a library, or a demangled one: then only a known start tells.
		const candidates = named ?? (symbol === null || offset !== null ? byPageOffset.get(start % PAGE_BYTES) : undefined) ?? [];
		const slides = new Set<number>();
		for (const candidate of candidates) {
			const distance = start - symbols.addresses[candidate]!;
			const slide = Math.floor(distance / PAGE_BYTES) * PAGE_BYTES;
			// An address without an offset may lie anywhere in its function.
			if (slide === distance || (named !== undefined && offset === null && distance - slide < symbols.sizes[candidate]!)) {
				slides.add(slide);
			}
		}
		for (const slide of slides) {
			suggested.set(slide, (suggested.get(slide) ?? 0) + 1);
		}
	}
	return suggested;
}

function add<Key>(map: Map<Key, number[]>, key: Key, value: number): void {
	const list = map.get(key);
	if (list === undefined) {
		map.set(key, [value]);
	} else {
		list.push(value);
	}
}
