/** Delays summed up, versions of a loop, other profilers' sums, and safepoints without samples: small cases by hand. */
import { describe, expect, test } from 'vitest';
import { piece } from '../../test/code.js';
import { instructionsOfRows, type Row } from '../formats/hotspot-code/instructions.js';
import type { ObservedFile } from '../model/observed-profile.js';
import type { Safepoint } from '../model/safepoint.js';
import { type StackSamples, StackSamplesBuilder } from '../model/stack-samples.js';
import { delayCauses, timeClasses } from './delay-summary.js';
import { DelayingLoops } from './delaying-loop.js';
import type { LoopPoll } from './loop-polls.js';
import { CodeCandidates } from './loops-without-poll.js';
import { observedProfile } from './observed.js';
import type { Culprit, SafepointDelay } from './safepoint-delay.js';
import { versionDifferences } from './version-differences.js';

const TIME = { uptimeNs: 10e9, monotonicNs: null, epochNs: null };
const SAFEPOINT: Safepoint = {
	operation: null,
	sinceLastNs: null,
	reachingNs: 1e6,
	cleanupNs: null,
	atSafepointNs: null,
	leavingNs: null,
	totalNs: 2e9,
	runningThreads: null,
	totalThreads: null,
	end: TIME,
	unfinished: null,
	timeout: null,
	line: 1,
};

const CULPRIT: Culprit = {
	why: 'w',
	remedy: null,
	cost: null,
	thread: 'main',
	threadId: 1,
	isReported: false,
	method: 'a.B.f',
	line: 3,
	compileId: '1',
	address: null,
	loop: null,
	samples: 1,
	percent: 100,
	evidence: 'samples',
};

function delay(reachingNs: number | null, culprits: readonly Partial<Culprit>[] = []): SafepointDelay {
	return {
		safepoint: { ...SAFEPOINT, reachingNs },
		startedNs: null,
		clock: null,
		isSlow: true,
		samples: 0,
		culprits: culprits.map((one) => ({ ...CULPRIT, ...one })),
	};
}

describe('times to safepoint', () => {
	test('half decades, the first from 0; a limit is of the class above', () => {
		const classes = (...times: (number | null)[]) =>
			timeClasses(times.map((time) => delay(time))).map(({ fromNs, toNs, safepoints }) => [fromNs, toNs, safepoints]);
		expect(classes(0, 999)).toEqual([[0, 1000, 2]]);
		expect(classes(999, 1000, 3162, 3163, 10_000)).toEqual([
			[0, 1000, 1],
			[1000, 3162, 2],
			[3162, 10_000, 1],
			[10_000, 31_623, 1],
		]);
		expect(classes(1e6, 5e7)).toEqual([
			[1e6, 3_162_278, 1],
			[3_162_278, 1e7, 0],
			[1e7, 31_622_777, 0],
			[31_622_777, 1e8, 1],
		]);
		expect(classes(null)).toEqual([]);
	});

	test('causes by method, line and reason: parts of the times by samples', () => {
		const causes = delayCauses([
			delay(100, [{ percent: 75 }, { percent: 25, method: 'a.B.g', thread: null }]),
			delay(200, [
				{ percent: 50, thread: 'other', compileId: '2' },
				{ percent: 50, why: 'v' },
				{ percent: 0, line: 4 },
			]),
			delay(80, [{ evidence: 'timeout', method: 'late', percent: 0 }]),
			delay(null, [{ method: 'a.B.g' }]),
		]);
		expect(
			causes.map(({ culprit, threads, safepoints, reachingNs }) => [
				culprit.method,
				culprit.compileId,
				culprit.why,
				culprit.line,
				threads,
				safepoints,
				reachingNs,
			]),
		).toEqual([
			['a.B.f', '2', 'w', 3, ['main', 'other'], 2, 175],
			['a.B.f', '1', 'v', 3, ['main'], 1, 100],
			['late', '1', 'w', 3, ['main'], 1, 80],
			['a.B.g', '1', 'w', 3, ['main'], 2, 25],
			['a.B.f', '1', 'w', 4, ['main'], 1, 0],
		]);
	});

	test('of loops that only the code tells of the first of each safepoint', () => {
		const causes = delayCauses([
			delay(50, [{ evidence: 'code' }, { evidence: 'code', method: 'second' }]),
			delay(30, [{ evidence: 'code', method: 'second' }]),
		]);
		expect(causes.map(({ culprit, reachingNs }) => [culprit.method, reachingNs])).toEqual([
			['a.B.f', 50],
			['second', 30],
		]);
	});
});

