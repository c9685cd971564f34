/** Compilations of a run at the limits of what is counted, and the order of rows. */
import { describe, expect, test } from 'vitest';
import { history, NOTHING_SAID, trap } from '../../test/compilation-history.js';
import { explainReason, flagText } from '../model/inlining-reasons.js';
import type { Deoptimization, JitCompilation } from '../model/jit-compilation.js';
import { compileMs } from '../model/jit-compilation.js';
import { methodLives } from './methods.js';
import { queueLengths } from './queue.js';
import { tellsEnds } from './results.js';
import { findStorms } from './storms.js';
import { summarize } from './summarize.js';

describe('storms', () => {
	/** Of one compilation with traps at these times. */
	const storms = (times: readonly (number | null)[], more: Partial<Deoptimization> = {}) =>
		findStorms(history([{ deoptimizations: times.map((ms) => trap(ms, more)) }]).compilations);
	const every = (count: number, from: number, stepMs: number) => Array.from({ length: count }, (_, i) => from + i * stepMs);

	test('classes of one name that are each left once are no storm', () => {
		const once = (namesake: string) => ({ namesake, deoptimizations: [trap(5)] });
		const classes = Array.from({ length: 12 }, (_, i) => `class ${i + 1}`);
		expect(findStorms(history(classes.map(once)).compilations)).toEqual([]);
		expect(findStorms(history(classes.map(() => once('class 1'))).compilations)).toHaveLength(1);
	});

	test('ten within a second are one, nine are none, nor ten in more', () => {
		expect(storms([...every(9, 5, 1), 1005])).toEqual([{ method: 'A.c', reason: 'null_check', count: 10, fromMs: 5, toMs: 1005, compileIds: ['1'] }]);
		expect(storms([...every(9, 5, 1), 1005.5])).toEqual([]);
		expect(storms(every(9, 5, 1))).toEqual([]);
	});

	test('goes on as long as any ten follow each other within a second; then another may begin', () => {
		const all = storms([...every(30, 0, 100), ...every(12, 10_000, 10), 20_000]);
		expect(all.map(({ count, fromMs, toMs }) => [count, fromMs, toMs])).toEqual([
			[30, 0, 2900],
			[12, 10_000, 10_110],
		]);
		// The windows of ten touch: 9 hits at 0 and one at 1000, from which nine more are within a second.
		const touching = storms([...every(9, 0, 0), 1000, ...every(9, 2000, 0)]);
		expect(touching.map(({ count, fromMs, toMs }) => [count, fromMs, toMs])).toEqual([[19, 0, 2000]]);
		// Beside each other, without a hit in common, they are two.
		expect(storms([...every(10, 0, 0), ...every(10, 1001, 0)]).map(({ count }) => count)).toEqual([10, 10]);
	});

	test('the largest first, times in any order, compilations once each', () => {
		const compilations = history([
			{ deoptimizations: every(5, 100, 1).map((ms) => trap(ms)) },
			{ deoptimizations: [...every(5, 0, 1), ...every(3, 50, 1)].map((ms) => trap(ms)) },
			{ deoptimizations: every(14, 0, 1).map((ms) => trap(ms, { method: null })) },
		]).compilations;
		expect(findStorms(compilations)).toEqual([
			{ method: 'A.b', reason: 'null_check', count: 14, fromMs: 0, toMs: 13, compileIds: ['3'] },
			{ method: 'A.c', reason: 'null_check', count: 13, fromMs: 0, toMs: 104, compileIds: ['2', '1'] },
		]);
	});

	test('code of many methods that is left at once, as what was inlined into all of them changes, is none', () => {
		const left = (method: string, times: readonly number[]) => ({ method, deoptimizations: times.map((ms) => trap(ms)) });
		const once = Array.from({ length: 12 }, (_, i) => left(`B.m${i}`, [i]));
		expect(findStorms(history(once).compilations)).toEqual([]);
		const twice = [...once, left('C.twice', [20, 21])];
		expect(findStorms(history(twice).compilations)).toEqual([]);
		// Three methods, each left again and again; what is left once beside them does not count.
		const again = [left('C.a', [1, 11, 21, 31]), left('C.b', [2, 12, 22]), left('C.c', [3, 13, 23])];
		expect(findStorms(history([...once, ...again]).compilations)).toMatchObject([
			{ method: 'A.c', count: 10, fromMs: 1, toMs: 31, compileIds: ['13', '14', '15'] },
		]);
	});

	test('of one method and reason, traps with a time only', () => {
		expect(storms([...every(9, 0, 1), null])).toEqual([]);
		expect(storms(every(20, 0, 1), { kind: 'invalidated' })).toEqual([]);
		const mixed = every(18, 0, 1).map((ms) => trap(ms, { reason: ms % 2 === 0 ? 'a' : 'b' }));
		expect(findStorms(history([{ deoptimizations: mixed }]).compilations)).toEqual([]);
	});
});

