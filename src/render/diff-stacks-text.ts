/** Two profiles of stacks as text: the methods whose shares changed. */
import type { ComparedProfile, DiffStacksAnswer } from '../answers/diff-stacks.js';
import { cutLine, padEnd, padStart, shortenMethod, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

/** Rows; --json has all. */
const ROWS = 30;

export function writeDiffStacks(writer: TextWriter, { a, b, changes }: DiffStacksAnswer, terminal: Terminal): void {
	const line = (text: string): void => writer.line(0, cutLine(text, terminal.width));
	line(terminal.paint('bold', visible(`${a.name} → ${b.name}`)));
	line(visible(`${counted(a)} → ${counted(b)}`));
	line('');
	line(
		terminal.paint(
			'bold',
			`  ${padStart('own A', 8)} ${padStart('own B', 8)} ${padStart('points', 8)} ${padEnd('', 8)} ${padStart('total A', 8)} ${padStart('total B', 8)}  method`,
		),
	);
	const room = terminal.width === null ? null : Math.max(20, terminal.width - 58);
	const percent = (weight: number, { total }: ComparedProfile): string => (weight === 0 ? '' : `${((100 * weight) / total).toFixed(2)} %`);
	const shown = changes.filter(({ points, isSure }) => isSure || Math.abs(points) >= 0.005).slice(0, ROWS);
	for (const change of shown) {
		const { points, interval, isSure } = change;
		const sign = points > 0 ? '+' : points < 0 ? '−' : '';
		const half = interval === null ? '' : `±${((interval.high - interval.low) / 2).toFixed(2)}`;
		const cells = [
			padStart(percent(change.a.own, a), 8),
			padStart(percent(change.b.own, b), 8),
			padStart(`${sign}${Math.abs(points).toFixed(2)}`, 8),
			padEnd(half, 8),
			padStart(percent(change.a.total, a), 8),
			padStart(percent(change.b.total, b), 8),
		];
		const text = `  ${cells.join(' ')}  ${shortenMethod(visible(change.method), room)}${isSure || interval === null ? '' : '  within chance'}`;
		line(isSure ? terminal.paint(points > 0 ? 'red' : 'green', cutLine(text, terminal.width)) : text);
	}
	if (shown.length === 0) {
		line('  no share changed');
	}
	const more = changes.length - shown.length;
	if (more > 0) {
		line(`  ${more} more methods  → --json`);
	}
}

function counted({ what, unit, total }: ComparedProfile): string {
	return `${Math.round(total)} ${unit} (${what})`;
}
