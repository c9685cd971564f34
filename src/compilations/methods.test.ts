import { describe, expect, test } from 'vitest';
import { history, trap } from '../../test/compilation-history.js';
import { methodLives } from './methods.js';
import { queueLengths } from './queue.js';
import { summarize } from './summarize.js';

describe('the life of a method', () => {
	const lives = methodLives(
		history([
			{ installedMs: 100, startedMs: 90, doneMs: 101, queuedMs: 80, notEntrant: { ms: 302, reason: null } },
			{
				installedMs: 300,
				startedMs: 200,
				doneMs: 303,
				compiler: 'c2',
				level: 4,
				notEntrant: { ms: 500, reason: 'uncommon trap' },
				deoptimizations: [trap(499)],
			},
			{ installedMs: 600, startedMs: 590, doneMs: 601, compiler: 'c1', level: 2 },
			{ method: 'X.y', startedMs: 1, doneMs: 500 },
		]),
	);

	test('methods by time spent compiling', () => {
		expect(lives.map(({ handle, method, compileMs, deoptimizations }) => [handle, method, compileMs, deoptimizations])).toEqual([
			['m1', 'X.y', 499, 0],
			['m2', 'A.b', 125, 1],
		]);
	});

	test('why each version ended, as logged and as the log shows', () => {
		expect(lives[1]?.versions.map(({ end, waitedMs }) => [waitedMs, end])).toEqual([
			[10, { ms: 302, reason: null, sign: 'replaced by level 4', nextCompileId: '2' }],
			[null, { ms: 500, reason: 'uncommon trap', sign: 'trap null_check in A.c@4', nextCompileId: '3' }],
			[null, null],
		]);
	});
});

test('methods of one name in several classes are several, and none follows the other', () => {
	const lives = methodLives(
		history([
			{ installedMs: 100, startedMs: 90, doneMs: 100, namesake: 'class 1', notEntrant: { ms: 200, reason: null } },
			{ installedMs: 200, startedMs: 150, doneMs: 200, compiler: 'c2', level: 4, namesake: 'class 2' },
			{ installedMs: 900, startedMs: 880, doneMs: 900, namesake: 'class 1' },
		]),
	);
	expect(
		lives.map(({ namesake, versions }) => [namesake, versions.map(({ compilation, end }) => [compilation.compileId, end?.sign, end?.nextCompileId])]),
	).toEqual([
		['class 2', [['2', undefined, undefined]]],
		[
			'class 1',
			[
				['1', null, '3'],
				['3', undefined, undefined],
			],
		],
	]);
});

test('the queue over time', () => {
	const [queue] = queueLengths(
		history([
			{ queuedMs: 0, startedMs: 100 },
			{ queuedMs: 50, startedMs: 400 },
			{ queuedMs: 60, startedMs: 60 },
			{ queuedMs: 850 },
			{ queuedMs: 860, failure: { reason: 'stale', phase: null } },
		]),
		10,
	);
	expect(queue).toEqual({
		compiler: 'c1',
		longestOf: [3, 2, 1, 1, 1, 0, 0, 0, 1, 1],
		longest: 3,
		longestAtMs: 60,
		longestWaitMs: 350,
		tenthWaitMs: 350,
		meanWaitMs: 150,
		neverStarted: 1,
	});
	expect(queueLengths(history([{ queuedMs: 1 }]), 10)).toEqual([]);
	// Of eleven, one is a tenth: the next is what a tenth waited at least.
	const waits = Array.from({ length: 11 }, (_, i) => ({ queuedMs: 0, startedMs: 10 * i }));
	expect(queueLengths(history(waits), 1)).toMatchObject([{ longestWaitMs: 100, tenthWaitMs: 90, meanWaitMs: 50 }]);
});

test('totals', () => {
	const summary = summarize(
		history(
			[
				{ startedMs: 0, doneMs: 250, threadId: 7, failure: { reason: 'out of nodes', phase: 'compile' }, sizeBytes: 0 },
				{ kind: 'osr', startedMs: 300, doneMs: 400, threadId: 7, compiler: 'c2', level: 4, sizeBytes: 50, retries: ['retry'] },
				{ kind: 'native wrapper', compiler: null, level: 0, installedMs: 3, nmethodBytes: 20 },
			],
			{
				threads: [{ id: 7, name: 'C2', startedMs: 500 }],
				codeCache: [
					{ ms: 250, freeBytes: 90, nmethods: 1, blobs: 1 },
					{ ms: 400, freeBytes: 40, nmethods: 2, blobs: 2 },
					{ ms: 999, freeBytes: 60, nmethods: 2, blobs: 2 },
				],
				arguments: '-Xmx1g -XX:ReservedCodeCacheSize=64m -XX:+Foo',
			},
		),
	);
	expect(summary).toMatchObject({ compilations: 2, nativeWrappers: 1, osr: 1, started: 2, installed: 0, failures: [{ reason: 'out of nodes', count: 1 }] });
	expect(
		summary.levels.map(({ compiler, level, compilations, failed, compileMs, sizeBytes }) => [compiler, level, compilations, failed, compileMs, sizeBytes]),
	).toEqual([
		['c1', 3, 1, 1, 250, 0],
		['c2', 4, 1, 0, 100, 50],
		[null, null, 1, 0, 0, 20],
	]);
	expect(summary.threads).toEqual([{ id: 7, name: 'C2', compilations: 2, busyMs: 350, busyShare: 0.7, sizeBytes: 50 }]);
	expect(summary.codeHeap).toMatchObject({ reservedBytes: 64 << 20, firstFreeBytes: 90, leastFreeBytes: 40, leastFreeAtMs: 400, lastFreeBytes: 60 });
});
