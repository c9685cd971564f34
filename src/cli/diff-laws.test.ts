/** What holds of any diff: its laws, what is noise and what a difference, and when it fails a build. */
import { describe, expect, test } from 'vitest';
import { type Change, changesOf, diff, json, REPEATS, runKept, TRUE_LABELS } from '../../test/diff-runs.js';
import { firstDifference } from '../../test/first-difference.js';

describe('laws', () => {
	test('changes from A to B and from B to A mirror each other', async () => {
		const forth = await changesOf(TRUE_LABELS);
		const back = await changesOf(['poly-b1', 'poly-a1', '--repeat-a', 'poly-b2', '--repeat-a', 'poly-b3', '--repeat-b', 'poly-a2', '--repeat-b', 'poly-a3']);
		expect(firstDifference(lines(back.map(mirrored)), lines(forth.map(sorted)))).toBeNull();
		const single = await changesOf(['poly-a1', 'poly-b1']);
		expect(firstDifference(lines((await changesOf(['poly-b1', 'poly-a1'])).map(mirrored)), lines(single.map(sorted)))).toBeNull();
	});

	test('a recording against itself changes nothing', async () => {
		for (const name of ['poly-a1', 'poly-b2']) {
			const result = await json(['diff', name, name]);
			expect(result).toMatchObject({ changes: [], moves: [], summary: { changed: 0, noise: 0 } });
		}
	});

	test('filters only remove lines', async () => {
		const subsequence = (lines: readonly string[], of: readonly string[]): boolean => {
			let at = 0;
			for (const line of of) {
				if (lines[at] === line) {
					at++;
				}
			}
			return at === lines.length;
		};
		const filters = [
			['--method', 'TimSort'],
			['--method', 'Poly$*area*'],
			['--compilation', 'c2288'],
			['--decision', 'inlined'],
			['--decision', 'indirect'],
			['--decision', 'optimization'],
			['--phase', 'Loop'],
			['--method', 'TimSort', '--decision', 'direct'],
			['--method', 'there is no such method'],
		];
		for (const base of [
			['diff', 'poly-a1', 'poly-b1', '--consequences', '--methods', '40'],
			['diff', ...TRUE_LABELS, '--show-noise', '--methods', '10'],
			['report', 'poly-a1', '--top', '40'],
		]) {
			const all = (await runKept(base, REPEATS)).stdout.split('\n');
			for (const filter of filters) {
				if (base[0] === 'report' && filter.includes('optimization')) {
					continue;
				}
				const { stdout } = await runKept([...base, ...filter], REPEATS);
				const lines = stdout.split('\n');
				expect(lines.length).toBeLessThan(all.length);
				expect(subsequence(lines, all), `${base.join(' ')} ${filter.join(' ')}`).toBe(true);
			}
		}
	});
});

