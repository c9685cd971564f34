/** The footprint as a curve of characters: a column for each entry of the timeline, or for several; temporary peaks as dots above it. */
import type { TimelineEntry } from '../model/compiler-memory.js';
import { sizeText } from './memory-view.js';
import { padStart } from './terminal.js';

const HEIGHT = 8;
const LABEL = 10;
const EIGHTHS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

interface Column {
	bytes: number;
	nodes: number;
	temporary: number;
}

/** Lines of at most `width` columns. */
export function footprintCurve(timeline: readonly TimelineEntry[], width: number): string[] {
	const columns = columnsOf(timeline, Math.max(10, width - LABEL - 1));
	const highest = Math.max(1, ...columns.map(({ bytes, temporary }) => Math.max(bytes, temporary)));
	const mostNodes = Math.max(1, ...columns.map(({ nodes }) => nodes));
	const lines: string[] = [];
	for (let row = HEIGHT - 1; row >= 0; row--) {
		const label = row === HEIGHT - 1 ? sizeText(highest) : row === 0 ? '0' : '';
		const cells = columns.map(({ bytes, temporary }) => {
			const filled = Math.round((bytes / highest) * HEIGHT * 8) - row * 8;
			return filled > 0 ? EIGHTHS[Math.min(8, filled)]! : (temporary / highest) * HEIGHT > row ? '·' : ' ';
		});
		lines.push(`${padStart(label, LABEL)} ${cells.join('')}`.trimEnd());
	}
	const peakColumn = columns.findIndex(({ bytes, temporary }) => Math.max(bytes, temporary) === highest);
	const marks = columns.map(({ temporary }, i) => (i === peakColumn ? '◆' : temporary > 0 ? '▲' : ' '));
	lines.push(`${' '.repeat(LABEL)} ${marks.join('')}`.trimEnd());
	if (columns.some(({ nodes }) => nodes > 0)) {
		const cells = columns.map(({ nodes }) => EIGHTHS[Math.ceil((nodes / mostNodes) * 8)]!);
		lines.push(`${padStart('nodes', LABEL)} ${cells.join('')}`.trimEnd());
	}
	const each = columns.length < timeline.length ? `, ${(timeline.length / columns.length).toFixed(1)} a column` : '';
	lines.push(
		`${' '.repeat(LABEL)} ${timeline.length} entries${each}; ◆ the peak, ▲ temporary peaks${mostNodes > 1 ? `; up to ${mostNodes.toLocaleString('en')} nodes` : ''}`,
	);
	return lines;
}

function columnsOf(timeline: readonly TimelineEntry[], width: number): Column[] {
	const columns: Column[] = [];
	const count = Math.min(width, timeline.length);
	timeline.forEach(({ bytes, nodes, temporaryPeakBytes }, i) => {
		const at = Math.floor((i * count) / timeline.length);
		const column = columns[at] ?? { bytes: 0, nodes: 0, temporary: 0 };
		column.bytes = Math.max(column.bytes, bytes);
		column.nodes = Math.max(column.nodes, nodes);
		column.temporary = Math.max(column.temporary, temporaryPeakBytes ?? 0);
		columns[at] = column;
	});
	return columns;
}
