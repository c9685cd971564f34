/** The life of a method's compilations as text: when each was queued, compiled, installed and given up, and why; inlining trees with reasons. */

import type { ChosenLife } from '../answers/compilations-result.js';
import { type CompilationsSummary, tellsEnds, type Version } from '../compilations/results.js';
import { appendTo } from '../model/append.js';
import { callsiteKind, type InliningNode } from '../model/inlining-tree.js';
import type { CompilationPhase, CompilationRecord, Deoptimization } from '../model/jit-compilation.js';
import { bytesText, millisecondsText, thousands } from './quantities.js';
import { columns, shortenMethod, type Terminal } from './terminal.js';
import { visible } from './visible.js';

type WriteLine = (text: string) => void;

export function writeLife(line: WriteLine, { life, shown, records }: ChosenLife, summary: CompilationsSummary, terminal: Terminal): void {
	line(terminal.paint('bold', `${life.handle}  ${shortenMethod(visible(life.method), terminal.width === null ? null : terminal.width - 6)}`));
	if (summary.history.isAheadOfTime !== true) {
		line(
			`    ${visible(life.signature ?? '')}${life.namesake === null ? '' : `  ${life.namesake} of this name`}  ${life.versions.length} ${life.versions.length === 1 ? 'version' : 'versions'}${tellsEnds(summary.history) ? `, compiled for ${millisecondsText(life.compileMs)}` : ''}`,
		);
	}
	for (const version of life.versions) {
		if (shown.includes(version.compilation)) {
			writeVersion(line, version, summary, terminal);
			const record = records.get(version.compilation);
			if (record != null) {
				writeRecord(line, record, version.compilation.compiler, terminal);
			}
		}
	}
}

function writeVersion(line: WriteLine, { compilation, waitedMs, compileMs, end }: Version, summary: CompilationsSummary, terminal: Terminal): void {
	const { compileId, kind, compiler, level, osrBci, failure, retries } = compilation;
	const what =
		kind === 'native wrapper' ? 'native wrapper' : `${compiler}${level === null ? '' : ` level ${level}`}${osrBci === null ? '' : `, entered at @ ${osrBci}`}`;
	line(`  ${terminal.paint('cyan', `c${visible(compileId)}`)}  ${visible(what)}`);
	const steps: string[] = [];
	if (compilation.queuedMs !== null) {
		const counts =
			compilation.invocations === null
				? ''
				: ` after ${thousands(compilation.invocations)} calls${compilation.backedges === null ? '' : ` and ${thousands(compilation.backedges)} rounds of loops`}`;
		steps.push(`queued at ${millisecondsText(compilation.queuedMs)}${counts}${compilation.queueComment === null ? '' : ` (${compilation.queueComment})`}`);
	}
	if (compilation.startedMs !== null) {
		const thread = summary.threads.find(({ id }) => id === compilation.threadId)?.name;
		steps.push(
			`started at ${millisecondsText(compilation.startedMs)}${waitedMs === null ? '' : ` (waited ${millisecondsText(waitedMs)})`}${thread == null ? '' : ` by ${thread}`}`,
		);
	}
	if (compileMs !== null) {
		steps.push(`compiled for ${millisecondsText(compileMs)}`);
	}
	if (compilation.installedMs !== null) {
		steps.push(`installed at ${millisecondsText(compilation.installedMs)}`);
	}
	const size = compilation.sizeBytes ?? compilation.nmethodBytes;
	if (size !== null && size > 0) {
		const inlined = compilation.inlinedBytes === null ? '' : ` + ${thousands(compilation.inlinedBytes)} inlined`;
		steps.push(`${bytesText(size)} of code from ${thousands(compilation.bytecodeBytes ?? 0)}${inlined} bytes of bytecode`);
	}
	wrap(line, steps.join(', '), 6, terminal);
	if (retries.length > 0) {
		wrap(line, `attempts given up and repeated: ${retries.join(', ')}`, 6, terminal);
	}
	if (failure !== null) {
		wrap(line, `failed: ${failure.reason}${failure.phase === null ? '' : ` (in ${failure.phase})`}`, 6, terminal);
	} else if (compilation.isCut) {
		line('      its record ends before it is complete');
	}
	if (compilation.movesToOsr > 0) {
		const times = compilation.movesToOsr === 1 ? 'once' : `${thousands(compilation.movesToOsr)} times`;
		wrap(line, `left ${times} for OSR code, when a loop's counter overflowed`, 6, terminal);
	}
	for (const text of deoptimizationLines(compilation.deoptimizations)) {
		wrap(line, text, 6, terminal);
	}
	if (end !== null) {
		const why = [...(end.reason === null ? [] : [end.reason]), ...(end.sign === null ? [] : [end.sign])].join('; ');
		wrap(
			line,
			`made not entrant at ${millisecondsText(end.ms)}${why === '' ? '' : `: ${why}`}${end.nextCompileId === null ? '' : `, then c${end.nextCompileId}`}`,
			6,
			terminal,
		);
	}
}

/** `deoptimized 4 times from 2.096 s on: class_check → maybe_recompile in A.b@51` */
function deoptimizationLines(hits: readonly Deoptimization[]): string[] {
	const groups = new Map<string, Deoptimization[]>();
	for (const hit of hits) {
		const key = `${hit.kind === 'invalidated' ? 'no longer valid: ' : ''}${hit.reason}${hit.action === null ? '' : ` → ${hit.action}`}${hit.method === null ? '' : ` in ${hit.method}@${hit.bci}`}`;
		appendTo(groups, key, hit);
	}
	return [...groups].map(([key, group]) => {
		const first = group[0]?.ms ?? null;
		return `deoptimized ${group.length === 1 ? 'once' : `${group.length} times`}${first === null ? '' : ` from ${millisecondsText(first)} on`}: ${key}`;
	});
}

