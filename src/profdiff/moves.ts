/**
 * What moved: the same call, handled in the same way, at another place of the same method; the same phase under another one. An
 * edit script shows these as deleted here and inserted there.
 */
import type { CallsiteKind } from '../model/inlining-tree.js';
import { type CallsiteChange, type Change, changeIdentity, type Place } from './changes.js';
import type { MethodDecisions } from './decisions.js';

interface CallsiteMove {
	readonly what: 'callsite';
	readonly methodName: string;
	readonly callee: string | null;
	readonly kind: CallsiteKind;
	readonly from: readonly Place[];
	readonly to: readonly Place[];
	/** The two changes that it explains. */
	readonly lost: CallsiteChange;
	readonly gained: CallsiteChange;
}

interface PhaseMove {
	readonly what: 'phase';
	readonly methodName: string;
	readonly phase: string;
	/** The phases around it, outermost first. */
	readonly from: readonly string[];
	readonly to: readonly string[];
}

/** A decision that went from one place to another. */
export type Move = CallsiteMove | PhaseMove;

export function findMoves(changes: readonly Change[], methods: readonly MethodDecisions[]): Move[] {
	return [...callsiteMoves(changes), ...methods.flatMap(phaseMoves)];
}

/** Calls that are there on one side only, in pairs: nearest places first, whichever side is A. */
function callsiteMoves(changes: readonly Change[]): CallsiteMove[] {
	const groups = new Map<string, { lost: CallsiteChange[]; gained: CallsiteChange[] }>();
	for (const change of changes) {
		// What came along with an enclosing call moved with it.
		if (change.kind !== 'callsite' || change.cause !== null || (change.before !== null && change.after !== null)) {
			continue;
		}
		const callee = change.where[change.where.length - 1]?.methodName ?? null;
		const key = JSON.stringify([change.methodName, callee, change.before ?? change.after, change.noise]);
		const group = groups.get(key) ?? { lost: [], gained: [] };
		groups.set(key, group);
		(change.after === null ? group.lost : group.gained).push(change);
	}
	const moves: CallsiteMove[] = [];
	for (const { lost, gained } of groups.values()) {
		const pairs = lost.flatMap((from) => gained.map((to) => ({ from, to, distance: distance(from.where, to.where), tie: tieBreak(from, to) })));
		pairs.sort((x, y) => x.distance - y.distance || (x.tie < y.tie ? -1 : 1));
		const used = new Set<CallsiteChange>();
		for (const { from, to } of pairs) {
			const kind = from.before;
			if (kind !== null && !used.has(from) && !used.has(to)) {
				used.add(from).add(to);
				const callee = from.where[from.where.length - 1]?.methodName ?? null;
				moves.push({
					what: 'callsite',
					methodName: from.methodName,
					callee,
					kind,
					from: from.where,
					to: to.where,
					lost: from,
					gained: to,
				});
			}
		}
	}
	return moves;
}

/** Elements of the two chains that are not common to their beginnings. */
function distance(from: readonly Place[], to: readonly Place[]): number {
	let common = 0;
	while (common < from.length && common < to.length && from[common]?.bci === to[common]?.bci && from[common]?.methodName === to[common]?.methodName) {
		common++;
	}
	return from.length + to.length - 2 * common;
}

/** The same for a pair and its mirror image. */
function tieBreak(x: CallsiteChange, y: CallsiteChange): string {
	return [changeIdentity(x), changeIdentity(y)].sort().join(' ');
}

/** Phases that all runs of a side have at a place where no run of the other has them, and the other way round elsewhere. */
function phaseMoves({ methodName, compiled, phases }: MethodDecisions): PhaseMove[] {
	const lost = new Map<string, string[][]>();
	const gained = new Map<string, string[][]>();
	const work = [...phases.children.values()];
	for (let phase = work.pop(); phase !== undefined; phase = work.pop()) {
		const { name, path, runs, isOwn, children } = phase;
		const isLost = runs.a === compiled.a && runs.b === 0;
		const isGained = runs.b === compiled.b && runs.a === 0;
		if (isOwn && (isLost || isGained)) {
			const side = isLost ? lost : gained;
			const known = side.get(name) ?? [];
			known.push(path.slice(0, -1));
			side.set(name, known);
		}
		for (const child of children.values()) {
			work.push(child);
		}
	}
	const byText = (x: readonly string[], y: readonly string[]): number => (x.join() < y.join() ? -1 : 1);
	return [...lost.keys()].sort().flatMap((phase) => {
		const from = (lost.get(phase) ?? []).sort(byText);
		const to = (gained.get(phase) ?? []).sort(byText);
		return from.slice(0, to.length).map((path, index): PhaseMove => ({ what: 'phase', methodName, phase, from: path, to: to[index] ?? [] }));
	});
}
