/** Samples of made-up chunks: what of an event becomes which number, and what is said of what cannot be read. */
import { describe, expect, test } from 'vitest';
import {
	DURATION_AT,
	jfrChunk,
	jfrEvent,
	type MadePart,
	METADATA_AT,
	SAFEPOINT_TYPE,
	SAMPLE_TYPES,
	START_EPOCH_AT,
	START_TICKS_AT,
	TICKS_PER_SECOND_AT,
} from '../../../test/jfr-file.js';
import { memorySource } from '../../bytes/source.js';
import type { StackSamples } from '../../model/stack-samples.js';
import { type JfrRecording, readJfr } from './read.js';

const read = (...chunks: Uint8Array[]): JfrRecording => readJfr(memorySource('a.jfr', Buffer.concat(chunks)));
const said = ({ problems }: JfrRecording) => problems.map(({ offsetBytes, message, action }) => `${offsetBytes}: ${message}; ${action}`);

/** Threads 1 and 2, methods 10 (Java) and 11 (native code), stacks 20, of both methods, and 21, cut short. */
const CONSTANTS: MadePart = {
	constants: {
		'java.lang.Thread': [
			[1, 'os-main', 4711, 'main'],
			[2, 'C2 CompilerThread0', 4712, null],
		],
		'jdk.types.Symbol': [
			[1, 'demo/Hot'],
			[2, 'run'],
			[3, '(I)V'],
			[4, 'memcpy'],
			[5, ''],
		],
		'java.lang.Class': [
			[30, 1],
			[31, 5],
		],
		'jdk.types.Method': [
			[10, 30, 2, 3, 0],
			[11, 31, 4, 5, 0],
		],
		'jdk.types.FrameType': [
			[1, 'JIT compiled'],
			[2, 'Native'],
		],
		'jdk.types.StackTrace': [
			[
				20,
				0,
				[
					[11, 0, 0, 2],
					[10, 42, 7, 1],
				],
			],
			[21, 1, [[10, 0, 8, 1]]],
		],
		'jdk.types.ThreadState': [[6, 'STATE_RUNNABLE']],
	},
};

const sample = (ticks: number, thread: number, stack: number, state = 6): MadePart => ({ event: 'jdk.ExecutionSample', values: [ticks, thread, stack, state] });

/** A text for each sample: event, nanoseconds, thread, state, then the frames. */
function described({ samples }: { readonly samples: StackSamples }): string[] {
	const { frames, stacks, threads, states, events } = samples;
	return Array.from({ length: samples.length }, (_, i) => {
		const thread = threads[samples.thread[i]!]!;
		const stack = samples.stack[i]!;
		const trace = Array.from(stack < 0 ? [] : stacks.frame.subarray(stacks.starts[stack], stacks.starts[stack + 1]), (frame) => {
			const { name, descriptor, row } = frames.methods[frames.method[frame]!]!;
			return `${name}${descriptor ?? ''} [${row}] line ${frames.line[frame]} bci ${frames.bci[frame]} ${frames.kinds[frames.kind[frame]!]}`;
		});
		const end = stack < 0 ? ['no stack'] : stacks.isTruncated[stack] === 1 ? ['…'] : [];
		return [
			`${events[samples.event[i]!]} ${samples.timeNs?.[i]} ${thread.name}/${thread.id} ${states[samples.state[i]!] || 'no state'}`,
			...trace,
			...end,
		].join(' | ');
	});
}

const FRAMES = {
	whole: 'memcpy [(native)] line -1 bci -1 Native | demo.Hot.run(I)V [demo.Hot.run] line 42 bci 7 JIT compiled',
	cut: 'demo.Hot.run(I)V [demo.Hot.run] line -1 bci 8 JIT compiled | …',
};

