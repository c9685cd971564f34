/**
 * The compilations of a JVM that wrote no LogCompilation, from what it printed: -XX:+PrintCompilation or -Xlog:jit+compilation=debug, what was inlined from
 * -XX:+PrintInlining, traps from -Xlog:deoptimization=debug. These tell when a compilation began and when its code was given up; not when it was queued or
 * done, how large its code is, nor by which thread.
 */
import type { Source } from '../bytes/source.js';
import { readDeoptimizationLog } from '../formats/hotspot-deoptimization-log/read.js';
import { type PrintedCompilation, readPrintCompilation } from '../formats/print-compilation/read.js';
import type { PrintedDecision } from '../formats/print-inlining/nesting.js';
import { readPrintInlining } from '../formats/print-inlining/read.js';
import type { InliningNode } from '../model/inlining-tree.js';
import {
	type CallDecision,
	type CompilationHistory,
	type CompilationRecord,
	type Deoptimization,
	type JitCompilation,
	unknownCompilation,
} from '../model/jit-compilation.js';
import { UNKNOWN_BCI } from '../model/position.js';
import type { Problem } from '../model/problem.js';
import { type DraftNode, decide, draftNode } from './draft-node.js';

export interface PrintedCompilations {
	readonly history: CompilationHistory;
	/** The files that it was read from. */
	readonly files: readonly string[];
	readonly problems: readonly Problem[];
	/** The decisions at the calls of a compilation; empty without PrintInlining. */
	decisionsOf(compilation: JitCompilation): CallDecision[];
	/** null without PrintInlining. */
	recordOf(compilation: JitCompilation): CompilationRecord | null;
}

/** What a file holds of all this. */
interface PrintedKinds {
	readonly compilations: boolean;
	readonly inlining: boolean;
	readonly traps: boolean;
}

