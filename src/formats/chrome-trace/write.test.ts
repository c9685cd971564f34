import { expect, test } from 'vitest';
import { history, trap } from '../../../test/compilation-history.js';
import { ORIGIN, STACKED } from '../../../test/stacked-samples.js';
import type { JitCompilation } from '../../model/jit-compilation.js';
import type { Safepoint } from '../../model/safepoint.js';
import { type TraceContent, type TraceCounts, writeChromeTrace } from './write.js';

type Event = Record<string, unknown>;

const NOTHING: TraceContent = { history: null, safepoints: [], samples: null, processId: null };
/** Of all tracks that are no thread, the first. */
const TRACK = 2 ** 31;

/** The events behind the one that names the process. */
function written(content: Partial<TraceContent>): { events: Event[]; counts: TraceCounts } {
	const pieces: string[] = [];
	const counts = writeChromeTrace({ ...NOTHING, ...content }, ORIGIN, (piece) => void pieces.push(piece));
	const { traceEvents, ...head } = JSON.parse(pieces.join(''));
	const pid = content.processId ?? 1;
	expect(head).toEqual({ displayTimeUnit: 'ms', otherData: { title: 'a recording', producer: 'assay 1' } });
	expect(traceEvents[0]).toEqual({ ph: 'M', name: 'process_name', tid: 0, pid, args: { name: 'a recording' } });
	const events = traceEvents.slice(1).map(({ pid: of, ...event }: Event) => {
		expect(of).toBe(pid);
		return event;
	});
	return { events, counts };
}

const ofCompilations = (...compilations: Partial<JitCompilation>[]) => written({ history: history(compilations) });
const phases = (events: readonly Event[]): unknown => events.map(({ ph, name, tid, ts, dur }) => [ph, name, tid, ts, dur]);

test('nothing but the process', () => {
	expect(written({ processId: 77 })).toEqual({ events: [], counts: { compilations: 0, safepoints: 0, safepointsLeftOut: 0, samples: 0 } });
});

test('a compilation: its time in the queue, and on its thread', () => {
	const one = {
		compiler: 'c2',
		level: 4,
		threadId: 9,
		queuedMs: 1.0004,
		startedMs: 2.5,
		doneMs: 4.25,
		installedMs: 4.2,
		queueComment: 'tiered',
		bytecodeBytes: 11,
		inlinedBytes: 12,
		sizeBytes: 13,
		nmethodBytes: 14,
		invocations: 15,
		backedges: 16,
		osrBci: 3,
		kind: 'osr' as const,
	};
	const threads = [
		{ id: 9, name: 'C2 CompilerThread0', startedMs: null },
		{ id: 10, name: 'C1 CompilerThread0', startedMs: null },
	];
	const { events, counts } = written({ history: history([one], { threads }), processId: 5 });
	const queued = { name: 'c1 A.b', cat: 'queued', id: '1', tid: 9 };
	const { queuedMs, startedMs, doneMs, installedMs, queueComment, threadId, compiler, ...args } = one;
	expect(events).toEqual([
		{ ...queued, ph: 'b', ts: 1000, args: { level: 4, comment: 'tiered' } },
		{ ...queued, ph: 'e', ts: 2500 },
		{ ph: 'X', name: 'c1 A.b', cat: 'c2', tid: 9, ts: 2500, dur: 1750, args: { ...args, compileId: '1', method: 'A.b', signature: '()V' } },
		{ ph: 'M', name: 'thread_name', tid: 9, args: { name: 'C2 CompilerThread0' } },
	]);
	expect(counts.compilations).toBe(1);
});

