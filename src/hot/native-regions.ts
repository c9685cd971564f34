/** Samples outside of generated code: a region for each function that the profiler named, and for runs of unnamed addresses. */
import { appendTo } from '../model/append.js';
import type { SamplePlace } from '../model/samples.js';
import { type Attribution, REASONS, type Reason } from './attribute.js';
import type { Region, RegionDraft } from './hot-results.js';
import { NO_LINES } from './line-ranges.js';

/** Functions of one name that lie further apart are different ones (static functions, copies). */
const SAME_FUNCTION_BYTES = 1 << 16;
const SHOWN: ReadonlySet<Reason> = new Set<Reason>(['kernel', 'native library', 'interpreter', 'stub', 'unknown', 'named by the profiler only']);
const IS_SHOWN: readonly boolean[] = REASONS.map((why) => SHOWN.has(why));

export function nativeRegions({ samples, numbered, target, reason }: Attribution, gapBytes: number): RegionDraft[] {
	/** Counts are by the number of the address. */
	const groups = new Map<string, { source: string; library: string | null; symbol: string | null; counts: Map<number, number> }>();
	const byPlace = new Map<number, Map<number, number>>();
	for (let i = 0; i < samples.length; i++) {
		if (target[i]! >= 0 || IS_SHOWN[reason[i]!] !== true) {
			continue;
		}
		const placeKey = samples.place[i]! * REASONS.length + reason[i]!;
		let counts = byPlace.get(placeKey);
		if (counts === undefined) {
			const why = REASONS[reason[i]!]!;
			const { source, library, symbol } = nativePlace(why, samples.places[samples.place[i]!]);
			const key = `${source}\0${symbol}`;
			const group = groups.get(key) ?? { source, library: why === 'unknown' || why === 'kernel' ? null : library, symbol, counts: new Map<number, number>() };
			groups.set(key, group);
			counts = group.counts;
			byPlace.set(placeKey, counts);
		}
		const address = numbered.of[i]!;
		counts.set(address, (counts.get(address) ?? 0) + 1);
	}
	return [...groups.values()].flatMap(({ source, library, symbol, counts }) =>
		runs(counts, numbered.addresses, symbol === null ? gapBytes : SAME_FUNCTION_BYTES).map(({ start, end, count }) => ({
			heat: null,
			method: source === 'profiler' && symbol !== null ? symbol : nameOfNative(symbol),
			source,
			library,
			start,
			end,
			samples: count,
			ranges: NO_LINES,
			loop: null,
			findOwner: () => null,
		})),
	);
}

interface NativePlace {
	/** What regions are told to be of. */
	readonly source: string;
	/** Without folders. */
	readonly library: string | null;
	/** The function; null where it has no name. */
	readonly symbol: string | null;
}

export function nativePlace(why: Reason, place: SamplePlace | undefined): NativePlace {
	const library = place?.library?.replace(/^.*\//, '') ?? null;
	const symbol = place?.symbol?.replace(/\+0x[0-9a-f]+$/, '') ?? null;
	return { source: sourceOf(why, library), library, symbol: symbol === '[unknown]' ? null : symbol };
}

/** What a region of such a function is called. */
function nameOfNative(symbol: string | null): string {
	return `(${symbol ?? 'no symbol'})`;
}

/** Finds the region of a sample outside of generated code. */
export function regionsByPlace(regions: readonly Region[]): (source: string, symbol: string | null, address: number) => Region | undefined {
	const places = new Map<string, Region[]>();
	for (const region of regions) {
		if (region.heat === null) {
			appendTo(places, `${region.source}\0${region.method}`, region);
		}
	}
	return (source, symbol, address) => places.get(`${source}\0${nameOfNative(symbol)}`)?.find(({ start, end }) => start <= address && address < end);
}

function sourceOf(why: string, library: string | null): string {
	switch (why) {
		case 'native library':
			return library ?? 'unknown';
		case 'stub':
			return 'runtime stub';
		case 'named by the profiler only':
			return 'profiler';
		default:
			return why;
	}
}

function runs(counts: ReadonlyMap<number, number>, addresses: Float64Array, gapBytes: number): { start: number; end: number; count: number }[] {
	const result: { start: number; end: number; count: number }[] = [];
	const byAddress = Array.from(counts, ([number, count]) => ({ address: addresses[number]!, count })).sort((a, b) => a.address - b.address);
	for (const { address, count } of byAddress) {
		const last = result.at(-1);
		if (last !== undefined && address - last.end < gapBytes) {
			last.end = address + 1;
			last.count += count;
		} else {
			result.push({ start: address, end: address + 1, count });
		}
	}
	return result;
}
