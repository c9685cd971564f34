/** `assay memory A --compare B` as text: which methods cost more or less, in which phase and arena. */
import type { MemoryChange } from '../footprint/results.js';
import { memoryLines } from './memory-lines.js';
import { changeText, fullMethod, type MemoryComparisonView, phaseName, sizeText } from './memory-view.js';
import { columns, padEnd, padStart, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

const CELLS = 3;

export function writeMemoryComparison(writer: TextWriter, view: MemoryComparisonView, terminal: Terminal): void {
	const lines = memoryLines(writer, terminal);
	const { nameA, nameB, comparison, showNoise, top } = view;
	const { changes, runsA, runsB, totalA, totalB, unchanged } = comparison;
	lines.line(terminal.paint('bold', visible(`${nameA} → ${nameB}   memory of the compilers, ${runsA} + ${runsB} runs`)));
	lines.line(`all compilations at their peaks: ${sizeText(totalA)} → ${sizeText(totalB)} (${changeText(totalB - totalA)})`);
	const noise = changes.filter(({ isNoise }) => isNoise === true).length;
	const count = (kind: MemoryChange['kind']): number => changes.filter((change) => change.kind === kind && change.isNoise !== true).length;
	lines.wrapped(`${count('changed')} methods changed, ${count('appeared')} appeared, ${count('vanished')} vanished; ${unchanged} need the same`, '');
	if (runsA === 1 && runsB === 1) {
		lines.wrapped('one run a side: what is noise cannot be told; 3 runs a side are the least that chance does not explain (--repeat-a, --repeat-b)', '');
	} else if (noise > 0) {
		lines.wrapped(`${noise} vary within a side too: noise${showNoise ? '' : ' (--show-noise)'}`, '');
	}
	const shown = changes.filter(({ isNoise }) => showNoise || isNoise !== true);
	if (shown.length === 0) {
		return;
	}
	lines.heading('Largest change first; of each method its most expensive compilation');
	for (const change of shown.slice(0, top)) {
		const { handle, compiler, a, b, kind, cells, isNoise, pValue } = change;
		const sizes =
			kind === 'appeared' ? `new ${sizeText(b.bytes)}` : kind === 'vanished' ? `gone ${sizeText(a.bytes)}` : `${sizeText(a.bytes)}→${sizeText(b.bytes)}`;
		const noted = pValue === null ? '' : isNoise ? ' noise' : ` p ${pValue.toFixed(3)}`;
		const text = `  ${padEnd(handle, 5)} ${padStart(changeText(b.bytes - a.bytes), 9)}  ${padEnd(sizes, 16)}${noted}  ${visible(compiler)} `;
		lines.line(`${text}${lines.method(fullMethod(change), columns(text))}`);
		const parts = cells.slice(0, CELLS).map(({ phase, arena, bytesA, bytesB }) => `${phaseName(phase)} ${arena} ${changeText(bytesB - bytesA)}`);
		if (parts.length > 0) {
			lines.wrapped(`${parts.join(', ')}${cells.length > CELLS ? `, ${cells.length - CELLS} more` : ''}`, ' '.repeat(17));
		}
	}
	if (shown.length > top) {
		lines.line(`  ${shown.length - top} more  → --top ${top * 5}`);
	}
}
