/** What of an order file does not do what its author thinks: names without a function, with several, or that move more than themselves. */
import type { TextLayout } from '../model/text-layout.js';
import { sectionPriorities } from './place-order.js';
import type { LintFinding, OrderCoverage, OrderLint } from './results.js';
import { functionsByName, type LaidTrace } from './trace-on-layout.js';

export interface LintOptions {
	/** Names that debug information knows: without code of their own they were inlined. Null where there is none. */
	readonly debugNames: ReadonlySet<string> | null;
	readonly repeated: readonly { readonly name: string; readonly line: number }[];
	readonly traces: readonly LaidTrace[];
	/** Share of the executed bytes (of functions without) that the order must cover, 0 to 1; null for any. */
	readonly leastCoverage: number | null;
}

/** Parts of the C library's start-up files: one section each, whatever the program was compiled with. */
const START_UP = new Set(['_start', '_dl_relocate_static_pie', 'deregister_tm_clones', 'register_tm_clones', '__do_global_dtors_aux', 'frame_dummy']);
const SHOWN_NAMES = 3;

export function lintOrder(layout: TextLayout, order: readonly string[], { debugNames, repeated, traces, leastCoverage }: LintOptions): OrderLint {
	const { functionSections, functionNames } = layout;
	const functions = functionsByName(layout);
	const elsewhere = new Map(layout.elsewhere.map(({ name, section }) => [name, section]));
	const variants = variantsByStem(layout);
	const sharing = functionsBySection(layout);
	const aliases = namesByFunction(layout);
	const listed = new Set(order);
	const findings: LintFinding[] = [];
	let found = 0;
	for (const symbol of order) {
		const named = functions.get(symbol);
		if (named === undefined) {
			findings.push(unknownSymbol(symbol, elsewhere, debugNames, variants));
			continue;
		}
		found++;
		if (named.length > 1) {
			const files = [...new Set(named.map((f) => fileOf(layout, f, symbol)).filter((file) => file !== null))];
			findings.push({
				kind: 'ambiguous',
				symbol,
				message: `${named.length} functions have this name${files.length > 0 ? ` (${list(files)})` : ''}: the linker puts all of them here`,
			});
			continue;
		}
		const f = named[0]!;
		const others = aliases.get(f)!.filter((name) => name !== symbol && !isOfObject(name) && !isSameFunction(name, symbol));
		if (others.length > 0) {
			const isListed = others.some((name) => listed.has(name));
			findings.push({
				kind: 'folded',
				symbol,
				message: `is the same code as ${list(others)}${isListed ? ', which is listed too: the first place counts' : ': folded, or an alias'}`,
			});
		}
		const together = sharing.get(functionSections[f]!)!.filter((other) => other !== f);
		if (together.length > 0 && !START_UP.has(symbol)) {
			findings.push({
				kind: 'shared-section',
				symbol,
				message: `lies in one section with ${list(together.map((other) => functionNames[other]!))}: they move together; compile with -ffunction-sections`,
			});
		}
	}
	for (const { name, line } of repeated) {
		findings.push({ kind: 'repeated', symbol: name, message: `is listed again in line ${line}: the first place counts` });
	}
	const priorities = sectionPriorities(layout, order);
	const coverage = traces.map((trace) => coverageOf(layout, trace, priorities));
	if (leastCoverage !== null) {
		for (const { trace, share, isOfBytes } of coverage) {
			if (share < leastCoverage) {
				findings.push({
					kind: 'coverage',
					symbol: null,
					message: `${percent(share)} of ${isOfBytes ? 'the executed bytes' : 'the functions'} of ${trace} are listed, less than ${percent(leastCoverage)}`,
				});
			}
		}
	}
	return {
		symbols: order.length,
		found,
		hasDebugNames: debugNames !== null,
		sections: priorities.reduce((sum, priority) => sum + (priority >= 0 ? 1 : 0), 0),
		coverage,
		findings,
	};
}