describe.each([
	['LEB128', false],
	['integers of fixed size', true],
])('with %s', (_, isFixed) => {
	test('a sample has its time, thread, state and stack', () => {
		const recording = read(jfrChunk({ isFixed, parts: [sample(500, 1, 20), sample(1750, 2, 21), CONSTANTS] }));
		expect(recording.problems).toEqual([]);
		expect(described(recording)).toEqual([
			`jdk.ExecutionSample 0 main/4711 STATE_RUNNABLE | ${FRAMES.whole}`,
			`jdk.ExecutionSample 1250000000 C2 CompilerThread0/4712 STATE_RUNNABLE | ${FRAMES.cut}`,
		]);
		expect([...recording.samples.weight]).toEqual([1, 1]);
		expect([...recording.samples.isBiased]).toEqual([0, 0]);
		expect(recording.samples.originEpochNs).toBe(1_000_000_000n);
		expect(recording.lostCpuTimeSamples).toBe(0);
	});

	test('samples of CPU time say what failed, what is biased and what was lost; those of async-profiler have a weight', () => {
		const types = {
			...SAMPLE_TYPES,
			'jdk.CPUTimeSample': {
				startTime: 'long',
				stackTrace: '@jdk.types.StackTrace',
				eventThread: '@java.lang.Thread',
				failed: 'boolean',
				samplingPeriod: 'long',
				biased: 'boolean',
			},
			'jdk.CPUTimeSamplesLost': { startTime: 'long', lostSamples: 'int', eventThread: '@java.lang.Thread' },
			'profiler.WallClockSample': { startTime: 'long', sampledThread: '@java.lang.Thread', stackTrace: '@jdk.types.StackTrace', samples: 'int' },
			'datadog.ExecutionSample': { startTime: 'long', eventThread: '@java.lang.Thread', weight: 'short' },
		};
		const parts: MadePart[] = [
			{ event: 'jdk.CPUTimeSample', values: [500, 20, 1, 0, 10, 1] },
			{ event: 'jdk.CPUTimeSample', values: [501, 20, 1, 1, 10, 0] },
			{ event: 'jdk.CPUTimeSamplesLost', values: [502, 5, 1] },
			{ event: 'jdk.CPUTimeSamplesLost', values: [503, 2, 1] },
			{ event: 'profiler.WallClockSample', values: [504, 1, 21, 300] },
			sample(505, 1, 21),
			{ event: 'datadog.ExecutionSample', values: [506, 1, 513] },
			CONSTANTS,
		];
		const recording = read(jfrChunk({ types, isFixed, parts }));
		expect(recording.problems).toEqual([]);
		expect(described(recording)).toEqual([
			`jdk.CPUTimeSample 0 main/4711 no state | ${FRAMES.whole}`,
			'jdk.CPUTimeSample 1000000 main/4711 no state | no stack',
			`profiler.WallClockSample 4000000 main/4711 no state | ${FRAMES.cut}`,
			`jdk.ExecutionSample 5000000 main/4711 STATE_RUNNABLE | ${FRAMES.cut}`,
			'datadog.ExecutionSample 6000000 main/4711 no state | no stack',
		]);
		expect([...recording.samples.weight]).toEqual([1, 1, 300, 1, 513]);
		expect([...recording.samples.isBiased]).toEqual([1, 0, 0, 0, 0]);
		expect(recording.lostCpuTimeSamples).toBe(7);
		expect([...recording.events]).toEqual([
			['jdk.CPUTimeSample', 2],
			['jdk.CPUTimeSamplesLost', 2],
			['profiler.WallClockSample', 1],
			['jdk.ExecutionSample', 1],
			['datadog.ExecutionSample', 1],
			['jdk.Checkpoint', 1],
			['jdk.Metadata', 1],
		]);
	});
});