describe('the noise floor', () => {
	test('with three runs a side what separates them fully is called a difference, or what is one of a shift', async () => {
		const result = await json(['diff', ...TRUE_LABELS]);
		const changes: Change[] = result.changes;
		const called = changes.filter((change) => change.noise === false);
		expect(called.length).toBeGreaterThan(500);
		const shifted = new Set(result.shifts.flatMap((shift: { readonly changes: readonly string[] }) => shift.changes));
		for (const change of changes) {
			const { runsA, ofA, runsB, ofB, noise, pValue } = change;
			const isFull = ofA === 3 && ofB === 3 && ((runsA === ofA && runsB === 0) || (runsA === 0 && runsB === ofB));
			expect(noise).toBe(!(isFull || shifted.has(change.handle)));
			if (isFull) {
				expect(pValue).toBeCloseTo(1 / 20);
			}
		}
		expect(result.summary.noiseTest).toEqual({ verdict: 'changed', rank: 1, tried: 10, splits: 10 });
		// The options of side b limit inlining: calls are lost to it, hardly any are won.
		const own = called.filter((change) => change.kind === 'callsite' && change.cause === null);
		const lost = own.filter((change) => change.categories.includes('lost-inlining') || change.categories.includes('new-indirect'));
		expect(lost.length).toBeGreaterThan(0.75 * own.length);
	});

	test.each([
		[
			['a1', 'a2', 'b1'],
			['a3', 'b2', 'b3'],
		],
		[
			['a1', 'b2', 'b3'],
			['a2', 'a3', 'b1'],
		],
	])('relabelled runs differ by no more than chance: %j and %j', async (a, b) => {
		const [[firstA = '', ...restA], [firstB = '', ...restB]] = [a, b].map((side) => side.map((name) => `poly-${name}`)) as [string[], string[]];
		const argv = [firstA, firstB, ...restA.flatMap((name) => ['--repeat-a', name]), ...restB.flatMap((name) => ['--repeat-b', name])];
		const { stdout, exit } = await diff([...argv, '--fail-on', 'any', '--fail-on', 'hot-only-in-a']);
		expect(exit).toBe(0);
		expect(stdout.split('\n', 2)).toEqual([
			expect.stringMatching(/^within chance: of the 10 ways to split the runs 3 \+ 3, (?:1 other differs|\d others differ) as much$/),
			'   3 + 3 runs can be 1 of 10 at best, 4 + 4 runs 1 of 35, 5 + 5 runs 1 of 126',
		]);
		expect((await changesOf(argv)).every(({ noise }) => noise === true)).toBe(true);
		// What is asked for all the same is listed, and fails no build.
		const asked = await json(['diff', ...argv, '--even-if-chance', '--fail-on', 'any']);
		expect(asked).toMatchObject({ failed: false, findings: [], shifts: [], summary: { noiseTest: { verdict: 'within chance' } } });
		expect(asked.changes.filter((change: Change) => change.noise === false).every(({ pValue }: Change) => Math.abs((pValue ?? 1) - 1 / 20) < 1e-9)).toBe(true);
	});

	test('with fewer runs nothing is a difference, and the first lines say how many are needed', async () => {
		for (const argv of [
			['poly-a1', 'poly-a2', '--repeat-a', 'poly-a3'],
			['poly-a1', 'poly-b1', '--repeat-b', 'poly-b2'],
		]) {
			const { stdout } = await diff(argv);
			expect(stdout.split('\n').slice(0, 8).join('\n')).toContain('nothing can be called a difference: 3 + 3 runs are needed');
			expect((await changesOf(argv)).every((change) => change.noise === true && change.pValue !== undefined)).toBe(true);
		}
	});

	test('without repeats nothing is marked', async () => {
		expect((await diff(['poly-a1', 'poly-b1'])).stdout).toContain('noise unknown: 3 runs a side');
		expect((await changesOf(['poly-a1', 'poly-b1'])).every((change) => change.noise === null && !('pValue' in change))).toBe(true);
	});

	test('noise is in the JSON whether it is shown or not', async () => {
		const few = [...TRUE_LABELS, '--methods', '5'];
		const result = await json(['diff', ...few, '--show-noise']);
		expect(result.changes).toEqual(await changesOf(few));
		expect((await diff([...few, '--show-noise'])).stdout).toContain('noise, p 0.20');
		expect((await diff(few)).stdout).not.toContain('noise, p');
	});
});

describe('--fail-on', () => {
	test.each([
		[['lost-inlining'], 1],
		[['lost-inlining:0.5'], 1],
		[['lost-inlining:99'], 0],
		[['new-indirect:1%'], 1],
		[['hot-only-in-a'], 1],
		[['hot-only-in-b:50'], 0],
		[['lost-inlining:99', 'any'], 1],
	])('%j', async (conditions, exit) => {
		const run = await diff([...TRUE_LABELS, '--methods', '20', ...conditions.flatMap((condition) => ['--fail-on', condition])]);
		expect(run.exit).toBe(exit);
		expect(run.stdout.includes('--fail-on: ')).toBe(exit === 1);
	});

	test('noise is no finding', async () => {
		expect((await diff(['poly-a1', 'poly-a2', '--repeat-a', 'poly-a3', '--fail-on', 'any'])).exit).toBe(0);
	});
});

/** One a line, keys in their order: there are thousands. */
function lines(changes: readonly object[]): string {
	return changes.map((change) => JSON.stringify(Object.fromEntries(Object.entries(change).sort(([a], [b]) => (a < b ? -1 : 1))))).join('\n');
}

/** The change as it must look from the other side. */
function mirrored(change: Change): object {
	const other: Record<string, string> = {
		'lost-inlining': 'new-inlining',
		'new-inlining': 'lost-inlining',
		'new-indirect': 'lost-indirect',
		'lost-indirect': 'new-indirect',
		'lost-optimization': 'new-optimization',
		'new-optimization': 'lost-optimization',
		'compiled-only-in-a': 'compiled-only-in-b',
		'compiled-only-in-b': 'compiled-only-in-a',
	};
	return sorted({
		...change,
		before: change.after,
		after: change.before,
		runsA: change.runsB,
		runsB: change.runsA,
		ofA: change.ofB,
		ofB: change.ofA,
		periodShareA: change.periodShareB,
		periodShareB: change.periodShareA,
		...(change.kind === 'callsite' ? { reasonsBefore: change.reasonsAfter ?? [], reasonsAfter: change.reasonsBefore ?? [] } : {}),
		categories: change.categories.map((category) => other[category] ?? category),
	});
}

function sorted<T extends { readonly categories: readonly string[] }>(change: T): object {
	return { ...change, categories: [...change.categories].sort() };
}
