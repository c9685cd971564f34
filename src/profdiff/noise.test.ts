/** What the noise test calls on runs that are alike but for chance, and on runs with a cause that was put there. */
import { describe, expect, test } from 'vitest';
import type { CompilationTrees, LoggedCompilation } from '../model/compilation.js';
import type { InliningNode } from '../model/inlining-tree.js';
import { xorshift32 } from '../statistics/random.js';
import { type CompareRunsOptions, compareRuns, type RunsComparison } from './compare-runs.js';
import { createExperiment, type Experiment } from './experiment.js';
import { DEFAULT_OPTIONS } from './options.js';

const OPTIONS: CompareRunsOptions = { ...DEFAULT_OPTIONS, all: true, maxMethods: null, phases: { detailed: [], unordered: [] } };
const METHODS = 40;
const CALLS = 8;

const node = (bci: number, methodName: string, inlined: boolean, reason: string, children: readonly InliningNode[] = []): InliningNode => ({
	methodName,
	bci,
	inlined,
	indirect: false,
	alive: !inlined,
	reasons: [reason],
	receiverTypes: null,
	children,
});

interface Planted {
	/** In this method no call is inlined. */
	readonly method?: number;
	/** Every method refuses one of its calls for this reason, in this part of the cases. */
	readonly reason?: { readonly text: string; readonly rate: number };
}

/**
 * A run whose methods are compiled or not, and inline or refuse their calls, at random: all calls of a method together, as one profile decides about many, and
 * some on their own.
 */
function randomRun(random: () => number, planted: Planted = {}): Experiment {
	const compilations: LoggedCompilation[] = [];
	for (let m = 0; m < METHODS; m++) {
		const isBorderline = m % 5 === 0;
		if (isBorderline && random() < 0.4) {
			continue;
		}
		const isOtherwise = random() < 0.3;
		const calls = Array.from({ length: CALLS }, (_, bci) => {
			const isRefused = planted.method === m || (isOtherwise ? bci > 1 : random() < 0.05);
			const reason = planted.reason !== undefined && bci === 0 && random() < planted.reason.rate ? planted.reason.text : null;
			return node(bci, `Callee${bci}.call()`, reason === null && !isRefused, reason ?? (isRefused ? 'too big' : 'inline (hot)'));
		});
		const methodName = `M${m}.m()`;
		const trees: CompilationTrees = {
			inlining: node(-1, methodName, true, 'root', calls),
			optimization: { kind: 'phase', name: 'C2', children: [] },
		};
		compilations.push({
			compileId: `${m + 1}`,
			methodName,
			multiMethodKey: null,
			fullName: methodName,
			sizeBytes: 1,
			counted: Math.round(100_000 / (m + 1)),
			readTrees: () => trees,
		});
	}
	return createExperiment(1, compilations, null, null);
}

function compareRandom(random: () => number, runs: number, planted: Planted = {}): Promise<RunsComparison> {
	const side = (what: Planted): Experiment[] => Array.from({ length: runs }, () => randomRun(random, what));
	return compareRuns({ a: side({}), b: side(planted) }, OPTIONS);
}

describe('runs that differ by chance alone', () => {
	test.each([
		[3, 200],
		[4, 100],
	])('of pairs of %d runs at most one in ten is called changed, and in the others nothing is', async (runs, pairs) => {
		const random = xorshift32(runs * 7919);
		let changed = 0;
		for (let i = 0; i < pairs; i++) {
			const { noiseTest, changes, shifts } = await compareRandom(random, runs);
			changed += noiseTest?.verdict === 'changed' ? 1 : 0;
			if (noiseTest?.verdict !== 'changed') {
				expect(changes.every(({ noise }) => noise === true)).toBe(true);
				expect(shifts).toEqual([]);
			}
		}
		// One in ten, and two standard deviations of such a count.
		expect(changed).toBeLessThanOrEqual(0.1 * pairs + 2 * Math.sqrt(pairs * 0.1 * 0.9));
	});

	test('of all splits of six runs at most one is called changed', async () => {
		for (let seed = 1; seed <= 10; seed++) {
			const random = xorshift32(seed * 104_729);
			const runs = Array.from({ length: 6 }, () => randomRun(random));
			let changed = 0;
			for (let i = 1; i < 6; i++) {
				for (let j = i + 1; j < 6; j++) {
					const isFirst = (_: Experiment, run: number): boolean => run === 0 || run === i || run === j;
					const sides = { a: runs.filter(isFirst), b: runs.filter((run, number) => !isFirst(run, number)) };
					changed += (await compareRuns(sides, OPTIONS)).noiseTest?.verdict === 'changed' ? 1 : 0;
				}
			}
			expect(changed).toBeLessThanOrEqual(1);
		}
	});
});

test('runs that compiled nothing tell of no kind how often it is decided', async () => {
	const random = xorshift32(1);
	const a = Array.from({ length: 3 }, () => randomRun(random));
	const b = Array.from({ length: 3 }, () => createExperiment(1, [], null, null));
	expect((await compareRuns({ a, b }, OPTIONS)).shifts).toEqual([]);
});

describe('a cause that was put there', () => {
	test('in the hottest method: found, its calls first', async () => {
		for (let seed = 1; seed <= 10; seed++) {
			const { noiseTest, changes } = await compareRandom(xorshift32(seed * 31_337), 4, { method: 1 });
			expect(noiseTest).toMatchObject({ verdict: 'changed', tried: 35, splits: 35 });
			expect(changes[0]).toMatchObject({ methodName: 'M1.m()', noise: false });
		}
	});

	test('a reason that is given here and there: found as a shift, though no call tells the sides apart', async () => {
		for (let seed = 1; seed <= 10; seed++) {
			const { noiseTest, shifts, changes } = await compareRandom(xorshift32(seed * 65_537), 3, { reason: { text: 'inlining too deep', rate: 0.3 } });
			expect(noiseTest).toEqual({ verdict: 'changed', rank: 1, tried: 10, splits: 10 });
			expect(shifts[0]).toMatchObject({ kind: 'direct', text: 'inlining too deep', countsA: [0, 0, 0], isMoreInA: false });
			expect(changes[0]).toMatchObject({ noise: false, before: 'inlined', after: 'direct', categories: ['lost-inlining'], shift: shifts[0] });
		}
	});
});
