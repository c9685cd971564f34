import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilationTrees } from '../../test/arbitraries.js';
import type { CompilationTrees, LoggedCompilation } from '../model/compilation.js';
import { type CallsiteKind, callsiteKind, type InliningNode } from '../model/inlining-tree.js';
import type { Optimization, OptimizationNode } from '../model/optimization-tree.js';
import type { Change } from './changes.js';
import { compareRuns } from './compare-runs.js';
import { allUnits, createExperiment, type Experiment } from './experiment.js';
import { createFragments } from './fragments.js';
import type { Shift } from './noise.js';
import { DEFAULT_OPTIONS } from './options.js';

const OPTIONS = { ...DEFAULT_OPTIONS, all: false, maxMethods: null, phases: { detailed: [], unordered: [] }, evenIfChance: true };

/** A run: for each of the methods A.a() and B.b() some compilations. */
const run = fc.record({ 'A.a()': fc.array(compilationTrees, { maxLength: 2 }), 'B.b()': fc.array(compilationTrees, { maxLength: 1 }) });
type Run = Record<'A.a()' | 'B.b()', CompilationTrees[]>;

function experiment(runs: Run): Experiment {
	const compilations = Object.entries(runs).flatMap(([methodName, units]) =>
		units.map(
			(trees, index): LoggedCompilation => ({
				compileId: `${methodName}${index}`,
				methodName,
				multiMethodKey: null,
				fullName: methodName,
				sizeBytes: 1,
				readTrees: () => trees,
			}),
		),
	);
	return createExperiment(1, compilations, null, null);
}

/** What is compared of a method in a run of a side: its compilations; where no run of the side has one, what its callers made of it, if the other side compiled it. */
function comparedTrees(run: Run, method: keyof Run, own: readonly Run[], other: readonly Run[]): CompilationTrees[] {
	const isCompiled = (side: readonly Run[]): boolean => side.some((one) => one[method].length > 0);
	if (isCompiled(own) || !isCompiled(other)) {
		return run[method];
	}
	const fragments = allUnits(experiment(run)).flatMap((unit) =>
		createFragments(
			unit,
			(name) => name === method,
			() => 0,
		),
	);
	return fragments.map((fragment) => fragment.readTrees());
}

/** Parts have no share in what has no place. */
function isOfParts(decision: string, isWhole: boolean): boolean {
	return isWhole || !decision.endsWith(',[],[]]');
}

/** All decisions of a method in a run, found by plain recursion and spelt out. */
function decisionsOf(units: readonly CompilationTrees[]): Set<string> {
	const decisions = new Set<string>();
	const site = (node: InliningNode, path: string): void => {
		for (const child of node.children) {
			const childPath = `${path} > ${child.bci} ${child.methodName ?? ''}`;
			decisions.add(`${childPath} ${callsiteKind(child, false)}`);
			site(child, childPath);
		}
	};
	const optimization = (node: OptimizationNode): void => {
		if (node.kind === 'phase') {
			node.children.forEach(optimization);
		} else {
			decisions.add(optimizationKey(node.name, node.event, node.position.methodNames, node.position.bcis));
		}
	};
	for (const unit of units) {
		site(unit.inlining, '');
		optimization(unit.optimization);
	}
	return decisions;
}

function optimizationKey(name: Optimization['name'], event: string, methodNames: readonly string[], bcis: readonly number[]): string {
	return JSON.stringify([name, event, methodNames, bcis]);
}

/** The decisions that a change tells of: for a call those of both its kinds. */
function decisionsTold(change: Change): string[] {
	if (change.kind === 'optimization') {
		const where = [...change.where].reverse();
		return [
			optimizationKey(
				change.name,
				change.event,
				where.map((place) => place.methodName ?? ''),
				where.map((place) => place.bci),
			),
		];
	}
	if (change.kind === 'callsite') {
		const path = change.where.map(({ bci, methodName }) => ` > ${bci} ${methodName ?? ''}`).join('');
		return [change.before, change.after].flatMap((kind: CallsiteKind | null) => (kind === null ? [] : [`${path} ${kind}`]));
	}
	return [];
}

/** How many decisions each of several runs has: a call once for each of the last words that were said of it in the run, where any were said in some run. */
function totals(runs: readonly Run[]): number[] {
	const told = runs.map((one) => {
		const words = new Map<string, Set<string>>();
		for (const [method, units] of Object.entries(one)) {
			for (const decision of decisionsOf(units)) {
				words.set(`${method} ${decision}`, new Set());
			}
			const site = (node: InliningNode, path: string): void => {
				for (const child of node.children) {
					const childPath = `${path} > ${child.bci} ${child.methodName ?? ''}`;
					const last = child.reasons.at(-1);
					if (last !== undefined) {
						words.get(`${method} ${childPath} ${callsiteKind(child, false)}`)!.add(last);
					}
					site(child, childPath);
				}
			};
			for (const { inlining } of units) {
				site(inlining, '');
			}
		}
		return words;
	});
	const hasWords = new Set(told.flatMap((words) => [...words].flatMap(([decision, said]) => (said.size > 0 ? [decision] : []))));
	return told.map((words) => [...words].reduce((sum, [decision, said]) => sum + (hasWords.has(decision) ? said.size : 1), 0));
}

