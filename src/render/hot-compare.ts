/** `assay hot A --compare B`: as text and as JSON. */
import type { AlignedPair } from '../hot/align-code.js';
import type { RegionPair } from '../hot/compare-hot.js';
import type { HotReport, Region } from '../hot/hot-results.js';
import type { Frame } from '../model/instructions.js';
import { simpleName } from '../model/method-name.js';
import { cutLine, padEnd, padStart, shortenMethod, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

export interface HotComparisonView {
	readonly nameA: string;
	readonly nameB: string;
	readonly a: HotReport;
	readonly b: HotReport;
	readonly pairs: readonly RegionPair[];
	/** Rows of the table. */
	readonly top: number;
	/** Pairs with a region above this share, 0 to 1, are shown instruction by instruction. */
	readonly threshold: number;
	readonly align: (pair: RegionPair) => readonly AlignedPair[] | null;
}

export function writeHotComparison(writer: TextWriter, view: HotComparisonView, terminal: Terminal): void {
	const { a, b, pairs, top, threshold, align } = view;
	const line = (text: string): void => writer.line(0, cutLine(text, terminal.width));
	line(terminal.paint('bold', visible(`${view.nameA} → ${view.nameB}`)));
	line(visible(`${a.attribution.counted} samples of ${a.event} → ${b.attribution.counted} samples of ${b.event}`));
	line('');
	line(terminal.paint('bold', `  ${padEnd('regions', 11)} ${padStart('A', 9)} ${padStart('B', 9)} ${padStart('points', 8)}`));
	const nameRoom = terminal.width === null ? null : Math.max(20, terminal.width - 66);
	for (const pair of pairs.slice(0, top)) {
		const { difference, isSure } = pair;
		const handles = `${pair.a?.handle ?? '+'} ${pair.b === null ? '−' : `→ ${pair.b.handle}`}`;
		const change = `${difference.points > 0 ? '+' : difference.points < 0 ? '−' : ''}${Math.abs(difference.points).toFixed(2)}`;
		const interval = `±${((difference.high - difference.low) / 2).toFixed(2)}`;
		const state = pair.a === null ? 'appeared' : pair.b === null ? 'vanished' : isSure ? '' : 'within chance';
		const text = `  ${padEnd(handles, 11)} ${padStart(percent(pair.a), 9)} ${padStart(percent(pair.b), 9)} ${padStart(change, 8)} ${padEnd(interval, 7)} ${padEnd(state, 13)}  ${shortenMethod(visible(pair.method), nameRoom)}  ${idsOf(pair)}`;
		line(isSure ? terminal.paint(difference.points > 0 ? 'red' : 'green', cutLine(text.trimEnd(), terminal.width)) : text.trimEnd());
	}
	if (pairs.length > top) {
		line(`  ${pairs.length - top} more regions  → --top ${top * 5}`);
	}
	for (const pair of pairs) {
		const isHot = Math.max(pair.a?.share.percent ?? 0, pair.b?.share.percent ?? 0) > 100 * threshold;
		const rows = isHot ? align(pair) : null;
		if (rows !== null) {
			line('');
			line(terminal.paint('bold', `── ${pair.a?.handle} → ${pair.b?.handle}  ${shortenMethod(visible(pair.method), nameRoom)}  ${idsOf(pair)}`));
			alignedLines(pair, rows, view, line, terminal);
		}
	}
}

/** Same instructions once, in B's words; `-` only in A, `+` only in B. */
function alignedLines({ a, b }: RegionPair, rows: readonly AlignedPair[], view: HotComparisonView, line: (text: string) => void, terminal: Terminal): void {
	line(terminal.paint('dim', `  ${padStart('A', 8)} ${padStart('B', 8)}`));
	for (const [rowA, rowB] of rows) {
		const sideA = lineOf(a, rowA, view.a.attribution.counted);
		const sideB = lineOf(b, rowB, view.b.attribution.counted);
		const mark = sideA === null ? '+' : sideB === null ? '-' : ' ';
		const text =
			`  ${padStart(sideA?.percent ?? '', 8)} ${padStart(sideB?.percent ?? '', 8)}  ${mark} ${padEnd(visible((sideB ?? sideA)?.text ?? ''), 44)}  ${visible((sideB ?? sideA)?.place ?? '')}`.trimEnd();
		line(mark === ' ' ? text : terminal.paint(mark === '+' ? 'green' : 'red', cutLine(text, terminal.width)));
	}
}

function lineOf(region: Region | null, row: number, counted: number): { percent: string; text: string; place: string } | null {
	const heat = region?.heat;
	const code = heat?.instructions;
	const i = region?.lines[row];
	if (heat == null || code == null || i === undefined) {
		return null;
	}
	const seen = heat.seen[i]!;
	const frame = code.frames(i)[0];
	return {
		percent: seen === 0 ? '' : `${((100 * seen) / Math.max(1, counted)).toFixed(2)} %`,
		text: code.textAt(i).replace(/0x0{2,}/g, '0x'),
		place: frame === undefined ? '' : placeOf(frame),
	};
}

/** Bytecode, or the line where there is none. */
function placeOf({ method, bci, line }: Frame): string {
	return `${simpleName(method)}${bci >= 0 ? `@${bci}` : line === null ? '' : `:${line}`}`;
}

function percent(region: Region | null): string {
	return region === null ? '–' : `${region.share.percent.toFixed(2)} %`;
}

function idsOf({ a, b }: RegionPair): string {
	const name = (region: Region | null): string =>
		region === null ? '' : region.heat?.code.compileId == null ? region.source : `c${region.heat.code.compileId} ${region.heat.code.compiler ?? ''}`.trim();
	const from = name(a);
	const to = name(b);
	return visible(a === null ? to : b === null || from === to ? from : `${from} → ${to}`);
}