describe('versions of a loop', () => {
	const version = (compileId: string, poll: LoopPoll['poll'], more: Partial<LoopPoll> & { osr?: boolean; compiler?: string } = {}): LoopPoll => {
		const { osr = false, compiler = 'c2', ...rest } = more;
		return {
			code: piece(0, 100, { compileId, osrBci: osr ? 5 : null, compiler }),
			method: 'a.B.f',
			line: 7,
			bytecodes: [1, 2, 3, 4],
			header: 0,
			end: 10,
			own: [],
			index: null,
			poll,
			kind: 'counted',
			reason: '',
			reported: [],
			...rest,
		};
	};
	const differences = (...loops: LoopPoll[]) =>
		versionDifferences(loops).map(({ method, line, versions }) => [
			method,
			line,
			versions.map(({ compileId, isOsr, poll }) => `${compileId} ${isOsr} ${poll}`),
		]);

	test('differ where on-stack replacement polls otherwise', () => {
		expect(differences(version('1', 'none'), version('2', 'iteration', { osr: true }))).toEqual([['a.B.f', 7, ['1 false none', '2 true iteration']]]);
		expect(differences(version('1', 'none'), version('2', 'none', { osr: true }))).toEqual([]);
		expect(differences(version('1', 'none'), version('2', 'iteration'))).toEqual([]);
		expect(differences(version('1', 'none', { osr: true }), version('2', 'iteration', { osr: true }))).toEqual([]);
		// One more kind on one side is a difference too.
		expect(differences(version('1', 'none'), version('3', 'strip'), version('2', 'none', { osr: true }))).toHaveLength(1);
		expect(differences(version('1', 'none'), version('2', 'none', { osr: true }), version('3', 'strip', { osr: true }))).toHaveLength(1);
	});

	test('of a compilation the loop that polls most often counts', () => {
		const one = version('1', 'none');
		const more = (poll: LoopPoll['poll'], rest: Partial<LoopPoll> = {}): LoopPoll => ({ ...one, poll, ...rest });
		const osr = version('2', 'iteration', { osr: true });
		expect(differences(one, more('strip'), more('none'), osr)[0]?.[2]).toEqual(['1 false strip', '2 true iteration']);
		expect(versionDifferences([more('none', { kind: 'rest', header: 1 }), more('none', { header: 2 }), osr])[0]?.versions[0]).toMatchObject({
			kind: 'counted',
			header: 2,
		});
		expect(versionDifferences([more('none', { header: 1 }), more('none', { header: 2 }), osr])[0]?.versions[0]).toMatchObject({ header: 1 });
	});

	test('loops are one where they share half of the bytecodes of the smaller', () => {
		const osr = (bytecodes: number[]) => version('2', 'iteration', { osr: true, bytecodes });
		expect(differences(version('1', 'none'), osr([3, 4, 5, 6]))).toHaveLength(1);
		expect(differences(version('1', 'none'), osr([4, 5, 6, 7]))).toEqual([]);
		expect(differences(version('1', 'none'), osr([4, 9]))).toHaveLength(1);
		expect(differences(version('1', 'none'), osr([]))).toEqual([]);
		// What joined brings its bytecodes with it.
		expect(differences(version('1', 'none', { bytecodes: [1, 2] }), version('3', 'none', { bytecodes: [2, 3] }), osr([3]))).toHaveLength(1);
	});

	test('C1, intrinsics and loops of calls are left out; by method, then line', () => {
		const osr = version('2', 'iteration', { osr: true });
		for (const more of [{ compiler: 'c1' }, { kind: 'inside a bytecode' }, { kind: 'some ways' }, { kind: 'calls' }] as const) {
			expect(differences(version('1', 'none', more), osr)).toEqual([]);
		}
		const of = (method: string, line: number | null, first: number) =>
			[version('1', 'none', { method, line, bytecodes: [first] }), version('2', 'strip', { method, line, bytecodes: [first], osr: true })] as const;
		expect(differences(...of('b', 5, 1), ...of('a', 9, 1), ...of('b', 4, 50), ...of('b', null, 99)).map(([method, line]) => [method, line])).toEqual([
			['a', 9],
			['b', null],
			['b', 4],
			['b', 5],
		]);
	});
});

