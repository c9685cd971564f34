/**
 * The hottest code: samples of the JVM joined with the code that lay at their addresses at their time. Unlike JMH's report it keeps
 * regions of one address, does not stretch native functions over what lies between their samples, counts no other process, and draws
 * only what is a jump.
 */

import { lastAtOrBelow } from '../model/binary-search.js';
import type { FlowColumns } from '../model/flow-columns.js';
import { sourceOfCode } from '../model/generated-code.js';
import { type Instructions, lookAt } from '../model/instructions.js';
import { SparseColumn } from '../model/sparse-column.js';
import { countsDiffer, type Share, wilsonInterval } from '../statistics/shares.js';
import { type Attribution, isCountedReason, REASONS, type Reason } from './attribute.js';
import { regionsByControlFlow, regionsByDistance } from './code-regions.js';
import type { CodeHeat, HotReport, MethodRow, Region, RegionDraft, SourceRow } from './hot-results.js';
import { linesIn, NO_LINES, sumIn } from './line-ranges.js';
import { nativeRegions } from './native-regions.js';
import { SampledCode, ScratchColumn } from './sampled-code.js';
import { analyseSkid, SkidJudge, type SkidMode } from './skid-columns.js';
import { slowAmong } from './slow-instructions.js';

/** How regions are made, and whether samples are moved. */
export interface HotOptions {
	/** Bytes between sampled addresses of one region outside of loops; with `byDistance` everywhere. */
	readonly gapBytes: number;
	/** JMH's way: regions by distance alone. */
	readonly byDistance: boolean;
	readonly skid: SkidMode;
}

/** What was printed of a piece of code, by its position in the code map. */
export type ReadCode = (position: number) => { readonly instructions: Instructions; readonly labels: ReadonlyMap<number, string> } | null;

const TIMELINE_PARTS = 10;

/** Regions, methods and compilations with samples, hottest first. `readCode` is asked once for each piece of code that has some. */
export function hotReport(attribution: Attribution, readCode: ReadCode, options: HotOptions): HotReport {
	const { samples, counted } = attribution;
	const time = sampledTime(attribution);
	const judge = new SkidJudge(attribution, options.skid);
	const maker = new RegionMaker(options);
	const scratch = new ScratchColumn();
	const heats: SampledCode[] = [];
	const regionsOf = new Map<SampledCode, readonly RegionDraft[]>();
	// All that needs the instructions of a piece is done at once, while they are there. Mostly samples are moved in the end, where they may be.
	for (const heat of heatsOf(attribution, time, readCode)) {
		heats.push(heat);
		judge.add(heat);
		heat.analysedAt = judge.mayShift ? analyseSkid(heat, scratch) : null;
		heat.slowAt = heat.instructions === null ? [] : slowAmong(heat.instructions, heat.seenAt, heat.analysedAt);
		regionsOf.set(heat, maker.of(heat));
	}
	const verdict = judge.verdict();
	if (judge.mayShift && !verdict.isShifted) {
		for (const heat of heats) {
			heat.analysedAt = null;
			regionsOf.set(heat, maker.of(heat));
		}
	}
	const code = heats.toSorted((a, b) => b.samples - a.samples || a.code.start - b.code.start);
	const drafts = [...code.flatMap((heat) => regionsOf.get(heat) ?? []), ...nativeRegions(attribution, options.gapBytes)];
	drafts.sort((a, b) => b.samples - a.samples || a.start - b.start || a.end - b.end);
	const regions = drafts.map((draft, i) => new RankedRegion(draft, i, counted, drafts[i + 1]));
	return {
		attribution,
		event: samples.events[attribution.event] ?? '',
		regions,
		methods: methodRows(regions, code, counted),
		sources: sourceRows(regions, counted),
		code,
		skid: verdict,
		reasons: attribution.byReason,
		time,
	};
}

/** A class: there are tens of thousands, few of which are shown. */
class RankedRegion implements Region {
	readonly handle: string;
	readonly share: Share;
	readonly isRankSure: boolean;
	readonly heat: CodeHeat | null;
	readonly method: string;
	readonly source: string;
	readonly library: string | null;
	readonly start: number;
	readonly end: number;
	readonly samples: number;
	readonly loop: Region['loop'];
	private readonly draft: RegionDraft;
	private foundLines: Region['lines'] | null = null;
	private foundOwner: Region['owner'] | undefined;