/** Of all that a run decides, how often it decides so: each run of one side more often than all of the other, of the runs that decide anything. */
function separates({ countsA, countsB }: Shift, a: readonly Run[], b: readonly Run[]): boolean {
	const all = totals([...a, ...b]);
	const rates = [...countsA, ...countsB].map((count, run) => (all[run] === 0 ? [] : [count / all[run]!]));
	const [ratesA, ratesB] = [rates.slice(0, a.length).flat(), rates.slice(a.length).flat()];
	return Math.min(...ratesA) > Math.max(...ratesB) || Math.min(...ratesB) > Math.max(...ratesA);
}

describe('changes between generated runs', () => {
	test('of three runs a side: nothing that separates them is hidden, nothing else is called a difference', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(run, { minLength: 3, maxLength: 3 }), fc.array(run, { minLength: 3, maxLength: 3 }), async (a, b) => {
				const { changes } = await compareRuns({ a: a.map(experiment), b: b.map(experiment) }, OPTIONS);
				for (const method of ['A.a()', 'B.b()'] as const) {
					const isWhole = [a, b].every((side) => side.some((one) => one[method].length > 0));
					const [treesA, treesB] = [a.map((one) => comparedTrees(one, method, a, b)), b.map((one) => comparedTrees(one, method, b, a))];
					const compiled = [...treesA, ...treesB].every((trees) => trees.length > 0);
					const [inA, inB] = [treesA.map(decisionsOf), treesB.map(decisionsOf)];
					const all = new Set([...(inA ?? []), ...(inB ?? [])].flatMap((set) => [...set]));
					const count = (side: Set<string>[] | undefined, decision: string): number => (side ?? []).filter((set) => set.has(decision)).length;
					const separating = [...all].filter((decision) => {
						const counts = [count(inA, decision), count(inB, decision)];
						return compiled && isOfParts(decision, isWhole) && ((counts[0] === 3 && counts[1] === 0) || (counts[0] === 0 && counts[1] === 3));
					});
					const called = changes.filter((change) => change.methodName === method && change.noise === false && change.kind !== 'compilation');
					const told = new Set(called.flatMap(decisionsTold));
					expect(separating.filter((decision) => !told.has(decision) && !isTwin(decision, told))).toEqual([]);
					for (const change of called) {
						const isOfShift = change.kind === 'callsite' && change.shift !== null && separates(change.shift, a, b);
						expect(isOfShift || decisionsTold(change).some((decision) => separating.includes(decision))).toBe(true);
					}
				}
			}),
			{ numRuns: 200 },
		);
	});

	test('run counts are those of the runs', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 3 }), fc.array(run, { minLength: 1, maxLength: 3 }), async (a, b) => {
				const { changes } = await compareRuns({ a: a.map(experiment), b: b.map(experiment) }, OPTIONS);
				for (const change of changes) {
					const method = change.methodName as 'A.a()' | 'B.b()';
					if (change.kind === 'compilation') {
						expect([change.ofA, change.ofB]).toEqual([a.length, b.length]);
						continue;
					}
					const compiledIn = [
						a.map((one) => comparedTrees(one, method, a, b)).filter((trees) => trees.length > 0),
						b.map((one) => comparedTrees(one, method, b, a)).filter((trees) => trees.length > 0),
					];
					expect([change.ofA, change.ofB]).toEqual(compiledIn.map((side) => side.length));
					const counts = decisionsTold(change).map((decision) => compiledIn.map((side) => side.filter((trees) => decisionsOf(trees).has(decision)).length));
					expect(counts).toContainEqual([change.runsA, change.runsB]);
				}
			}),
			{ numRuns: 200 },
		);
	});

	test('every difference between two single runs is told', async () => {
		await fc.assert(
			fc.asyncProperty(run, run, async (a, b) => {
				const { changes } = await compareRuns({ a: [experiment(a)], b: [experiment(b)] }, OPTIONS);
				for (const method of ['A.a()', 'B.b()'] as const) {
					const isWhole = a[method].length > 0 && b[method].length > 0;
					const [treesA, treesB] = [comparedTrees(a, method, [a], [b]), comparedTrees(b, method, [b], [a])];
					if (treesA.length === 0 || treesB.length === 0) {
						continue;
					}
					const [left, right] = [decisionsOf(treesA), decisionsOf(treesB)].map((all) => new Set([...all].filter((one) => isOfParts(one, isWhole)))) as [
						Set<string>,
						Set<string>,
					];
					const different = [...left].filter((decision) => !right.has(decision)).concat([...right].filter((decision) => !left.has(decision)));
					const told = new Set(changes.filter((change) => change.methodName === method).flatMap(decisionsTold));
					expect(different.filter((decision) => !told.has(decision) && !isTwin(decision, told))).toEqual([]);
				}
			}),
			{ numRuns: 200 },
		);
	});

	/** A call has one change, told by the two kinds that show it best; a third kind of the same call is not listed again. */
	function isTwin(decision: string, told: ReadonlySet<string>): boolean {
		const site = decision.slice(0, decision.lastIndexOf(' '));
		return !decision.startsWith('[') && [...told].some((other) => other.slice(0, other.lastIndexOf(' ')) === site);
	}
});
