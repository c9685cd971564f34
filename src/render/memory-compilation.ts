/** One compilation: arenas by phase at the peak as a heat map, the footprint as a curve, the phases as a tree. */

import type { ShownCompilation } from '../answers/memory-result.js';
import type { PhaseInstance } from '../footprint/results.js';
import type { MemoryDetails, PhaseMemory } from '../model/compiler-memory.js';
import { footprintCurve } from './footprint-curve.js';
import type { MemoryLines } from './memory-lines.js';
import { changeText, compilerText, fullMethod, type MemoryView, phaseName, resultText, shareText, sizeText } from './memory-view.js';
import { columns, padEnd, padStart } from './terminal.js';
import { visible } from './visible.js';

export function writeCompilation(lines: MemoryLines, compilation: ShownCompilation, view: MemoryView): void {
	const { handle, totalBytes, nodes, seconds, thread, osrBci, byArena } = compilation;
	const { paint } = lines.terminal;
	const details = compilation.details();
	const start = `${visible(handle)}  ${visible(compilerText(compilation))}  `;
	lines.line(paint('bold', `${start}${lines.method(fullMethod(compilation), columns(start))}`));
	const held = details.timeline.at(-1)?.bytes;
	const parts = [
		`peak ${totalBytes.toLocaleString('en')} bytes (${sizeText(totalBytes)})`,
		...(nodes === null ? [] : [`${nodes.toLocaleString('en')} live nodes there`]),
		...(held === undefined ? [] : [`${sizeText(held)} still held at the end`]),
		...(osrBci === null ? [] : [`on-stack replacement at ${osrBci}`]),
		resultText(compilation),
		...(seconds === null ? [] : [`at ${seconds.toFixed(3)} s`]),
		...(thread === null ? [] : [`thread ${thread}`]),
		...(compilation.skipped === null ? [] : [`skipped: ${compilation.skipped}`]),
	];
	lines.wrapped(parts.filter((part) => part !== '').join(', '), '');
	const { phases, timeline } = details;
	const rows = phases.length > 0 ? phases : [{ name: 'all phases', totalBytes, byArena }];
	lines.heading(phases.length > 0 ? 'Arenas by phase at the peak' : 'Arenas at the peak (the output has no table of its phases)');
	heatMap(lines, rows, totalBytes);
	if (timeline.length > 0) {
		lines.heading('Bytes and live nodes from phase to phase');
		for (const line of footprintCurve(timeline, (lines.terminal.width ?? 120) - 1)) {
			lines.line(line);
		}
		tree(lines, details, view);
	}
}

const SHADES: readonly (readonly [number, string])[] = [
	[0.3, '█'],
	[0.1, '▓'],
	[0.03, '▒'],
	[0.005, '░'],
];
const MAX_ROWS = 100;

function heatMap(lines: MemoryLines, phases: readonly PhaseMemory[], totalBytes: number): void {
	const { width, paint } = lines.terminal;
	const isExact = (width ?? 200) >= 120;
	const text = (bytes: number): string => (bytes === 0 ? '·' : isExact ? String(bytes) : sizeText(bytes));
	const names = phases[0]?.byArena.arenas ?? [];
	const sums = names.map((_, i) => phases.reduce((sum, { byArena }) => sum + byArena.bytes[i]!, 0));
	const used = names.map((_, i) => i).filter((i) => sums[i]! > 0);
	const nameWidth = Math.min(24, Math.max(5, ...phases.map(({ name }) => columns(visible(phaseName(name))))));
	const cellWidth = Math.max(8, ...sums.map((sum) => text(sum).length), ...used.map((i) => columns(visible(names[i]!)))) + 2;
	// Where not all arenas fit, the smallest are one column.
	const fitting = width === null ? used.length : Math.max(1, Math.floor((width - 2 - nameWidth - cellWidth - 1) / cellWidth));
	const shown =
		used.length <= fitting
			? used
			: [...used]
					.sort((a, b) => sums[b]! - sums[a]!)
					.slice(0, fitting - 1)
					.sort((a, b) => a - b);
	const rest = used.filter((i) => !shown.includes(i));
	const heads = ['total', ...shown.map((i) => visible(names[i]!)), ...(rest.length > 0 ? [`${rest.length} others`] : [])];
	const values = ({ totalBytes: total, byArena }: PhaseMemory): number[] => [
		total,
		...shown.map((i) => byArena.bytes[i]!),
		...(rest.length > 0 ? [rest.reduce((sum, i) => sum + byArena.bytes[i]!, 0)] : []),
	];
	const shade = (bytes: number): string => SHADES.find(([share]) => bytes >= share * totalBytes)?.[1] ?? ' ';
	const cell = (bytes: number): string => {
		const body = `${padStart(text(bytes), cellWidth - 1)}${shade(bytes)}`;
		return bytes >= 0.1 * totalBytes ? paint('red', body) : bytes >= 0.03 * totalBytes ? paint('yellow', body) : body;
	};
	lines.line(paint('dim', `  ${padEnd('phase', nameWidth)}${heads.map((name) => `${padStart(name, cellWidth - 1)} `).join('')}`.trimEnd()));
	const kept = phases.length <= MAX_ROWS ? phases : [...phases].sort((a, b) => b.totalBytes - a.totalBytes).slice(0, MAX_ROWS);
	for (const phase of kept) {
		lines.line(`  ${padEnd(visible(phaseName(phase.name)), nameWidth)}${values(phase).map(cell).join('')}`.trimEnd());
	}
	if (kept.length < phases.length) {
		lines.line(`  ${phases.length - kept.length} smaller phases are left out; --json has all`);
	}
	const all = { name: '', totalBytes, byArena: { arenas: names, bytes: sums } };
	lines.line(
		paint(
			'bold',
			`  ${padEnd('sum', nameWidth)}${values(all)
				.map((bytes) => `${padStart(text(bytes), cellWidth - 1)} `)
				.join('')}`.trimEnd(),
		),
	);
	lines.line(paint('dim', '  shades: █ 30 % of the peak, ▓ 10 %, ▒ 3 %, ░ 0.5 %'));
}

