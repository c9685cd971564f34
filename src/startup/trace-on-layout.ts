/** A trace laid on a program: which functions ran, first to last, and which of their bytes. Carried to another link of the same program by symbol. */
import { lastAtOrBelow } from '../model/binary-search.js';
import type { ExecutedFunction, ExecutedInstructions, ExecutionTrace } from '../model/executed-code.js';
import { type LoadAddress, loadAddressOfInstructions, loadAddressOfRows } from '../model/load-address.js';
import type { FileMapping } from '../model/page-faults.js';
import type { TextLayout } from '../model/text-layout.js';
import { carryByBlocks } from './carry-blocks.js';
import type { ExecutedRanges } from './executed-ranges.js';
import { functionStarts } from './function-starts.js';

/** Instructions in `sections[i]` of the layout's code, from [starts[i], ends[i]) of its first byte on. */
interface ExecutedElsewhere {
	readonly sections: Int32Array;
	readonly starts: Float64Array;
	readonly ends: Float64Array;
}

/** A trace as functions and bytes of one layout. */
export interface LaidTrace {
	readonly name: string;
	readonly weight: number;
	/** Functions of the layout by first execution, each once. */
	readonly functions: Int32Array;
	/** Where the program was loaded, and what told it; null for a trace without addresses. */
	readonly loaded: LoadAddress | null;
	/** Null when only the functions are known. */
	readonly ranges: ExecutedRanges | null;
	/** Executed bytes of what is executable and not of a function that an order moves: `.plt`, `.init`. Null when only the functions are known. */
	readonly elsewhere: ExecutedElsewhere | null;
	/** What ran outside of the code that an order file moves, or could not be found: instructions, or functions. */
	readonly unplaced: number;
	/** Names of several functions that the trace does not tell apart: one of them was taken. */
	readonly ambiguous: number;
	/** The first few names that were not found. */
	readonly unknownNames: readonly string[];
}

/** Finds what ran in a layout, by address or by name; what cannot be found is counted. */
export function layTrace(trace: ExecutionTrace, layout: TextLayout): LaidTrace {
	return trace.instructions === null ? layFunctions(trace, layout) : layInstructions(trace, trace.instructions, layout);
}

/** Sizes of instructions are below this. */
const MAX_INSTRUCTION_BYTES = 256;