describe('sums of other profilers', () => {
	const file = (leaves: ObservedFile['leaves'], isCounted = true): ObservedFile => ({
		format: 'f',
		kinds: [],
		stacks: null,
		leaves,
		isCounted,
		lostSamples: 0,
		jvmStartEpochNs: null,
	});
	const kind = { kind: 'cpu', event: 'cpu', number: -1 };
	const of = (leaves: ObservedFile['leaves'], thread: string | null = null, isCounted = true) =>
		observedProfile(file(leaves, isCounted), kind, { thread, window: null });

	test('threads by name, as the system cuts it or as a pattern; without a name they count', () => {
		const leaves = ['a thread with a long name', 'worker-1', null].map((thread, i) => ({ thread, method: `m${i}`, line: null, samples: 10 ** i }));
		const counted = (thread: string | null) => of(leaves, thread).counted;
		expect(counted(null)).toBe(111);
		expect(counted('a thread with a')).toBe(101);
		expect(counted('a thread with b')).toBe(100);
		expect(counted('worker')).toBe(110);
		expect(counted('w*1')).toBe(110);
		expect(of(leaves, 'worker').leftOut).toEqual({ otherThreads: 1, otherTimes: 0, waiting: 0 });
	});

	test('events, lines, and what could not be walked', () => {
		const result = of([
			{ thread: null, method: 'a.f', line: 7, samples: 2 },
			{ thread: null, method: 'a.f', line: 0, samples: 1 },
			{ thread: null, method: 'a.f', line: null, samples: 1 },
			{ thread: null, method: '(kernel)', line: 7, samples: 4 },
			{ thread: null, method: 'a.g', line: 9, samples: 8, kind: 'wall' },
			{ thread: null, method: 'a.h', line: 9, samples: 16, kind: 'cpu' },
			{ thread: null, method: '(unknown)', line: null, samples: 32 },
		]);
		expect(result).toMatchObject({ counted: 56, hasLines: true, unwalkable: 32, truncated: 0, biased: 0, isCounted: true });
		expect([...result.blame.byLine]).toEqual([
			['a.f:7', 2],
			['a.f:-1', 2],
			['(kernel)', 4],
			['a.h:9', 16],
			['(unknown)', 32],
		]);
		const without = of([{ thread: null, method: 'a.f', line: -1, samples: 2 }], null, false);
		expect(without).toMatchObject({ hasLines: false, isCounted: false });
		expect([[...without.blame.byMethod], [...without.blame.byLine]]).toEqual([[['a.f', 2]], []]);
	});
});

