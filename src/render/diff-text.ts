/**
 * The text of `assay diff`: what was read, what changed and the ten that matter, on one screen; then every method with its
 * changes as a tree of calls. A filter takes lines away and changes none.
 */

import type { MethodFacets, SideFacets } from '../answers/diff-facets.js';
import type { DiffReport } from '../answers/diff-report.js';
import { appendTo } from '../model/append.js';
import type { CallsiteChange, Change, OptimizationChange, Place } from '../profdiff/changes.js';
import type { ComparedMethod } from '../profdiff/compare-runs.js';
import type { Shift } from '../profdiff/noise.js';
import { beforeAfter, countChanges, hotOnlyIn } from '../profdiff/results.js';
import { diffEvidenceLines } from './diff-evidence.js';
import {
	atPlace,
	briefName,
	briefShares,
	briefState,
	callsiteState,
	categoryWords,
	changeMark,
	countConsequences,
	moveName,
	percent,
	placeText,
	runsText,
	shareColumn,
	shiftCounts,
	shiftText,
	shorten,
	shortName,
	topChanges,
	wrapList,
} from './diff-view.js';
import { sizeText } from './memory-view.js';
import { thousands } from './quantities.js';
import { type Colour, columns, cutLine, padEnd, padStart, shortenMethod, shortenMiddle, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';
import { wrapped } from './wrapped.js';

export interface DiffTextOptions {
	readonly showNoise: boolean;
	/** Show also what an enclosing change took along. */
	readonly showConsequences: boolean;
}

const SUMMARY_LINES = 23;
const MATTERING = 10;
const MOST_SHIFTS = 3;
const MOST_CAUSES = 3;
const FIRST_CAUSE_LINES = 3;
const CAUSE_LINES = 1;
/** A name that is cut shorter tells nothing. */
const LEAST_NAME = 12;
const MARK_COLOURS: Record<string, Colour> = { '-': 'red', '+': 'green', '*': 'yellow', '>': 'cyan' };

export function writeDiffText(writer: TextWriter, report: DiffReport, terminal: Terminal, options: DiffTextOptions): void {
	new DiffText(writer, report, terminal, options).write();
}

class DiffText {
	private readonly writer: TextWriter;
	private readonly report: DiffReport;
	private readonly terminal: Terminal;
	private readonly options: DiffTextOptions;
	private readonly consequences: Map<Change, number>;
	/** By the name of their method. */
	private readonly changes = new Map<string, Change[]>();
	/** Changes that a move explains. */
	private readonly moved = new Set<Change>();
	/** The summary is a table on a screen: 80 columns also in a file. */
	private readonly summaryWidth: number;

	constructor(writer: TextWriter, report: DiffReport, terminal: Terminal, options: DiffTextOptions) {
		this.writer = writer;
		this.report = report;
		this.terminal = terminal;
		this.options = options;
		this.consequences = countConsequences(report.comparison.changes);
		this.summaryWidth = Math.min(terminal.width ?? 80, 120);
		for (const change of report.comparison.changes) {
			const known = this.changes.get(change.methodName);
			if (known === undefined) {
				this.changes.set(change.methodName, [change]);
			} else {
				known.push(change);
			}
		}
		for (const move of report.comparison.moves) {
			if (move.what === 'callsite') {
				this.moved.add(move.lost).add(move.gained);
			}
		}
	}

	write(): void {
		const head = [...diffEvidenceLines(this.report, this.terminal, this.summaryWidth), ...this.causes(), '', ...this.headline()];
		const hotOnly = this.hotOnly();
		const room = SUMMARY_LINES - head.length - hotOnly.length - 2;
		// What a filter leaves is decided after the lines are made: it makes room for no others.
		const shownHotOnly = hotOnly.filter(({ isShown }) => isShown).map(({ text }) => text);
		for (const line of [...head, ...this.mattering(Math.min(MATTERING, Math.max(room, 3))), ...shownHotOnly]) {
			this.line(line);
		}
		for (const method of this.report.comparison.methods) {
			this.methodSection(method);
		}
		this.findings();
	}

	private line(text: string): void {
		this.writer.line(0, cutLine(text, this.terminal.width));
	}

	/** What went wrong on one side alone, before the decisions that changed: these are what comes with it. */
	private causes(): string[] {
		const { causes } = this.report;
		const lines = causes.slice(0, MOST_CAUSES).flatMap(({ side, finding }, i) => {
			const mark = ` ${side === 'B' ? '+' : '-'} only in ${side}: `;
			const text = wrapped(visible(finding.text), this.summaryWidth - columns(mark));
			const shown = i === 0 ? FIRST_CAUSE_LINES : CAUSE_LINES;
			const cut = text.length > shown ? [...text.slice(0, shown - 1), cutLine(text.slice(shown - 1).join(' '), this.summaryWidth - columns(mark))] : text;
			return cut.map((line, row) => `${row === 0 ? this.terminal.paint(side === 'B' ? 'red' : 'green', mark) : ' '.repeat(columns(mark))}${line}`);
		});
		if (causes.length === 0) {
			return [];
		}
		const more = causes.length > MOST_CAUSES ? `, ${causes.length - MOST_CAUSES} more (--json)` : '';
		return ['', this.terminal.paint('bold', `${causes.length === 1 ? 'A cause' : `${causes.length} causes`} on one side alone${more}`), ...lines];
	}

	private headline(): string[] {
		const { comparison } = this.report;
		const { noiseTest, shifts } = comparison;
		const counts = countChanges(comparison.changes);
		const { paint } = this.terminal;
		if (noiseTest !== null && noiseTest.verdict !== 'changed' && counts.changed === 0) {
			const ask = noiseTest.verdict === 'within chance' ? '--even-if-chance, --show-noise' : '--show-noise';
			return [`${thousands(counts.noise)} decisions differ, all listed as noise (${ask})`];
		}
		const along = counts.changed - counts.inTheirOwnRight;
		const more = along > 0 ? ` (+${thousands(along)} along with them)` : '';
		const what = noiseTest === null || noiseTest.verdict === 'changed' ? 'changed' : 'tell the sides apart, as chance does too';
		const lines = [paint('bold', `${thousands(counts.inTheirOwnRight)} decisions ${what}${more}`)];
		const { store } = this.report;
		if (noiseTest !== null || store !== undefined) {
			const noise = store === undefined ? counts.noise : store.differing - counts.changed;
			lines.push(`${thousands(noise)} more differ, no more than chance: noise${this.options.showNoise ? '' : ' (--show-noise)'}`);
		}
		if (counts.changed > 0) {
			const kinds = categoryWords(counts).map(([word, count]) => `${thousands(count)} ${word}`);
			const rows = wrapList(kinds, this.summaryWidth - 3);
			lines.push(...rows.slice(0, 2).map((text, index) => `   ${text}${index === 1 && rows.length > 2 ? ' …' : ''}`));
		}
		lines.push(...shifts.slice(0, MOST_SHIFTS).map((shift) => this.shiftLine(shift)));
		if (shifts.length > MOST_SHIFTS) {
			lines.push(paint('dim', `   ${shifts.length - MOST_SHIFTS} more kinds of decisions are made more or less often (--json)`));
		}
		return lines;
	}

	/** `   more in B: direct, inlining too deep [MaxInlineLevel 15]  0 0 0 → 13 29 21` */
	private shiftLine(shift: Shift): string {
		const { deciding } = this.report;
		const flags = shift.kind === 'optimization' || shift.text === null ? null : deciding(shift.text);
		const counts = shiftCounts(shift);
		const head = `   more in ${shift.isMoreInA ? 'A' : 'B'}: `;
		const room = this.summaryWidth - columns(head) - columns(counts) - 2;
		const whole = shiftText(shift);
		const withFlags = flags === null ? [] : [flags, flags.split('; ')[0]!].map((text) => `${whole} [${text}]`);
		return `${head}${withFlags.find((text) => columns(text) <= room) ?? shorten(whole, room)}  ${counts}`;
	}

	private mattering(count: number): string[] {
		const top = topChanges(this.report.comparison.changes, (change) => this.isGainedHalf(change)).slice(0, count);
		if (top.length === 0) {
			return [];
		}
		const shares = top.map((change) => briefShares(change.periodShareA, change.periodShareB));
		const shareWidth = Math.max(...shares.map(columns));
		const states = top.map((change) => this.stateText(change, true));
		const stateWidth = Math.min(Math.max(...states.map(columns)), 22);
		const handleWidth = Math.max(5, ...top.map((change) => columns(this.handle(change)) + 1));
		const shown = top.map((change, index) => {
			const handle = padEnd(this.handle(change), handleWidth);
			const mark = this.mark(change);
			const head = ` ${handle}${shareWidth === 0 ? '' : `${padStart(shares[index]!, shareWidth)}  `}`;
			const state = padEnd(shorten(states[index]!, stateWidth), stateWidth);
			const rest = this.summaryWidth - columns(head) - 2 - stateWidth - 2;
			return { change, text: `${head}${mark} ${this.paintMark(mark, state)}  ${this.subject(change, rest)}` };
		});
		const caption =
			shareWidth === 0 ? 'decision, where' : `% of the samples A→B, in all code of the ${this.isNative() ? 'function' : 'method (none by bytecode here)'}`;
		const header = this.terminal.paint('dim', ` ${padEnd('', handleWidth)}${caption}`);
		return ['', header, ...shown.filter(({ change }) => this.report.isShownChange(change)).map(({ text }) => text)];
	}

	private hotOnly(): { text: string; isShown: boolean }[] {
		const { methods } = this.report.comparison;
		return (['A', 'B'] as const).flatMap((side) => {
			const only = methods.filter((method) => hotOnlyIn(method) === side);
			const texts = only.map((method) => `${shortName(visible(method.name))} ${percent(side === 'A' ? method.shareA : method.shareB)} %`);
			const text = `hot only in ${side}: ${firstThatFit(texts, this.summaryWidth - 15)}`;
			return only.length === 0 ? [] : [{ text, isShown: only.some((method) => this.report.isShownMethod(method)) }];
		});
	}

	private methodSection(method: ComparedMethod): void {
		const { report } = this;
		if (!report.isShownMethod(method)) {
			return;
		}
		const shown = (this.changes.get(method.name) ?? []).filter((change) => this.isListed(change));
		const moves = report.comparison.moves.filter((move) => move.methodName === method.name && (move.what === 'phase' || this.isListed(move.lost)));
		if (!shown.some((change) => report.isShownChange(change))) {
			return;
		}
		this.line('');
		this.methodHeader(method);
		const isNative = this.isNative();
		for (const change of shown) {
			if (change.kind === 'compilation' && report.isShownChange(change)) {
				const mark = changeMark(change);
				const side = change.isInA ? 'A' : 'B';
				this.line(
					` ${this.paintMark(mark, `${mark} ${isNative ? 'has code of its own' : 'compiled at the top tier'} only in ${side}`)}  ${this.evidenceText(change)}`,
				);
				const absence = this.report.absences.get(change);
				if (absence !== undefined) {
					const start = `     ${change.isInA ? 'B' : 'A'}: `;
					this.line(this.terminal.paint('dim', start + this.name(absence.text, columns(start))));
				}
				if (shown.some(({ cause }) => cause === change)) {
					this.line(this.terminal.paint('dim', `     what differs from where ${change.isInA ? 'B' : 'A'} inlined it:`));
				}
			}
		}
		const calls = shown.filter((change): change is CallsiteChange => change.kind === 'callsite' && !this.moved.has(change));
		this.callTree(calls);
		this.optimizationLines(shown.filter((change): change is OptimizationChange => change.kind === 'optimization'));
		for (const move of moves) {
			if (move.what === 'phase' ? report.filter.decision === undefined : report.isShownChange(move.lost) || report.isShownChange(move.gained)) {
				const [from, to] =
					move.what === 'phase' ? [move.from.join(' > ') || 'the root', move.to.join(' > ') || 'the root'] : [placeText(move.from), placeText(move.to)];
				const handles = move.what === 'phase' ? '' : `  ${this.handle(move.lost)} ${this.handle(move.gained)}`;
				const kind = move.what === 'phase' ? 'phase' : move.kind;
				this.line(` ${this.paintMark('>', `> moved  (${kind}) ${this.name(moveName(move), 20 + columns(handles))}`)}${handles}`);
				this.line(this.terminal.paint('dim', `     from ${this.name(from, 10)}`));
				this.line(this.terminal.paint('dim', `     to   ${this.name(to, 10)}`));
			}
		}
	}

	private methodHeader(method: ComparedMethod): void {
		const { paint } = this.terminal;
		const handle = this.report.methodHandles.get(method.name) ?? '';
		const share = shareColumn(method.shareA, method.shareB).trim();
		const ids = [method.compileIdsA, method.compileIdsB].map((list) =>
			list.length === 0
				? 'none'
				: firstThatFit(
						list.map((id) => `c${visible(id)}`),
						24,
					),
		);
		// Each run of a store has its own.
		const tail = `${share === '' ? '' : `   ${share}`}${this.report.store === undefined ? `   A ${ids[0]} | B ${ids[1]}` : ''}`;
		const head = `${handle}  `;
		this.line(paint('bold', head + this.method(method.name, columns(head) + columns(tail))) + tail);
		const facets = this.report.facets.get(method.name);
		const words = facets === undefined ? '' : facetWords(facets);
		if (words !== '') {
			this.line(paint('dim', `    ${words}`));
		}
	}

	/** The changed callsites below the compiled method, with the calls that lead to them. The lines of the tree are those of all changes. */
	private callTree(changes: readonly CallsiteChange[]): void {
		const root = buildTree(changes);
		const work: { node: CallNode; prefix: string; isLast: boolean }[] = [];
		const push = (parent: CallNode, prefix: string): void => {
			const children = [...parent.children.values()].sort(compareNodes);
			for (let i = children.length - 1; i >= 0; i--) {
				work.push({ node: children[i]!, prefix, isLast: i === children.length - 1 });
			}
		};
		push(root, ' ');
		for (let item = work.pop(); item !== undefined; item = work.pop()) {
			const { node, prefix, isLast } = item;
			const inner = prefix + (isLast ? '   ' : '│  ');
			if (this.hasShownChange(node)) {
				this.callLine(node, prefix + (isLast ? '└─ ' : '├─ '), inner);
			}
			push(node, inner);
		}
	}

	private hasShownChange(node: CallNode): boolean {
		const work = [node];
		for (let current = work.pop(); current !== undefined; current = work.pop()) {
			if (current.change !== null && this.report.isShownChange(current.change)) {
				return true;
			}
			work.push(...current.children.values());
		}
		return false;
	}

	private callLine({ place, change }: CallNode, prefix: string, inner: string): void {
		const { paint } = this.terminal;
		if (change === null) {
			this.line(
				paint('dim', prefix + this.method(place.methodName, columns(prefix) + Math.max(8, columns(visible(atPlace(place))))) + visible(atPlace(place))),
			);
			return;
		}
		const mark = changeMark(change);
		const tail = `${visible(atPlace(place))}   ${this.evidenceText(change)}`;
		const head = `${mark} ${callsiteState(change)}  `;
		this.line(
			paint('dim', prefix) + this.paintMark(mark, head + this.method(place.methodName, columns(prefix) + columns(head) + columns(tail))) + paint('dim', tail),
		);
		const reasons = [
			['A', change.reasonsBefore],
			['B', change.reasonsAfter],
		] as const;
		const isExplained = change.reasonsBefore[change.reasonsBefore.length - 1] !== change.reasonsAfter[change.reasonsAfter.length - 1];
		for (const [side, texts] of reasons) {
			const last = texts[texts.length - 1];
			if (last !== undefined && isExplained) {
				const start = `${inner}  ${side}: `;
				const deciding = this.report.deciding(last);
				const end = deciding === null ? '' : ` [${deciding}]`;
				this.line(paint('dim', start + this.name(last, columns(start) + columns(end)) + end));
			}
		}
	}

	/** Optimizations of one kind and phase with the same evidence share a line. */
	private optimizationLines(changes: readonly OptimizationChange[]): void {
		const groups = new Map<string, OptimizationChange[]>();
		for (const change of changes) {
			const { before, after } = beforeAfter(change);
			const key = JSON.stringify([changeMark(change), before ?? after, change.phases, change.noise, runsText(change), change.pValue]);
			appendTo(groups, key, change);
		}
		const shown = [...groups.values()].filter((group) => group.some((change) => this.report.isShownChange(change)));
		if (shown.length > 0) {
			this.line(this.terminal.paint('dim', '   optimizations'));
		}
		for (const group of shown) {
			this.optimizationLine(group);
		}
	}

	private optimizationLine(group: readonly OptimizationChange[]): void {
		const [change] = group as [OptimizationChange];
		const mark = changeMark(change);
		const { before, after } = beforeAfter(change);
		const phase = change.phases[change.phases.length - 1];
		const head = `   ${mark} ${group.length > 1 ? `${group.length} ` : ''}${visible(before ?? after ?? '')}`;
		const note = `${phase === undefined ? '' : ` in ${visible(phase)}`}   ${this.evidenceText(change, group.length === 1)}`.trimEnd();
		const places = group.map(({ where }) => optimizationPlace(where));
		const counted = countEqual(places).map(([place, count]) => (count > 1 ? `${visible(place)} (${count})` : visible(place)));
		const { width } = this.terminal;
		const whole = counted.join(', ');
		const isOneLine = width === null || columns(head) + columns(note) + columns(whole) + 3 <= width;
		this.line(this.paintMark(mark, head) + this.terminal.paint('dim', note) + (isOneLine ? `   ${whole}` : ''));
		if (!isOneLine) {
			this.line(`       ${firstThatFit(counted, width - 7)}`);
		}
	}

	private findings(): void {
		const { findings, failed } = this.report;
		if (findings.length === 0 && !failed) {
			return;
		}
		this.line('');
		this.line(this.terminal.paint('red', `--fail-on: ${findings.length} findings`));
		for (const { condition, change, method } of findings) {
			const what =
				change === null
					? `${this.report.methodHandles.get(method?.name ?? '')} ${visible(method?.name ?? '')}`
					: `${this.handle(change)} ${this.stateText(change)}  ${this.subject(change)}`;
			const share = change === null ? shareColumn(method?.shareA ?? null, method?.shareB ?? null) : shareColumn(change.periodShareA, change.periodShareB);
			this.line(` ${condition.what}  ${this.fitTo(what, columns(condition.what) + 3 + columns(share) + 2)}  ${share}`.trimEnd());
		}
	}

	private isListed(change: Change): boolean {
		const { noise, cause } = change;
		return (this.options.showNoise || noise !== true) && (this.options.showConsequences || cause === null || isInsideCompilation(change));
	}

	/** The second line of a moved pair says nothing that the first one has not said. */
	private isGainedHalf(change: Change): boolean {
		return this.moved.has(change) && change.kind === 'callsite' && change.before === null;
	}

	private mark(change: Change): string {
		return this.moved.has(change) ? '>' : changeMark(change);
	}

	private paintMark(mark: string, text: string): string {
		const colour = MARK_COLOURS[mark];
		return colour === undefined ? text : this.terminal.paint(colour, text);
	}

	private stateText(change: Change, isBrief = false): string {
		if (this.moved.has(change)) {
			return `${change.kind === 'callsite' ? (change.before ?? change.after) : ''}, moved`;
		}
		if (change.kind === 'callsite') {
			return isBrief ? briefState(change) : callsiteState(change);
		}
		const { before, after } = beforeAfter(change);
		return visible(isBrief && change.kind === 'optimization' ? change.event : (before ?? after ?? ''));
	}

	/** Callee in method at place; for an optimization the place alone. Of what is too long names are cut, no line of source. */
	private subject(change: Change, width = Number.POSITIVE_INFINITY): string {
		const last = change.where[change.where.length - 1];
		if (change.kind === 'callsite') {
			const end = visible(`${last?.source === undefined ? '' : ` at${atPlace(last)}`} in ${shortName(change.methodName)}`);
			const callee = visible(shortName(last?.methodName ?? null));
			if (last?.source === undefined || columns(callee) + columns(end) <= width) {
				return shorten(callee + end, width);
			}
			const place = visible(` at${atPlace(last)}`);
			return shorten(shorten(callee, Math.max(LEAST_NAME, width - columns(place))) + place, width);
		}
		if (change.kind === 'compilation') {
			return shorten(briefName(change.methodName), width);
		}
		const place = visible(optimizationPlace(change.where));
		if (last?.source === undefined) {
			return shorten(`${place} in ${shortName(change.methodName)}`, width);
		}
		const room = width - columns(place) - 4;
		return room < LEAST_NAME ? shorten(place, width) : `${place} in ${shorten(shortName(change.methodName), room)}`;
	}

	private isNative(): boolean {
		return [...this.report.runsA, ...this.report.runsB].every(({ logKind }) => logKind === 'LLVM');
	}

	private handle(change: Change): string {
		return this.report.changeHandles.get(change) ?? '';
	}

	private evidenceText(change: Change, withHandle = true): string {
		const parts = withHandle ? [this.handle(change)] : [];
		if (change.noise !== null) {
			parts.push(runsText(change));
		}
		if (change.noise === true) {
			parts.push(`noise, p ${(change.pValue ?? 1).toFixed(2)}`);
		}
		const along = this.consequences.get(change) ?? 0;
		if (along > 0 && !this.options.showConsequences) {
			parts.push(`+${thousands(along)} below it`);
		}
		return parts.join('  ');
	}

	/** A name where `used` columns of the line are taken already. */
	private name(text: string | null, used: number): string {
		return this.fitTo(visible(text ?? 'unknown'), used);
	}

	private fitTo(text: string, used: number): string {
		return shortenMiddle(text, this.terminal.width === null ? null : Math.max(12, this.terminal.width - used));
	}

	/** The same for the name of a method, which is cut with more care. */
	private method(text: string | null, used: number): string {
		const { width } = this.terminal;
		return shortenMethod(visible(text ?? 'unknown'), width === null ? null : Math.max(12, width - used));
	}
}

/** What comes with a compilation on one side alone, the line about that does not tell. */
function isInsideCompilation(change: Change): boolean {
	return change.cause?.kind === 'compilation' && !(change.kind === 'optimization' && change.isDetail);
}

interface CallNode {
	readonly place: Place;
	readonly children: Map<string, CallNode>;
	change: CallsiteChange | null;
}

/** `samples 30.3 ±1.1 → 28.8 ±1.2 % (C2 22.0 → 4.3, C1 8.3 → 24.5), code 6.9K → 7.1K, compiler memory 4.16M → 4.51M` */
function facetWords({ a, b }: MethodFacets): string {
	const pair = (name: string, text: (side: SideFacets) => string | null, unit = ''): string => {
		const [before, after] = [a, b].map((side) => (side === null ? null : text(side)));
		return before == null && after == null ? '' : `${name} ${before ?? '?'} → ${after ?? '?'}${unit}`;
	};
	const samples = pair(
		'samples',
		({ percent: share, halfInterval }) => (share === null ? null : `${share.toFixed(1)} ±${(halfInterval ?? 0).toFixed(1)}`),
		' %',
	);
	const versions = [...new Set([...(a?.versions ?? []), ...(b?.versions ?? [])].map(({ version }) => version))];
	const ofVersion = (name: string): string =>
		pair(name, ({ percent: share, versions: all }) => (share === null ? null : (all.find(({ version }) => version === name)?.percent ?? 0).toFixed(1)));
	return [
		versions.length > 1 ? `${samples} (${versions.map(ofVersion).join(', ')})` : samples,
		pair('code', ({ codeBytes }) => (codeBytes === null ? null : sizeText(codeBytes))),
		pair('compiler memory', ({ memoryBytes }) => (memoryBytes === null ? null : sizeText(memoryBytes))),
	]
		.filter((text) => text !== '')
		.join(', ');
}

function buildTree(changes: readonly CallsiteChange[]): CallNode {
	const root: CallNode = { place: { methodName: null, bci: -1 }, children: new Map(), change: null };
	for (const change of changes) {
		let node = root;
		for (const place of change.where) {
			const key = JSON.stringify([place.bci, place.methodName]);
			let child = node.children.get(key);
			if (child === undefined) {
				child = { place, children: new Map(), change: null };
				node.children.set(key, child);
			}
			node = child;
		}
		node.change = change;
	}
	return root;
}

function compareNodes(x: CallNode, y: CallNode): number {
	return x.place.bci - y.place.bci || ((x.place.methodName ?? '') < (y.place.methodName ?? '') ? -1 : 1);
}

/** Where in the compiled method an optimization is: bytecode index, and the inlined method it counts in. */
function optimizationPlace(where: readonly Place[]): string {
	const last = where[where.length - 1];
	if (last === undefined) {
		return 'no position';
	}
	const place = `${atPlace(last).trimStart()}${where.length > 1 ? ` ${shortName(last.methodName)}` : ''}`.trim();
	return place === '' ? 'no position' : place;
}

function countEqual(texts: readonly string[]): [string, number][] {
	const counts = new Map<string, number>();
	for (const text of texts) {
		counts.set(text, (counts.get(text) ?? 0) + 1);
	}
	return [...counts];
}

/** As many items as fit, and how many more there are. */
function firstThatFit(items: readonly string[], width: number): string {
	let text = '';
	for (let i = 0; i < items.length; i++) {
		const next = text === '' ? items[i]! : `${text}, ${items[i]}`;
		const more = i < items.length - 1 ? `, ${items.length - i - 1} more` : '';
		if (text !== '' && columns(next + more) > width) {
			return `${text}, ${items.length - i} more`;
		}
		text = next;
	}
	return shortenMiddle(text, Math.max(width, 4));
}
