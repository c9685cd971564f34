/** Two recordings: which hot regions are the same code, by the bytecodes that they execute, and how their shares changed. */

import { withoutHiddenAddress } from '../model/hidden-class.js';
import { type ShareDifference, shareDifference } from '../statistics/shares.js';
import { sureDifferences } from '../statistics/sure-differences.js';
import { type AlignedPair, alignCode } from './align-code.js';
import type { HotReport, Region } from './hot-results.js';

/** A region on both sides, or on one. */
export interface RegionPair {
	/** null: the region appeared, or vanished. */
	readonly a: Region | null;
	readonly b: Region | null;
	readonly method: string;
	/** From A to B. */
	readonly difference: ShareDifference;
	/** Whether it differs by more than chance, of all that are compared ({@link sureDifferences}). */
	readonly isSure: boolean;
	/** How alike the bytecodes of the two are, 0 to 1; 1 for functions of one name. */
	readonly likeness: number;
}

/** Less in common is other code. */
const MIN_LIKENESS = 0.2;

/** Most changed first, what changed beyond chance before what did not. */
export function compareHot(a: HotReport, b: HotReport): RegionPair[] {
	const candidates: { a: Region; b: Region; likeness: number }[] = [];
	const byName = groupByKey(b.regions);
	const profiles = new Map<Region, ReadonlyMap<string, number>>();
	const profileOf = (region: Region): ReadonlyMap<string, number> => {
		const known = profiles.get(region) ?? bytecodesOf(region);
		profiles.set(region, known);
		return known;
	};
	for (const region of a.regions) {
		for (const other of byName.get(keyOf(region)) ?? []) {
			const likeness =
				region.lines.length === 0 || other.lines.length === 0
					? Number(region.lines.length === other.lines.length)
					: likenessOf(profileOf(region), profileOf(other));
			if (likeness >= MIN_LIKENESS) {
				candidates.push({ a: region, b: other, likeness });
			}
		}
	}
	// The hottest find their partner first, of several the likest.
	candidates.sort((x, y) => y.likeness * Math.min(y.a.samples, y.b.samples) - x.likeness * Math.min(x.a.samples, x.b.samples) || y.likeness - x.likeness);
	const taken = new Set<Region>();
	const pairs: Omit<RegionPair, 'isSure'>[] = [];
	const add = (regionA: Region | null, regionB: Region | null, likeness: number): void => {
		const difference = shareDifference(regionA?.samples ?? 0, a.attribution.counted, regionB?.samples ?? 0, b.attribution.counted);
		pairs.push({ a: regionA, b: regionB, method: (regionA ?? regionB)?.method ?? '', difference, likeness });
	};
	for (const candidate of candidates) {
		if (!taken.has(candidate.a) && !taken.has(candidate.b)) {
			taken.add(candidate.a).add(candidate.b);
			add(candidate.a, candidate.b, candidate.likeness);
		}
	}
	for (const region of a.regions) {
		if (!taken.has(region)) {
			add(region, null, 0);
		}
	}
	for (const region of b.regions) {
		if (!taken.has(region)) {
			add(null, region, 0);
		}
	}
	const counts = pairs.map(({ a: one, b: other }) => ({ a: one?.samples ?? 0, b: other?.samples ?? 0 }));
	const isSure = sureDifferences(counts, a.attribution.counted, b.attribution.counted);
	const judged = pairs.map((pair, i): RegionPair => ({ ...pair, isSure: isSure[i]! }));
	return judged.sort(
		(x, y) => Number(y.isSure) - Number(x.isSure) || Math.abs(y.difference.points) - Math.abs(x.difference.points) || (x.method < y.method ? -1 : 1),
	);
}

/** Instructions of both, beside each other; null where one side has no text, or they are too long. */
export function alignRegions({ a, b }: RegionPair): AlignedPair[] | null {
	const codeA = a?.heat?.instructions;
	const codeB = b?.heat?.instructions;
	return a === null || b === null || codeA == null || codeB == null || a.lines.length === 0 || b.lines.length === 0
		? null
		: alignCode(codeA, a.lines, codeB, b.lines);
}

/** Regions of several lambdas of one class may have the same. */
function keyOf({ method, library, heat }: Region): string {
	const kind = heat === null ? (library ?? '') : `${heat.code.kind}${withoutHiddenAddress(heat.code.signature ?? '')}`;
	return `${withoutHiddenAddress(method)}\0${kind}`;
}

function groupByKey(regions: readonly Region[]): Map<string, Region[]> {
	const result = new Map<string, Region[]>();
	for (const region of regions) {
		const key = keyOf(region);
		const group = result.get(key);
		if (group === undefined) {
			result.set(key, [region]);
		} else {
			group.push(region);
		}
	}
	return result;
}

/** How often each bytecode's instructions occur and were sampled, as shares that add up to 2. */
function bytecodesOf({ heat, lines, samples }: Region): Map<string, number> {
	const result = new Map<string, number>();
	const code = heat?.instructions;
	if (heat === null || code == null) {
		return result;
	}
	for (const i of lines) {
		const frame = code.frames(i)[0];
		const key = frame === undefined ? code.textAt(i).split(' ')[0]! : `${withoutHiddenAddress(frame.method)}@${frame.bci}`;
		result.set(key, (result.get(key) ?? 0) + 1 / lines.length + heat.seen[i]! / Math.max(1, samples));
	}
	return result;
}

/** What two distributions have in common (one minus their total variation distance). */
function likenessOf(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
	let common = 0;
	for (const [key, share] of a) {
		common += Math.min(share, b.get(key) ?? 0);
	}
	return common / 2;
}