describe('constants', () => {
	test('stand in any checkpoint of the chunk, before or behind the sample', () => {
		const [methods, stacks] = Object.entries((CONSTANTS as { constants: Record<string, []> }).constants).reduce<[Record<string, []>, Record<string, []>]>(
			([rest, own], [type, values]) => (type === 'jdk.types.StackTrace' ? [rest, { ...own, [type]: values }] : [{ ...rest, [type]: values }, own]),
			[{}, {}],
		);
		const recording = read(jfrChunk({ parts: [{ constants: stacks }, sample(500, 1, 20), { constants: methods }] }));
		expect(recording.problems).toEqual([]);
		expect(described(recording)).toEqual([`jdk.ExecutionSample 0 main/4711 STATE_RUNNABLE | ${FRAMES.whole}`]);
	});

	test('strings may stand in a pool of their own, for all types that have strings', () => {
		const byKey = (key: number) => Uint8Array.of(2, key);
		const named: MadePart = {
			constants: {
				'java.lang.Thread': [[3, byKey(70), 4713, byKey(71)]],
				'jdk.types.ThreadState': [[7, byKey(72)]],
				'java.lang.String': [
					[71, 'worker'],
					[72, 'STATE_PARKED'],
				],
			},
		};
		const recording = read(jfrChunk({ parts: [sample(500, 3, 20, 7), CONSTANTS, named] }));
		expect(recording.problems).toEqual([]);
		expect(described(recording)).toEqual([`jdk.ExecutionSample 0 worker/4713 STATE_PARKED | ${FRAMES.whole}`]);
	});

	test('that are missing are counted; the sample stays', () => {
		const recording = read(jfrChunk({ parts: [sample(500, 9, 20, 7), sample(501, 1, 29), sample(502, 0, 0), CONSTANTS] }));
		expect(described(recording)).toEqual([
			`jdk.ExecutionSample 0 null/-1 no state | ${FRAMES.whole}`,
			'jdk.ExecutionSample 1000000 main/4711 STATE_RUNNABLE | no stack',
			'jdk.ExecutionSample 2000000 null/-1 STATE_RUNNABLE | no stack',
		]);
		expect(said(recording)).toEqual([
			'0: 3 references of samples and stacks name constants that the chunk does not hold; such threads have no name, such methods and stacks are (unknown)',
		]);
		expect(recording.chunks).toMatchObject([{ isWhole: false }]);
	});

	test('a method that is missing is a frame without a name', () => {
		const stacks: MadePart = { constants: { 'jdk.types.StackTrace': [[22, 0, [[99, 1, 1, 1]]]] } };
		const recording = read(jfrChunk({ parts: [sample(500, 1, 22), CONSTANTS, stacks] }));
		expect(described(recording)).toEqual(['jdk.ExecutionSample 0 main/4711 STATE_RUNNABLE | ? [(unknown)] line -1 bci -1 JIT compiled']);
		expect(said(recording)[0]).toContain('0: 1 references of samples and stacks');
	});

	test('an address that async-profiler puts in as a frame is left out', () => {
		const pc: MadePart = {
			constants: {
				'jdk.types.Symbol': [[6, '0x7f01']],
				'jdk.types.Method': [[12, 31, 6, 5, 0]],
				'jdk.types.StackTrace': [
					[
						22,
						0,
						[
							[12, 0, 0, 2],
							[10, 42, 7, 1],
						],
					],
				],
			},
		};
		const recording = read(jfrChunk({ parts: [sample(500, 1, 22), CONSTANTS, pc] }));
		expect(described(recording)).toEqual(['jdk.ExecutionSample 0 main/4711 STATE_RUNNABLE | demo.Hot.run(I)V [demo.Hot.run] line 42 bci 7 JIT compiled']);
	});

	test('of a type that nothing describes end what is read of the checkpoint', () => {
		const broken: MadePart = { constants: { 'jdk.types.ThreadState': [[7, 'STATE_SLEEPING']], unknown: [[1, 1]] } };
		const recording = read(jfrChunk({ parts: [CONSTANTS, broken, sample(500, 1, 20, 7)] }));
		expect(described(recording)).toEqual([`jdk.ExecutionSample 0 main/4711 STATE_SLEEPING | ${FRAMES.whole}`]);
		expect(said(recording)).toEqual([
			expect.stringContaining('constants cannot be read: a pool holds constants of an unknown type 0; those before it are kept'),
		]);
	});
});

