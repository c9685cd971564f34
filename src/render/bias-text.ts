/** `assay bias` as text: shares side by side, distances, and whose time lands on whom. */
import type { NamedProfile } from '../answers/observed-profiles.js';
import type { BiasReport } from '../bias/bias-report.js';
import type { BiasTree } from '../bias/bias-tree.js';
import type { Explanation } from '../bias/explain.js';
import type { LoopKind } from '../bias/loop-polls.js';
import type { Frame } from '../model/instructions.js';
import type { SampleWindow } from '../model/sample-window.js';
import { profileText } from './bias-profiles.js';
import { sampleWindowText } from './sample-window-text.js';
import { padEnd, padStart, shortenMethod, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';
import { wrapped } from './wrapped.js';

export interface BiasView {
	readonly report: BiasReport;
	/** Shown instead of the table; null: none. */
	readonly tree: BiasTree | null;
	/** Samples that are left out because no such profiler sees their threads; null: not known. */
	readonly otherThreads: number | null;
	readonly title: string;
	/** null: all that was recorded. */
	readonly window: SampleWindow | null;
	/** What others said. */
	readonly profiles: readonly NamedProfile[];
	readonly top: number;
}

const SHARE_WIDTH = 9;
const HANDLE_WIDTH = 5;
const RANGE_WIDTH = 14;
const NARROWEST_NAME = 20;

export function writeBiasText(writer: TextWriter, { report, tree, otherThreads, title, window, profiles, top }: BiasView, terminal: Terminal): void {
	const width = terminal.width ?? 80;
	const fitting = Math.floor((width - HANDLE_WIDTH - NARROWEST_NAME - 2 * RANGE_WIDTH) / SHARE_WIDTH);
	const isByLine = report.by === 'line';
	const lacks = tree !== null ? 'has no stacks' : isByLine ? 'tells no lines' : null;
	const told = profiles.filter(({ profile }) => (tree !== null ? profile.stacks !== null : !isByLine || profile.hasLines));
	const observed = told.slice(0, tree === null ? Math.max(1, fitting) : treeColumns(width)).map(({ name }) => name);
	writer.line(0, terminal.paint('bold', visible(title)));
	if (window !== null) {
		for (const line of wrapped(visible(sampleWindowText(window)), width)) {
			writer.line(0, line);
		}
	}
	writer.line(0, `${report.counted} samples; predicted is what a profiler would print that sees threads only at`);
	writer.line(0, 'safepoints: a prediction from code and samples, not a measurement.');
	if (otherThreads !== null && otherThreads > 0) {
		writer.line(0, `They are of Java threads; ${otherThreads} more are of the JVM's own, unseen by it.`);
	}
	writer.line(0, '');
	if (tree === null) {
		writeTable(writer, report, observed, top, terminal);
	} else {
		writeTree(writer, tree, observed, top, terminal);
	}
	writer.line(0, '');
	writeProfiles(writer, profiles, told, observed.length, lacks, width, terminal);
	writer.line(
		0,
		terminal.paint(
			'bold',
			`distances${tree !== null ? ' of whole stacks' : isByLine ? ' by line' : ''} (0 the same, 1 nothing in common; from sampling alone)`,
		),
	);
	for (const { a, b, totalVariation, expectedFromSampling } of tree?.distances ?? report.distances) {
		writer.line(
			0,
			`${padEnd(`${visible(a)} - ${visible(b)}`, 36)}${padStart(totalVariation.toFixed(3), 8)}${padStart(`(${expectedFromSampling === null ? '-' : expectedFromSampling.toFixed(3)})`, 10)}`,
		);
	}
	writeTransfers(writer, report, top, width, terminal);
	writeLoops(writer, report, top, width, terminal);
	writeDifferences(writer, report, top, width, terminal);
	writer.line(0, '');
	if (isByLine) {
		writer.line(0, 'assay bias RECORDING l1 --by line explains a line; assay bias --profilers');
		writer.line(0, 'RECORDING tells which profilers are biased on that JVM.');
	} else {
		writer.line(0, 'assay bias RECORDING m1 explains a method; assay bias --profilers RECORDING');
		writer.line(0, 'tells which profilers are biased on that JVM.');
	}
}

/** Methods or lines, each with its share of every profile. */
function writeTable(writer: TextWriter, report: BiasReport, observed: readonly string[], top: number, terminal: Terminal): void {
	const width = terminal.width ?? 80;
	const isByLine = report.by === 'line';
	const others = HANDLE_WIDTH + 2 * RANGE_WIDTH + SHARE_WIDTH * observed.length;
	const hasNearest = report.described === 'every instruction' && width - others - SHARE_WIDTH >= NARROWEST_NAME;
	const nameWidth = Math.max(NARROWEST_NAME, width - others - (hasNearest ? SHARE_WIDTH : 0));
	const heads = [
		padStart('unbiased %', RANGE_WIDTH),
		padStart('predicted %', RANGE_WIDTH),
		...(hasNearest ? [padStart('nearest', SHARE_WIDTH)] : []),
		...observed.map((name) => padStart(visible(name).slice(0, SHARE_WIDTH - 1), SHARE_WIDTH)),
	];
	writer.line(0, terminal.paint('bold', padEnd('', HANDLE_WIDTH) + padEnd(report.by, nameWidth) + heads.join('')));
	const rows = isByLine ? report.lines.map((row) => ({ ...row, name: row.line })) : report.methods.map((row) => ({ ...row, name: row.method }));
	for (const [number, row] of rows.slice(0, top).entries()) {
		const half = (row.unbiasedInterval.high - row.unbiasedInterval.low) / 2;
		const interval = row.predictedInterval;
		const cells = [
			padStart(`${row.unbiasedPercent.toFixed(1)} ±${padStart(half.toFixed(1), 4)}`, RANGE_WIDTH),
			padStart(
				row.predictedPercent < 0.05
					? '-'
					: `${row.predictedPercent.toFixed(1)}${interval === null ? '' : ` ±${padStart(((interval.high - interval.low) / 2).toFixed(1), 4)}`}`,
				RANGE_WIDTH,
			),
			...(hasNearest ? [padStart(shown(row.nearestPercent ?? 0), SHARE_WIDTH)] : []),
			...observed.map((name) => padStart(shown(row.observed.get(name) ?? 0), SHARE_WIDTH)),
		];
		writer.line(
			0,
			padEnd(`${isByLine ? 'l' : 'm'}${number + 1}`, HANDLE_WIDTH) + padEnd(shortenMethod(visible(row.name), nameWidth - 1), nameWidth) + cells.join(''),
		);
	}
	more(writer, rows.length - top, `${report.by}s`);
	if (hasNearest) {
		writer.line(0, 'nearest: where a profiler without -XX:+DebugNonSafepoints puts the samples: at');
		writer.line(0, 'the first safepoint behind them in the text. Predicted, too.');
		if ((report.nearestLostPercent ?? 0) >= 1) {
			writer.line(0, `Behind the last one are ${(report.nearestLostPercent ?? 0).toFixed(0)} %: JFR before JDK 25 loses these; later it`);
			writer.line(0, 'shows the next poll.');
		}
	}
}

/** Columns of a call tree before those of other profiles: inclusive and own shares of the samples and of the prediction. */
const TREE_COLUMNS = 4;
const TREE_COLUMN_WIDTH = 8;
const NARROWEST_TREE = 36;
const LEAST_TREE_PERCENT = 1;
/** Rows for each row of a table: a tree tells its callers too. */
const TREE_ROWS = 5;
const DEEPEST_INDENT = 20;

/** Other profiles for which a tree has room. */
function treeColumns(width: number): number {
	return Math.max(1, Math.floor((width - NARROWEST_TREE) / TREE_COLUMN_WIDTH) - TREE_COLUMNS);
}

function writeTree(writer: TextWriter, { frames, tree }: BiasTree, observed: readonly string[], top: number, terminal: Terminal): void {
	const width = terminal.width ?? 80;
	const columns = observed.map((name) => tree.profiles.indexOf(name));
	const nameWidth = width - TREE_COLUMN_WIDTH * (TREE_COLUMNS + columns.length) - 2;
	const what =
		frames === 'stacks'
			? 'Call trees: of each method the share of the samples and of the prediction in it and what it calls, and in it alone (self).'
			: 'The samples have no stacks. The tree is made of the frames that the code tells: of callers those that a method is inlined into. A root is what was compiled by itself.';
	for (const line of wrapped(what, width)) {
		writer.line(0, line);
	}
	if (frames === 'inlining' && columns.length > 0) {
		for (const line of wrapped('Stacks of other profiles begin where the tree does.', width)) {
			writer.line(0, line);
		}
	}
	const heads = ['unbias.', 'self', 'predict', 'self', ...observed.map((name) => visible(name).slice(0, TREE_COLUMN_WIDTH - 1))];
	writer.line(0, terminal.paint('bold', `${heads.map((head) => padStart(head, TREE_COLUMN_WIDTH)).join('')}  call tree`));
	const shownNodes = tree.nodes.filter(({ percent }) => Math.max(percent[0]!, percent[1]!, ...columns.map((column) => percent[column]!)) >= LEAST_TREE_PERCENT);
	for (const { depth, method, percent, selfPercent } of shownNodes.slice(0, TREE_ROWS * top)) {
		const cells = [percent[0]!, selfPercent[0]!, percent[1]!, selfPercent[1]!, ...columns.map((column) => percent[column]!)];
		const mark = depth > DEEPEST_INDENT ? `${depth}: ` : '';
		const indent = ' '.repeat(Math.min(depth, DEEPEST_INDENT)) + mark;
		const name = shortenMethod(visible(method), Math.max(10, nameWidth - indent.length));
		writer.line(0, `${cells.map((cell) => padStart(shown(cell), TREE_COLUMN_WIDTH)).join('')}  ${indent}${name}`);
	}
	more(writer, shownNodes.length - TREE_ROWS * top, 'nodes');
	if (tree.nodes.length > shownNodes.length) {
		writer.line(0, `Nodes below ${LEAST_TREE_PERCENT} % of every profile are not shown (--json has all from 0.01 % on).`);
	}
}

/** Where the other profiles come from, and what of them does not count. */
function writeProfiles(
	writer: TextWriter,
	profiles: readonly NamedProfile[],
	told: readonly NamedProfile[],
	columns: number,
	lacks: string | null,
	width: number,
	terminal: Terminal,
): void {
	if (profiles.length === 0) {
		return;
	}
	writer.line(0, terminal.paint('bold', 'observed'));
	const nameWidth = Math.min(20, Math.max(...profiles.map(({ name }) => visible(name).length)) + 2);
	for (const profile of profiles) {
		const name = visible(profile.name);
		for (const [i, line] of wrapped(visible(`${profileText(profile)}${told.includes(profile) ? '' : `; ${lacks}`}`), width - nameWidth).entries()) {
			writer.line(0, padEnd(i === 0 ? shortenMethod(name, nameWidth - 1) : '', nameWidth) + line);
		}
	}
	if (told.length > columns) {
		writer.line(0, `The table has no room for ${told.length - columns} of them: --json, or a wider terminal.`);
	}
	writer.line(0, '');
}

function writeTransfers(writer: TextWriter, { transfers, unknownPercent }: BiasReport, top: number, width: number, terminal: Terminal): void {
	const moved = transfers.filter(({ from, to, percent }) => from !== to && percent >= 0.05);
	writer.line(0, '');
	writer.line(0, `${terminal.paint('bold', 'whose time lands on whom')}  % of the samples that were followed to a poll`);
	const nameWidth = Math.floor((width - 12) / 2);
	for (const { from, to, percent } of moved.slice(0, top)) {
		writer.line(
			0,
			`${padStart(`${percent.toFixed(1)} %`, 8)} ${padEnd(shortenMethod(visible(from), nameWidth - 1), nameWidth)}→ ${shortenMethod(visible(to), nameWidth)}`,
		);
	}
	more(writer, moved.length - top, 'transfers');
	if (unknownPercent >= 0.05) {
		writer.line(0, `${unknownPercent.toFixed(1)} % of the samples stop where no printed code tells (native, kernel …).`);
	}
}

/** Each way from a method's samples to the poll that another method is blamed at. */
export function writeExplanations(writer: TextWriter, explanations: readonly ShownExplanation[], method: string, top: number, terminal: Terminal): void {
	const width = terminal.width ?? 80;
	if (explanations.length === 0) {
		writer.line(0, `No time moves from or to ${visible(method)} in the prediction, or only from native code.`);
		return;
	}
	const shown = explanations.filter(({ percent }, i) => i === 0 || percent >= LEAST_EXPLAINED_PERCENT);
	for (const [number, explanation] of shown.slice(0, top).entries()) {
		if (number > 0) {
			writer.line(0, '');
		}
		writeExplanation(writer, explanation, width, terminal);
	}
	more(writer, explanations.length - Math.min(shown.length, top), 'small ones');
}

type ShownExplanation = Explanation & { readonly percent: number };

const LEAST_EXPLAINED_PERCENT = 0.1;

const ADDRESS_WIDTH = 18;

function writeExplanation(writer: TextWriter, explanation: ShownExplanation, width: number, terminal: Terminal): void {
	const { from, to, percent, share, code, sampledAddress, sampledCount, probability, steps, pollAddress, frames, rule } = explanation;
	const half = Math.floor((width - 24) / 2);
	writer.line(
		0,
		`${terminal.paint('bold', `${shortenMethod(visible(from), half)} → ${shortenMethod(visible(to), half)}`)}  ${percent.toFixed(1)} % of the samples`,
	);
	const way = `Most of it (${Math.round(100 * share)} %) goes this way: c${code.compileId}, sampled most at 0x${sampledAddress.toString(16)} (${sampledCount} samples), where a thread is stopped at this poll in ${Math.round(100 * probability)} % of the cases.`;
	for (const line of wrapped(way, width)) {
		writer.line(0, line);
	}
	const textWidth = Math.max(30, Math.min(50, width - ADDRESS_WIDTH - 32));
	let shown = '';
	let compilation: string | null = code.compileId;
	for (const [i, step] of steps.entries()) {
		if (step.kind === 'skipped') {
			writer.line(0, `${' '.repeat(ADDRESS_WIDTH)}… ${step.instructions} instructions`);
			continue;
		}
		if (step.code.compileId !== compilation) {
			compilation = step.code.compileId;
			writer.line(0, `  calls c${compilation} ${shortenMethod(visible(step.code.name), width - 20)}`);
		}
		const frame = placeOf(step.frames);
		const note =
			i === steps.length - 1 && step.address === pollAddress ? '← stops here' : step.note === 'falls through' || step.note === 'jumps' ? '' : (step.note ?? '');
		const beside = note !== '' ? note : frame === shown ? '' : shortenMethod(frame, width - ADDRESS_WIDTH - textWidth - 1);
		shown = frame;
		const text = visible(step.text)
			.replace(/ +/, ' ')
			.slice(0, textWidth - 1);
		const line = `  ${padEnd(`0x${step.address.toString(16)}`, ADDRESS_WIDTH - 2)}${beside === '' ? text : `${padEnd(text, textWidth)}${beside}`}`;
		writer.line(0, i === steps.length - 1 ? terminal.paint('yellow', line) : line);
	}
	const outer = frames[1] === undefined ? '' : `, in ${placeOf(frames.slice(1))}`;
	for (const line of wrapped(`Shows ${frames.length === 0 ? 'nothing that is described' : placeOf(frames)}${outer}: ${rule}.`, width)) {
		writer.line(0, line);
	}
}

function placeOf([frame]: readonly Frame[]): string {
	return frame === undefined ? '' : `${visible(frame.method)}${frame.line === null ? '' : `:${frame.line}`}`;
}

function writeLoops(writer: TextWriter, { loops, counted }: BiasReport, top: number, width: number, terminal: Terminal): void {
	const shares = loops.map(({ samples, told }) => ({ told, percent: counted === 0 ? 0 : (100 * samples) / counted }));
	const hot = shares.filter(({ percent }) => percent >= LEAST_LOOP_PERCENT);
	const rows = hot.slice(0, top).map(({ told, percent }) => ({ ...told(), percent }));
	writer.line(0, '');
	writer.line(0, terminal.paint('bold', 'why: the loops where the time was, and where a thread in them is stopped'));
	if (hot.length === 0) {
		writer.line(0, loops.length === 0 ? 'The sampled code has no loops.' : `None of the ${loops.length} loops has ${LEAST_LOOP_PERCENT} % of the samples.`);
		return;
	}
	const nameWidth = Math.max(NARROWEST_NAME, Math.min(60, width - 44));
	const told = new Set<string>();
	for (const { method, line, code, kind, percent, reported, bytecode } of rows) {
		const name = `${shortenMethod(visible(method), nameWidth - 8)}${line === null ? '' : `:${line}`}`;
		const said = reported.find(({ place }) => place === 'poll')?.frames[0];
		writer.line(0, `${padStart(`${percent.toFixed(1)} %`, 8)} ${padEnd(`c${code.compileId}`, 8)}${padEnd(name, nameWidth)} ${KINDS[kind]}`);
		if (said !== undefined && (said.method !== method || said.line !== line)) {
			writer.line(0, `${' '.repeat(17)}${shortenMethod(`shows ${visible(said.method)}${said.line === null ? '' : `:${said.line}`}`, width - 18)}`);
		}
		const site = `${method}:${bytecode?.header} ${bytecode?.entersHere}`;
		if (bytecode !== null && !told.has(site)) {
			told.add(site);
			const shape = `bytecode ${bytecode.header}-${bytecode.backEdge}: ${bytecode.shape}`;
			for (const text of wrapped(shape, width - 18)) {
				writer.line(0, ' '.repeat(17) + text);
			}
		}
	}
	more(writer, hot.length - top, 'loops');
	for (const kind of new Set(rows.map((row) => row.kind))) {
		const reason = rows.find((row) => row.kind === kind)?.reason ?? '';
		const text = reason.startsWith(KINDS[kind].split(':')[0]!) ? reason : `${KINDS[kind]}: ${reason}`;
		for (const [i, line] of wrapped(text, width - 4).entries()) {
			writer.line(0, (i === 0 ? '  ' : '    ') + line);
		}
	}
}

/** Loops with less are not shown. */
const LEAST_LOOP_PERCENT = 0.1;

const KINDS: Readonly<Record<LoopKind, string>> = {
	counted: 'counted: no poll',
	rest: 'rest of a counted one',
	'strip-mined': 'strip-mined: outer poll',
	'outer loop gone': 'poll behind the loop',
	'long index': 'split: outer poll',
	'inside a bytecode': 'one bytecode: no poll',
	calls: 'calls poll',
	'some ways': 'polls inside',
	'counted with a poll': 'polls each time',
	'not counted': 'polls each time',
	C1: 'polls each time (C1)',
};

const POLLS = { iteration: 'each time', strip: 'in an outer loop', none: 'nowhere' } as const;

function writeDifferences(writer: TextWriter, { differences }: BiasReport, top: number, width: number, terminal: Terminal): void {
	if (differences.length === 0) {
		return;
	}
	writer.line(0, '');
	writer.line(0, terminal.paint('bold', 'loops that poll otherwise after on-stack replacement'));
	for (const { method, line, versions } of differences.slice(0, top)) {
		writer.line(0, shortenMethod(`${visible(method)}${line === null ? '' : `:${line}`}`, width));
		for (const { compileId, compiled, isOsr, poll } of versions) {
			const inlined = compiled === method ? '' : ` in ${shortenMethod(visible(compiled), width - 58)}`;
			writer.line(0, `  ${padEnd(`c${compileId}`, 8)}polls ${padEnd(POLLS[poll], 18)}${isOsr ? 'on-stack replacement' : 'normal'}${inlined}`);
		}
	}
	more(writer, differences.length - top, 'loops');
	for (const line of wrapped('A thread can hold up a safepoint, and hide in a biased profile, in the versions that poll less often only.', width)) {
		writer.line(0, line);
	}
}

function shown(percent: number): string {
	return percent < 0.05 ? '-' : percent.toFixed(1);
}

function more(writer: TextWriter, left: number, what: string): void {
	if (left > 0) {
		writer.line(0, `… ${left} more ${what} (--top, --json)`);
	}
}
