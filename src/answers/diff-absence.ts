/** Why a method has no compilation at the top tier on one side, where the other side has one: as far as logs tell. */

import { appendTo } from '../model/append.js';
import { withoutHiddenAddress } from '../model/hidden-class.js';
import { type JitCompilation, wasInstalled } from '../model/jit-compilation.js';
import { splitMethodName } from '../model/method-name.js';
import type { Change } from '../profdiff/changes.js';
import type { RunsComparison } from '../profdiff/compare-runs.js';
import { comparedName } from './names-apart.js';
import type { OpenedExperiment } from './opened-experiment.js';

type AbsenceReason = 'gave up' | 'inlined' | 'not finished' | 'lower tier' | 'never compiled';

export interface Absence {
	/** The first that holds. */
	readonly reason: AbsenceReason;
	/** All that hold, in words. */
	readonly text: string;
}

/** By change; nothing for those that no log explains. */
export async function absences(
	{ changes, inlinedInto }: Pick<RunsComparison, 'changes' | 'inlinedInto'>,
	a: readonly OpenedExperiment[],
	b: readonly OpenedExperiment[],
): Promise<ReadonlyMap<Change, Absence>> {
	const result = new Map<Change, Absence>();
	const missing = changes.filter((change) => change.kind === 'compilation');
	if (missing.length === 0) {
		return result;
	}
	const histories = { a: await historiesOf(a), b: await historiesOf(b) };
	for (const change of missing) {
		const side = change.runsA > 0 && change.runsB === 0 ? 'b' : change.runsB > 0 && change.runsA === 0 ? 'a' : null;
		if (side !== null) {
			const absence = absenceOf(change.methodName, inlinedInto.get(change.methodName)?.[side] ?? [], histories[side]);
			if (absence !== null) {
				result.set(change, absence);
			}
		}
	}
	return result;
}

/** Of each run with a JVM's log of its compilations: those of a method, by its name. */
type Histories = readonly ReadonlyMap<string, readonly JitCompilation[]>[];

async function historiesOf(runs: readonly OpenedExperiment[]): Promise<Histories> {
	const histories: Map<string, JitCompilation[]>[] = [];
	for (const { evidence, hasJvmLog, isPart, logKind, apart } of runs) {
		// Where a part of a run was watched, a method may have been compiled before.
		if (!hasJvmLog || isPart === true || logKind === 'LLVM') {
			continue;
		}
		const byMethod = new Map<string, JitCompilation[]>();
		for (const compilation of (await evidence.compilationLog()).history.compilations) {
			const name = withoutHiddenAddress(comparedName(compilation.method, compilation.signature, compilation.compileId, apart));
			appendTo(byMethod, name, compilation);
		}
		histories.push(byMethod);
	}
	return histories;
}

function absenceOf(methodName: string, callers: readonly string[], histories: Histories): Absence | null {
	const found: Absence[] = [];
	const all = histories.flatMap((history) => history.get(methodName) ?? []);
	const failed = all.find(({ failure, level }) => failure !== null && (level ?? 0) >= 4);
	if (failed?.failure != null) {
		found.push({ reason: 'gave up', text: `${compilerOf(failed)} gave up: ${failed.failure.reason}` });
	}
	const [caller] = callers;
	if (caller !== undefined) {
		const others = callers.length > 1 ? ` and ${callers.length - 1} more` : '';
		found.push({ reason: 'inlined', text: `inlined into ${splitMethodName(caller).method}${others}` });
	}
	const unfinished = all.find((one) => (one.level ?? 0) >= 4 && one.failure === null && !wasInstalled(one));
	if (unfinished !== undefined) {
		const where = unfinished.startedMs === null ? 'waited in the queue' : 'was being compiled';
		found.push({ reason: 'not finished', text: `${where} of ${compilerOf(unfinished)} when the log ended` });
	}
	const highest = all.filter(wasInstalled).reduce((most, { level }) => Math.max(most, level ?? 0), 0);
	if (highest > 0 && highest < 4) {
		found.push({ reason: 'lower tier', text: `compiled ${found.length > 0 ? 'on its own ' : ''}by C1 only (level ${highest})` });
	} else if (histories.length > 0 && all.length === 0) {
		found.push({ reason: 'never compiled', text: callers.length > 0 ? 'never compiled on its own' : 'not compiled: too few calls, or no such method' });
	}
	const [first] = found;
	return first === undefined ? null : { reason: first.reason, text: found.map(({ text }) => text).join('; ') };
}

function compilerOf({ compiler }: JitCompilation): string {
	return compiler?.toUpperCase() ?? 'the compiler';
}