describe('chunks and clocks', () => {
	const LATER = { [START_EPOCH_AT]: 5_000_000_000, [START_TICKS_AT]: 10_000, [DURATION_AT]: 1_500_000_000, [TICKS_PER_SECOND_AT]: 1_000_000 };

	test('times of all chunks count from the start of the first', () => {
		const first = jfrChunk({ parts: [sample(600, 1, 20), CONSTANTS] });
		const recording = read(first, jfrChunk({ parts: [sample(11_000, 1, 21), CONSTANTS], header: LATER }));
		expect(described(recording)).toEqual([
			`jdk.ExecutionSample 100000000 main/4711 STATE_RUNNABLE | ${FRAMES.whole}`,
			`jdk.ExecutionSample 4001000000 main/4711 STATE_RUNNABLE | ${FRAMES.cut}`,
		]);
		expect(recording.problems).toEqual([]);
		expect(recording.events.get('jdk.ExecutionSample')).toBe(2);
		expect(recording.chunks).toEqual([
			{ offsetBytes: 0, sizeBytes: first.length, version: '2.1', startEpochNs: 1_000_000_000n, durationNs: 2e9, ticksPerSecond: 1000, isWhole: true },
			expect.objectContaining({ offsetBytes: first.length, startEpochNs: 5_000_000_000n, durationNs: 1.5e9, ticksPerSecond: 1e6, isWhole: true }),
		]);
	});

	test('ticks of HotSpot count from the start of the JVM, those of other writers do not', () => {
		const types = { ...SAMPLE_TYPES, ...SAFEPOINT_TYPE };
		expect(read(jfrChunk({ types, parts: [CONSTANTS] })).jvmStartEpochNs).toBe(500_000_000n);
		expect(read(jfrChunk({ types, parts: [], header: { [START_TICKS_AT]: 0 } })).jvmStartEpochNs).toBe(1_000_000_000n);
		expect(read(jfrChunk({ types, parts: [], header: { [START_TICKS_AT]: -1 } })).jvmStartEpochNs).toBeNull();
		expect(read(jfrChunk({ parts: [CONSTANTS] })).jvmStartEpochNs).toBeNull();
		for (const own of ['profiler.WallClockSample', 'profiler.Log']) {
			expect(read(jfrChunk({ types: { ...types, [own]: { startTime: 'long' } }, parts: [] })).jvmStartEpochNs).toBeNull();
		}
	});

	test('without a rate of ticks there are no times', () => {
		const recording = read(jfrChunk({ parts: [sample(600, 1, 20), CONSTANTS], header: { [TICKS_PER_SECOND_AT]: 0 } }));
		expect(recording.samples.timeNs).toBeNull();
		expect(recording.samples).toMatchObject({ length: 1, originEpochNs: 0n });
		expect(recording.jvmStartEpochNs).toBeNull();
		expect(said(recording)).toEqual(['0: the chunk has 0 ticks per second; its samples have no times']);
	});

	test('very many samples are all there, each with its own numbers', () => {
		const parts = Array.from({ length: 1030 }, (_, i) => sample(500 + i, 1 + (i % 2), 20 + (i % 2)));
		const { samples, problems } = read(jfrChunk({ parts: [...parts, CONSTANTS] }));
		expect(problems).toEqual([]);
		expect(samples.length).toBe(1030);
		expect(samples.timeNs?.every((ns, i) => ns === i * 1e6)).toBe(true);
		expect(samples.thread.every((thread, i) => thread === i % 2)).toBe(true);
		expect(samples.stack.every((stack, i) => stack === i % 2)).toBe(true);
		expect(samples.state.every((state) => state === 0)).toBe(true);
		expect(samples.weight.every((weight) => weight === 1)).toBe(true);
	});
});

