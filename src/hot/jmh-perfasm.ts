/**
 * Hottest regions as JMH 1.37's perfasm finds them: sampled addresses nearer than a margin make a region; the region is named by what
 * lies at its start; its code is the lines of assembly between its ends and a margin around. JMH's weaknesses are part of it: see
 * docs/perfasm.md.
 */

import type { Assembly, NamedCode } from '../model/assembly.js';
import { firstWhere } from '../model/binary-search.js';
import type { SamplePlace, Samples } from '../model/samples.js';
import { inHashMapOrder, javaStringHash } from './java-hash-map.js';
import type { CountedCode, HotRegion, JmhReport, PerfasmOptions, RegionLine } from './results.js';

/** Which samples count, and from where time is counted. */
export interface SampleWindow {
	/** How the format counts: perf counts its first sample always; dtrace never, and in whole milliseconds; xctrace has an open end; xperf loses addresses of the kernel. */
	readonly rule: 'perf' | 'dtrace' | 'xctrace' | 'xperf';
	readonly delayMs: number;
	/** null: to the end. */
	readonly lengthMs: number | null;
	/** Samples of other processes are left out; null: all count. */
	readonly processId: number | null;
}

const UNKNOWN: NamedCode = { name: '<unknown>', source: '', start: 0, end: 0 };

/** Sampled addresses of one symbol, from the lowest to the highest. */
interface NativeCode {
	readonly name: string;
	readonly source: string;
	start: bigint;
	end: bigint;
}

/** Counts of one event by address. */
type Counts = Map<bigint, number>;

/** The report of JMH's perfasm on samples and the printed assembly; null: without assembly. */
export function jmhPerfasm(samples: Samples, assembly: Assembly | null, window: SampleWindow, options: PerfasmOptions): JmhReport {
	const { counts, natives } = countSamples(samples, window, options.events);
	const code = new CodeMap(assembly?.code ?? []);
	const native = new CodeMap(natives);
	const index = new LineIndex(assembly);
	const totals = options.events.map((event) => sum(counts.get(event)));
	const addresses = [...new Set(options.events.flatMap((event) => [...(counts.get(event)?.keys() ?? [])]))].sort(compareBigints);
	const regions = intervals(addresses, code, options).map(({ first, last }): HotRegion => {
		const begin = addresses[first]!;
		const end = addresses[last]!;
		const inside = addresses.slice(first, last + 1);
		const lineRange = index.around(begin, end, code, options.printMargin);
		const { name, source } = (lineRange === null ? native : code).at(begin) ?? UNKNOWN;
		const countsOf = (event: string): number => inside.reduce((total, address) => total + (counts.get(event)?.get(address) ?? 0), 0);
		return { name, source, counts: options.events.map(countsOf), begin, end, lineRange };
	});
	regions.sort((x, y) => y.counts[0]! - x.counts[0]!);
	return {
		addressLines: index.size,
		events: options.events,
		totals,
		regions,
		methods: countsBy(regions, ({ name, source }) => ({ name, source })),
		sources: countsBy(regions, ({ source }) => ({ name: '', source })),
		codeOf: (region) => (assembly === null ? [] : codeLines(region, assembly, counts, options)),
	};
}

