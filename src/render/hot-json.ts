/** The result of `assay hot` as JSON: see docs/json.md. */
import type { AnnotatedCode } from '../hot/annotated-code.js';
import type { FoldKind, FoldRow } from '../hot/fold.js';
import type { CodeHeat, HotReport, Region } from '../hot/hot-results.js';
import type { SampleColumns } from '../hot/sample-columns.js';
import type { Share } from '../statistics/shares.js';
import type { JsonSink } from './json-stream.js';

export interface HotSource {
	readonly samplesFile: string;
	readonly logFile: string | null;
	readonly jvm: string | null;
	readonly processId: number | null;
}

export interface HotSelection {
	/** Only these regions; null: all. */
	readonly chosen: readonly Region[] | null;
	readonly folded: { readonly kind: FoldKind; readonly rows: readonly FoldRow[] } | null;
	/** All instructions of these compilations, each read when it is written; null: none. */
	readonly code: Iterable<AnnotatedCode> | null;
	readonly columns: SampleColumns | null;
}

export function writeHotJson(json: JsonSink, report: HotReport, source: HotSource, { chosen, folded, code, columns }: HotSelection): void {
	const { attribution, skid, reasons } = report;
	const { clock } = attribution;
	json.field('recording', { ...source, event: report.event, events: attribution.samples.events });
	json.field('samples', { total: attribution.total, counted: attribution.counted, byReason: Object.fromEntries(reasons), ambiguous: attribution.ambiguous });
	json.field('clock', {
		source: clock.source,
		startSeconds: finiteOrNull(clock.startSeconds),
		uncertaintySeconds: finiteOrNull(clock.uncertaintySeconds),
	});
	json.field('skid', { shifted: skid.isShifted, share: skid.share, samples: skid.samples, reason: skid.reason });
	json.beginList('regions');
	for (const region of chosen ?? report.regions) {
		json.item(regionRow(region, attribution.counted));
	}
	json.closeTo(json.depth - 1);
	json.field(
		'methods',
		report.methods.map(({ handle, method, source: by, samples, share, versions }) => ({
			handle,
			method,
			source: by,
			samples,
			...rounded(share),
			compileIds: versions.map(({ code }) => code.compileId),
		})),
	);
	json.field(
		'sources',
		report.sources.map(({ source: by, samples, share }) => ({ source: by, samples, ...rounded(share) })),
	);
	if (folded !== null) {
		json.field('by', {
			kind: folded.kind,
			rows: folded.rows.map(({ share, samples, analysed, ...row }) => ({
				...row,
				samples,
				...rounded(share),
				analysedPercent: analysed === null ? null : percentOf(analysed, attribution.counted),
			})),
		});
	}
	json.field(
		'compilations',
		report.code.filter((heat) => heat.code.compileId !== null).map((heat) => hotCompilationRow(heat, attribution.counted)),
	);
	if (code !== null) {
		json.beginList('code');
		for (const annotated of code) {
			json.item(codeRow(annotated));
		}
		json.closeTo(json.depth - 1);
	}
	if (columns !== null) {
		json.field('sampleColumns', columns);
	}
}

/** A row of `compilations`. */
export type HotCompilationJson = ReturnType<typeof hotCompilationRow>;
/** A row of `code`. */
export type HotCodeJson = Omit<AnnotatedCode, 'heat'> & {
	readonly compileId: string | null;
	readonly method: string;
	readonly start: string;
	readonly end: string;
	readonly withoutInstruction: number;
};

/** An item of `code`. */
export function codeRow({ heat, ...columns }: AnnotatedCode): HotCodeJson {
	const { code, outside } = heat;
	return { compileId: code.compileId, method: code.name, start: hexadecimal(code.start), end: hexadecimal(code.end), withoutInstruction: outside, ...columns };
}

function regionRow(region: Region, counted: number) {
	const { heat, handle, method, library, start, end, samples, share, isRankSure, loop, owner } = region;
	const code = heat?.code;
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
		...rounded(share),
		isRankSure,
		loop:
			loop === null || heat?.instructions == null
				? null
				: { depth: loop.depth, instructions: loop.instructions, header: hexadecimal(heat.instructions.address[loop.header]!), hasPoll: loop.hasPoll },
		owner,
		lines: lineRows(region, counted),
	};
}

function lineRows({ heat, lines }: Region, counted: number) {
	const code = heat?.instructions;
	if (heat === null || code == null) {
		return [];
	}
	return lines.map((i) => {
		const frames = code.positions[code.position[i]!] ?? [];
		const innermost = frames[0];
		const analysed = heat.analysed?.[i];
		return {
			address: hexadecimal(code.address[i]!),
			text: code.text[i],
			samples: heat.seen[i],
			percent: percentOf(heat.seen[i]!, counted),
			analysedPercent: analysed === undefined ? null : percentOf(analysed, counted),
			...(innermost === undefined ? {} : { bci: innermost.bci, ...(innermost.line === null ? {} : { line: innermost.line }) }),
			frames,
			comments: code.comments[i],
		};
	});
}

function hotCompilationRow({ code, samples, timeline, outside }: CodeHeat, counted: number) {
	return {
		handle: `c${code.compileId}`,
		compileId: code.compileId,
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

function percentOf(count: number, counted: number): number {
	return counted === 0 ? 0 : round((100 * count) / counted);
}

function rounded({ percent, low, high }: Share): Share {
	return { percent: round(percent), low: round(low), high: round(high) };
}

/** Four digits after the point: a sample in a million. */
function round(value: number): number {
	return Math.round(value * 10_000) / 10_000;
}

/** Addresses of the kernel are negative numbers of 64 bits. */
export function hexadecimal(address: number): string {
	return `0x${address < 0 ? BigInt.asUintN(64, BigInt(address)).toString(16) : address.toString(16)}`;
}

function finiteOrNull(value: number): number | null {
	return Number.isFinite(value) ? value : null;
}
