/**
 * The text of `assay report`: where the time went and what the compiler did, on one screen; then every compilation of the
 * table with its calls as a tree, and its optimizations by phase. A filter takes lines away and changes none.
 */

import type { DecisionsView } from '../answers/decisions.js';
import { withoutHiddenAddress } from '../model/hidden-class.js';
import { callsiteKind, type InliningNode, inliningChildren } from '../model/inlining-tree.js';
import { type OptimizationNode, type OptimizationPhase, optimizationChildren } from '../model/optimization-tree.js';
import type { CompilationOverview, ReportFinding } from '../profdiff/overview.js';
import { treeRows } from '../profdiff/results.js';
import { logText } from './diff-evidence.js';
import { atBci, percent, shortName, wrapList } from './diff-view.js';
import { columns, cutLine, padEnd, padStart, shortenMethod, shortenMiddle, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

const KIND_COLOUR = { inlined: 'green', direct: 'yellow', indirect: 'red', devirtualized: 'cyan', deleted: 'dim', root: 'bold' } as const;
const TABLE_ROWS = 10;

export function writeDecisionsText(writer: TextWriter, view: DecisionsView, terminal: Terminal): void {
	new DecisionsText(writer, view, terminal).write();
}

class DecisionsText {
	private readonly writer: TextWriter;
	private readonly view: DecisionsView;
	private readonly terminal: Terminal;
	private readonly summaryWidth: number;

	constructor(writer: TextWriter, view: DecisionsView, terminal: Terminal) {
		this.writer = writer;
		this.view = view;
		this.terminal = terminal;
		this.summaryWidth = Math.min(terminal.width ?? 80, 120);
	}

	write(): void {
		const summary = this.view.isSingle ? [] : ['', ...this.table(), ...this.findings()];
		for (const line of [...this.evidence(), ...summary]) {
			this.line(line);
		}
		for (const compilation of this.view.overview.compilations) {
			if (this.view.filter.isShownCompilation(compilation)) {
				this.compilation(compilation);
			}
		}
	}

	private line(text: string): void {
		this.writer.line(0, cutLine(text, this.terminal.width));
	}

	private evidence(): string[] {
		const { evidence, problems } = this.view;
		const { paint } = this.terminal;
		const { profile } = evidence;
		const kind = evidence.kind === null || evidence.logKind !== 'Graal' ? '' : `${evidence.kind} `;
		const what = `${kind === '' ? logText(evidence) : `Graal ${kind}log`}, ${evidence.compilations} compilations of ${evidence.methods} methods`;
		const lines = [`${paint('bold', this.fit(evidence.name, this.summaryWidth - columns(what) - 3))}   ${what}`];
		if (profile === null) {
			lines.push(paint('yellow', '   no profile: nothing says what is hot; largest compilations first (--profile FILE)'));
		} else {
			const share = profile.totalPeriod > 0 ? profile.compiledPeriod / profile.totalPeriod : null;
			lines.push(`   profile: ${percent(share, 1)} % of the samples in these; ${profile.found} of ${profile.entries} found, ${profile.sameName} by name`);
		}
		if (profile?.forced) {
			lines.push(paint('yellow', '   the profile is not of this run (--force): shares mean nothing'));
		}
		if (evidence.duplicateIds > 0) {
			lines.push(paint('yellow', `   ${evidence.duplicateIds} compile ids occur twice in the log: several runs in one folder?`));
		}
		if (problems.length > 0) {
			lines.push(
				paint(
					'yellow',
					`   ${problems.length === 1 ? '1 line or compilation could not be read and is' : `${problems.length} lines or compilations could not be read and are`} left out (see standard error)`,
				),
			);
		}
		return lines;
	}

	private table(): string[] {
		const { compilations, otherCompilations, otherShare, otherTime } = this.view.overview;
		const { paint } = this.terminal;
		const hasProfile = this.view.evidence.profile !== null;
		const rows = compilations.slice(0, TABLE_ROWS);
		const methodWidth = Math.min(26, Math.max(12, ...rows.map(({ unit }) => columns(visible(shortName(unit.methodName))))));
		const shareWidth = hasProfile ? 9 : 0;
		const handleWidth = Math.max(5, ...rows.map(({ unit }) => columns(unitHandle(unit.compileId))));
		const lines = [
			paint(
				'dim',
				`${padEnd('', handleWidth + 1)}${padEnd('where the time went', methodWidth)}${padStart(hasProfile ? 'samples' : '', shareWidth)}  what the compiler did`,
			),
		];
		for (const compilation of rows) {
			const { unit, share } = compilation;
			const head = `${padEnd(unitHandle(unit.compileId), handleWidth)} ${padEnd(this.fit(shortName(unit.methodName), methodWidth), methodWidth)}`;
			const text = `${head}${hasProfile ? padStart(`${percent(share)} %`, shareWidth) : ''}  `;
			if (this.view.filter.isShownCompilation(compilation)) {
				lines.push(text + callWords(compilation));
			}
		}
		const restShare = compilations.slice(TABLE_ROWS).reduce((sum, { share }) => sum + (share ?? 0), 0) + (otherShare ?? 0);
		const rest = compilations.length - rows.length + otherCompilations;
		const indent = ' '.repeat(handleWidth + 1);
		if (rest > 0) {
			lines.push(
				`${indent}${padEnd(`${rest} more compilations`, methodWidth)}${hasProfile ? padStart(`${percent(restShare)} %`, shareWidth) : ''}  --top N, --all`,
			);
		}
		if (otherTime.length > 0) {
			const words = otherTime.map(({ label, share }) => `${label} ${percent(share, 1)} %`);
			lines.push(...wrapList(words, this.summaryWidth - indent.length).map((text) => indent + text));
		}
		return lines;
	}

	private findings(): string[] {
		const shown = this.view.overview.findings.filter(({ unit }) =>
			this.view.overview.compilations.some((one) => one.unit === unit && this.view.filter.isShownCompilation(one)),
		);
		if (shown.length === 0) {
			return [];
		}
		return ['', ...shown.map((finding) => ` ${this.fit(findingText(finding), this.summaryWidth - 1)}`)];
	}

	private compilation(compilation: CompilationOverview): void {
		const { unit, share, trees, optimizations } = compilation;
		const { paint } = this.terminal;
		const tail = `${share === null ? '' : `   ${percent(share)} %`}   ${optimizations} optimizations`;
		const handle = `${unitHandle(unit.compileId)}  `;
		const key = unit.multiMethodKey === null ? '' : `   multi-method ${visible(unit.multiMethodKey)}`;
		this.line('');
		this.line(paint('bold', handle + this.method(unit.methodName, columns(handle) + columns(tail) + columns(key))) + key + tail);
		if (this.view.filter.phase === undefined) {
			this.callTree(trees.inlining);
		}
		if (this.view.filter.decision === undefined) {
			this.phases(compilation);
		}
	}

	private callTree(root: InliningNode): void {
		const { decision } = this.view.filter;
		const wanted = decision === undefined ? null : nodesLeadingTo(root, decision);
		const work: { node: InliningNode; prefix: string; isLast: boolean }[] = [];
		const push = (parent: InliningNode, prefix: string): void => {
			for (let i = parent.children.length - 1; i >= 0; i--) {
				work.push({ node: parent.children[i]!, prefix, isLast: i === parent.children.length - 1 });
			}
		};
		push(root, ' ');
		for (let item = work.pop(); item !== undefined; item = work.pop()) {
			const { node, prefix, isLast } = item;
			const inner = prefix + (isLast ? '   ' : '│  ');
			if (wanted === null || wanted.has(node)) {
				this.callLine(node, prefix + (isLast ? '└─ ' : '├─ '), inner);
			}
			push(node, inner);
		}
	}

	private callLine(node: InliningNode, prefix: string, inner: string): void {
		const { paint } = this.terminal;
		const kind = callsiteKind(node, false);
		const bci = node.source === undefined ? atBci(node.bci) : ` ${visible(node.source)}`;
		const head = `${kind} `;
		this.line(paint('dim', prefix) + paint(KIND_COLOUR[kind], head) + this.method(node.methodName, columns(prefix) + columns(head) + columns(bci)) + bci);
		// An inlined call explains itself; one that is still a call is asked about.
		const reason = node.reasons[node.reasons.length - 1];
		if (reason !== undefined && (kind === 'direct' || kind === 'indirect')) {
			const deciding = this.view.deciding(reason);
			const end = deciding === null ? '' : ` [${deciding}]`;
			this.line(paint('dim', `${inner}  ${this.name(reason, columns(inner) + 2 + columns(end))}${end}`));
		}
		if (node.receiverTypes !== null && node.receiverTypes.types.length > 0) {
			const types = node.receiverTypes.types
				.map(({ typeName, probability }) => `${percent(probability, 1)} % ${withoutHiddenAddress(typeName).replace(/^.*\./, '')}`)
				.join(', ');
			this.line(paint('dim', `${inner}  receivers: ${this.name(types, columns(inner) + 13)}`));
		}
	}

	/** Phases that did something, in their order; equal optimizations counted. Graphs that were inlined one into the other count as one. */
	private phases({ trees }: CompilationOverview): void {
		const { paint } = this.terminal;
		const { phase } = this.view.filter;
		for (const [path, events] of eventsByPhase(trees.optimization)) {
			if (phase === undefined || path.includes(phase)) {
				const texts = [...events].map(([text, count]) => (count === 1 ? text : `${count} ${text}`)).join(', ');
				const head = ` ${visible(path)}: `;
				this.line(paint('dim', head) + this.name(texts, columns(head)));
			}
		}
	}

	private name(text: string | null, used: number): string {
		const { width } = this.terminal;
		return shortenMiddle(visible(text ?? 'unknown'), width === null ? null : Math.max(12, width - used));
	}

	/** The same for the name of a method, which is cut with more care. */
	private method(text: string | null, used: number): string {
		const { width } = this.terminal;
		return shortenMethod(visible(text ?? 'unknown'), width === null ? null : Math.max(12, width - used));
	}

	private fit(text: string, width: number): string {
		return shortenMiddle(visible(text), Math.max(4, width));
	}
}

/** Optimizations counted, by path of phases. */
function eventsByPhase(root: OptimizationPhase): Map<string, Map<string, number>> {
	const byPath = new Map<string, Map<string, number>>();
	const names: string[] = [];
	for (const { depth, node } of treeRows<OptimizationNode>(root, optimizationChildren)) {
		names.length = depth;
		if (node.kind === 'phase') {
			names[depth] = node.name;
			continue;
		}
		const path = names.slice(1).filter((name, index, all) => name !== all[index - 1]);
		const key = path.join(' > ') || root.name;
		const events = byPath.get(key) ?? new Map<string, number>();
		byPath.set(key, events);
		const text = `${node.name} ${node.event}`;
		events.set(text, (events.get(text) ?? 0) + 1);
	}
	return byPath;
}

/** All nodes of a kind and their ancestors. */
function nodesLeadingTo(root: InliningNode, kind: string): Set<InliningNode> {
	const wanted = new Set<InliningNode>();
	const path: InliningNode[] = [];
	for (const { depth, node } of treeRows(root, inliningChildren)) {
		path.length = depth;
		path[depth] = node;
		if (depth > 0 && callsiteKind(node, false) === kind) {
			for (const ancestor of path) {
				wanted.add(ancestor);
			}
		}
	}
	return wanted;
}

function unitHandle(compileId: string): string {
	return `c${visible(compileId)}`;
}

function callWords({ calls }: CompilationOverview): string {
	const parts = (['inlined', 'direct', 'indirect'] as const).flatMap((kind) => (calls[kind] === undefined ? [] : [`${calls[kind]} ${kind}`]));
	return parts.length === 0 ? 'no calls' : parts.join(', ');
}

function findingText(finding: ReportFinding): string {
	const { unit, node } = finding;
	const place = `${unitHandle(unit.compileId)}${atBci(node.bci)} ${shortName(node.methodName)}`;
	if (finding.kind === 'not-inlined') {
		return `${place} is not inlined: ${finding.reason}`;
	}
	const { receivers, topTwo } = finding;
	const cover =
		receivers > 2
			? `${receivers} receivers, two of them ${percent(topTwo, 0)} %`
			: `${receivers} ${receivers === 1 ? 'receiver' : 'receivers'}, ${percent(topTwo, 0)} %`;
	return `${place} is dispatched: ${cover}`;
}
