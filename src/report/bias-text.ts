/** `assay bias` as text: shares side by side, distances, and whose time lands on whom. */
import type { BiasReport } from '../bias/bias-report.js';
import { padEnd, padStart, shortenMethod, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

export interface BiasView {
	readonly report: BiasReport;
	readonly title: string;
	/** Names of the other profiles. */
	readonly observed: readonly string[];
	readonly top: number;
}

const SHARE_WIDTH = 9;
const RANGE_WIDTH = 14;
const NARROWEST_NAME = 20;

export function writeBiasText(writer: TextWriter, { report, title, observed, top }: BiasView, terminal: Terminal): void {
	const width = terminal.width ?? 80;
	writer.line(0, terminal.paint('bold', visible(title)));
	writer.line(0, `${report.counted} samples; predicted is what a profiler would print that sees threads only at`);
	writer.line(0, 'safepoints: a prediction from code and samples, not a measurement.');
	writer.line(0, '');
	const nameWidth = Math.max(NARROWEST_NAME, width - 2 * RANGE_WIDTH - SHARE_WIDTH * observed.length);
	const heads = [
		padStart('unbiased %', RANGE_WIDTH),
		padStart('predicted %', RANGE_WIDTH),
		...observed.map((name) => padStart(visible(name).slice(0, SHARE_WIDTH - 1), SHARE_WIDTH)),
	];
	writer.line(0, terminal.paint('bold', padEnd('method', nameWidth) + heads.join('')));
	for (const row of report.methods.slice(0, top)) {
		const half = (row.unbiasedInterval.high - row.unbiasedInterval.low) / 2;
		const interval = row.predictedInterval;
		const cells = [
			padStart(`${row.unbiasedPercent.toFixed(1)} ±${padStart(half.toFixed(1), 4)}`, RANGE_WIDTH),
			padStart(
				row.predictedPercent < 0.05
					? '-'
					: `${row.predictedPercent.toFixed(1)}${interval === null ? '' : ` ±${padStart(((interval.high - interval.low) / 2).toFixed(1), 4)}`}`,
				RANGE_WIDTH,
			),
			...observed.map((name) => padStart(shown(row.observed.get(name) ?? 0), SHARE_WIDTH)),
		];
		writer.line(0, padEnd(shortenMethod(visible(row.method), nameWidth - 1), nameWidth) + cells.join(''));
	}
	more(writer, report.methods.length - top, 'methods');
	writer.line(0, '');
	writer.line(0, terminal.paint('bold', 'distances (0 the same, 1 nothing in common; from sampling alone)'));
	for (const { a, b, totalVariation, expectedFromSampling } of report.distances) {
		writer.line(
			0,
			`${padEnd(`${visible(a)} - ${visible(b)}`, 36)}${padStart(totalVariation.toFixed(3), 8)}${padStart(`(${expectedFromSampling.toFixed(3)})`, 10)}`,
		);
	}
	writeTransfers(writer, report, top, width, terminal);
	writeLoops(writer, report, top, width, terminal);
}

function writeTransfers(writer: TextWriter, { transfers, unknownPercent }: BiasReport, top: number, width: number, terminal: Terminal): void {
	const moved = transfers.filter(({ from, to, percent }) => from !== to && percent >= 0.05);
	writer.line(0, '');
	writer.line(0, terminal.paint('bold', 'whose time lands on whom'));
	const nameWidth = Math.floor((width - 12) / 2);
	for (const { from, to, percent } of moved.slice(0, top)) {
		writer.line(
			0,
			`${padStart(`${percent.toFixed(1)} %`, 8)} ${padEnd(shortenMethod(visible(from), nameWidth - 1), nameWidth)}→ ${shortenMethod(visible(to), nameWidth)}`,
		);
	}
	more(writer, moved.length - top, 'transfers');
	if (unknownPercent >= 0.05) {
		writer.line(0, `${unknownPercent.toFixed(1)} % of the samples stop where no printed code tells.`);
	}
}

function writeLoops(writer: TextWriter, { loops }: BiasReport, top: number, width: number, terminal: Terminal): void {
	const kinds = { iteration: 'every iteration', strip: 'outer loop', none: 'none' } as const;
	const without = loops.filter(({ poll }) => poll !== 'iteration');
	writer.line(0, '');
	writer.line(0, terminal.paint('bold', `why: loops of the sampled code that do not poll on every iteration (${without.length} of ${loops.length})`));
	const nameWidth = Math.max(NARROWEST_NAME, width - 28);
	for (const { method, line, code, poll } of without.slice(0, top)) {
		const name = `${shortenMethod(visible(method), nameWidth - 8)}${line === null ? '' : `:${line}`}`;
		writer.line(0, `${padEnd(`c${code.compileId}`, 8)}${padEnd(name, nameWidth)} poll: ${kinds[poll]}`);
	}
	more(writer, without.length - top, 'loops');
	for (const reason of new Set(without.map(({ reason: text }) => text))) {
		const kind = kinds[without.find((loop) => loop.reason === reason)?.poll ?? 'none'];
		for (const [i, line] of wrapped(`${kind}: ${reason}`, width - 4).entries()) {
			writer.line(0, (i === 0 ? '  ' : '    ') + line);
		}
	}
}

function shown(percent: number): string {
	return percent < 0.05 ? '-' : percent.toFixed(1);
}

function more(writer: TextWriter, left: number, what: string): void {
	if (left > 0) {
		writer.line(0, `… ${left} more ${what} (--top, --json)`);
	}
}

function wrapped(text: string, width: number): string[] {
	const lines: string[] = [];
	for (const word of text.split(' ')) {
		const last = lines.at(-1);
		if (last === undefined || last.length + 1 + word.length > width) {
			lines.push(word);
		} else {
			lines[lines.length - 1] = `${last} ${word}`;
		}
	}
	return lines;
}