/** Samples of each event in the window by address, and where the symbols among them lie. */
export function countSamples(
	samples: Samples,
	window: SampleWindow,
	events: readonly string[],
): {
	counts: Map<string, Counts>;
	natives: NativeCode[];
} {
	const counts = new Map<string, Counts>(events.map((event) => [event, new Map()]));
	const numbers = samples.events.map((event) => counts.get(event));
	const ranges = new Map<string, NativeCode>();
	/** By place: its range, null for none. Kernel addresses have other names. */
	const userRanges: (NativeCode | null)[] = [];
	const kernelRanges: (NativeCode | null)[] = [];
	const rangeOf = ({ symbol, library }: SamplePlace, pc: bigint): NativeCode | null => {
		if (window.rule !== 'perf' && symbol === null && library === null) {
			return null;
		}
		const name = symbol ?? '[unknown]';
		const source = pc < 0n && library?.includes('unknown') ? 'kernel' : jmhLibrary(library, window.rule);
		const key = `${source}\n${name}`;
		const range = ranges.get(key) ?? { name, source, start: pc, end: pc };
		ranges.set(key, range);
		range.start = pc < range.start ? pc : range.start;
		range.end = pc > range.end ? pc : range.end;
		return range;
	};
	/** Names end at their first comma; of code that has none xperf says where it lies. */
	const addXperf = ({ symbol, library }: SamplePlace, pc: bigint): void => {
		const own = `0x${pc.toString(16).padStart(pc < 2n ** 32n ? 8 : 16, '0')}`;
		rangeOf({ symbol: (symbol ?? own).split(',', 1)[0]!, library: library ?? 'Unknown' }, pc);
	};
	const { timeSeconds, address, event, place, processId } = samples;
	let start: number | null = window.rule === 'xctrace' || window.rule === 'xperf' ? 0 : null;
	for (let i = 0; i < samples.length; i++) {
		if (window.processId !== null && processId[i] !== window.processId) {
			continue;
		}
		const time = timeSeconds[i]!;
		const isFirst = start === null;
		start ??= time;
		const counted = numbers[event[i]!];
		if (counted === undefined || !isInWindow(time - start, isFirst, window)) {
			continue;
		}
		const isLost = window.rule === 'xperf' && address[i]! < 0n;
		const pc = isLost ? 0n : address[i]!;
		counted.set(pc, (counted.get(pc) ?? 0) + 1);
		if (isLost) {
			continue;
		}
		if (window.rule === 'xperf') {
			addXperf(samples.places[place[i]!]!, pc);
			continue;
		}
		const sampled = place[i]!;
		const range = (pc < 0n ? kernelRanges : userRanges)[sampled];
		if (range === null) {
			continue;
		}
		if (range === undefined) {
			(pc < 0n ? kernelRanges : userRanges)[sampled] = rangeOf(samples.places[sampled]!, pc);
			continue;
		}
		range.start = pc < range.start ? pc : range.start;
		range.end = pc > range.end ? pc : range.end;
	}
	return { counts, natives: inHashMapOrder([...ranges.values()], nameHash) };
}

/** Regions put together, most of the first event first; what has none of it is left out. */
function countsBy(regions: readonly HotRegion[], identify: (region: HotRegion) => { name: string; source: string }): CountedCode[] {
	const rows = new Map<string, CountedCode & { readonly counts: number[] }>();
	for (const region of regions.filter(({ counts }) => counts[0]! > 0)) {
		const code = identify(region);
		const key = `${code.source}\n${code.name}`;
		rows.set(key, rows.get(key) ?? { ...code, counts: region.counts.map(() => 0) });
	}
	for (const region of regions) {
		const { name, source } = identify(region);
		const row = rows.get(`${source}\n${name}`);
		region.counts.forEach((count, event) => {
			if (row !== undefined) {
				row.counts[event] = row.counts[event]! + count;
			}
		});
	}
	return inHashMapOrder([...rows.values()], nameHash).sort((x, y) => y.counts[0]! - x.counts[0]!);
}

/** As JMH's MethodDesc; a source alone is a string. */
function nameHash({ name, source }: { readonly name: string; readonly source: string }): number {
	return (Math.imul(javaStringHash(name), 31) + javaStringHash(source)) | 0;
}

/** Of perf's files the last part of the path; JMH keeps the blank before one that is no path, as ` [vdso]`. */
function jmhLibrary(library: string | null, rule: SampleWindow['rule']): string {
	if (library === null) {
		return '[unknown]';
	}
	if (rule !== 'perf') {
		return library;
	}
	const slash = library.lastIndexOf('/');
	return (slash < 0 ? ` ${library}` : library.slice(slash + 1)).replace(/[()]/g, '');
}