function layInstructions({ name, weight, mappings = [] }: ExecutionTrace, executed: ExecutedInstructions, layout: TextLayout): LaidTrace {
	const { sizes } = executed;
	const starts = functionStarts(layout);
	const end = layout.sectionStarts.reduce((last, start, i) => Math.max(last, start + layout.sectionSizes[i]!), 0);
	const loaded = loadAddressOfInstructions({ ...layout, starts: starts.slice().sort(), end }, executed, mappings);
	const addresses = loaded.slide === 0 ? executed.addresses : executed.addresses.map((address) => address - loaded.slide);
	const byAddress = Uint32Array.from(starts, (_start, i) => i).sort((a, b) => starts[a]! - starts[b]!);
	const sorted = Float64Array.from(byAddress, (f) => starts[f]!);
	const { functionSections, sectionStarts, sectionSizes, functionSizes } = layout;
	/** Of the instruction before: most follow one of their own function. */
	let lastStart = 0;
	let lastEnd = 0;
	let lastOwner = -1;
	const owner = (address: number): number => {
		if (address >= lastStart && address < lastEnd) {
			return lastOwner;
		}
		const at = lastAtOrBelow(sorted, address);
		if (at < 0) {
			return -1;
		}
		const f = byAddress[at]!;
		const section = functionSections[f]!;
		const end = Math.max(sectionStarts[section]! + sectionSizes[section]!, starts[f]! + functionSizes[f]!);
		if (address >= end) {
			return -1;
		}
		lastStart = starts[f]!;
		lastEnd = Math.min(end, at + 1 < sorted.length ? sorted[at + 1]! : end);
		lastOwner = f;
		return f;
	};
	const owners = new Int32Array(addresses.length);
	const firstOfFunction = new Int32Array(starts.length + 1);
	const functions: number[] = [];
	let unplaced = 0;
	const elsewhere = { sections: [] as number[], starts: [] as number[], ends: [] as number[] };
	for (let i = 0; i < addresses.length; i++) {
		const f = owner(addresses[i]!);
		owners[i] = f;
		if (f < 0) {
			unplaced++;
			const section = codeSectionAt(layout.code, addresses[i]!);
			if (section >= 0) {
				const start = addresses[i]! - layout.code[section]!.address;
				elsewhere.sections.push(section);
				elsewhere.starts.push(start);
				elsewhere.ends.push(start + sizes[i]!);
			}
			continue;
		}
		if (firstOfFunction[f + 1] === 0) {
			functions.push(f);
		}
		firstOfFunction[f + 1] = firstOfFunction[f + 1]! + 1;
	}
	for (let f = 0; f < starts.length; f++) {
		firstOfFunction[f + 1] = firstOfFunction[f + 1]! + firstOfFunction[f]!;
	}
	/** Instructions by function; start in the function and size in one number, which sorts without a comparison of ours. */
	const keys = new Float64Array(addresses.length - unplaced);
	const next = firstOfFunction.slice();
	for (let i = 0; i < addresses.length; i++) {
		const f = owners[i]!;
		if (f >= 0) {
			const at = next[f]!;
			next[f] = at + 1;
			keys[at] = (addresses[i]! - starts[f]!) * MAX_INSTRUCTION_BYTES + sizes[i]!;
		}
	}
	const ranges = { functions: [] as number[], starts: [] as number[], ends: [] as number[] };
	const byNumber = Int32Array.from(functions).sort();
	for (const f of byNumber) {
		const own = keys.subarray(firstOfFunction[f], firstOfFunction[f + 1]);
		own.sort();
		let end = -1;
		for (const key of own) {
			const start = Math.floor(key / MAX_INSTRUCTION_BYTES);
			const after = start + (key % MAX_INSTRUCTION_BYTES);
			if (start <= end) {
				end = Math.max(end, after);
				ranges.ends[ranges.ends.length - 1] = end;
			} else {
				ranges.functions.push(f);
				ranges.starts.push(start);
				ranges.ends.push(after);
				end = after;
			}
		}
	}
	return {
		name,
		weight,
		functions: Int32Array.from(functions),
		loaded,
		elsewhere: {
			sections: Int32Array.from(elsewhere.sections),
			starts: Float64Array.from(elsewhere.starts),
			ends: Float64Array.from(elsewhere.ends),
		},
		ranges: { functions: Int32Array.from(ranges.functions), starts: Float64Array.from(ranges.starts), ends: Float64Array.from(ranges.ends) },
		unplaced,
		ambiguous: 0,
		unknownNames: [],
	};
}

function codeSectionAt(code: TextLayout['code'], address: number): number {
	return code.findIndex((section) => address >= section.address && address < section.address + section.sizeBytes);
}

const SHOWN_NAMES = 10;

function layFunctions({ name, weight, functions: listed, mappings = [] }: ExecutionTrace, layout: TextLayout): LaidTrace {
	const starts = functionStarts(layout);
	const atAddress = new Map<number, number>();
	starts.forEach((start, f) => {
		atAddress.set(start, f);
	});
	const loaded = loadedFunctions(listed ?? [], mappings, layout, starts);
	const candidates = functionsByName(layout);
	const isSeen = new Uint8Array(starts.length);
	const functions: number[] = [];
	const unknownNames: string[] = [];
	let unplaced = 0;
	let ambiguous = 0;
	for (const executed of listed ?? []) {
		const symbol = executed.symbol === null ? null : linkerName(executed.symbol, layout, candidates);
		const named = symbol === null ? [] : (candidates.get(symbol) ?? []);
		const exact = executed.address === null ? undefined : atAddress.get(executed.address - (loaded?.slide ?? 0));
		// An address of another build would name any function: it has to agree with the name.
		let f = exact !== undefined && (executed.symbol === null || named.includes(exact)) ? exact : undefined;
		if (f === undefined && named.length > 1) {
			const ofModule = named.filter((candidate) => isOfModule(layout, candidate, executed.module, symbol));
			f = ofModule.length === 1 ? ofModule[0] : named.find((candidate) => isSeen[candidate] === 0);
			ambiguous += ofModule.length === 1 ? 0 : 1;
		}
		f ??= named[0];
		if (f === undefined) {
			unplaced++;
			if (unknownNames.length < SHOWN_NAMES) {
				unknownNames.push(executed.symbol ?? `0x${(executed.address ?? 0).toString(16)}`);
			}
		} else if (isSeen[f] === 0) {
			isSeen[f] = 1;
			functions.push(f);
		}
	}
	return { name, weight, functions: Int32Array.from(functions), loaded, elsewhere: null, ranges: null, unplaced, ambiguous, unknownNames };
}