describe('queues', () => {
	test('a row a compiler, by name; only what has been queued', () => {
		const all = queueLengths(
			history([
				{ queuedMs: 1, startedMs: 2, compiler: 'c2' },
				{ queuedMs: 3, startedMs: 3 },
				{ queuedMs: null, startedMs: 9, compiler: 'x' },
				{ queuedMs: 4, compiler: null },
			]),
			2,
		);
		expect(all.map(({ compiler, longest, longestAtMs, longestOf }) => [compiler, longest, longestAtMs, longestOf])).toEqual([
			['c1', 1, 3, [1, 0]],
			['c2', 1, 1, [1, 0]],
		]);
	});

	test('code that was installed does not wait, though the log has no record of it', () => {
		const [queue] = queueLengths(
			history([
				{ queuedMs: 0, installedMs: 2 },
				{ queuedMs: 1, startedMs: 1 },
			]),
			1,
		);
		expect(queue).toMatchObject({ longest: 1, neverStarted: 0 });
	});

	test('what waits lasts to the end; the last millisecond is in the last part', () => {
		const [queue] = queueLengths(
			history([
				{ queuedMs: 0 },
				{ queuedMs: 1000, startedMs: 1000 },
				{ queuedMs: 500, failure: { reason: 'stale', phase: null } },
				{ queuedMs: 300, startedMs: 200 },
			]),
			4,
		);
		expect(queue).toEqual({
			compiler: 'c1',
			longestOf: [1, 2, 1, 2],
			longest: 2,
			longestAtMs: 300,
			longestWaitMs: 1000,
			tenthWaitMs: 1000,
			meanWaitMs: 0,
			neverStarted: 1,
		});
	});

	test('nobody was started: waits are not known', () => {
		expect(queueLengths(history([{ queuedMs: 0 }, { startedMs: 1, compiler: 'c2' }]), 1)).toEqual([
			{ compiler: 'c1', longestOf: [1], longest: 1, longestAtMs: 0, longestWaitMs: 0, tenthWaitMs: 0, meanWaitMs: 0, neverStarted: 1 },
		]);
	});

	test('a log without a time', () => {
		const [queue] = queueLengths(history([{ queuedMs: 0, startedMs: 0 }], { endMs: 0 }), 3);
		expect(queue).toMatchObject({ longestOf: [1, 0, 0], longest: 1 });
	});
});