function isInWindow(elapsed: number, isFirst: boolean, { rule, delayMs, lengthMs }: SampleWindow): boolean {
	const start = delayMs / 1000;
	const end = lengthMs === null ? Number.POSITIVE_INFINITY : (delayMs + lengthMs) / 1000;
	switch (rule) {
		case 'perf':
			return isFirst || (elapsed >= start && elapsed <= end);
		case 'xperf':
			return elapsed >= start && elapsed <= end;
		case 'xctrace':
			return elapsed >= start && elapsed < end;
		case 'dtrace': {
			const ms = Math.trunc(elapsed * 1000 + 5e-7);
			return !isFirst && ms >= delayMs && (lengthMs === null || ms <= delayMs + lengthMs);
		}
	}
}

/** Runs of sampled addresses with no gap wider than the margin, as positions in `addresses`. A last run of one address is lost. */
function intervals(addresses: readonly bigint[], code: CodeMap, options: PerfasmOptions): { first: number; last: number }[] {
	const result: { first: number; last: number }[] = [];
	const add = (first: number, last: number): void => {
		const previous = result[result.length - 1];
		const own = code.at(addresses[first]!);
		if (options.mergeMethods && previous !== undefined && sameCode(code.at(addresses[previous.first]!), own)) {
			previous.last = last;
		} else {
			result.push({ first, last });
		}
	};
	const margin = BigInt(options.mergeMargin);
	let first = 0;
	for (let i = 1; i < addresses.length; i++) {
		if (addresses[i]! - addresses[i - 1]! > margin) {
			add(first, i - 1);
			first = i;
		}
	}
	if (first < addresses.length - 1) {
		add(first, addresses.length - 1);
	}
	return result;
}

function sameCode(x: NamedCode | NativeCode | null, y: NamedCode | NativeCode | null): boolean {
	return x !== null && y !== null && x.name === y.name && x.source === y.source;
}

/**
 * Code by address: an exact start, else the nearest lower start whose end is beyond the address. Of several pieces with one start
 * the last gives the name and the first the end, as in JMH.
 */
class CodeMap {
	private readonly starts: bigint[];
	private readonly byStart = new Map<bigint, NamedCode | NativeCode>();
	private readonly ends = new Map<bigint, bigint>();

	constructor(code: readonly (NamedCode | NativeCode)[]) {
		for (const piece of code) {
			const start = BigInt(piece.start);
			this.byStart.set(start, piece);
			this.ends.set(start, this.ends.get(start) ?? BigInt(piece.end));
		}
		this.starts = [...this.byStart.keys()].sort(compareBigints);
	}

	at(address: bigint): NamedCode | NativeCode | null {
		const start = this.starts[firstWhere(this.starts.length, (i) => this.starts[i]! > address) - 1];
		if (start === undefined) {
			return null;
		}
		const isInside = start === address || this.ends.get(start)! > address;
		return isInside ? this.byStart.get(start)! : null;
	}
}

/** Lines of assembly by address. */
class LineIndex {
	private readonly assembly: Assembly | null;
	/** Distinct addresses, ascending. */
	private readonly sorted: Float64Array;
	private readonly lastLine = new Map<number, number>();

	constructor(assembly: Assembly | null) {
		this.assembly = assembly;
		assembly?.addresses.forEach((address, line) => {
			if (!Number.isNaN(address)) {
				this.lastLine.set(address, line);
			}
		});
		this.sorted = Float64Array.from(this.lastLine.keys()).sort();
	}

	get size(): number {
		return this.sorted.length;
	}

	/** From the first address at or after `begin` to the last one below `end`, and lines around it that belong to no other code. */
	around(begin: bigint, end: bigint, code: CodeMap, margin: number): { readonly from: number; readonly to: number } | null {
		const first = this.sorted[this.countBelow(begin)];
		const last = this.sorted[this.countBelow(end) - 1];
		if (first === undefined || last === undefined) {
			return null;
		}
		const own = code.at(begin);
		let from = this.lastLine.get(first)!;
		for (let left = margin; from > 0 && left > 0 && this.isOf(own, from - 1, code); left--) {
			from--;
		}
		let to = this.lastLine.get(last)!;
		for (let left = margin + 2; to < (this.assembly?.lines.length ?? 0) && left > 0 && this.isOf(own, to, code); left--) {
			to++;
		}
		return from < to ? { from, to } : null;
	}

