/** Pages as cells: one a page, windows of 64 KiB apart, so that a fault is seen as what it loads. */
import { PAGE_TOUCHED, type PageMap, WINDOW_BYTES } from '../startup/results.js';
import { thousands } from './quantities.js';
import type { Terminal } from './terminal.js';

const CELLS = ['░', '▒', '▓'];
/** Programs of many megabytes: what is left out is counted. */
const MAX_LINES = 60;

/** Lines of cells; runs of lines without a touched page are one line that counts them. `width` counts columns for the cells. */
export function pageMapLines({ pageBytes, firstPage, pages }: PageMap, width: number, terminal: Terminal): string[] {
	const pagesPerWindow = WINDOW_BYTES / pageBytes;
	const windowsPerLine = Math.max(1, Math.floor((width + 1) / (pagesPerWindow + 1)));
	const perLine = windowsPerLine * pagesPerWindow;
	const lead = firstPage % pagesPerWindow;
	const lines: string[] = [];
	let cold = 0;
	const tellCold = (): void => {
		if (cold > 0) {
			lines.push(terminal.paint('dim', `… ${thousands(cold)} pages not touched`));
			cold = 0;
		}
	};
	for (let start = -lead; start < pages.length; start += perLine) {
		const first = Math.max(0, start);
		const end = Math.min(pages.length, start + perLine);
		const part = pages.subarray(first, end);
		if (!part.includes(PAGE_TOUCHED)) {
			cold += part.length;
			continue;
		}
		tellCold();
		if (lines.length >= MAX_LINES) {
			lines.push(terminal.paint('dim', `… ${thousands(pages.length - first)} more pages, ${thousands(touched(pages.subarray(first)))} of them touched`));
			return lines;
		}
		let line = '';
		for (let page = start; page < end; page++) {
			line += page > start && (page - start) % pagesPerWindow === 0 ? ' ' : '';
			line += page < 0 ? ' ' : CELLS[pages[page]!]!;
		}
		lines.push(line);
	}
	tellCold();
	return lines;
}

function touched(pages: Uint8Array): number {
	return pages.reduce((sum, page) => sum + (page === PAGE_TOUCHED ? 1 : 0), 0);
}
