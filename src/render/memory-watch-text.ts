/** `assay memory --watch`, while it watches: what was compiled since the last answer of the JVM, most expensive first. */
import type { SeenCompilations } from '../answers/watch-memory.js';
import { compilerText, fullMethod, resultText, sizeText } from './memory-view.js';
import { visible } from './visible.js';

const MAX_LINES = 20;

/** Lines with their ends. */
export function seenText({ seconds, isFirst, fresh }: SeenCompilations): string {
	const time = `${seconds.toFixed(1).padStart(6)} s  `;
	const byCost = [...fresh].sort((a, b) => b.totalBytes - a.totalBytes);
	const shown = byCost.slice(0, isFirst ? 1 : MAX_LINES);
	const lines = shown.map((one) => {
		const name = visible(`c${one.compileId} ${compilerText(one)} ${fullMethod(one)} ${resultText(one)}`);
		return `${time}${sizeText(one.totalBytes).padStart(9)}  ${name}\n`;
	});
	if (isFirst) {
		lines.unshift(`${time}${fresh.length} compilations listed${shown.length > 0 ? '; the largest:' : ''}\n`);
	} else if (byCost.length > shown.length) {
		lines.push(`${time}and ${byCost.length - shown.length} more\n`);
	}
	return lines.join('');
}

/** One line, while the next answer is waited for. */
export function watchedText({ seconds, count, largestBytes }: SeenCompilations): string {
	return `${seconds.toFixed(0)} s: ${count} compilations seen, the largest ${sizeText(largestBytes)}; Ctrl-C ends it`;
}