test.each([
	[
		'waits until the log ends',
		{ queuedMs: 400 },
		[
			['b', 400_000],
			['e', 1_000_000],
		],
	],
	[
		'waits no time where the log ends before',
		{ queuedMs: 1200 },
		[
			['b', 1_200_000],
			['e', 1_200_000],
		],
	],
	[
		'started before it was queued',
		{ queuedMs: 3, startedMs: 2, doneMs: 4 },
		[
			['b', 3000],
			['e', 3000],
			['X', 2000, 2000],
		],
	],
	['runs until the log ends', { startedMs: 990 }, [['X', 990_000, 10_000]]],
	['started behind the end', { startedMs: 1001 }, [['X', 1_001_000, 0]]],
	['done before it was started', { startedMs: 7, doneMs: 6 }, [['X', 7000, 0]]],
	['only installed', { installedMs: 5 }, [['X', 5000, 0]]],
	['installed and done', { installedMs: 5, doneMs: 6 }, [['X', 5000, 1000]]],
	['no time', {}, []],
])('%s', (_, times, expected) => {
	const { events, counts } = ofCompilations({ threadId: 3, ...times });
	expect(events.map(({ ph, ts, dur }) => (dur === undefined ? [ph, ts] : [ph, ts, dur]))).toEqual(expected);
	expect(counts.compilations).toBe(expected.length === 0 ? 0 : 1);
});

test('compilations of threads that nobody names', () => {
	const done = { startedMs: 1, doneMs: 2 };
	const compilations = [
		{ ...done, compiler: 'c1' },
		{ ...done, compiler: null },
		{ ...done, compiler: 'c1' },
		{ compiler: 'c1', startedMs: 2, doneMs: 5 },
		{ ...done, compiler: 'c2', threadId: 8 },
		{ ...done, compiler: 'c2', threadId: 9 },
		{ ...done, compiler: 'c2', threadId: 10 },
	];
	const named = (id: number, name: string | null) => ({ id, name, startedMs: null });
	const { events } = written({
		history: history(compilations, { threads: [named(8, null), named(9, 'C2 CompilerThread1'), named(10, 'C2 CompilerThread1')] }),
	});
	expect(events.map(({ tid, cat, args }) => [tid, cat ?? (args as { name: string }).name])).toEqual([
		[TRACK + 1, 'c1'],
		[TRACK + 2, 'native wrapper'],
		[TRACK + 3, 'c1'],
		[8, 'c2'],
		[9, 'c2'],
		[10, 'c2'],
		[TRACK + 1, 'c1'],
		[8, 'compiler thread 8'],
		[9, 'C2 CompilerThread1 (9)'],
		[10, 'C2 CompilerThread1 (10)'],
		[TRACK + 1, 'c1, thread unknown'],
		[TRACK + 2, 'native wrappers'],
		[TRACK + 3, 'c1, thread unknown (2)'],
	]);
});

test('what failed, and code that was given up', () => {
	const { events } = ofCompilations({
		threadId: 3,
		startedMs: 1,
		doneMs: 2,
		failure: { reason: 'out of nodes', phase: 'parse' },
		notEntrant: { ms: 3, reason: 'retired' },
		deoptimizations: [trap(4, { threadId: 6 }), trap(null), trap(5, { threadId: null, kind: 'invalidated', action: null })],
	});
	expect(events[0]).toMatchObject({ ph: 'X', args: { failure: 'out of nodes' } });
	expect(events.slice(1)).toEqual([
		{ ph: 'i', s: 't', name: 'c1 A.b: failed', cat: 'failure', tid: 3, ts: 2000, args: { compileId: '1', reason: 'out of nodes', phase: 'parse' } },
		{ ph: 'i', s: 'p', name: 'c1 A.b: made not entrant', cat: 'not entrant', tid: 3, ts: 3000, args: { compileId: '1', reason: 'retired' } },
		{
			ph: 'i',
			s: 't',
			name: 'c1 A.b: uncommon trap, null_check',
			cat: 'deoptimization',
			tid: 6,
			ts: 4000,
			args: { compileId: '1', reason: 'null_check', action: 'reinterpret', method: 'A.c', bci: 4 },
		},
		{
			ph: 'i',
			s: 't',
			name: 'c1 A.b: invalidated, null_check',
			cat: 'deoptimization',
			tid: 3,
			ts: 5000,
			args: { compileId: '1', reason: 'null_check', action: null, method: 'A.c', bci: 4 },
		},
	]);
	expect(ofCompilations({ threadId: 3, failure: { reason: 'x', phase: null } }).events).toEqual([]);
});