/** Changes below this share of the peak are not worth a line of their own. */
const SMALL_SHARE = 0.005;

function tree(lines: MemoryLines, { timeline, lostEntries }: MemoryDetails, { nest, all }: MemoryView): void {
	const instances = nest(timeline);
	const peak = instances.reduce((highest, { peakBytes }) => Math.max(highest, peakBytes), 0);
	lines.heading('Phases, as they were nested');
	lines.line(lines.terminal.paint('dim', `  ${padStart('bytes after', 11)}  ${padStart('change', 9)}  ${padStart('nodes', 7)}  phase`));
	if (lostEntries > 0) {
		lines.line(`  the JVM lost ${lostEntries} older entries`);
	}
	const isShown = markShown(instances, peak, all);
	let hidden = 0;
	let hiddenChange = 0;
	const showHidden = (depth: number): void => {
		if (hidden > 0) {
			lines.line(
				lines.terminal.paint(
					'dim',
					`  ${' '.repeat(11)}  ${padStart(changeText(hiddenChange), 9)}  ${' '.repeat(7)}  ${indent(depth)}… ${hidden} phase${hidden === 1 ? '' : 's'}`,
				),
			);
		}
		hidden = 0;
		hiddenChange = 0;
	};
	let lastDepth = 0;
	instances.forEach((instance, i) => {
		const { sequence, depth, phase, startBytes, endBytes, endNodes, ownDeltaBytes } = instance;
		if (isShown[i] === false) {
			hidden++;
			hiddenChange += ownDeltaBytes;
			lastDepth = depth;
			return;
		}
		showHidden(lastDepth);
		lastDepth = depth;
		const marks = marksOf(instance, instances, peak);
		const name = `${indent(depth)}${visible(phaseName(phase))}${sequence === 0 ? '' : ` ${sequence}`}`;
		const text = `  ${padStart(sizeText(endBytes), 11)}  ${padStart(changeText(endBytes - startBytes), 9)}  ${padStart(endNodes.toLocaleString('en'), 7)}  ${name}`;
		lines.line(marks === '' ? text : `${text}  ${lines.terminal.paint(marks.includes('peak of all') ? 'red' : 'yellow', marks)}`);
	});
	showHidden(lastDepth);
	const last = timeline.at(-1);
	if (last !== undefined) {
		lines.line(
			`  held at the end: ${last.bytes.toLocaleString('en')} bytes (${shareText(last.bytes, peak)} of the peak), ${last.nodes.toLocaleString('en')} nodes`,
		);
	}
}

/** A phase is shown when it, or one inside it, is worth it. */
function markShown(instances: readonly PhaseInstance[], peak: number, all: boolean): boolean[] {
	const isShown = instances.map(
		({ depth, ownDeltaBytes, startBytes, endBytes, temporaryPeakBytes, peakBytes }) =>
			all ||
			depth === 0 ||
			temporaryPeakBytes !== null ||
			peakBytes === peak ||
			Math.abs(ownDeltaBytes) >= SMALL_SHARE * peak ||
			Math.abs(endBytes - startBytes) >= SMALL_SHARE * peak,
	);
	let needed = -1;
	for (let i = instances.length - 1; i >= 0; i--) {
		const { depth } = instances[i]!;
		if (depth === needed) {
			isShown[i] = true;
			needed = -1;
		}
		if (isShown[i]) {
			needed = depth - 1;
		}
	}
	return isShown;
}

function marksOf(instance: PhaseInstance, instances: readonly PhaseInstance[], peak: number): string {
	const marks: string[] = [];
	const { peakBytes, temporaryPeakBytes, firstEntry, lastEntry, depth } = instance;
	const isInside =
		peakBytes === peak &&
		instances.some((other) => other.depth > depth && other.firstEntry > firstEntry && other.lastEntry <= lastEntry && other.peakBytes === peak);
	if (peakBytes === peak && !isInside) {
		marks.push(`◆ peak of all ${sizeText(peak)}`);
	}
	if (temporaryPeakBytes !== null && temporaryPeakBytes !== peak) {
		marks.push(`▲ temporary peak ${sizeText(temporaryPeakBytes)}`);
	}
	return marks.join(', ');
}

function indent(depth: number): string {
	return depth > 40 ? `${'  '.repeat(40)}+${depth - 40} ` : '  '.repeat(depth);
}
