/** Which changes a reader asked for. */
import { nameMatches } from '../model/name-pattern.js';
import type { Change } from './changes.js';

export interface DiffFilter {
	/** Part of a method's name; with `*` a pattern for all of it. */
	readonly method?: string | undefined;
	/** Compile id in the first run of a side. */
	readonly compilation?: string | undefined;
	/** What a call was or became, or `optimization`. */
	readonly decision?: string | undefined;
	/** Part of the name of a phase around an optimization. */
	readonly phase?: string | undefined;
}

export interface FilteredMethod {
	readonly name: string;
	readonly compileIdsA: readonly string[];
	readonly compileIdsB: readonly string[];
}

export function methodMatches({ method, compilation }: DiffFilter, { name, compileIdsA, compileIdsB }: FilteredMethod): boolean {
	return (
		(method === undefined || nameMatches(method, name)) && (compilation === undefined || compileIdsA.includes(compilation) || compileIdsB.includes(compilation))
	);
}

export function changeMatches({ decision, phase }: DiffFilter, change: Change): boolean {
	if (phase !== undefined && !(change.kind === 'optimization' && change.phases.some((name) => name.includes(phase)))) {
		return false;
	}
	if (decision === undefined) {
		return true;
	}
	return change.kind === 'callsite' ? change.before === decision || change.after === decision : change.kind === decision;
}
