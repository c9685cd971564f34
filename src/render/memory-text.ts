/** `assay memory` as text: which compilations cost most, in which arenas, and what follows from it. */

import type { ShownCompilation } from '../answers/memory-result.js';
import type { MalformedEvents } from '../footprint/results.js';
import { UNKNOWN_METHOD } from '../model/compiler-memory.js';
import { writeCompilation } from './memory-compilation.js';
import { type MemoryLines, memoryLines } from './memory-lines.js';
import { compilerText, fullMethod, type MemoryView, phaseName, resultText, shareText, sizeText } from './memory-view.js';
import { sparkline } from './quantities.js';
import { columns, padEnd, padStart, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

const MALFORMED: Record<keyof MalformedEvents, string> = {
	startWithoutEnd: 'compilations that began before the last one of their thread had ended',
	endWithoutStart: 'ends without a start',
	outside: 'events outside of any compilation',
	otherThread: "events of one thread about another's compilation",
	phaseEndWithoutStart: 'ends of phases that were not open',
	unclosedPhases: 'phases without an end',
	freeOfUnknownChunk: 'frees of unknown chunks',
	doubleFree: 'chunks freed twice',
	reusedAddresses: 'chunks allocated where another one lived (its free came later or not at all)',
	otherSize: 'frees that tell another size than the allocation',
	otherArena: 'frees that tell another arena than the allocation',
	badSizes: 'sizes that are none',
	afterCrash: 'events after the limit had ended the JVM',
	unfinished: 'compilations without an end',
	unbalanced: 'compilations that ended with chunks they had not freed',
};

export function writeMemoryText(writer: TextWriter, view: MemoryView, terminal: Terminal): void {
	const lines = memoryLines(writer, terminal);
	if (view.chosen !== null) {
		view.chosen.forEach((compilation, i) => {
			if (i > 0) {
				lines.line('');
			}
			writeCompilation(lines, compilation, view);
		});
		writeAdvice(lines, view);
		return;
	}
	head(lines, view);
	const byCost = [...view.compilations].sort((a, b) => b.totalBytes - a.totalBytes);
	compilationTable(lines, view, byCost);
	arenaTable(lines, view);
	phaseTable(lines, view);
	atOnce(lines, view);
	nativeMemory(lines, view);
	methodTable(lines, view);
	writeAdvice(lines, view);
	budget(lines, view);
	const [most] = byCost;
	if (most !== undefined && most.details().phases.length > 0) {
		lines.line('');
		lines.line(terminal.paint('dim', `→ assay memory … --compilation ${most.handle}`));
	}
}

function head(lines: MemoryLines, { title, compilations, omitted, replay }: MemoryView): void {
	const total = compilations.reduce((sum, { totalBytes }) => sum + totalBytes, 0);
	const byCompiler = new Map<string, { count: number; bytes: number }>();
	for (const { compiler, totalBytes } of compilations) {
		const known = byCompiler.get(compiler) ?? { count: 0, bytes: 0 };
		byCompiler.set(compiler, { count: known.count + 1, bytes: known.bytes + totalBytes });
	}
	lines.line(lines.terminal.paint('bold', visible(title)));
	const compilers = [...byCompiler].map(([compiler, { count, bytes }]) => `${compiler} ${thousands(count)} (${sizeText(bytes)})`);
	const hit = compilations.filter(({ hitLimit }) => hitLimit).length;
	const parts = [
		`${thousands(compilations.length)} compilation${compilations.length === 1 ? '' : 's'}, ${sizeText(total)} at their peaks together`,
		...compilers,
		...(hit > 0 ? [`${hit} hit their limit`] : []),
		...(omitted > 0 ? [`${thousands(omitted)} smaller ones are not listed`] : []),
	];
	lines.wrapped(parts.join(', '), '');
	if (replay !== null) {
		lines.wrapped(`replayed from ${thousands(replay.events)} events${replay.isCrashed ? '; the limit ended the JVM' : ''}`, '');
		for (const [key, count] of Object.entries(replay.malformed)) {
			if (count > 0) {
				lines.wrapped(`${thousands(count)} ${MALFORMED[key as keyof MalformedEvents]}`);
			}
		}
	}
}

function compilationTable(lines: MemoryLines, view: MemoryView, byCost: readonly ShownCompilation[]): void {
	lines.heading('Most expensive compilations');
	const total = view.compilations.reduce((sum, { totalBytes }) => sum + totalBytes, 0);
	const counts = new Map<string, number>();
	for (const one of view.compilations) {
		counts.set(fullMethod(one), (counts.get(fullMethod(one)) ?? 0) + 1);
	}
	const isNarrow = (lines.terminal.width ?? 200) < 120;
	const cells = byCost.slice(0, view.top).map((one) => {
		const times = one.timesCompiled ?? (one.method === UNKNOWN_METHOD ? 1 : (counts.get(fullMethod(one)) ?? 1));
		return {
			one,
			texts: [
				visible(one.handle),
				sizeText(one.totalBytes),
				shareText(one.totalBytes, total),
				visible(compilerText(one)),
				visible(resultText(one)),
				arenas(one, isNarrow ? 1 : 4),
			],
			times: times > 1 ? ` ×${times}` : '',
		};
	});
	const heads = ['', 'peak', 'of all', '', 'result', isNarrow ? 'arena' : 'arenas at the peak'];
	const widths = heads.map((text, i) => Math.max(columns(text), ...cells.map(({ texts }) => columns(texts[i]!))));
	const isRight = [false, true, true, false, false, false];
	const row = (texts: readonly string[]): string =>
		`  ${texts.map((text, i) => (isRight[i] ? padStart(text, widths[i]!) : padEnd(text, widths[i]!))).join('  ')}  `;
	lines.line(lines.terminal.paint('dim', `${row(heads)}method`));
	for (const { one, texts, times } of cells) {
		const start = row(texts);
		lines.line(`${start}${lines.method(fullMethod(one), columns(start) + times.length)}${times}`);
	}
	if (byCost.length > view.top) {
		const rest = byCost.slice(view.top);
		const bytes = rest.reduce((sum, { totalBytes }) => sum + totalBytes, 0);
		lines.line(`  ${thousands(rest.length)} more: ${sizeText(bytes)}, ${shareText(bytes, total)}  → --top ${view.top * 5}`);
	}
}

/** The largest arenas: `ra 63 % comp 23 %`. */
function arenas({ byArena, totalBytes }: ShownCompilation, count: number): string {
	return byArena.arenas
		.map((arena, i) => ({ arena, bytes: byArena.bytes[i]! }))
		.filter(({ bytes }) => bytes > 0)
		.sort((a, b) => b.bytes - a.bytes)
		.slice(0, count)
		.map(({ arena, bytes }) => `${visible(arena)} ${Math.round((100 * bytes) / Math.max(1, totalBytes))}%`)
		.join(' ');
}

const BAR_COLUMNS = 30;
const MAX_PHASES = 12;
const MAX_SUMMARIES = 8;

function arenaTable(lines: MemoryLines, { compilations }: MemoryView): void {
	const sums = new Map<string, number>();
	for (const { byArena } of compilations) {
		byArena.arenas.forEach((arena, i) => {
			sums.set(arena, (sums.get(arena) ?? 0) + byArena.bytes[i]!);
		});
	}
	const rows = [...sums].filter(([, bytes]) => bytes > 0).sort((a, b) => b[1] - a[1]);
	const total = rows.reduce((sum, [, bytes]) => sum + bytes, 0);
	if (rows.length === 0) {
		return;
	}
	lines.heading('By arena, all compilations at their peaks');
	const width = Math.max(...rows.map(([arena]) => columns(visible(arena))));
	for (const [arena, bytes] of rows.slice(0, 40)) {
		const bar = '█'.repeat(Math.round((BAR_COLUMNS * bytes) / total));
		lines.line(
			`  ${padEnd(visible(arena), width)}  ${padStart(sizeText(bytes), 9)}  ${padStart(shareText(bytes, total), 7)}  ${lines.terminal.paint('cyan', bar)}`.trimEnd(),
		);
	}
}

function phaseTable(lines: MemoryLines, { byPhase: rows }: MemoryView): void {
	if (rows.length === 0) {
		return;
	}
	const total = rows.reduce((sum, { bytes }) => sum + bytes, 0);
	const nameOf = (phase: string | null): string => (phase === null ? '(no phases told)' : visible(phaseName(phase)));
	const shown = rows.slice(0, MAX_PHASES);
	lines.heading('By phase, all compilations at their peaks');
	const width = Math.max(...shown.map(({ phase }) => columns(nameOf(phase))));
	for (const { phase, bytes } of shown) {
		const bar = '█'.repeat(Math.round((BAR_COLUMNS * bytes) / total));
		lines.line(
			`  ${padEnd(nameOf(phase), width)}  ${padStart(sizeText(bytes), 9)}  ${padStart(shareText(bytes, total), 7)}  ${lines.terminal.paint('cyan', bar)}`.trimEnd(),
		);
	}
	if (rows.length > shown.length) {
		lines.line(`  ${thousands(rows.length - shown.length)} more; --json has all`);
	}
}

function atOnce(lines: MemoryLines, { compilations, atOnce: most }: MemoryView): void {
	if (most === null) {
		return;
	}
	lines.heading('Compilations that ran at once, each with its peak for all of its time');
	const left = compilations.length - most.compilations;
	lines.wrapped(
		`at most ${sizeText(most.bytes)} at ${(most.ms / 1000).toFixed(3)} s: ${most.handles
			.slice(0, 8)
			.map((handle) => visible(handle))
			.join(', ')}${most.handles.length > 8 ? ', …' : ''}${left === 0 ? '' : `; of ${thousands(left)} it is not told when they ran`}`,
	);
	lines.line(`  ${(most.startMs / 1000).toFixed(1)} s ${sparkline(most.parts, most.bytes)} ${(most.endMs / 1000).toFixed(1)} s`);
}

/** Of each file the last summary: what the JVM holds for its compilers, whatever compilations were counted. */
function nativeMemory(lines: MemoryLines, { nativeMemory: summaries }: MemoryView): void {
	const last = new Map(summaries.map((one) => [one.file, one]));
	if (last.size === 0) {
		return;
	}
	lines.heading('What the JVM itself counts for its compilers (Native Memory Tracking)');
	for (const { file, line, totalCommittedBytes, committedBytes, arenaBytes, arenaPeakBytes, arenas } of [...last.values()].slice(0, MAX_SUMMARIES)) {
		const parts = [
			committedBytes === null
				? `nothing of the ${sizeText(totalCommittedBytes)} committed`
				: `${sizeText(committedBytes)} of the ${sizeText(totalCommittedBytes)} committed (${shareText(committedBytes, totalCommittedBytes)})`,
			...(arenaBytes === null ? [] : [`arenas ${sizeText(arenaBytes)} (${thousands(arenas ?? 0)})`]),
			...(arenaPeakBytes === null ? [] : [`at most ${sizeText(arenaPeakBytes)} together`]),
		];
		lines.wrapped(`${parts.join(', ')}; ${file}, line ${line}`);
	}
	const left = summaries.length - Math.min(last.size, MAX_SUMMARIES);
	if (left > 0) {
		lines.line(`  ${thousands(left)} other summaries; --json has all`);
	}
}

function methodTable(lines: MemoryLines, { compilations, top }: MemoryView): void {
	const byMethod = new Map<string, ShownCompilation[]>();
	for (const one of compilations) {
		const key = fullMethod(one);
		const known = byMethod.get(key);
		if (known === undefined) {
			byMethod.set(key, [one]);
		} else {
			known.push(one);
		}
	}
	const sum = (list: readonly ShownCompilation[]): number => list.reduce((bytes, { totalBytes }) => bytes + totalBytes, 0);
	const several = [...byMethod.values()].filter((list) => list.length > 1 && list[0]?.method !== UNKNOWN_METHOD).sort((a, b) => sum(b) - sum(a));
	if (several.length === 0) {
		return;
	}
	lines.heading('Compiled more than once');
	for (const list of several.slice(0, Math.min(10, top))) {
		const each = list.slice(0, 6).map(({ handle, compiler, totalBytes }) => `${handle} ${compiler} ${sizeText(totalBytes)}`);
		const text = `  ${padStart(sizeText(sum(list)), 9)}  ${padStart(`×${list.length}`, 4)}  `;
		lines.line(`${text}${lines.method(fullMethod(list[0]!), columns(text))}`);
		lines.wrapped(`${each.join(', ')}${list.length > 6 ? ', …' : ''}`, ' '.repeat(columns(text)));
	}
	if (several.length > 10) {
		lines.line(`  ${thousands(several.length - Math.min(10, top))} more methods`);
	}
}

function writeAdvice(lines: MemoryLines, { advice }: MemoryView): void {
	if (advice.length === 0) {
		return;
	}
	lines.heading(`What follows, ${advice[0]?.handle}`);
	for (const { text, flag } of advice) {
		lines.wrapped(`- ${text}`);
		if (flag !== null) {
			// Not wrapped: it is to be copied.
			lines.line(`      ${visible(flag)}`);
		}
	}
}

function budget(lines: MemoryLines, view: MemoryView): void {
	if (view.budget === null) {
		return;
	}
	const { bytes, over } = view.budget;
	lines.heading(over.length === 0 ? `Within the budget: no compilation went over ${sizeText(bytes)}` : `Over the budget of ${sizeText(bytes)}: ${over.length}`);
	for (const one of over.slice(0, view.top)) {
		const text = `  ${padEnd(visible(one.handle), 8)}  ${padStart(sizeText(one.totalBytes), 9)}  ${padStart(changeText(one.totalBytes - bytes), 10)}  `;
		lines.line(`${text}${lines.method(fullMethod(one), columns(text))}`);
	}
}

function changeText(bytes: number): string {
	return `+${sizeText(bytes)}`;
}

function thousands(count: number): string {
	return count.toLocaleString('en');
}