	/** A line without address, or of unknown code, belongs to any. */
	private isOf(own: NamedCode | NativeCode | null, line: number, code: CodeMap): boolean {
		const address = this.assembly?.addresses[line] ?? Number.NaN;
		const found = Number.isNaN(address) ? null : code.at(BigInt(address));
		return found === null || sameCode(found, own);
	}

	private countBelow(address: bigint): number {
		return firstWhere(this.sorted.length, (i) => BigInt(this.sorted[i]!) >= address);
	}
}

interface Jump {
	readonly source: number;
	readonly target: number;
	readonly isInside: boolean;
}

/** The lines of a region with counts and arrows. */
function codeLines(region: HotRegion, assembly: Assembly, counts: Map<string, Counts>, options: PerfasmOptions): RegionLine[] {
	if (region.lineRange === null) {
		return [];
	}
	const { from, to } = region.lineRange;
	let low = Number(region.begin);
	let high = Number(region.end);
	for (let line = from; line < to; line++) {
		const address = assembly.addresses[line]!;
		low = address < low ? address : low;
		high = address > high ? address : high;
	}
	const jumps = jumpsOf(assembly, low, high, options);
	const result: RegionLine[] = [];
	let previous = 0;
	for (let line = from; line < to; line++) {
		const own = assembly.addresses[line]!;
		const hasAddress = !Number.isNaN(own);
		previous = hasAddress ? own : previous;
		const at = previous;
		result.push({
			counts: options.events.map((event) => (hasAddress ? (counts.get(event)?.get(BigInt(own)) ?? 0) : 0)),
			arrows: jumps.map((jump) => arrow(jump, at, hasAddress)).join(''),
			text: assembly.lines[line]!,
		});
	}
	return result;
}

/** First the jumps that leave the region, then those inside, each ascending by source and target. */
function jumpsOf({ jumpSources, jumpTargets }: Assembly, low: number, high: number, options: PerfasmOptions): Jump[] {
	const leaving = new Map<string, Jump>();
	const inside = new Map<string, Jump>();
	for (let i = 0; i < jumpSources.length; i++) {
		const source = jumpSources[i]!;
		const target = jumpTargets[i]!;
		const isSourceIn = low < source && source < high;
		const isTargetIn = low < target && target < high;
		if (isSourceIn && isTargetIn) {
			if (options.drawIntraJumps) {
				inside.set(`${source} ${target}`, { source, target, isInside: true });
			}
		} else if ((isSourceIn || isTargetIn) && options.drawInterJumps) {
			leaving.set(`${source} ${target}`, { source, target, isInside: false });
		}
	}
	const ordered = (jumps: Map<string, Jump>): Jump[] => [...jumps.values()].sort((x, y) => x.source - y.source || x.target - y.target);
	return [...ordered(leaving), ...ordered(inside)];
}

function arrow({ source, target, isInside }: Jump, at: number, hasAddress: boolean): string {
	const isDown = source < target;
	if (hasAddress && at === source) {
		return isDown ? '╭' : '╰';
	}
	if (hasAddress && at === target) {
		return isDown ? '↘' : '↗';
	}
	const [upper, lower] = isDown ? [source, target] : [target, source];
	return upper <= at && at < lower ? (isInside ? '│' : '╵') : ' ';
}

function sum(counts: Counts | undefined): number {
	let total = 0;
	for (const count of counts?.values() ?? []) {
		total += count;
	}
	return total;
}

function compareBigints(x: bigint, y: bigint): number {
	return x < y ? -1 : x > y ? 1 : 0;
}
