import { expect, test } from 'vitest';
import { assemble } from '../../test/assemble.js';
import { completeInstructions } from '../formats/shared/hotspot/instruction-comments.js';
import type { GeneratedCode } from '../model/generated-code.js';
import type { Instructions } from '../model/instructions.js';
import type { Safepoint } from '../model/safepoint.js';
import { SamplesBuilder } from '../model/samples.js';
import { type DelayPlace, reasonOfLoop, reasonOfPlace } from './delay-reasons.js';
import { DelayingLoops } from './delaying-loop.js';
import type { SafepointDelay } from './safepoint-delay.js';
import { type DelayEvidence, explainDelays } from './time-to-safepoint.js';

/** Instructions with what the JVM printed beside some, by number. */
function code(lines: readonly string[], comments: Readonly<Record<number, string>>): Instructions {
	const instructions = assemble(lines);
	return completeInstructions({ ...instructions, comments: lines.map((_, i) => (comments[i] === undefined ? [] : [comments[i]])) });
}

/** Two nested loops that count with one index: the inner is instructions 2 and 3. */
const NEST = ['nop', 'test %eax,(%r10)', 'dec %eax', 'jne @2', 'cmp %ecx,%eax', 'jne @1', 'ret'];

test('where a loop polls', () => {
	const polls = (comments: Readonly<Record<number, string>>) => {
		const loops = new DelayingLoops(code(NEST, comments));
		return [2, 4, 6].map((at) => loops.around(at)?.poll ?? null);
	};
	expect(polls({})).toEqual(['none', 'none', null]);
	expect(polls({ 1: '{poll}' })).toEqual(['strip', 'iteration', null]);
	// A loop of the source around it: the index starts again.
	const twice = new DelayingLoops(code(['nop', 'mov %ecx,%eax', 'dec %eax', 'jne @2', 'test %eax,(%r10)', 'dec %ebx', 'jne @1', 'ret'], { 4: '{poll}' }));
	expect([2, 4].map((at) => twice.around(at)?.poll)).toEqual(['none', 'iteration']);
	expect(polls({ 2: '{poll}' })).toEqual(['iteration', 'none', null]);
	expect(polls({ 6: '{poll_return}' })).toEqual(['none', 'none', null]);
	const calling = new DelayingLoops(code(['call 0x10', 'dec %eax', 'jne @0', 'ret'], { 0: '{static_call}' }));
	expect(calling.around(1)).toMatchObject({ poll: 'none', callsMethods: true });
});

interface Sample {
	readonly seconds: number;
	readonly thread: string;
	/** Number of an instruction, or where else. */
	readonly at: number | DelayPlace;
}

const SAFEPOINT: Safepoint = {
	operation: 'Test',
	sinceLastNs: null,
	reachingNs: 1e9,
	cleanupNs: null,
	atSafepointNs: 0.5e9,
	leavingNs: null,
	totalNs: 1.5e9,
	runningThreads: null,
	totalThreads: null,
	end: { uptimeNs: null, monotonicNs: 11.5e9, epochNs: null },
	unfinished: null,
	timeout: null,
	line: 1,
};
const METHOD: GeneratedCode = {
	kind: 'compilation',
	name: 'T.f',
	signature: null,
	compileId: '7',
	compiler: 'c2',
	level: 4,
	osrBci: null,
	start: 0,
	end: 1000,
	installedSeconds: 0,
	notEntrant: null,
};

/** The safepoint lasts from 10 to 11.5 s, and is reached at 11 s. */
function explain(samples: readonly Sample[], safepoint: Partial<Safepoint> = {}, more: Partial<DelayEvidence> = {}): SafepointDelay {
	const instructions = code(NEST, { 1: '{poll}' });
	const builder = new SamplesBuilder();
	const names = [...new Set(samples.map(({ thread }) => thread))];
	for (const { seconds, at } of samples) {
		builder.add(
			seconds,
			typeof at === 'number' ? BigInt(instructions.address[at]!) : -1n,
			builder.eventNumber('cycles'),
			builder.placeNumber('', () => ({ symbol: null, library: null })),
		);
	}
	return explainDelays({
		safepoints: [{ ...SAFEPOINT, ...safepoint }],
		samples: builder.build(),
		threads: { of: Int32Array.from(samples, ({ thread }) => names.indexOf(thread)), threads: names.map((name, id) => ({ name, id })) },
		target: Int32Array.from(samples, ({ at }) => (typeof at === 'number' ? 0 : -1)),
		codeOf: () => ({ code: METHOD, instructions }),
		placeOf: (i) => (typeof samples[i]?.at === 'number' ? 'compilation' : (samples[i]?.at as DelayPlace)),
		jvmStartSeconds: Number.NaN,
		printed: [],
		slowNs: 1e6,
		...more,
	})[0]!;
}

