/** What sampled code allocates, as text: the sites with most of it. */
import type { ReportResult } from '../answers/results.js';
import { thousands } from './quantities.js';
import { columns, padEnd, padStart, shortenMethod, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

export interface AllocationsView {
	readonly title: string;
	readonly rows: readonly NonNullable<ReportResult['allocations']>[number][];
	/** Rows of the table. */
	readonly top: number;
}

const SHARE_WIDTH = 9;
const PLACE_WIDTH = 14;

export function writeAllocationsText(writer: TextWriter, { title, rows, top }: AllocationsView, terminal: Terminal): void {
	const shown = rows.slice(0, top);
	const line = (text: string): void => writer.line(0, text);
	const places = shown.map((row) => (row.line === null ? (row.bci === null ? '' : `bci ${row.bci}`) : `line ${row.line}`));
	const methods = shown.map(({ method }) => visible(method));
	const room = Math.max(20, (terminal.width ?? 120) - SHARE_WIDTH - PLACE_WIDTH - 10);
	const width = Math.min(room, Math.max(...methods.map(columns)));
	line(terminal.paint('bold', visible(title)));
	line('What sampled code allocates: shares of its bytes, estimated from the samples');
	line('');
	line(terminal.paint('dim', `${padStart('bytes', SHARE_WIDTH)}  ${padEnd('made in', width)}  ${padEnd('at', PLACE_WIDTH)}mostly by`));
	shown.forEach(({ percent, compileId }, i) => {
		const method = padEnd(shortenMethod(methods[i] ?? '', width), width);
		line(
			`${padStart(`${percent.toFixed(1)} %`, SHARE_WIDTH)}  ${method}  ${padEnd(places[i] ?? '', PLACE_WIDTH)}${compileId === null ? '' : `c${compileId}`}`.trimEnd(),
		);
	});
	if (rows.length > shown.length) {
		line(`${thousands(rows.length - shown.length)} more   → --top 50`);
	}
}