describe('lives', () => {
	const lives = (compilations: readonly Partial<JitCompilation>[]) => methodLives(history(compilations));
	const endOf = (compilations: readonly Partial<JitCompilation>[]) => lives(compilations)[0]!.versions[0]!.end;

	test('ranks: time, then size, then name', () => {
		const all = lives([
			{ method: 'C.small', sizeBytes: 10 },
			{ method: 'B.same', sizeBytes: 20 },
			{ method: 'A.same', nmethodBytes: 20 },
			{ method: 'D.slow', startedMs: 5, doneMs: 7, sizeBytes: 1 },
			{ method: 'D.slow', signature: '(I)V', startedMs: 5, doneMs: 6, sizeBytes: 1, failure: { reason: 'x', phase: null } },
			{ method: 'D.slow', startedMs: 1, doneMs: null, sizeBytes: 4, deoptimizations: [trap(1), trap(2)] },
		]);
		expect(
			all.map((life) => [life.handle, life.method, life.signature, life.compileMs, life.sizeBytes, life.deoptimizations, life.failures, life.versions.length]),
		).toEqual([
			['m1', 'D.slow', '()V', 2, 5, 2, 0, 2],
			['m2', 'D.slow', '(I)V', 1, 1, 0, 1, 1],
			['m3', 'A.same', '()V', 0, 20, 0, 0, 1],
			['m4', 'B.same', '()V', 0, 20, 0, 0, 1],
			['m5', 'C.small', '()V', 0, 10, 0, 0, 1],
		]);
	});

	test('waiting and compiling are not told where a time is missing, and never negative', () => {
		const [life] = lives([{ queuedMs: 5, startedMs: 4, doneMs: 3 }, { queuedMs: 5 }, { startedMs: 4, doneMs: 9 }]);
		expect(life?.versions.map((version) => [version.waitedMs, version.compileMs])).toEqual([
			[0, 0],
			[null, null],
			[null, 5],
		]);
		expect(compileMs({ ...NOTHING_SAID, doneMs: 5 })).toBeNull();
	});

	test('a trap within five milliseconds is the sign, the last of several', () => {
		const sign = (...traps: Deoptimization[]) => endOf([{ installedMs: 1, notEntrant: { ms: 100, reason: null }, deoptimizations: traps }])?.sign;
		expect(sign(trap(95))).toBe('trap null_check in A.c@4');
		expect(sign(trap(105))).toBe('trap null_check in A.c@4');
		expect(sign(trap(94.9), trap(105.1))).toBeNull();
		expect(
			sign(
				trap(100, { method: null, reason: 'a' }),
				trap(99, { reason: 'b', method: null }),
				trap(100, { action: 'none' }),
				trap(100, { kind: 'invalidated' }),
				trap(null),
			),
		).toBe('trap b');
	});

	test('a version installed within five milliseconds is the sign, and the next', () => {
		const end = (installedMs: number | null, more: Partial<JitCompilation> = {}) =>
			endOf([
				{ installedMs: 50, notEntrant: { ms: 100, reason: 'r' } },
				{ compileId: '2', installedMs, level: 4, ...more },
			]);
		const replaced = { ms: 100, reason: 'r', sign: 'replaced by level 4', nextCompileId: '2' };
		expect(end(95)).toEqual(replaced);
		expect(end(105)).toEqual(replaced);
		expect(end(94)).toMatchObject({ sign: null, nextCompileId: null });
		expect(end(106)).toMatchObject({ sign: null, nextCompileId: '2' });
		expect(end(null)).toMatchObject({ sign: null, nextCompileId: null });
		expect(end(100, { osrBci: 3 })).toMatchObject({ sign: null, nextCompileId: null });
		// Of the same level only a later one replaces.
		expect(end(100, { level: 3 })).toMatchObject({ sign: 'replaced by level 3', nextCompileId: '2' });
		const same = [{ installedMs: 97, notEntrant: { ms: 100, reason: null } }, { installedMs: 97 }, { installedMs: 200 }];
		expect(endOf(same)).toMatchObject({ sign: null, nextCompileId: '3' });
		expect(endOf([{ installedMs: null, notEntrant: { ms: 100, reason: null } }, { installedMs: 300 }, { installedMs: 200 }])).toMatchObject({
			nextCompileId: '3',
		});
	});
});