	constructor(draft: RegionDraft, position: number, counted: number, next: RegionDraft | undefined) {
		this.handle = `r${position + 1}`;
		this.share = wilsonInterval(draft.samples, counted);
		this.isRankSure = next === undefined || countsDiffer(draft.samples, next.samples);
		this.heat = draft.heat;
		this.method = draft.method;
		this.source = draft.source;
		this.library = draft.library;
		this.start = draft.start;
		this.end = draft.end;
		this.samples = draft.samples;
		this.loop = draft.loop;
		this.draft = draft;
	}

	get lines(): Region['lines'] {
		this.foundLines ??= linesIn(this.draft.ranges);
		return this.foundLines;
	}

	get owner(): Region['owner'] {
		this.foundOwner = this.foundOwner === undefined ? this.draft.findOwner() : this.foundOwner;
		return this.foundOwner;
	}
}

interface Counts {
	/** By the number of the address. */
	readonly byAddress: Map<number, number>;
	readonly timeline: number[];
}

function countsByCode({ samples, numbered, target, reason }: Attribution, time: HotReport['time']): Map<number, Counts> {
	const result = new Map<number, Counts>();
	const partSeconds = (time.to - time.from) / TIMELINE_PARTS;
	for (let i = 0; i < samples.length; i++) {
		const position = target[i]!;
		if (position < 0 || isNotCounted(reason[i]!)) {
			continue;
		}
		let counts = result.get(position);
		if (counts === undefined) {
			counts = { byAddress: new Map(), timeline: new Array<number>(TIMELINE_PARTS).fill(0) };
			result.set(position, counts);
		}
		const address = numbered.of[i]!;
		counts.byAddress.set(address, (counts.byAddress.get(address) ?? 0) + 1);
		const part = partSeconds > 0 ? Math.floor((samples.timeSeconds[i]! - time.from) / partSeconds) : 0;
		const last = Math.min(part, TIMELINE_PARTS - 1);
		counts.timeline[last] = counts.timeline[last]! + 1;
	}
	return result;
}

/** Code of the interpreter and of stubs has a reason and is shown; what is not counted has a target nowhere. */
function isNotCounted(reason: number): boolean {
	return reason >= 0 && !SHOWN_AS_CODE.has(REASONS[reason]!);
}

const SHOWN_AS_CODE: ReadonlySet<Reason> = new Set(['interpreter', 'stub', 'named by the profiler only']);

function sampledTime({ samples, reason }: Attribution): HotReport['time'] {
	let from = Number.POSITIVE_INFINITY;
	let to = Number.NEGATIVE_INFINITY;
	for (let i = 0; i < samples.length; i++) {
		if (isCountedReason(reason[i]!)) {
			from = Math.min(from, samples.timeSeconds[i]!);
			to = Math.max(to, samples.timeSeconds[i]!);
		}
	}
	return from <= to ? { from, to } : { from: 0, to: 0 };
}

function* heatsOf(attribution: Attribution, time: HotReport['time'], readCode: ReadCode): Generator<SampledCode> {
	for (const [position, counts] of countsByCode(attribution, time)) {
		yield heatOf(attribution, position, counts, readCode);
	}
}

function heatOf({ map, numbered }: Attribution, position: number, { byAddress, timeline }: Counts, readCode: ReadCode): SampledCode {
	const printed = readCode(position);
	const instructions = printed !== null && printed.instructions.length > 0 ? printed.instructions : null;
	const seen = new Map<number, number>();
	let samples = 0;
	let outside = 0;
	const count = ({ address, end }: Pick<FlowColumns, 'address' | 'end'>): void => {
		for (const [number, times] of byAddress) {
			const sampled = numbered.addresses[number]!;
			samples += times;
			const i = lastAtOrBelow(address, sampled);
			if (i >= 0 && sampled < end[i]!) {
				seen.set(i, (seen.get(i) ?? 0) + times);
			} else {
				outside += times;
			}
		}
	};
	if (instructions === null) {
		count(NOTHING);
	} else {
		lookAt(instructions, count);
	}
	const rows = { code: map.code[position]!, instructions, labels: printed?.labels ?? new Map<number, string>(), samples, outside, timeline };
	return new SampledCode(rows, new SparseColumn(instructions?.length ?? 0, seen));
}