describe('metadata', () => {
	const parts = [sample(600, 1, 20), CONSTANTS];

	test('that lies elsewhere than the header says is found', () => {
		for (const place of [0, 67, 70, 1 << 20]) {
			const recording = read(jfrChunk({ parts, header: { [METADATA_AT]: place } }));
			expect(recording.samples.length).toBe(1);
			expect(said(recording)).toEqual(place === 70 ? ['70: the metadata of the chunk cannot be read; older metadata of the chunk is taken'] : []);
		}
	});

	test('that is missing is that of the chunk before', () => {
		const first = jfrChunk({ parts });
		const recording = read(first, jfrChunk({ parts, hasMetadata: false }));
		expect(recording.samples.length).toBe(2);
		expect(said(recording)).toEqual([`${first.length}: the metadata of the chunk cannot be read; its events are read as the chunk before describes them`]);
		expect(recording.chunks.map(({ isWhole }) => isWhole)).toEqual([true, false]);
	});

	test('that is nowhere leaves nothing to read', () => {
		const chunk = jfrChunk({ parts, hasMetadata: false });
		const recording = read(chunk);
		expect(said(recording)).toEqual([`0: no metadata describes the events of the chunk; its ${chunk.length} bytes are not read`]);
		expect([recording.samples.length, recording.events.size]).toEqual([0, 0]);
		expect(recording.chunks).toMatchObject([{ isWhole: false }]);
	});

	test('of the next chunk may be other: the same number is another event', () => {
		const types = { 'demo.Other': { startTime: 'long' }, ...SAMPLE_TYPES };
		const recording = read(jfrChunk({ parts }), jfrChunk({ types, parts: [{ event: 'demo.Other', values: [1] }, ...parts] }));
		expect(recording.problems).toEqual([]);
		expect(recording.samples.length).toBe(2);
		expect(recording.events.get('demo.Other')).toBe(1);
	});
});

