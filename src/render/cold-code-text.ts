/** Functions that would gain from splitting hot from cold code, as text. */
import type { ColdCode } from '../startup/results.js';
import { thousands } from './quantities.js';
import { columns, cutLine, padEnd, padStart, shortenMiddle, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

const SHOWN = 5;
const WIDEST_NAME = 44;

export function writeColdCode(writer: TextWriter, { sizeBytes, executedBytes, executedPages, functions }: ColdCode, terminal: Terminal): void {
	const shown = functions.slice(0, SHOWN);
	const [first] = shown;
	if (first === undefined) {
		return;
	}
	const line = (text: string): void => writer.line(0, cutLine(text, terminal.width));
	const pages = `${thousands(executedPages)} page${executedPages === 1 ? '' : 's'}`;
	writer.line(0, '');
	line(
		terminal.paint('bold', `cold code: ${thousands(sizeBytes - executedBytes)} of ${thousands(sizeBytes)} bytes of the functions that ran were not executed`),
	);
	line(`  what was executed would fill ${pages}; splitting hot from cold code gains most in`);
	const names = shown.map(({ symbol }) => shortenMiddle(visible(symbol), WIDEST_NAME));
	const width = Math.max(...names.map(columns));
	const digits = thousands(Math.max(...shown.map((one) => one.sizeBytes))).length;
	shown.forEach((one, i) => {
		const share = `${((100 * one.executedBytes) / one.sizeBytes).toFixed(1)} %`;
		line(`  ${padEnd(names[i]!, width)}  ${padStart(thousands(one.sizeBytes), digits)} bytes, ${padStart(share, 6)} executed`);
	});
	if (functions.length > shown.length) {
		line(terminal.paint('dim', `  … ${thousands(functions.length - shown.length)} more functions with 256 bytes or more (--json)`));
	}
}