/** Profiles tell names without the underscore that Mach-O puts in front. */
function linkerName(symbol: string, { machOArchitecture }: TextLayout, candidates: ReadonlyMap<string, readonly number[]>): string {
	return machOArchitecture !== null && !candidates.has(symbol) && candidates.has(`_${symbol}`) ? `_${symbol}` : symbol;
}

function loadedFunctions(listed: readonly ExecutedFunction[], mappings: readonly FileMapping[], layout: TextLayout, starts: Float64Array): LoadAddress | null {
	const rows = listed.filter(({ address }) => address !== null);
	const columns = {
		names: layout.symbolNames,
		addresses: Float64Array.from(layout.symbolFunctions, (f) => starts[f]!),
		sizes: Float64Array.from(layout.symbolFunctions, (f) => layout.functionSizes[f]!),
		isLocal: layout.symbolIsLocal,
	};
	return rows.length === 0 ? null : loadAddressOfRows(layout, columns, rows, mappings);
}

/** The functions that carry each name; several when local functions share it. */
export function functionsByName({ symbolNames, symbolFunctions }: TextLayout): Map<string, number[]> {
	const functions = new Map<string, number[]>();
	symbolNames.forEach((symbol, i) => {
		const f = symbolFunctions[i]!;
		const known = functions.get(symbol);
		if (known === undefined) {
			functions.set(symbol, [f]);
		} else if (!known.includes(f)) {
			known.push(f);
		}
	});
	return functions;
}

function isOfModule({ symbolFunctions, symbolFiles, symbolNames }: TextLayout, f: number, module: string | null, symbol: string | null): boolean {
	if (module === null) {
		return false;
	}
	for (let i = 0; i < symbolNames.length; i++) {
		const file = symbolFiles[i];
		if (symbolFunctions[i] === f && symbolNames[i] === symbol && typeof file === 'string' && isObjectOf(file, module)) {
			return true;
		}
	}
	return false;
}

/** Symbol tables tell the source file or the object file, of an archive as `lib.a(f.o)`. */
function isObjectOf(file: string, module: string): boolean {
	const [, member] = /\(([^()]*)\)$/.exec(file) ?? [];
	const object = baseName(member ?? file);
	const source = baseName(module);
	return object === source || object === `${source}.o` || object === `${source.replace(/\.[^.]*$/, '')}.o`;
}

function baseName(path: string): string {
	return path.slice(path.lastIndexOf('/') + 1);
}

