/** What `assay collect` and `assay compact` did, as text. */
import type { CollectResult, CompactResult } from '../answers/results.js';
import type { Frozen } from '../answers/streamed.js';
import { bytesText, thousands } from './quantities.js';
import { columns, padEnd, padStart, shortenMiddle, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

export function writeCollectText(writer: TextWriter, { store, runs }: Frozen<CollectResult>, terminal: Terminal): void {
	for (const { run, recording, processId, day, state, rows } of runs) {
		const all = Object.values(rows).reduce((sum, count) => sum + count, 0);
		const what = state === 'known' ? 'is there already' : `${thousands(all)} rows, ${thousands(rows.decisions ?? 0)} of them decisions`;
		const name = `${visible(recording)}${processId === null ? '' : ` (process ${processId})`}`;
		const room = terminal.width === null ? null : Math.max(20, terminal.width - columns(`${run}  ${day}  ${what}  `));
		writer.line(0, `${terminal.paint('bold', run)}  ${day}  ${what}  ${shortenMiddle(name, room)}`);
	}
	const fresh = runs.filter(({ state }) => state === 'collected').length;
	writer.line(0, `${fresh} of ${runs.length} runs are new in ${visible(store)}`);
}

export function writeCompactText(writer: TextWriter, { store, into, runs, tables }: Frozen<CompactResult>, terminal: Terminal): void {
	writer.line(0, terminal.paint('bold', `${padEnd('table', 18)}${padStart('rows', 14)}${padStart('files', 16)}${padStart('size', 22)}`));
	for (const { table, rowsAfter, filesBefore, filesAfter, bytesBefore, bytesAfter } of tables) {
		const files = `${thousands(filesBefore)} → ${thousands(filesAfter)}`;
		writer.line(
			0,
			`${padEnd(table, 18)}${padStart(thousands(rowsAfter), 14)}${padStart(files, 16)}${padStart(`${bytesText(bytesBefore)} → ${bytesText(bytesAfter)}`, 22)}`,
		);
	}
	writer.line(0, `${thousands(runs)} runs of ${visible(store)} are in ${visible(into)}; every row was counted`);
}