function rows(samples: readonly Sample[], safepoint: Partial<Safepoint> = {}): string[] {
	return explain(samples, safepoint).culprits.map(({ thread, method, samples: count, loop }) => `${thread} ${method} ${count} ${loop?.poll ?? '-'}`);
}

test('samples from the begin until it is reached, in any order; not those before and at the safepoint', () => {
	const at = [11.2, 10.9, 9.99, 10.1, 11, 10].map((seconds) => ({ seconds, thread: 'a', at: 2 }));
	expect(rows(at)).toEqual(['a T.f 4 strip']);
	expect(explain(at)).toMatchObject({ startedNs: 10e9, clock: 'samples', samples: 4 });
});

test("threads that stopped early, that were in native code only, and the JVM's own are no culprits", () => {
	const innocent: Sample[] = [
		{ seconds: 10.1, thread: 'early', at: 4 },
		...[10.2, 10.6, 10.9].flatMap((seconds): Sample[] => [
			{ seconds, thread: 'jni', at: 'native' },
			{ seconds, thread: 'jni', at: 'kernel' },
			{ seconds, thread: 'C2 CompilerThre', at: 'JVM' },
			{ seconds, thread: 'GC Thread#0', at: 'JVM' },
		]),
	];
	expect(rows([...innocent, { seconds: 10.95, thread: 'late', at: 'stub' }])).toEqual(['late (stub) 1 -']);
	expect(rows(innocent)).toEqual(['early T.f 1 iteration']);
	const timeout = { time: SAFEPOINT.end, threads: [{ name: 'jni', threadId: 1, cpuMs: null }] };
	expect(rows([...innocent, { seconds: 10.95, thread: 'late', at: 2 }], { timeout })).toEqual(['jni (native) 3 -', 'jni (kernel) 3 -', 'late T.f 1 strip']);
});

test('a stub that copies may be the cause; one for a call, a cast or a barrier takes no time', () => {
	const told = (name: string) => {
		const stub: GeneratedCode = { ...METHOD, kind: 'stub', name, compileId: null };
		const more = { target: Int32Array.of(0), codeOf: () => ({ code: stub, instructions: null }), placeOf: (): DelayPlace => 'stub' };
		return explain([{ seconds: 10.9, thread: 'late', at: 2 }], {}, more).culprits.map(({ method, why, remedy }) => [
			method,
			why.split(',')[0],
			remedy !== null,
		]);
	};
	expect(told('jbyte_disjoint_arraycopy')).toEqual([['(stub jbyte_disjoint_arraycopy)', 'a stub of the JVM (copying', true]]);
	expect(told('vtable stub')).toEqual([['(vtable stub)', 'a stub of the JVM for a call', false]]);
	expect(told('I2C/C2I adapters(0xb)')).toEqual([['(stub I2C/C2I adapters(0xb))', 'a stub of the JVM for a call', false]]);
});

test('whole names from SafepointTimeout; a late thread without samples is named', () => {
	const timeout = { time: SAFEPOINT.end, threads: [{ name: 'a thread with a long name', threadId: 99, cpuMs: null }] };
	expect(rows([{ seconds: 10.9, thread: 'a thread with a', at: 2 }], { timeout })).toEqual(['a thread with a long name T.f 1 strip']);
	expect(rows([], { timeout })).toEqual(['a thread with a long name (unknown) 0 -']);
});

test('not looked into: a fast one, and one without any time', () => {
	const samples = [{ seconds: 10.5, thread: 'a', at: 2 }];
	expect(explain(samples, { reachingNs: 1000 })).toMatchObject({ isSlow: false, culprits: [] });
	expect(explain(samples, { end: { uptimeNs: null, monotonicNs: null, epochNs: null } })).toMatchObject({
		isSlow: true,
		startedNs: null,
		clock: null,
		culprits: [],
	});
});

test.each([
	...[
		'VM Thread',
		'VM Periodic Tas',
		'GC Thread#0',
		'G1 Conc#0',
		'ZWorkerYoung#0',
		'ShenandoahGCThr',
		'C1 CompilerThre',
		'C2 CompilerThre',
		'JVMCI CompilerT',
		'Signal Dispatch',
	].map((name) => [name, 0] as const),
	...['main', 'Zebra', 'GC worker', 'C3 reader', 'Signal Dispatcher', 'my VM Thread'].map((name) => [name, 1] as const),
])('%s: %d culprits', (thread, culprits) => {
	expect(rows([{ seconds: 10.5, thread, at: 2 }])).toHaveLength(culprits);
});

