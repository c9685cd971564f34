import { expect, test } from 'vitest';
import { assemble } from '../../test/assemble.js';
import type { GeneratedCode } from '../model/generated-code.js';
import type { Instructions } from '../model/instructions.js';
import type { Safepoint } from '../model/safepoint.js';
import { SamplesBuilder } from '../model/samples.js';
import type { DelayPlace } from './delay-reasons.js';
import { DelayingLoops } from './delaying-loop.js';
import type { SafepointDelay } from './safepoint-delay.js';
import { explainDelays } from './time-to-safepoint.js';

/** Instructions with what the JVM printed beside some, by number. */
function code(lines: readonly string[], comments: Readonly<Record<number, string>>): Instructions {
	const instructions = assemble(lines);
	return { ...instructions, comments: lines.map((_, i) => (comments[i] === undefined ? [] : [comments[i]])) };
}

/** Two nested loops: the inner is instructions 2 and 3. */
const NEST = ['nop', 'inc %ebx', 'dec %eax', 'jne @2', 'test %eax,(%r10)', 'jne @1', 'ret'];

test('where a loop polls', () => {
	const polls = (comments: Readonly<Record<number, string>>) => {
		const loops = new DelayingLoops(code(NEST, comments));
		return [2, 4, 6].map((at) => loops.around(at)?.poll ?? null);
	};
	expect(polls({})).toEqual(['none', 'none', null]);
	expect(polls({ 4: '{poll}' })).toEqual(['strip', 'iteration', null]);
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
function explain(samples: readonly Sample[], safepoint: Partial<Safepoint> = {}): SafepointDelay {
	const instructions = code(NEST, { 4: '{poll}' });
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