export interface PrintedFile {
	readonly source: Source;
	readonly kinds: PrintedKinds;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Draft = Mutable<JitCompilation> & { deoptimizations: Deoptimization[] };

/** null when no file tells of a compilation. Never throws on content. */
export function readPrintedCompilations(opened: readonly PrintedFile[]): PrintedCompilations | null {
	const problems: Problem[] = [];
	const printed = opened.filter(({ kinds }) => kinds.compilations).map(({ source }) => ({ source, ...readPrintCompilation(source) }));
	const [first] = printed;
	if (first === undefined) {
		return null;
	}
	// Standard output and a log of the same run tell the same: the longer one counts.
	const chosen = printed.reduce((most, one) => (one.rows.length > most.rows.length ? one : most), first);
	problems.push(...chosen.problems);
	for (const { source, rows } of printed) {
		if (source !== chosen.source) {
			problems.push({
				severity: 'warning',
				file: source.name,
				message: `tells of ${rows.length} compilations, ${chosen.source.name} of ${chosen.rows.length}`,
				action: 'left out: give it alone if it is of another JVM',
			});
		}
	}
	const drafts = draftsOf(chosen.rows, problems, chosen.source.name);
	const decisions = new Map<string, PrintedDecision[]>();
	for (const { source, kinds } of opened) {
		if (kinds.inlining) {
			const inlining = readPrintInlining(source);
			problems.push(...inlining.problems);
			for (const decision of inlining.decisions) {
				if (decision.compileId !== null && !decision.isRemark) {
					const own = decisions.get(decision.compileId) ?? [];
					own.push(decision);
					decisions.set(decision.compileId, own);
				}
			}
		}
		if (kinds.traps) {
			addTraps(source, drafts, problems);
		}
	}
	const used = opened.filter(({ source, kinds }) => source === chosen.source || kinds.inlining || kinds.traps);
	const decisionsOf = ({ compileId }: JitCompilation): CallDecision[] => (decisions.get(compileId) ?? []).map(decisionOf);
	return {
		history: {
			processId: null,
			version: null,
			startedEpochMs: null,
			arguments: null,
			command: null,
			endMs: chosen.rows.reduce((last, { timeMs }) => Math.max(last, timeMs ?? 0), 0),
			compilations: drafts,
			threads: [],
			codeCache: [],
		},
		files: used.map(({ source }) => source.name),
		problems,
		decisionsOf,
		recordOf: (compilation) =>
			opened.some(({ kinds }) => kinds.inlining)
				? {
						decisions: decisionsOf(compilation),
						phases: [],
						plannedTraps: 0,
						inlining: treeOf(compilation, decisions.get(compilation.compileId) ?? []),
						optimization: { kind: 'phase', name: compilation.compiler?.toUpperCase() ?? 'compiler', children: [] },
						lostElements: 0,
					}
				: null,
	};
}

function draftsOf(rows: readonly PrintedCompilation[], problems: Problem[], file: string): Draft[] {
	const drafts: Draft[] = [];
	const newest = new Map<string, Draft>();
	let unknown = 0;
	let firstUnknown = 0;
	for (const row of rows) {
		const key = row.isNative ? `${row.compileId}n` : row.compileId;
		let draft = newest.get(key);
		if (row.event === 'compiled' || (draft === undefined && row.event === 'skipped')) {
			draft = draftOf(row);
			drafts.push(draft);
			newest.set(key, draft);
		}
		if (draft === undefined) {
			firstUnknown = unknown === 0 ? row.line : firstUnknown;
			unknown++;
		} else if (row.event === 'made not entrant') {
			draft.notEntrant ??= row.timeMs === null ? null : { ms: row.timeMs, reason: row.reason };
		} else if (row.event === 'made zombie') {
			draft.removedMs ??= row.timeMs;
		} else if (row.event === 'skipped') {
			draft.failure = { reason: row.reason ?? 'unknown', phase: null };
			draft.sizeBytes = 0;
		}
	}
	if (unknown > 0) {
		problems.push({
			severity: 'warning',
			file,
			line: firstUnknown,
			message: `${unknown} lines tell of the end of compilations whose beginning is not there`,
			action: 'they are left out: the file begins later than the JVM, or lines are lost',
		});
	}
	return drafts;
}

function draftOf(row: PrintedCompilation): Draft {
	return {
		compileId: row.compileId,
		kind: row.isNative ? 'native wrapper' : row.isOsr ? 'osr' : 'standard',
		method: row.method,
		signature: row.signature,
		...unknownCompilation(),
		// Without tiers there is one compiler, and no level.
		compiler: row.isNative ? null : row.level === null || row.level > 3 ? 'c2' : 'c1',
		level: row.isNative ? 0 : (row.level ?? 4),
		osrBci: row.osrBci,
		bytecodeBytes: row.sizeBytes,
		startedMs: row.isNative ? null : row.timeMs,
		installedMs: row.isNative ? row.timeMs : null,
	};
}

function addTraps(source: Source, drafts: readonly Draft[], problems: Problem[]): void {
	const byId = new Map(drafts.map((draft) => [draft.compileId, draft]));
	const log = readDeoptimizationLog(source);
	problems.push(...log.problems);
	let unknown = 0;
	for (const { compileId, reason, action, method, bci, timeMs, threadId } of log.rows) {
		const draft = byId.get(compileId);
		if (draft === undefined) {
			unknown++;
		} else {
			draft.deoptimizations.push({ kind: 'uncommon trap', reason, action, method, bci, ms: timeMs, threadId });
		}
	}
	if (unknown > 0) {
		problems.push({
			severity: 'warning',
			file: source.name,
			message: `${unknown} traps are of compilations that are not in the other file`,
			action: 'they are left out; are both files of one run?',
		});
	}
}

function decisionOf({ bcis, callee, isInlined, reason, receivers }: PrintedDecision): CallDecision {
	const intrinsic = reason === '(intrinsic)' || reason === 'intrinsic';
	return {
		bcis,
		callee,
		inlined: isInlined && reason !== '(intrinsic)',
		intrinsic,
		reason,
		receivers: receivers.map(({ type, count, total }) => ({ typeName: type, count, probability: total > 0 ? count / total : 0 })),
	};
}

/** Decisions stand in the order of the tree: what is inside an inlined method behind its call. */
function treeOf({ method }: JitCompilation, decisions: readonly PrintedDecision[]): InliningNode {
	const root = draftNode(method, UNKNOWN_BCI, true);
	const open: DraftNode[] = [root];
	for (const { bcis, callee, isInlined, reason, receivers } of decisions) {
		open.length = Math.min(open.length, bcis.length);
		const parent = open.at(-1)!;
		const bci = bcis.at(-1) ?? UNKNOWN_BCI;
		const before = parent.children.at(-1);
		const node: DraftNode = before?.bci === bci && before.methodName === callee ? before : draftNode(callee, bci, isInlined);
		if (node !== before) {
			parent.children.push(
				receivers.length === 0
					? node
					: Object.assign(node, {
							receiverTypes: {
								mature: true,
								types: receivers.map(({ type, count, total }) => ({ typeName: type, probability: total > 0 ? count / total : 0, methodName: null })),
							},
						}),
			);
		}
		decide(node, isInlined, reason);
		open.push(node);
	}
	return root;
}