test('the beginning on the clock of the samples: by the monotonic clock, the start of the JVM, or a stamp that was of that clock', () => {
	const begin = (end: Partial<Safepoint['end']>, jvmStartSeconds: number) => {
		const { startedNs, clock } = explain(
			[
				{ seconds: 10.5, thread: 'a', at: 2 },
				{ seconds: 20, thread: 'a', at: 2 },
			],
			{ end: { uptimeNs: null, monotonicNs: null, epochNs: null, ...end } },
			{ jvmStartSeconds },
		);
		return [startedNs, clock];
	};
	expect(begin({ monotonicNs: 12e9, uptimeNs: 5e9 }, 3)).toEqual([10.5e9, 'samples']);
	expect(begin({ uptimeNs: 5e9 }, 8)).toEqual([11.5e9, 'samples']);
	expect(begin({ uptimeNs: 5e9 }, Number.NaN)).toEqual([3.5e9, 'uptime']);
	// Among the samples as it is, and not when shifted.
	expect(begin({ uptimeNs: 12e9 }, 100)).toEqual([10.5e9, 'samples']);
	expect(begin({ uptimeNs: 12e9 }, 5)).toEqual([15.5e9, 'samples']);
	expect(begin({ uptimeNs: 20e9 }, 5)).toEqual([18.5e9, 'samples']);
	expect(begin({ uptimeNs: 10.5e9 }, 30)).toEqual([9e9, 'samples']);
});

test('rows of less than a percent are noise, but for the first', () => {
	const many = (count: number, at: Sample['at'], thread: string) => Array.from({ length: count }, (): Sample => ({ seconds: 10.9, thread, at }));
	expect(rows([...many(199, 2, 'a'), ...many(1, 'stub', 'a')])).toEqual(['a T.f 199 strip']);
	expect(rows([...many(198, 2, 'a'), ...many(2, 'stub', 'a')])).toEqual(['a T.f 198 strip', 'a (stub) 2 -']);
	expect(explain([...many(3, 2, 'a'), ...many(1, 'stub', 'b')]).culprits.map(({ percent }) => percent)).toEqual([75, 25]);
});

test('of a loop the header is told, elsewhere the address with most samples', () => {
	const at = (...places: number[]) =>
		explain(places.map((place) => ({ seconds: 10.9, thread: 'a', at: place }))).culprits.map(({ address, why }) => [address, why]);
	const { address } = code(NEST, {});
	const [inner, straight] = [at(3, 3, 2), at(6, 0, 6)];
	expect(inner).toEqual([[address[2], expect.stringContaining('only the loop around it')]]);
	expect(straight).toEqual([[address[6], reasonOfPlace('straight code').why]]);
});

test('without threads the samples are of one that nobody names; SafepointTimeout may', () => {
	const samples = [{ seconds: 10.9, thread: 'a', at: 2 }];
	expect(explain(samples, {}, { threads: null }).culprits).toMatchObject([{ thread: null, threadId: null, isReported: false, samples: 1 }]);
	const late = { name: 'worker', threadId: 7, cpuMs: null };
	expect(explain(samples, { timeout: { time: SAFEPOINT.end, threads: [late] } }, { threads: null }).culprits).toMatchObject([
		{ thread: 'worker', threadId: 7, isReported: true },
	]);
	expect(explain(samples, { timeout: { time: SAFEPOINT.end, threads: [late, late] } }, { threads: null }).culprits).toMatchObject([{ thread: null }]);
});

test('a late thread is known by its number, or by the only name that fits as far as the system keeps it', () => {
	const reported = (thread: string, ...threads: { name: string; threadId: number | null }[]) =>
		explain([{ seconds: 10.9, thread, at: 2 }], { timeout: { time: SAFEPOINT.end, threads: threads.map((one) => ({ ...one, cpuMs: null })) } }).culprits.map(
			(culprit) => [culprit.thread, culprit.isReported],
		);
	// The number of the first thread is 0.
	expect(reported('a', { name: 'whatever', threadId: 0 })).toEqual([['whatever', true]]);
	expect(reported('a', { name: 'a', threadId: 9 })).toEqual([['a', true]]);
	expect(reported('a', { name: 'ab', threadId: 9 })).toEqual([['a', false]]);
	expect(reported('a', { name: 'a', threadId: 9 }, { name: 'a', threadId: 8 })).toEqual([['a', false]]);
	expect(reported('fifteen letters', { name: 'fifteen letters and more', threadId: null })).toEqual([['fifteen letters and more', true]]);
	expect(reported('fifteen letter', { name: 'fifteen letters and more', threadId: null })).toEqual([['fifteen letter', false]]);
});

