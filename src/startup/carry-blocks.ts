/**
 * What a trace executed, carried to another build of the program block by block: a block has the same number in each build of one source by one compiler, but may lie
 * in another part of its function, and its last jumps may be others.
 */
import type { LayoutBlocks, TextLayout } from '../model/text-layout.js';
import type { ExecutedRanges } from './executed-ranges.js';
import { blocksByFunction, stampOf } from './layout-blocks.js';

interface Carried {
	/** By first execution; a part of a function stands behind that. */
	readonly functions: Int32Array;
	readonly ranges: ExecutedRanges;
	/** Functions of `from` of which nothing was found. */
	readonly lost: readonly number[];
}

interface Range {
	readonly f: number;
	start: number;
	end: number;
}

/**
 * `counterparts`: of each function of `from` that of `to`, -1 for none. Functions whose blocks are not those of their counterparts are carried by the distance from
 * their first byte. Null where one of the layouts tells no blocks.
 */
export function carryByBlocks(functions: Int32Array, ranges: ExecutedRanges, counterparts: Int32Array, from: TextLayout, to: TextLayout): Carried | null {
	if (from.blocks == null || to.blocks == null) {
		return null;
	}
	const { blocks } = from;
	const places = blockPlaces(from.blocks, to.blocks, counterparts);
	const perFunction = new Map<number, Range[]>();
	let next = 0;
	for (let i = 0; i < ranges.functions.length; i++) {
		const f = ranges.functions[i]!;
		const start = ranges.starts[i]!;
		const end = ranges.ends[i]!;
		const found = perFunction.get(f) ?? [];
		perFunction.set(f, found);
		// Both are by function and place.
		while (next < blocks.parts.length && (blocks.parts[next]! < f || (blocks.parts[next] === f && blocks.offsets[next]! + blocks.sizes[next]! <= start))) {
			next++;
		}
		let at = start;
		let isPlaced = false;
		for (let block = next; block < blocks.parts.length && blocks.parts[block] === f && blocks.offsets[block]! < end; block++) {
			const first = Math.max(start, blocks.offsets[block]!);
			const last = Math.min(end, blocks.offsets[block]! + blocks.sizes[block]!);
			if (last <= first) {
				continue;
			}
			isPlaced ||= places[block]! >= 0;
			if (isPlaced) {
				addFilling(found, from.blocks, block, places, to.blocks, at < first);
			} else {
				addWhole(found, counterparts[f]!, at, first);
			}
			at = last;
			addBlock(found, from.blocks, block, places[block]!, to.blocks, counterparts[f]!, first, last);
		}
		addWhole(found, isPlaced ? -1 : counterparts[f]!, at, end);
	}
	return { ...gathered(functions, perFunction, counterparts), ranges: united([...perFunction.values()].flat()) };
}

/** Of each block of `from` its place in the columns of `to`; -1: its function has no counterpart with such blocks. */
function blockPlaces(from: LayoutBlocks, to: LayoutBlocks, counterparts: Int32Array): Int32Array {
	const places = new Int32Array(from.ids.length).fill(-1);
	const targets = blocksByFunction(to);
	for (const [f, own] of blocksByFunction(from)) {
		const theirs = targets.get(counterparts[f] ?? -1);
		if (theirs === undefined || theirs.length !== own.length || stampOf(from, own).shape !== stampOf(to, theirs).shape) {
			continue;
		}
		const byId = new Map(theirs.map((block) => [to.ids[block]!, block]));
		for (const block of own) {
			places[block] = byId.get(from.ids[block]!) ?? -1;
		}
	}
	return places;
}

/** Functions that both layouts tell the blocks of, under a name that no other has, and that have other blocks in each: another source, compiler or flags. */
export function functionsWithOtherBlocks(from: TextLayout, to: TextLayout): string[] {
	if (from.blocks == null || to.blocks == null) {
		return [];
	}
	const { blocks } = from;
	const target = to.blocks;
	const theirs = blocksByFunction(target);
	const named = new Map<string, number | null>();
	to.functionNames.forEach((name, f) => {
		named.set(name, named.has(name) ? null : f);
	});
	const seen = new Map<string, number>();
	for (const name of from.functionNames) {
		seen.set(name, (seen.get(name) ?? 0) + 1);
	}
	return [...blocksByFunction(blocks)].flatMap(([f, own]) => {
		const name = from.functionNames[f]!;
		const found = theirs.get(named.get(name) ?? -1);
		return seen.get(name) === 1 && found !== undefined && stampOf(blocks, own).shape !== stampOf(target, found).shape ? [name] : [];
	});
}

/** Bytes of no block, such as what the linker or an assembler made: they lie as far from the start as before. */
function addWhole(found: Range[], f: number, start: number, end: number): void {
	if (f >= 0 && end > start) {
		found.push({ f, start, end });
	}
}

/** What ran in front of a block to fill up to its alignment runs where the block still follows the one before it, as long as it is there. */
function addFilling(found: Range[], from: LayoutBlocks, block: number, places: Int32Array, to: LayoutBlocks, hasRun: boolean): void {
	const place = places[block]!;
	const before = block > 0 && from.parts[block - 1] === from.parts[block] ? places[block - 1]! : -1;
	if (hasRun && before >= 0 && place === before + 1 && to.parts[before] === to.parts[place]) {
		addWhole(found, to.parts[place]!, to.offsets[before]! + to.sizes[before]!, to.offsets[place]!);
	}
}

function addBlock(found: Range[], from: LayoutBlocks, block: number, place: number, to: LayoutBlocks, whole: number, start: number, end: number): void {
	if (place < 0) {
		addWhole(found, whole, start, end);
		return;
	}
	const offset = from.offsets[block]!;
	const size = to.sizes[place]!;
	// Who came to the end of a block runs the jumps at its end, however many these are now.
	const isToEnd = end === offset + from.sizes[block]!;
	const last = isToEnd ? size : Math.min(end - offset, size);
	const first = Math.min(start - offset, Math.max(0, last - 1));
	if (last > first) {
		found.push({ f: to.parts[place]!, start: to.offsets[place]! + first, end: to.offsets[place]! + last });
	}
}

function gathered(functions: Int32Array, perFunction: ReadonlyMap<number, readonly Range[]>, counterparts: Int32Array): Pick<Carried, 'functions' | 'lost'> {
	const carried = new Set<number>();
	const lost: number[] = [];
	for (const f of functions) {
		const whole = counterparts[f]!;
		const parts = new Set((perFunction.get(f) ?? []).map((range) => range.f));
		if (whole < 0 && parts.size === 0) {
			lost.push(f);
		}
		if (whole >= 0 && (parts.size === 0 || parts.has(whole))) {
			carried.add(whole);
		}
		for (const part of parts) {
			carried.add(part);
		}
	}
	return { functions: Int32Array.from(carried), lost };
}

function united(ranges: Range[]): ExecutedRanges {
	ranges.sort((a, b) => a.f - b.f || a.start - b.start);
	const kept: Range[] = [];
	for (const { f, start, end } of ranges) {
		const last = kept.at(-1);
		if (last !== undefined && last.f === f && start <= last.end) {
			last.end = Math.max(last.end, end);
		} else {
			kept.push({ f, start, end });
		}
	}
	return {
		functions: Int32Array.from(kept, ({ f }) => f),
		starts: Float64Array.from(kept, ({ start }) => start),
		ends: Float64Array.from(kept, ({ end }) => end),
	};
}
