/** Which class of its name the method of each piece of code is of: the agent numbers classes by what they are, not by their names. */
import { plainId } from '../../model/jit-compilation.js';
import { type ClassRanks, namesakesOf, ranksOfClasses } from '../../model/namesakes.js';
import type { AgentLog } from './read.js';

const UNKNOWN = 0xffffffff;

/** Of compilations of classes whose name several have, by compile id. */
export function classRanks({ loads, methods }: AgentLog): ClassRanks {
	const byHolder = new Map<string, Set<number>>();
	for (const method of methods) {
		if (method !== undefined && method.classNumber !== UNKNOWN) {
			const classes = byHolder.get(method.holder);
			if (classes === undefined) {
				byHolder.set(method.holder, new Set([method.classNumber]));
			} else {
				classes.add(method.classNumber);
			}
		}
	}
	const ranked = ranksOfClasses(byHolder);
	const ranks = new Map<string, number>();
	for (const { method: number, compileId } of loads) {
		const method = methods[number];
		const rank = method === undefined ? undefined : ranked.get(method.holder)?.get(method.classNumber);
		if (rank !== undefined && compileId !== null) {
			ranks.set(`${compileId}`, rank);
		}
	}
	return ranks;
}

/** Of each piece of code; null where only one method of its name has any. */
export function namesakesOfLoads(log: AgentLog): (string | null)[] {
	return namesakesOf(
		log.loads.map(({ method: number, compileId }) => {
			const method = log.methods[number];
			return {
				compileId: compileId === null ? null : plainId(`${compileId}`),
				method: `${method?.holder}.${method?.name}`,
				signature: method?.signature ?? null,
				bytecodeBytes: null,
			};
		}),
		classRanks(log),
	);
}