test('why a loop does not stop: its own poll, those of what it calls, that of the loop around, none; where a remedy is, its cost is told', () => {
	const loop = { header: 0, end: 8, instructions: [0] };
	const why = (poll: 'iteration' | 'strip' | 'none', callsMethods = false) => reasonOfLoop({ ...loop, poll, callsMethods }).why;
	expect(why('iteration')).toMatch(/polls on every iteration/);
	expect(why('iteration', true)).toMatch(/polls on every iteration/);
	expect(why('strip', true)).toMatch(/methods that it calls poll/);
	expect(why('strip')).toMatch(/only the loop around it/);
	expect(why('none')).toMatch(/counted loop without a safepoint poll/);
	const places = ['straight code', 'not printed', 'interpreter', 'stub', 'kernel', 'JVM', 'native', 'unknown code', 'unknown'] as const;
	const reasons = places.map(reasonOfPlace);
	expect(new Set(reasons.map((reason) => reason.why)).size).toBe(places.length);
	expect(reasons.filter(({ remedy }) => remedy === null).map(({ cost }) => cost)).toEqual([null, null, null, null, null]);
	expect(reasons.filter(({ remedy }) => remedy !== null).every(({ cost }) => cost !== null)).toBe(true);
});

test('one without end is waited for until the last sample; one in which the recording ended is left out', () => {
	const unfinished = { unfinished: 'begun', reachingNs: 0, totalNs: 0, end: { uptimeNs: 4e9, monotonicNs: 10e9, epochNs: null } } as const;
	const at = [9, 10.5, 11, 12].map((seconds) => ({ seconds, thread: 'a', at: 2 }));
	expect(rows(at, unfinished)).toEqual(['a T.f 3 strip']);
	const { safepoint, startedNs } = explain(at, unfinished);
	expect(safepoint).toMatchObject({ reachingNs: 2e9, totalNs: 2e9, end: { uptimeNs: 6e9, monotonicNs: 12e9 } });
	expect(startedNs).toBe(10e9);
	expect(explain(at.slice(0, 1), { ...unfinished, end: { ...unfinished.end, monotonicNs: 8.95e9 } })).toBeUndefined();
	const timeout = { time: SAFEPOINT.end, threads: [{ name: 'a', threadId: 1, cpuMs: null }] };
	expect(explain(at.slice(0, 1), { ...unfinished, timeout, end: { ...unfinished.end, monotonicNs: 8.95e9 } })).toMatchObject({ isSlow: true });
});

test('times of another clock are not compared with those of samples', () => {
	const end = { uptimeNs: 11.5e9, monotonicNs: null, epochNs: null };
	const samples = [{ seconds: 10.5, thread: 'a', at: 2 }];
	expect(explain(samples, { end })).toMatchObject({ startedNs: 10e9, clock: 'uptime', samples: 0, culprits: [] });
	expect(explain(samples, { end }, { jvmStartSeconds: 0 })).toMatchObject({ startedNs: 10e9, clock: 'samples', samples: 1, culprits: [{ samples: 1 }] });
	expect(explain(samples, { end }, { jvmStartSeconds: 0.25 })).toMatchObject({ startedNs: 10.25e9, clock: 'samples', samples: 1 });
	expect(explain(samples, { end }, { jvmStartSeconds: 1 })).toMatchObject({ startedNs: 11e9, clock: 'samples', samples: 0 });
});

test('rows of less than a hundredth of the samples are left out, but the first', () => {
	const at = (seconds: number, thread: string, count: number): Sample[] => Array.from({ length: count }, () => ({ seconds, thread, at: 2 }));
	expect(rows([...at(10.9, 'a', 99), ...at(10.9, 'b', 1)])).toEqual(['a T.f 99 strip', 'b T.f 1 strip']);
	expect(rows([...at(10.9, 'a', 100), ...at(10.9, 'b', 1)])).toEqual(['a T.f 100 strip']);
	// Most of the samples are of a thread that stopped early.
	expect(rows([...at(10.1, 'a', 199), ...at(10.9, 'b', 1)])).toEqual(['b T.f 1 strip']);
});
