/**
 * One loop of the bytecode, several compilations: on-stack replacement enters in the middle of a loop, and what C2 cannot prove there
 * may keep a poll, or lose it, that the normal version does not. So a thread may hold up a safepoint in one of them only.
 */

import { appendTo } from '../model/append.js';
import type { LoopPoll } from './loop-polls.js';

interface LoopVersion {
	readonly compileId: string | null;
	/** The method that was compiled; the loop may be inlined in it. */
	readonly compiled: string;
	readonly isOsr: boolean;
	readonly poll: LoopPoll['poll'];
	readonly kind: LoopPoll['kind'];
	readonly header: number;
}

export interface VersionDifference {
	readonly method: string;
	readonly line: number | null;
	/** Of each compilation the loop that polls most often: those that unrolling leaves before and after it have no poll anyway. */
	readonly versions: readonly LoopVersion[];
}

const RANK = { none: 0, strip: 1, iteration: 2 } as const;

/** Loops whose versions of on-stack replacement poll otherwise than the normal ones, by method and line. C1 polls in both. */
export function versionDifferences(loops: readonly LoopPoll[]): VersionDifference[] {
	const byMethod = new Map<string, LoopPoll[]>();
	for (const loop of loops) {
		if (loop.code.compiler !== 'c1' && loop.bytecodes.length > 0 && loop.kind !== 'inside a bytecode' && loop.kind !== 'some ways' && loop.kind !== 'calls') {
			appendTo(byMethod, loop.method, loop);
		}
	}
	return [...byMethod]
		.flatMap(([method, all]) => sameLoops(all).map((same) => ({ method, line: same[0]?.line ?? null, versions: versionsOf(same) })))
		.filter(({ versions }) => {
			const kinds = (isOsr: boolean): Set<string> => new Set(versions.filter((version) => version.isOsr === isOsr).map(({ poll }) => poll));
			const [osr, normal] = [kinds(true), kinds(false)];
			return osr.size > 0 && normal.size > 0 && ([...osr].some((poll) => !normal.has(poll)) || [...normal].some((poll) => !osr.has(poll)));
		})
		.sort((a, b) => (a.method < b.method ? -1 : a.method > b.method ? 1 : (a.line ?? 0) - (b.line ?? 0)));
}

function versionsOf(same: readonly LoopPoll[]): LoopVersion[] {
	const byCode = new Map<LoopPoll['code'], LoopPoll>();
	for (const loop of same) {
		const best = byCode.get(loop.code);
		if (best === undefined || RANK[loop.poll] > RANK[best.poll] || (loop.poll === best.poll && best.kind === 'rest')) {
			byCode.set(loop.code, loop);
		}
	}
	return [...byCode].map(([code, { poll, kind, header }]) => ({
		compileId: code.compileId,
		compiled: code.name,
		isOsr: code.osrBci !== null,
		poll,
		kind,
		header,
	}));
}

/** Machine loops of one bytecode loop share at least half of the bytecodes of the smaller one. */
function sameLoops(loops: readonly LoopPoll[]): LoopPoll[][] {
	const groups: { bytecodes: Set<number>; loops: LoopPoll[] }[] = [];
	for (const loop of loops) {
		const group = groups.find(({ bytecodes }) => {
			const shared = loop.bytecodes.filter((bci) => bytecodes.has(bci)).length;
			return 2 * shared >= Math.min(bytecodes.size, loop.bytecodes.length);
		});
		if (group === undefined) {
			groups.push({ bytecodes: new Set(loop.bytecodes), loops: [loop] });
		} else {
			group.loops.push(loop);
			for (const bci of loop.bytecodes) {
				group.bytecodes.add(bci);
			}
		}
	}
	return groups.map((group) => group.loops);
}
