/** The results of `assay hot` and `assay hot --compare`: docs/schema/hot.json. */
import type { AnnotatedCode } from '../hot/annotated-code.js';
import { alignRegions, type RegionPair } from '../hot/compare-hot.js';
import type { FoldKind, FoldRow } from '../hot/fold.js';
import type { CodeHeat, HotReport, Region } from '../hot/hot-results.js';
import type { SampleColumns } from '../hot/sample-columns.js';
import type { ThreadTime } from '../hot/thread-time.js';
import { hexadecimal } from '../model/hexadecimal.js';
import type { SampleWindow } from '../model/sample-window.js';
import type { CompareHotspotsResult, HotspotsResult } from './results.js';
import { percentOf, round, roundInterval, roundShare } from './rounding.js';
import { type Frozen, mapped, type Streamed } from './streamed.js';
import { threadTimeResult } from './thread-time-result.js';

export interface HotSource {
	readonly samplesFile: string;
	readonly logFile: string | null;
	readonly jvm: string | null;
	readonly processId: number | null;
}

export interface HotSelection {
	readonly threadTime: ThreadTime | null;
	/** Only these regions; null: all. */
	readonly chosen: readonly Region[] | null;
	readonly folded: { readonly kind: FoldKind; readonly rows: readonly FoldRow[] } | null;
	/** All instructions of these compilations, each read when it is written; null: none. */
	readonly code: Iterable<AnnotatedCode> | null;
	readonly columns: SampleColumns | null;
	/** null: all samples. */
	readonly window: SampleWindow | null;
}

/** The result of `assay hot`: shares are in percent of the counted samples, rounded to a sample in a million. */
export function hotResult(report: HotReport, source: HotSource, { threadTime, chosen, folded, code, columns, window }: HotSelection): Streamed<HotspotsResult> {
	const { attribution, skid, reasons } = report;
	const { clock, counted } = attribution;
	return {
		recording: { ...source, event: report.event, events: attribution.samples.events },
		samples: { total: attribution.total, counted, byReason: Object.fromEntries(reasons), ambiguous: attribution.ambiguous, window },
		clock: {
			source: clock.source,
			startSeconds: finiteOrNull(clock.startSeconds),
			uncertaintySeconds: finiteOrNull(clock.uncertaintySeconds),
		},
		skid: { shifted: skid.isShifted, share: skid.share, samples: skid.samples, reason: skid.reason },
		regions: mapped(chosen ?? report.regions, (region) => regionRow(region, report)),
		methods: report.methods.map(({ handle, method, source: by, samples, share, versions }) => ({
			handle,
			method,
			source: by,
			samples,
			...roundShare(share),
			compileIds: versions.flatMap((version) => version.code.compileId ?? []),
		})),
		sources: report.sources.map(({ source: by, samples, share }) => ({ source: by, samples, ...roundShare(share) })),
		threadTime: threadTimeResult(threadTime),
		...(folded === null ? {} : { by: { kind: folded.kind, rows: folded.rows.map((row) => foldedRow(row, counted)) } }),
		compilations: report.code.flatMap((heat) => (heat.code.compileId === null ? [] : [hotCompilationRow(heat, heat.code.compileId, counted)])),
		...(code === null ? {} : { code: mapped(code, codeRow) }),
		...(columns === null ? {} : { sampleColumns: columns }),
	};
}

function foldedRow({ share, samples, analysed, ...row }: FoldRow, counted: number) {
	return { ...row, samples, ...roundShare(share), analysedPercent: analysed === null ? null : percentOf(analysed, counted) };
}

/** A row of `compilations`. */
export type HotCompilationJson = Frozen<HotspotsResult['compilations'][number]>;
/** A row of `code`. */
export type HotCodeJson = Frozen<NonNullable<HotspotsResult['code']>[number]>;