/** With more of them short ones are counted. */
const MOST_PHASES = 10;

/** Of phases that tell nothing but their time. */
function isShort({ startMs, endMs, nodes, memoryBytes }: CompilationPhase): boolean {
	return startMs !== null && endMs !== null && endMs - startMs < 0.5 && nodes === null && memoryBytes === null;
}

function writeRecord(line: WriteLine, record: CompilationRecord, compiler: string | null, terminal: Terminal): void {
	const outer = record.phases.filter(({ depth }) => depth === 0);
	const phases = outer
		.filter((phase) => outer.length <= MOST_PHASES || !isShort(phase))
		.map(({ name, startMs, endMs, nodes, liveNodes, memoryBytes }) => {
			const time = startMs === null || endMs === null ? '' : ` ${millisecondsText(endMs - startMs)}`;
			const graph = nodes === null ? '' : `, ${thousands(nodes)} nodes${liveNodes === null ? '' : ` (${thousands(liveNodes)} alive)`}`;
			return `${name}${time}${graph}${memoryBytes === null ? '' : `, ${bytesText(memoryBytes)}`}`;
		});
	if (phases.length > 0) {
		const short = outer.length - phases.length;
		wrap(line, `phases: ${phases.join('; ')}${short === 0 ? '' : `; ${short} more under half a millisecond`}`, 6, terminal);
	}
	if (record.plannedTraps > 0) {
		line(`      ${thousands(record.plannedTraps)} places left out that deoptimize when they are reached`);
	}
	if (record.inlining.children.length === 0) {
		const isUntold = compiler === 'jvmci' && record.optimization.children.length === 0;
		wrap(line, isUntold ? `its calls are not told: Graal writes them into a log of its own, -Djdk.graal.OptimizationLog=Directory` : 'no calls', 6, terminal);
		return;
	}
	for (const { node, depth, copies } of treeRows(record.inlining)) {
		line(`      ${'  '.repeat(Math.min(depth, 40))}${nodeText(node, copies, depth, terminal)}`);
	}
}

function nodeText(node: InliningNode, copies: number, depth: number, terminal: Terminal): string {
	const kind = callsiteKind(node, false);
	const mark = kind === 'inlined' ? terminal.paint('green', '+') : kind === 'devirtualized' ? terminal.paint('dim', '*') : terminal.paint('yellow', '-');
	const types = node.receiverTypes?.types.map(({ typeName, probability }) => `${typeName} ${(100 * probability).toFixed(0)} %`).join(', ');
	const what = [...(kind === 'indirect' ? ['dispatched'] : node.reasons.length === 0 ? [kind] : []), ...node.reasons].join(': ');
	const tail = visible(`${what}${types === undefined ? '' : ` [${types}]`}${copies > 1 ? ` ×${copies}` : ''}`);
	const at = node.source === undefined ? `@ ${node.bci}` : visible(node.source);
	const used = 6 + 2 * Math.min(depth, 40) + `+ ${at}    `.length + Math.min(columns(tail), 48);
	const room = terminal.width === null ? null : Math.max(20, terminal.width - used);
	return `${mark} ${at}  ${shortenMethod(visible(node.methodName ?? '?'), room)}  ${tail}`;
}

interface TreeRow {
	readonly node: InliningNode;
	/** From 0 for the calls of the compiled method. */
	readonly depth: number;
	/** How often the same stands here: the head of a loop that was cloned. */
	readonly copies: number;
}

/** In preorder; equal parts of one parent once. */
function treeRows(root: InliningNode): TreeRow[] {
	const numbers = numberParts(root);
	const rows: TreeRow[] = [];
	const work: TreeRow[] = [];
	const push = (parent: InliningNode, depth: number): void => {
		const seen = new Map<number, { node: InliningNode; copies: number }>();
		for (const node of parent.children) {
			const number = numbers.get(node)!;
			const known = seen.get(number);
			if (known === undefined) {
				seen.set(number, { node, copies: 1 });
			} else {
				known.copies++;
			}
		}
		work.push(...[...seen.values()].reverse().map(({ node, copies }) => ({ node, depth, copies })));
	};
	push(root, 0);
	for (let row = work.pop(); row !== undefined; row = work.pop()) {
		rows.push(row);
		push(row.node, row.depth + 1);
	}
	return rows;
}

/** Numbers that are the same for parts that are equal throughout. */
function numberParts(root: InliningNode): Map<InliningNode, number> {
	const order: InliningNode[] = [];
	const work = [root];
	for (let node = work.pop(); node !== undefined; node = work.pop()) {
		order.push(node);
		work.push(...node.children);
	}
	const known = new Map<string, number>();
	const numbers = new Map<InliningNode, number>();
	for (const node of order.reverse()) {
		const key = JSON.stringify([
			node.bci,
			node.methodName,
			node.reasons,
			node.inlined,
			node.indirect,
			node.alive,
			node.children.map((child) => numbers.get(child)),
		]);
		const number = known.get(key) ?? known.size;
		known.set(key, number);
		numbers.set(node, number);
	}
	return numbers;
}

function wrap(line: WriteLine, text: string, indent: number, { width }: Terminal): void {
	const lead = ' '.repeat(indent);
	let current = '';
	for (const word of visible(text).split(' ')) {
		if (current !== '' && width !== null && indent + current.length + 1 + word.length > width) {
			line(lead + current);
			current = `  ${word}`;
		} else {
			current = current === '' ? word : `${current} ${word}`;
		}
	}
	if (current !== '') {
		line(lead + current);
	}
}
