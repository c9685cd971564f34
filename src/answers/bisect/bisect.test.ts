/** The search by its laws, verdicts of runs that agree or do not, and what oracles see in recordings. */
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Evidence, openEvidence } from '../../recording/evidence.js';
import { answerBisect, type Revision } from './bisect.js';
import { judgeRevision, type Observation } from './judge.js';
import { type Oracle, observe, parseOracle } from './oracle.js';
import { findFirstBad } from './search.js';

describe('the search', () => {
	test('finds the first bad one with at most log2 judgements', async () => {
		await fc.assert(
			fc.asyncProperty(fc.integer({ min: 2, max: 500 }), fc.nat(), async (count, seed) => {
				const firstBad = 1 + (seed % (count - 1));
				let judged = 0;
				const found = await findFirstBad(count, async (position) => {
					judged++;
					return position < firstBad ? 'good' : 'bad';
				});
				expect(found).toEqual({ lastGood: firstBad - 1, firstBad, skipped: [] });
				expect(judged).toBeLessThanOrEqual(Math.ceil(Math.log2(count - 1)));
			}),
		);
	});

	test('skips what cannot be judged, and says which may be the first bad one', async () => {
		await fc.assert(
			fc.asyncProperty(fc.integer({ min: 2, max: 60 }), fc.nat(), fc.array(fc.nat(59)), async (count, seed, holes) => {
				const firstBad = 1 + (seed % (count - 1));
				const unclear = new Set(holes.filter((hole) => hole > 0 && hole < count - 1));
				const found = await findFirstBad(count, async (position) => (unclear.has(position) ? 'unclear' : position < firstBad ? 'good' : 'bad'));
				expect(found.lastGood).toBeLessThan(firstBad);
				expect(found.firstBad).toBeGreaterThanOrEqual(firstBad);
				const between = Array.from({ length: found.firstBad - found.lastGood - 1 }, (_, i) => found.lastGood + 1 + i);
				expect(found.skipped).toEqual(between);
				expect(between.every((position) => unclear.has(position))).toBe(true);
			}),
		);
	});
});

describe('runs of a revision', () => {
	const judged = async (agreeing: number, seen: string): Promise<string> => {
		const { verdict, observations } = await judgeRevision(agreeing, async (number): Promise<Observation> => {
			const letter = seen[number - 1];
			return { holds: letter === '?' ? null : letter === 'b', seen: '' };
		});
		return `${verdict} ${observations.length}`;
	};
	test.each([
		[1, 'g', 'good 1'],
		[1, 'b', 'bad 1'],
		[2, 'gg', 'good 2'],
		[2, 'bb', 'bad 2'],
		[2, 'gbggg', 'good 5'],
		[2, 'bbgbb', 'bad 2'],
		[2, 'bgbbb', 'bad 5'],
		[2, 'bgbgb', 'unclear 5'],
		[2, '??', 'unclear 2'],
		[2, '?b?bb', 'bad 5'],
		[2, '?b???', 'unclear 5'],
		[3, 'ggg', 'good 3'],
	])('%i in agreement, %s: %s', async (agreeing, seen, expected) => {
		expect(await judged(agreeing, seen)).toBe(expected);
	});
});

describe('a bisection', () => {
	const revisions = Array.from({ length: 65 }, (_, i): Revision => ({ name: `r${i}`, title: null }));
	const bisected = (firstBad: number, run: (position: number, number: number) => boolean | null = (position) => position >= firstBad) =>
		answerBisect({
			revisions,
			when: 'storm',
			agreeing: 2,
			build: async () => null,
			run: async ({ name }, number) => ({ holds: run(Number(name.slice(1)), number), seen: '' }),
		});

	test.each([1, 2, 23, 63, 64])('of 64 commits, %i is the first bad one: at most 8 builds', async (firstBad) => {
		const { found, builds, runs, contradicting } = await bisected(firstBad);
		expect(found).toMatchObject({ lastGood: { name: `r${firstBad - 1}` }, firstBad: { name: `r${firstBad}` }, skipped: [] });
		expect(builds).toBeLessThanOrEqual(8);
		expect([runs, contradicting]).toEqual([2 * builds + 2, 0]);
	});

	test('runs that say otherwise are counted, and the first has to be good', async () => {
		const flaky = await bisected(40, (position, number) => (position === 39 && number === 1 ? true : position >= 40));
		expect(flaky.found?.firstBad.name).toBe('r40');
		expect(flaky.contradicting).toBe(1);
		const { found, builds, steps } = await bisected(0);
		expect([found, builds, steps.map(({ verdict }) => verdict)]).toEqual([null, 2, ['bad', 'bad']]);
	});
});

describe('oracles', () => {
	let words: Evidence;
	let hot: Evidence;
	const root = path.resolve(import.meta.dirname, '..', '..', '..');

	beforeAll(async () => {
		words = await openEvidence([{ filePath: path.join(root, 'fixtures/joined/jdk25-c2'), name: 'words' }], { details: 'threads' });
		hot = await openEvidence([{ filePath: path.join(root, 'examples/hot'), name: 'hot' }], { details: 'threads' });
	});
	afterAll(() => {
		words.close();
		hot.close();
	});

	test.each<[string, boolean | null, RegExp]>([
		['inlined:java.util.HashMap.merge@Words.count', false, /hot method too big/],
		['not-inlined:java.util.HashMap.merge@Words.count', true, /c219 Words\.count: not inlined/],
		['inlined:java.util.HashMap.<init>@Words.count', true, /inlined/],
		['inlined:nothing', null, /no call of nothing/],
		['finding:not-inlined@HashMap.merge', true, /hot method too big/],
		['finding:not-inlined@Other', false, /no finding/],
		['share:Words.checksum>15', true, /19\.3 %|19\.4 %/],
		['share:Words.checksum>25', false, /Words\.checksum/],
		['share:Words.checksum>19.3', null, /18\.\d to 20\.\d/],
		['share:Words.nothing>1', false, /no sample/],
		['storm', false, /no storm/],
		['storm:Other', false, /no storm/],
		['memory:HashMap.merge>2M', true, /2\.\d\d MiB/],
		['memory>5M', true, /c346 java\.util\.TimSort\.sort: 5\.94 MiB/],
		['memory>6M', false, /5\.94 MiB/],
	])('%s', async (text, holds, seen) => {
		const observed = await observe(parseOracle(text) as Exclude<Oracle, { kind: 'pages' }>, words);
		expect(observed.holds).toBe(holds);
		expect(observed.seen).toMatch(seen);
	});

	test('evidence that is missing is no answer', async () => {
		expect(await observe({ kind: 'memory', method: null, bytes: 1 }, hot)).toMatchObject({ holds: null });
	});

	test.each(['', 'inlined:', 'share:A', 'share:A>x', 'share:A>101', 'memory', 'memory>x', 'pages', 'pages>1.5', 'time>3', 'finding'])(
		'"%s" is none',
		(text) => {
			expect(parseOracle(text)).toBeNull();
		},
	);

	test('pages and sizes', () => {
		expect(parseOracle('pages>40')).toEqual({ kind: 'pages', pages: 40 });
		expect(parseOracle('memory:a.B.c>64k')).toEqual({ kind: 'memory', method: 'a.B.c', bytes: 65_536 });
	});
});