const SAFEPOINT: Safepoint = {
	operation: 'G1CollectFull',
	sinceLastNs: null,
	reachingNs: 2000,
	cleanupNs: 1,
	atSafepointNs: 3000,
	leavingNs: 2,
	totalNs: 5000,
	runningThreads: 3,
	totalThreads: 4,
	end: { uptimeNs: 9000, monotonicNs: null, epochNs: null },
	unfinished: null,
	timeout: null,
	line: 1,
};

test('a safepoint with the time to reach it', () => {
	const timeout = { time: SAFEPOINT.end, threads: [{ name: 'late', threadId: null, cpuMs: null }] };
	const { events, counts } = written({ safepoints: [{ ...SAFEPOINT, timeout }] });
	const args = { reachingNs: 2000, cleanupNs: 1, atSafepointNs: 3000, leavingNs: 2, totalNs: 5000, runningThreads: 3, totalThreads: 4 };
	expect(events).toEqual([
		{ ph: 'X', name: 'G1CollectFull', cat: 'safepoint', tid: TRACK, ts: 4, dur: 5, args: { ...args, lateThreads: ['late'] } },
		{ ph: 'X', name: 'reaching', cat: 'safepoint', tid: TRACK, ts: 4, dur: 2 },
		{ ph: 'M', name: 'thread_name', tid: TRACK, args: { name: 'safepoints' } },
	]);
	expect(counts).toMatchObject({ safepoints: 1, safepointsLeftOut: 0 });
});

test('safepoints that begin before the JVM, without name, longer reached than they took', () => {
	const { events } = written({
		safepoints: [
			{ ...SAFEPOINT, totalNs: 10_000, reachingNs: null },
			{ ...SAFEPOINT, operation: null, reachingNs: 6000 },
		],
	});
	expect(phases(events)).toEqual([
		['X', 'G1CollectFull', TRACK, 0, 10],
		['X', 'safepoint', TRACK, 4, 5],
		['X', 'reaching', TRACK, 4, 5],
		['M', 'thread_name', TRACK, undefined, undefined],
	]);
});

test('safepoints on the clock of the day, and on none', () => {
	const end = { uptimeNs: null, monotonicNs: null, epochNs: 2_000_009_000 };
	const safepoints = [
		{ ...SAFEPOINT, end },
		{ ...SAFEPOINT, end: { ...end, epochNs: null } },
	];
	const known = written({ safepoints, history: history([], { startedEpochMs: 2000 }) });
	expect(known.events[0]).toMatchObject({ ph: 'X', ts: 4, dur: 5 });
	expect(known.counts).toMatchObject({ safepoints: 1, safepointsLeftOut: 1 });
	const unknown = written({ safepoints, history: history([]) });
	expect(unknown).toMatchObject({ events: [], counts: { safepoints: 0, safepointsLeftOut: 2 } });
});

test('how many samples there were in each 10 ms', () => {
	const { events, counts } = written({ samples: STACKED });
	const zero = { Interpreter: 0, 'Java, compiled by c2': 0, Kernel: 0, Native: 0, 'Stub of the JVM': 0 };
	expect(events.map(({ ts, args }) => [ts, args])).toEqual([
		[0, { ...zero, 'Java, compiled by c2': 2 }],
		[10_000, { ...zero, Kernel: 1, 'Stub of the JVM': 1 }],
		[20_000, zero],
		[40_000, { ...zero, Native: 1 }],
		[50_000, zero],
		[250_000, { ...zero, Native: 1 }],
		[260_000, zero],
		[500_000, { ...zero, 'Java, compiled by c2': 1 }],
		[510_000, zero],
	]);
	expect(events[0]).toMatchObject({ ph: 'C', name: 'samples in 10 ms', tid: 0 });
	expect(Object.keys(events[0]?.args as object)).toEqual(Object.keys(zero));
	expect(counts.samples).toBe(7);
	expect(written({ samples: { ...STACKED, timeSeconds: null } })).toMatchObject({ events: [], counts: { samples: 0 } });
});
