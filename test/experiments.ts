/** Experiments of Graal's profdiff made by hand: trees, compilations, profiles. */
import type { CompilationTrees, LoggedCompilation } from '../src/model/compilation.js';
import type { InliningNode } from '../src/model/inlining-tree.js';
import type { Optimization, OptimizationNode, OptimizationPhase } from '../src/model/optimization-tree.js';
import type { Profile, ProfileEntry } from '../src/model/profile.js';
import { createExperiment, type Experiment } from '../src/profdiff/experiment.js';

export function inliningNode(more: Partial<InliningNode> = {}): InliningNode {
	return { methodName: 'a.X.x()', bci: 0, inlined: false, indirect: false, alive: true, reasons: [], receiverTypes: null, children: [], ...more };
}

export function optimization(more: Partial<Optimization> = {}): Optimization {
	return { kind: 'optimization', name: 'Peeling', event: 'Peel', position: { methodNames: [], bcis: [] }, properties: [], ...more };
}

export function phase(name: string, ...children: OptimizationNode[]): OptimizationPhase {
	return { kind: 'phase', name, children };
}

export const treesOf = (calls: readonly InliningNode[] = [], ...phases: OptimizationNode[]): CompilationTrees => ({
	inlining: inliningNode({ methodName: 'root', inlined: true, children: calls }),
	optimization: phase('RootPhase', ...phases),
});

export function loggedCompilation(compileId: string, methodName: string, more: Partial<LoggedCompilation> = {}): LoggedCompilation {
	return { compileId, methodName, multiMethodKey: null, fullName: methodName, sizeBytes: 1, readTrees: () => treesOf(), ...more };
}

export const profileEntry = (compileId: string | null, period: number, more: Partial<ProfileEntry> = {}): ProfileEntry => ({
	compileId,
	name: 'A.a()',
	level: 4,
	period,
	...more,
});

export const profileOf = (entries: readonly ProfileEntry[], totalPeriod = 100, kind: Profile['kind'] = 'JIT'): Profile => ({
	kind,
	executionId: null,
	totalPeriod,
	entries,
});

/** Compilations `1`, `2`, … of methods `A.a()`, `B.b()`, … with these periods. */
export function experiment(
	number: 1 | 2,
	periods: readonly (readonly [method: string, period: number])[],
	compilations: Partial<LoggedCompilation> = {},
): Experiment {
	return createExperiment(
		number,
		periods.map(([method], i) => loggedCompilation(`${i + 1}`, method, compilations)),
		profileOf(periods.map(([name, period], i) => profileEntry(`${i + 1}`, period, { name }))),
		null,
	);
}