describe('damage', () => {
	test('an event that cannot be one: it goes on at the next checkpoint', () => {
		const hole = Buffer.alloc(20);
		const recording = read(jfrChunk({ parts: [sample(600, 1, 20), { bytes: hole }, CONSTANTS, sample(601, 1, 21)] }));
		const before = jfrChunk({ parts: [sample(600, 1, 20)], hasMetadata: false }).length;
		expect(described(recording)).toHaveLength(2);
		expect(said(recording)).toEqual([`${before}: no event can be read here; 20 bytes are lost: it goes on at the next known event`]);
		expect(recording.chunks).toMatchObject([{ isWhole: false }]);
	});

	test('an event that cannot be one, behind the last checkpoint: the rest is lost', () => {
		const chunk = jfrChunk({ parts: [CONSTANTS, sample(600, 1, 20), { bytes: Buffer.alloc(20) }, sample(601, 1, 21)] });
		const recording = read(chunk);
		const before = jfrChunk({ parts: [CONSTANTS, sample(600, 1, 20)], hasMetadata: false }).length;
		expect(described(recording)).toHaveLength(1);
		expect(said(recording)).toEqual([`${before}: no event can be read here; the last ${chunk.length - before} bytes of the chunk are lost`]);
	});

	test('samples between an event of an unknown type and the damage are not trusted', () => {
		const unknown = { bytes: jfrEvent(77, Buffer.alloc(3)) };
		const parts = [sample(600, 1, 20), unknown, sample(601, 1, 20), sample(602, 1, 20), { bytes: Buffer.alloc(20) }, CONSTANTS, sample(603, 1, 21)];
		const recording = read(jfrChunk({ parts }));
		expect(recording.samples.timeNs).toEqual(Float64Array.of(100e6, 103e6));
		expect(said(recording)).toEqual([expect.stringContaining('no event can be read here, and 2 samples before it are not to be trusted; 20 bytes are lost')]);
		expect(recording.events.get('(unknown 77)')).toBe(1);
	});

	test('of several such events the first counts', () => {
		const unknown = { bytes: jfrEvent(77, Buffer.alloc(3)) };
		const parts = [unknown, sample(601, 1, 20), unknown, sample(602, 1, 20), { bytes: Buffer.alloc(20) }, CONSTANTS];
		expect(said(read(jfrChunk({ parts })))).toEqual([expect.stringContaining('and 2 samples before it are not to be trusted')]);
	});

	test('a chunk that ends inside the head of an event', () => {
		const first = jfrChunk({ parts: [] });
		const second = jfrChunk({ parts: [CONSTANTS, sample(600, 1, 20), { bytes: Buffer.of(0x80) }], hasMetadata: false });
		const recording = read(first, second);
		expect(described(recording)).toHaveLength(1);
		expect(said(recording)).toContain(`${first.length + second.length - 1}: no event can be read here; the last 1 bytes of the chunk are lost`);
	});

	test('with a checkpoint in between they are', () => {
		const unknown = { bytes: jfrEvent(77, Buffer.alloc(3)) };
		const parts = [unknown, sample(600, 1, 20), CONSTANTS, sample(601, 1, 20), { bytes: Buffer.alloc(20) }, { constants: {} }];
		const recording = read(jfrChunk({ parts }));
		expect(recording.samples.timeNs).toEqual(Float64Array.of(100e6, 101e6));
		expect(said(recording)).toEqual([expect.stringContaining('no event can be read here; 20 bytes are lost')]);
	});

	test('a sample that is shorter than its fields is left out and counted', () => {
		const type = 100 + 9 + Object.keys(SAMPLE_TYPES).indexOf('jdk.ExecutionSample');
		const short = { bytes: jfrEvent(type, Buffer.of(1, 1)) };
		const recording = read(jfrChunk({ parts: [short, sample(600, 1, 20), short, CONSTANTS] }));
		expect(described(recording)).toHaveLength(1);
		expect(said(recording)).toEqual(['0: 2 samples are not as the metadata describes them; they are left out']);
		expect(recording.events.get('jdk.ExecutionSample')).toBe(3);
	});

	test('bytes before, between and behind chunks are said, each with its place', () => {
		const chunk = jfrChunk({ parts: [sample(600, 1, 20), CONSTANTS] });
		const recording = read(Buffer.alloc(3), chunk, Buffer.alloc(5), chunk);
		expect(recording.samples.length).toBe(2);
		expect(said(recording)).toEqual([
			'0: no chunk of Flight Recorder starts here (expected FLR and version 1 or 2); 3 bytes are read over',
			'3: the chunk does not end where its header says: 5 bytes behind it belong to no chunk; its events are read as far as they are whole',
			`${3 + chunk.length}: no chunk of Flight Recorder starts here (expected FLR and version 1 or 2); 5 bytes are read over`,
		]);
		expect(recording.chunks.map(({ offsetBytes, isWhole }) => [offsetBytes, isWhole])).toEqual([
			[3, false],
			[8 + chunk.length, true],
		]);
	});

	test('a chunk that is still written is read and said', () => {
		const recording = read(jfrChunk({ parts: [sample(600, 1, 20), CONSTANTS], header: { 64: 1 } }));
		expect(recording.samples.length).toBe(1);
		expect(said(recording)).toEqual([expect.stringMatching(/^0: the chunk is unfinished: the JVM was killed, or still writes it; /)]);
		expect(recording.chunks).toMatchObject([{ isWhole: false }]);
	});

	test('of very many places the first hundred are told, the others counted', () => {
		const hole = [{ bytes: Buffer.alloc(6) }, { constants: {} }];
		const recording = read(jfrChunk({ parts: Array.from({ length: 103 }, () => hole).flat() }));
		expect(recording.problems).toHaveLength(101);
		expect(said(recording).at(-1)).toBe('0: 3 more places are damaged; what can be read is read');
		expect(recording.chunks).toMatchObject([{ isWhole: false }]);
		expect(read(jfrChunk({ parts: Array.from({ length: 100 }, () => hole).flat() })).problems).toHaveLength(100);
	});
});