/** The same trace on another link of the program; functions are found by name, those that share one by size and order. Where both tell their blocks, these are found by number. */
export function carryTrace(trace: LaidTrace, from: TextLayout, to: TextLayout): LaidTrace {
	if (from.functionNames === to.functionNames) {
		return trace;
	}
	const counterparts = functionCounterparts(from, to);
	const byBlocks = trace.ranges === null ? null : carryByBlocks(trace.functions, trace.ranges, counterparts, from, to);
	if (byBlocks !== null) {
		return {
			...trace,
			functions: byBlocks.functions,
			elsewhere: carriedElsewhere(trace.elsewhere, from, to),
			ranges: byBlocks.ranges,
			unplaced: trace.unplaced + byBlocks.lost.length,
			unknownNames: [...trace.unknownNames, ...Array.from(byBlocks.lost, (f) => from.functionNames[f]!)].slice(0, SHOWN_NAMES),
		};
	}
	const functions = trace.functions.map((f) => counterparts[f]!).filter((f) => f >= 0);
	const lost = trace.functions.filter((f) => counterparts[f]! < 0);
	const { ranges } = trace;
	let carried: ExecutedRanges | null = null;
	if (ranges !== null) {
		const kept = Array.from(ranges.functions.keys()).filter((i) => counterparts[ranges.functions[i]!]! >= 0);
		carried = {
			functions: Int32Array.from(kept, (i) => counterparts[ranges.functions[i]!]!),
			starts: Float64Array.from(kept, (i) => ranges.starts[i]!),
			ends: Float64Array.from(kept, (i) => ranges.ends[i]!),
		};
	}
	return {
		...trace,
		functions,
		elsewhere: carriedElsewhere(trace.elsewhere, from, to),
		ranges: carried,
		unplaced: trace.unplaced + lost.length,
		unknownNames: [...trace.unknownNames, ...Array.from(lost, (f) => from.functionNames[f]!)].slice(0, SHOWN_NAMES),
	};
}

/** By the name of the section; what the other link's section does not reach is left out. */
function carriedElsewhere(elsewhere: ExecutedElsewhere | null, from: TextLayout, to: TextLayout): ExecutedElsewhere | null {
	if (elsewhere === null) {
		return null;
	}
	const { sections, starts, ends } = elsewhere;
	const counterparts = from.code.map(({ name }) => to.code.findIndex((section) => section.name === name));
	const kept = Array.from(sections.keys()).filter((i) => starts[i]! < (to.code[counterparts[sections[i]!]!]?.sizeBytes ?? 0));
	return {
		sections: Int32Array.from(kept, (i) => counterparts[sections[i]!]!),
		starts: Float64Array.from(kept, (i) => starts[i]!),
		ends: Float64Array.from(kept, (i) => ends[i]!),
	};
}

/** Of each function of `from` the one of `to` that is the same; -1 for none. */
function functionCounterparts(from: TextLayout, to: TextLayout): Int32Array {
	const counterparts = new Int32Array(from.functionNames.length).fill(-1);
	const fromNames = functionsByName(from);
	const toNames = functionsByName(to);
	const shared: [number[], number[]][] = [];
	for (const [symbol, sources] of fromNames) {
		const targets = toNames.get(symbol);
		if (targets === undefined) {
			continue;
		}
		const [source] = sources;
		const [target] = targets;
		if (sources.length === 1 && targets.length === 1 && source !== undefined && target !== undefined) {
			counterparts[source] = target;
		} else {
			shared.push([sources, targets]);
		}
	}
	for (const [sources, targets] of shared) {
		const free = new Set(targets);
		const match = (isSame: (source: number, target: number) => boolean): void => {
			for (const source of sources) {
				const target = counterparts[source]! >= 0 ? undefined : [...free].find((candidate) => isSame(source, candidate));
				if (target !== undefined) {
					counterparts[source] = target;
					free.delete(target);
				}
			}
		};
		const size = (layout: TextLayout, f: number): number => layout.functionSizes[f]!;
		const isSameFile = fileComparison(from, to);
		match((source, target) => size(from, source) === size(to, target) && isSameFile(source, target));
		match((source, target) => size(from, source) === size(to, target));
		match(() => true);
	}
	return counterparts;
}

function fileComparison(from: TextLayout, to: TextLayout): (source: number, target: number) => boolean {
	const files = ({ symbolFunctions, symbolFiles }: TextLayout): Map<number, string | null> => {
		const known = new Map<number, string | null>();
		symbolFunctions.forEach((f, i) => {
			known.set(f, known.get(f) ?? symbolFiles[i] ?? null);
		});
		return known;
	};
	const fromFiles = files(from);
	const toFiles = files(to);
	return (source, target) => {
		const file = fromFiles.get(source);
		return typeof file === 'string' && file === toFiles.get(target);
	};
}