function unknownSymbol(
	symbol: string,
	elsewhere: ReadonlyMap<string, string | null>,
	debugNames: ReadonlySet<string> | null,
	variants: ReadonlyMap<string, readonly string[]>,
): LintFinding {
	const section = elsewhere.get(symbol);
	if (section !== undefined) {
		return { kind: 'outside-text', symbol, message: `lies in ${section ?? 'another section than .text'}: the order of .text does not move it` };
	}
	const similar = variants.get(stem(symbol)) ?? variants.get(symbol.replace(/^_/, '')) ?? variants.get(`_${symbol}`) ?? [];
	if (similar.length > 0) {
		return { kind: 'missing', symbol, message: `there is no such function; similar: ${list(similar)}` };
	}
	const semicolon = symbol.lastIndexOf(';');
	if (semicolon > 0 && variants.has(symbol.slice(semicolon + 1))) {
		return { kind: 'missing', symbol, message: `the linker knows no "file;name": list ${symbol.slice(semicolon + 1)}` };
	}
	return debugNames?.has(symbol) === true
		? { kind: 'inlined', symbol, message: 'has no code of its own: it was inlined everywhere, or is not used' }
		: { kind: 'missing', symbol, message: 'there is no such function' };
}

/** What compilers put behind the name of a part, a copy or a promoted static of a function, cut off. */
function stem(symbol: string): string {
	return symbol.replace(/\.(?:part|isra|constprop|cold|llvm|lto_priv|resume|destroy|cleanup|__uniq|\d)[\s\S]*/, '');
}

function variantsByStem({ symbolNames }: TextLayout): Map<string, string[]> {
	const variants = new Map<string, string[]>();
	for (const name of symbolNames) {
		const key = stem(name);
		const known = variants.get(key);
		if (known === undefined) {
			variants.set(key, [name]);
		} else if (known.length < 10) {
			known.push(name);
		}
	}
	return variants;
}

function functionsBySection({ functionSections }: TextLayout): Map<number, number[]> {
	const functions = new Map<number, number[]>();
	functionSections.forEach((section, f) => {
		const known = functions.get(section);
		if (known === undefined) {
			functions.set(section, [f]);
		} else {
			known.push(f);
		}
	});
	return functions;
}

function namesByFunction({ symbolFunctions, symbolNames }: TextLayout): Map<number, string[]> {
	const names = new Map<number, string[]>();
	symbolFunctions.forEach((f, i) => {
		const known = names.get(f);
		if (known === undefined) {
			names.set(f, [symbolNames[i]!]);
		} else {
			known.push(symbolNames[i]!);
		}
	});
	return names;
}

/** A second name that each function of a Mach-O program has: `a.o:_f`, `lib.a(a.o):_f`. */
function isOfObject(name: string): boolean {
	return /\.o\)?:/.test(name);
}

/** Constructors and destructors of C++ have several names by design: `_ZN1AC1Ev`, `_ZN1AC2Ev`. */
function isSameFunction(a: string, b: string): boolean {
	if (isOfObject(b)) {
		return b.endsWith(`:${a}`);
	}
	return a.startsWith('_Z') && a.length === b.length && a.replace(/([CD])[0-5](?=[EIv])/g, '$1') === b.replace(/([CD])[0-5](?=[EIv])/g, '$1');
}

function fileOf({ symbolFunctions, symbolNames, symbolFiles }: TextLayout, f: number, symbol: string): string | null {
	const at = symbolNames.findIndex((name, i) => name === symbol && symbolFunctions[i] === f);
	return symbolFiles[at] ?? null;
}

function coverageOf({ functionSections }: TextLayout, { name, functions, ranges }: LaidTrace, priorities: Int32Array): OrderCoverage {
	const isListed = (f: number): boolean => priorities[functionSections[f]!]! >= 0;
	const listedFunctions = functions.reduce((sum, f) => sum + (isListed(f) ? 1 : 0), 0);
	let executedBytes: number | null = null;
	let listedBytes: number | null = null;
	if (ranges !== null) {
		executedBytes = 0;
		listedBytes = 0;
		for (let i = 0; i < ranges.functions.length; i++) {
			const bytes = ranges.ends[i]! - ranges.starts[i]!;
			executedBytes += bytes;
			listedBytes += isListed(ranges.functions[i]!) ? bytes : 0;
		}
	}
	const share = executedBytes === null || listedBytes === null ? listedFunctions / Math.max(1, functions.length) : listedBytes / Math.max(1, executedBytes);
	return { trace: name, functions: functions.length, listedFunctions, executedBytes, listedBytes, share, isOfBytes: executedBytes !== null };
}

function list(names: readonly string[]): string {
	return names.slice(0, SHOWN_NAMES).join(', ') + (names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : '');
}

function percent(share: number): string {
	return `${(100 * share).toFixed(1)} %`;
}