describe('totals', () => {
	test('of compilations; native wrappers are none', () => {
		const summary = summarize(
			history([
				{ kind: 'osr', installedMs: 1, notEntrant: { ms: 1, reason: 'b' }, retries: ['r', 's'] },
				{ startedMs: 1, notEntrant: { ms: 1, reason: 'a' }, failure: { reason: 'f', phase: null } },
				{ startedMs: 1, notEntrant: { ms: 1, reason: 'a' }, retries: ['s'] },
				{ notEntrant: { ms: 1, reason: null } },
				{ kind: 'native wrapper', installedMs: 1, compiler: null, level: 0 },
			]),
		);
		expect(summary).toMatchObject({ compilations: 4, nativeWrappers: 1, osr: 1, installed: 1, started: 2, notEntrant: 4 });
		expect(summary.failures).toEqual([{ reason: 'f', count: 1 }]);
		expect(summary.retries).toEqual([
			{ reason: 's', count: 2 },
			{ reason: 'r', count: 1 },
		]);
		expect(summary.notEntrantReasons).toEqual([
			{ reason: 'a', count: 2 },
			{ reason: 'b', count: 1 },
			{ reason: '', count: 1 },
		]);
	});

	test('by compiler and level, lower levels first, wrappers last', () => {
		const { levels } = summarize(
			history([
				{ compiler: 'jvmci', level: 4, kind: 'osr', sizeBytes: 5, nmethodBytes: 9 },
				{ kind: 'native wrapper', compiler: 'c1', level: 0, nmethodBytes: 7 },
				{ compiler: 'c2', level: 4, installedMs: 3, startedMs: 1, doneMs: 3 },
				{ compiler: 'c2', level: 4, failure: { reason: 'x', phase: null }, notEntrant: { ms: 1, reason: null } },
				{ compiler: 'c1', level: 3, nmethodBytes: 9 },
				{ compiler: 'c2', level: 4, queuedMs: 2, startedMs: null },
				{ compiler: null, level: null },
			]),
		);
		expect(levels).toEqual([
			{ compiler: 'c1', level: 3, compilations: 1, osr: 0, installed: 0, failed: 0, waiting: 0, notEntrant: 0, compileMs: 0, sizeBytes: 9 },
			{ compiler: 'c2', level: 4, compilations: 3, osr: 0, installed: 1, failed: 1, waiting: 1, notEntrant: 1, compileMs: 2, sizeBytes: 0 },
			{ compiler: 'jvmci', level: 4, compilations: 1, osr: 1, installed: 0, failed: 0, waiting: 0, notEntrant: 0, compileMs: 0, sizeBytes: 5 },
			expect.objectContaining({ compiler: null, level: null, compilations: 1 }),
			expect.objectContaining({ compiler: null, level: null, compilations: 1 }),
		]);
	});

	test('deoptimizations: how often, and of how many compilations', () => {
		const { deoptimizations } = summarize(
			history([
				{ deoptimizations: [trap(1), trap(2, { action: 'none' }), trap(3, { action: 'none' })] },
				{ deoptimizations: [trap(4, { action: 'none' }), trap(5, { kind: 'invalidated', action: null })] },
				{ kind: 'native wrapper', deoptimizations: [trap(6)] },
			]),
		);
		expect(deoptimizations).toEqual([
			{ kind: 'uncommon trap', reason: 'null_check', action: 'none', count: 3, compilations: 2 },
			{ kind: 'uncommon trap', reason: 'null_check', action: 'reinterpret', count: 1, compilations: 1 },
			{ kind: 'invalidated', reason: 'null_check', action: null, count: 1, compilations: 1 },
		]);
	});

	test('threads are busy at most all of their time', () => {
		const { threads } = summarize(
			history(
				[
					{ threadId: 7, startedMs: 0, doneMs: 300, sizeBytes: 4 },
					{ threadId: 8, startedMs: 0, doneMs: 700 },
					{ threadId: 7, startedMs: 500 },
					{ threadId: null, startedMs: 0, doneMs: 9 },
				],
				{
					threads: [
						{ id: 8, name: 'C2', startedMs: 500 },
						{ id: 9, name: null, startedMs: 2000 },
					],
				},
			),
		);
		expect(threads).toEqual([
			{ id: 8, name: 'C2', compilations: 1, busyMs: 700, busyShare: 1, sizeBytes: 0 },
			{ id: 9, name: null, compilations: 0, busyMs: 0, busyShare: 0, sizeBytes: 0 },
			{ id: 7, name: null, compilations: 2, busyMs: 300, busyShare: 0.3, sizeBytes: 4 },
		]);
	});

	test('a thread that was taken away was there until the next one of its name began', () => {
		const begun = (id: number, name: string | null, startedMs: number) => ({ id, name, startedMs });
		const { threads } = summarize(
			history(
				[
					{ threadId: 7, startedMs: 100, doneMs: 150 },
					{ threadId: 8, startedMs: 300, doneMs: 400 },
					{ threadId: 9, startedMs: 100, doneMs: 200 },
				],
				{ endMs: 500, threads: [begun(7, 'C2 CompilerThread1', 100), begun(8, 'C2 CompilerThread1', 300), begun(9, 'C2 CompilerThread0', 0)] },
			),
		);
		expect(threads.map(({ busyShare }) => busyShare)).toEqual([0.25, 0.5, 0.2]);
	});

	test('the code cache: the first least moment, and the least of each part', () => {
		const state = (ms: number, freeBytes: number) => ({ ms, freeBytes, nmethods: 0, blobs: 0 });
		const heap = (flags: string | null) =>
			summarize(history([], { codeCache: [state(0, 90), state(10, 40), state(15, 50), state(500, 40), state(1000, 60)], arguments: flags })).codeHeap;
		const use = heap(null);
		expect(use).toMatchObject({ reservedBytes: null, firstFreeBytes: 90, leastFreeBytes: 40, leastFreeAtMs: 10, lastFreeBytes: 60 });
		expect(use?.leastFreeOf).toHaveLength(60);
		expect(use?.leastFreeOf.map((bytes, i) => [i, bytes]).filter(([, bytes]) => bytes !== null)).toEqual([
			[0, 40],
			[30, 40],
			[59, 60],
		]);
		expect(['=1', '=2k', '=3M', '=4g', '=5t', ''].map((size) => heap(`-Xint -XX:ReservedCodeCacheSize${size}`)?.reservedBytes)).toEqual([
			1,
			2048,
			3 << 20,
			2 ** 32,
			null,
			null,
		]);
		expect(heap('-XX:ReservedCodeCacheSize=12m -Xint')?.reservedBytes).toBe(12 << 20);
		expect(summarize(history([])).codeHeap).toBeNull();
	});
});