describe('stacks of other profilers', () => {
	const EPOCH = 1_700_000_000_000_000_000n;
	/** Samples of one nanosecond each from a second after EPOCH on, of a thread, at `a.B.f:3` unless said otherwise. */
	const stacksOf = (
		...samples: readonly {
			line?: number;
			thread?: string | null;
			state?: string;
			weight?: number;
			event?: string;
			stack?: 'none' | 'empty' | 'cut';
			row?: string;
			isBiased?: boolean;
		}[]
	) => {
		const builder = new StackSamplesBuilder();
		builder.originEpochNs = EPOCH;
		const main = builder.frameNumber(builder.methodNumber('a.B.main', null, 'a.B.main'), 1, -1, '');
		samples.forEach(({ line = 3, thread = 'main', state = 'RUNNABLE', weight = 1, event = 'cpu', stack, row = 'a.B.f', isBiased = false }, i) => {
			const frame = builder.frameNumber(builder.methodNumber(row, null, row), line, -1, '');
			builder.add({
				timeNs: i,
				event: builder.eventNumber(event),
				thread: builder.threadNumber(thread, 1),
				stack: stack === 'none' ? -1 : builder.stackNumber([frame, main], stack === 'empty' ? 0 : 2, stack === 'cut'),
				state: builder.stateNumber(state),
				weight,
				isBiased,
			});
		});
		return builder.build();
	};
	const observed = (stacks: StackSamples, request: Partial<Parameters<typeof observedProfile>[2]> = {}) =>
		observedProfile(
			{ format: 'jfr-print', kinds: [], stacks, leaves: [], isCounted: true, lostSamples: 0, jvmStartEpochNs: null },
			{ kind: 'cpu', event: 'cpu', number: 0 },
			{ thread: null, window: null, ...request },
		);

	test('the innermost frame has the samples, by weight; what could not be walked is nobody’s', () => {
		const result = observed(
			stacksOf(
				{ weight: 4 },
				{ weight: 2, line: 5 },
				{ weight: 8, stack: 'none' },
				{ weight: 16, stack: 'empty' },
				{ weight: 32, stack: 'cut', isBiased: true },
				{ weight: 64, event: 'wall' },
			),
		);
		expect(result).toMatchObject({
			counted: 62,
			unwalkable: 24,
			truncated: 32,
			biased: 32,
			hasLines: true,
			leftOut: { otherThreads: 0, otherTimes: 0, waiting: 0 },
		});
		expect(Object.fromEntries(result.blame.byLine)).toEqual({ 'a.B.f:3': 36, 'a.B.f:5': 2, '(unknown)': 24 });
		expect(Object.fromEntries(result.blame.byMethod)).toEqual({ 'a.B.f': 38, '(unknown)': 24 });
	});

	test('other threads, other times and waiting ones are left out, in that order', () => {
		const stacks = stacksOf({}, { thread: 'other', weight: 2 }, { state: 'SLEEPING', weight: 4 }, { weight: 8 }, { thread: null, weight: 16 });
		expect(observed(stacks, { thread: 'main' })).toMatchObject({ counted: 9, leftOut: { otherThreads: 18, otherTimes: 0, waiting: 4 } });
		const window = (from: number, to: number, originEpochNs = EPOCH) => observed(stacks, { window: { from, to, originEpochNs } });
		expect(window(1, 3)).toMatchObject({ counted: 10, leftOut: { otherTimes: 17, waiting: 4 } });
		expect(window(0, 0).counted).toBe(1);
		// The window counts from its own moment.
		expect(window(11, 11, EPOCH - 10n).counted).toBe(2);
	});

	test('without any line there is no table of lines', () => {
		const result = observed(stacksOf({ line: -1 }, { line: 0, row: '(kernel)' }));
		expect([result.hasLines, result.blame.byLine.size, Object.fromEntries(result.blame.byMethod)]).toEqual([false, 0, { 'a.B.f': 1, '(kernel)': 1 }]);
		expect(Object.fromEntries(observed(stacksOf({ line: 1 }, { line: -1 })).blame.byLine)).toEqual({ 'a.B.f:1': 1, 'a.B.f:-1': 1 });
	});
});