/** An item of `code`. */
export function codeRow({ heat, ...columns }: AnnotatedCode): HotCodeJson {
	const { code, outside } = heat;
	return { compileId: code.compileId, method: code.name, start: hexadecimal(code.start), end: hexadecimal(code.end), withoutInstruction: outside, ...columns };
}

function regionRow(region: Region, report: HotReport) {
	const { counted } = report.attribution;
	const { heat, handle, method, library, start, end, samples, share, isRankSure, loop, owner } = region;
	const code = heat?.code;
	const callers = report.regionCallers?.get(region);
	return {
		handle,
		compileId: code?.compileId ?? null,
		method,
		signature: code?.signature ?? null,
		compiler: code?.compiler ?? null,
		level: code?.level ?? null,
		source: region.source,
		library,
		start: hexadecimal(start),
		end: hexadecimal(end),
		samples,
		...roundShare(share),
		isRankSure,
		loop:
			loop === null || heat?.instructions == null
				? null
				: {
						depth: loop.depth,
						instructions: loop.instructions,
						header: hexadecimal(heat.instructions.address[loop.header]!),
						hasPoll: heat.code.arePollsKnown === false ? null : loop.hasPoll,
					},
		owner,
		...(callers === undefined ? {} : { callers }),
		lines: lineRows(region, counted),
	};
}

function lineRows({ heat, lines }: Region, counted: number) {
	const code = heat?.instructions;
	if (heat === null || code == null) {
		return [];
	}
	return lines.map((i) => {
		const frames = code.frames(i);
		const innermost = frames[0];
		const analysed = heat.analysed?.[i];
		return {
			address: hexadecimal(code.address[i]!),
			text: code.textAt(i),
			samples: heat.seen[i]!,
			percent: percentOf(heat.seen[i]!, counted),
			analysedPercent: analysed === undefined ? null : percentOf(analysed, counted),
			...(innermost === undefined ? {} : { bci: innermost.bci, ...(innermost.line === null ? {} : { line: innermost.line }) }),
			frames,
			comments: code.comments[i]!,
		};
	});
}

function hotCompilationRow({ code, samples, timeline, outside }: CodeHeat, compileId: string, counted: number) {
	return {
		handle: `c${compileId}`,
		compileId,
		method: code.name,
		signature: code.signature,
		compiler: code.compiler,
		level: code.level,
		osrBci: code.osrBci,
		start: hexadecimal(code.start),
		end: hexadecimal(code.end),
		installedSeconds: code.installedSeconds,
		notEntrant: code.notEntrant,
		samples,
		percent: percentOf(samples, counted),
		withoutInstruction: outside,
		timeline,
	};
}

function finiteOrNull(value: number): number | null {
	return Number.isFinite(value) ? value : null;
}

/** The result of `assay hot --compare`. */
export function hotComparisonResult(a: HotReport, b: HotReport, pairs: readonly RegionPair[]): Streamed<CompareHotspotsResult> {
	return {
		samples: { a: a.attribution.counted, b: b.attribution.counted },
		events: { a: a.event, b: b.event },
		pairs: mapped(pairs, (pair) => ({
			method: pair.method,
			a: sideRow(pair.a),
			b: sideRow(pair.b),
			difference: { points: round(pair.difference.points), ...roundInterval(pair.difference) },
			isSure: pair.isSure,
			likeness: round(pair.likeness),
			lines: (alignRegions(pair) ?? []).map(([rowA, rowB]) => ({ a: lineOf(pair.a, rowA), b: lineOf(pair.b, rowB) })),
		})),
	};
}

function sideRow(region: Region | null) {
	return region === null
		? null
		: {
				handle: region.handle,
				compileId: region.heat?.code.compileId ?? null,
				source: region.source,
				samples: region.samples,
				...roundShare(region.share),
			};
}

function lineOf(region: Region | null, row: number) {
	const code = region?.heat?.instructions;
	const i = region?.lines[row];
	return code == null || i === undefined ? null : { address: hexadecimal(code.address[i]!), text: code.textAt(i), samples: region?.heat?.seen[i] ?? 0 };
}