test('whether ends are told', () => {
	expect(tellsEnds(history([{}, { doneMs: 1 }]))).toBe(true);
	expect(tellsEnds(history([{}, { installedMs: 1 }]))).toBe(true);
	expect(tellsEnds(history([{}, { kind: 'native wrapper', installedMs: 1 }]))).toBe(false);
	expect(tellsEnds(history([]))).toBe(false);
});

test('flags that a user gives, and those that differ between the JDKs', () => {
	const flags = (reason: string) => explainReason(reason)?.flags.map(flagText);
	expect(flags('disallowed by CompileCommand')).toEqual(['-XX:CompileCommand']);
	expect(flags('executed < MinInliningThreshold times')).toEqual(['MinInliningThreshold 250 (JDK 17)', 'MaxTrivialSize 6']);
	expect(flags('too cold to inline')).toEqual(['InlineFrequencyCount 100 (JDK 17), diagnostic', 'InlineFrequencyRatio 0.25 (JDK 25), diagnostic']);
	expect(flagText({ name: 'F', jdk17: '1', jdk25: '2', kind: 'product' })).toBe('F 1 (JDK 17), 2 (JDK 25)');
	expect(flagText({ name: 'F', jdk17: null, jdk25: '', kind: 'product' })).toBe('-XX:F');
	expect(explainReason('late inline succeeded (method handle)')).toMatchObject({ reason: 'late inline succeeded…', isInlined: true });
	expect(explainReason('too big (so to say)')).toBeNull();
});