const NOTHING = { address: new Float64Array(0), end: new Float64Array(0) };

/** Room for the passes over all code. */
class RegionMaker {
	private readonly options: HotOptions;
	private readonly seen = new ScratchColumn();
	private readonly weights = new ScratchColumn();

	constructor(options: HotOptions) {
		this.options = options;
	}

	of(heat: SampledCode): RegionDraft[] {
		const { code, instructions, outside } = heat;
		const method = code.name;
		const source = sourceOfCode(code);
		const result = instructions === null ? [] : lookAt(instructions, (columns) => this.ofInstructions(heat, instructions, columns, source));
		if (outside > 0) {
			const { start, end } = code;
			result.push({ heat, method, source, library: null, start, end, samples: outside, ranges: NO_LINES, loop: null, findOwner: noOwner });
		}
		return result;
	}

	private ofInstructions(heat: SampledCode, instructions: Instructions, columns: FlowColumns, source: string): RegionDraft[] {
		const { gapBytes, byDistance } = this.options;
		const seen = this.seen.with(heat.seenAt);
		// Where samples were moved to belongs to a region too.
		const weights = heat.analysedAt === null ? seen : this.weights.with(heat.seenAt, heat.analysedAt);
		const regions = byDistance ? regionsByDistance(columns, weights, gapBytes) : regionsByControlFlow(instructions, weights, gapBytes);
		const method = heat.code.name;
		return regions.map(({ ranges, loop }) => ({
			heat,
			method,
			source,
			library: null,
			start: columns.address[ranges[0]!]!,
			end: columns.end[ranges.at(-1)! - 1]!,
			samples: sumIn(ranges, seen),
			ranges,
			loop,
			findOwner: () => ownerOf(instructions, heat.seen, linesIn(ranges)),
		}));
	}
}

function noOwner(): null {
	return null;
}

function ownerOf(code: Instructions, seen: Float64Array, lines: readonly number[]): Region['owner'] {
	const weights = new Map<string, number>();
	for (const i of lines) {
		const method = seen[i]! > 0 ? code.frames(i)[0]?.method : undefined;
		if (method !== undefined) {
			weights.set(method, (weights.get(method) ?? 0) + seen[i]!);
		}
	}
	let result: Region['owner'] = null;
	for (const [method, samples] of weights) {
		result = result === null || samples > result.samples ? { method, samples } : result;
	}
	return result;
}

/** A method with the regions of all its compilations by one compiler; the kernel, each library and the like are rows in round brackets. */
function methodRows(regions: readonly Region[], code: readonly CodeHeat[], counted: number): MethodRow[] {
	const rows = new Map<string, { method: string; source: string; samples: number }>();
	const versions = new Map<string, CodeHeat[]>();
	for (const heat of code) {
		const key = `${heat.code.name}\0${sourceOfCode(heat.code)}`;
		const known = versions.get(key);
		if (heat.code.compileId !== null && known === undefined) {
			versions.set(key, [heat]);
		} else if (heat.code.compileId !== null) {
			known?.push(heat);
		}
	}
	for (const region of regions) {
		const method = region.heat?.code.compileId != null || region.source === 'profiler' ? region.method : `(${region.source})`;
		const key = `${method}\0${region.source}`;
		const row = rows.get(key) ?? { method, source: region.source, samples: 0 };
		row.samples += region.samples;
		rows.set(key, row);
	}
	return [...rows.values()]
		.sort((a, b) => b.samples - a.samples || (a.method < b.method ? -1 : 1))
		.map(({ method, source, samples }, i) => ({
			method,
			source,
			samples,
			handle: `m${i + 1}`,
			share: wilsonInterval(samples, counted),
			versions: versions.get(`${method}\0${source}`) ?? [],
		}));
}

function sourceRows(regions: readonly Region[], counted: number): SourceRow[] {
	const counts = new Map<string, number>();
	for (const { source, samples } of regions) {
		counts.set(source, (counts.get(source) ?? 0) + samples);
	}
	return [...counts]
		.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
		.map(([source, samples]) => ({ source, samples, share: wilsonInterval(samples, counted) }));
}