describe('safepoints without samples', () => {
	const printed = (rows: readonly (readonly [string, ...string[]])[], more: Parameters<typeof piece>[2] = {}) => {
		const code = piece(0x100, 0x100 + 4 * rows.length, more);
		const text = rows.map(([line, ...comments], i): Row => ({ address: 0x100 + 4 * i, end: Number.NaN, text: line, comments, label: null }));
		return { code, instructions: instructionsOfRows(text, code.end).instructions };
	};
	const at = (line: number) => `- a.B::f@5 (line ${line})`;
	const counted = [['inc %eax', at(7)], ['jl 0x100', at(7)], ['ret']] as const;

	test('the largest loop, where it has no poll', () => {
		const methods = (...all: ReturnType<typeof printed>[]) =>
			new CodeCandidates(all).of(SAFEPOINT).map(({ compileId, method, line }) => [compileId, method, line]);
		expect(methods(printed(counted))).toEqual([['1', 'a.B.f', 7]]);
		expect(methods(printed([['test %eax,(%r10)', '{poll}'], ['jl 0x100', at(7)], ['ret']]))).toEqual([]);
		expect(methods(printed([['call 0x900', '{static_call}'], ['jl 0x100', at(7)], ['ret']]))).toEqual([]);
		expect(methods(printed([['ret']]))).toEqual([]);
		// A small loop without a poll before a larger one that polls.
		expect(
			methods(printed([['inc %eax', at(7)], ['jl 0x100', at(7)], ['inc %ebx', at(8)], ['test %eax,(%r10)', '{poll}'], ['jl 0x108', at(8)], ['ret']])),
		).toEqual([]);
		// The line that most of its instructions are of; else the compiled method.
		expect(methods(printed([['inc %eax', at(7)], ['inc %ebx', at(8)], ['inc %ecx', at(8)], ['jl 0x100', at(9)], ['ret']]))).toEqual([['1', 'a.B.f', 8]]);
		expect(methods(printed([['inc %eax'], ['jl 0x100'], ['ret']]))).toEqual([['1', 'a.B.f', null]]);
		expect(methods({ ...printed(counted), instructions: null as never })).toEqual([]);
	});

	test('code that was there when all threads stood, the latest first', () => {
		// Began at 8 s, was reached at 8.001 s.
		const all = new CodeCandidates([
			printed(counted, { compileId: '1', installedSeconds: 8.001 }),
			printed(counted, { compileId: '2', installedSeconds: 8.002 }),
			printed(counted, { compileId: '3', installedSeconds: 1 }),
			printed(counted, { compileId: '4%', installedSeconds: 1 }),
			printed(counted, { compileId: '5', installedSeconds: null }),
		]);
		const ids = (more: Partial<Safepoint>) => all.of({ ...SAFEPOINT, ...more }).map(({ compileId }) => compileId);
		expect(ids({})).toEqual(['1', '4%', '3', '5']);
		expect(ids({ reachingNs: null })).toEqual(['4%', '3', '5']);
		expect(ids({ end: { ...TIME, uptimeNs: null } })).toEqual(['2', '1', '4%', '3', '5']);
	});

	test('the late thread, if only one was', () => {
		const late = (...names: string[]) =>
			new CodeCandidates([printed(counted)]).of({
				...SAFEPOINT,
				timeout: { time: TIME, threads: names.map((name) => ({ name, threadId: 5, cpuMs: null })) },
			})[0];
		expect(late('main')).toMatchObject({ thread: 'main', threadId: 5, isReported: true, evidence: 'code', samples: 0, percent: 0, address: 0x100 });
		expect(late('a', 'b')).toMatchObject({ thread: null, threadId: null, isReported: false });
	});

	test('loops: their poll, their end, whose instructions they are', () => {
		const { instructions } = printed([
			['nop'],
			['inc %eax'],
			['jl 0x104'],
			['test %eax,(%r10)', '{poll}'],
			['call 0x900', '{optimized virtual_call}'],
			['jl 0x104'],
			['ret'],
		]);
		const loops = new DelayingLoops(instructions);
		expect(loops.around(0)).toBeNull();
		expect(loops.around(1)).toMatchObject({ header: 0x104, poll: 'iteration' });
		expect(loops.around(6)).toBeNull();
		const nested = new DelayingLoops(
			printed([['nop'], ['inc %eax'], ['jl 0x104'], ['test %eax,(%r10)', '{poll}'], ['cmp %ebx,%eax'], ['jl 0x100'], ['ret']]).instructions,
		);
		expect(nested.around(1)).toMatchObject({ header: 0x104, end: 0x10c, poll: 'strip', instructions: [1, 2], callsMethods: false });
		expect(nested.around(0)).toMatchObject({ header: 0x100, end: 0x118, poll: 'iteration', instructions: [0, 3, 4, 5] });
		expect(nested.all()).toHaveLength(2);
	});
});
