import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { isJfrPrintJson, readJfrPrintJson } from './json.js';
import { isJfrPrintText, readJfrPrintText } from './text.js';

const folder = path.resolve(import.meta.dirname, '..', '..', '..', 'fixtures', 'jvm', 'jfr');

function bytesOf(name: string): Buffer {
	return zlib.gunzipSync(fs.readFileSync(path.join(folder, `${name}.gz`)));
}

test('both forms are told by their beginnings', () => {
	for (const name of ['jdk17', 'jdk25', 'async-profiler']) {
		expect(isJfrPrintJson(bytesOf(`${name}.print.json`).toString('latin1', 0, 4000))).toBe(true);
		expect(isJfrPrintText(bytesOf(`${name}.print.txt`).toString('latin1', 0, 4000))).toBe(true);
	}
	expect(isJfrPrintText('a.B {\n  x = 1\n}\n')).toBe(false);
	expect(isJfrPrintJson('{"events": []}')).toBe(false);
});

test('text: threads, lines, cut stacks, weights, what failed', () => {
	const { samples, problems, lostCpuTimeSamples } = readJfrPrintText(
		memorySource(
			'a.txt',
			Buffer.from(
				'jdk.CPUTimeSample {\n  startTime = 06:46:44.343 (2026-11-21)\n  failed = false\n  biased = true\n  eventThread = "a "b" c" (javaThreadId = 21)\n  stackTrace = [\n' +
					'    Mixer.hash(String, int) line: 23\n    java.lang.Object.wait0(long)\n    ...\n  ]\n}\n\n' +
					'profiler.WallClockSample {\n  startTime = 06:46:44.343\n  sampledThread = "VM Thread" (osThreadId = 7)\n  state = "STATE_SLEEPING"\n  samples = 3\n  stackTrace = [\n' +
					'    libc.so.6.__futex_abstimed_wait_common() line: 0\n  ]\n}\n' +
					'jdk.CPUTimeSample {\n  startTime = 1\n  failed = true\n  stackTrace = null\n}\n' +
					'jdk.CPUTimeSamplesLost {\n  startTime = 1\n  lostSamples = 5\n}\njdk.ExecutionSample {\n',
			),
		),
	);
	expect(samples.length).toBe(3);
	expect(samples.timeNs).toBeNull();
	expect([...samples.thread].map((thread) => samples.threads[thread]?.name)).toEqual(['a "b" c', 'VM Thread', null]);
	expect([...samples.weight]).toEqual([1, 3, 1]);
	expect([...samples.isBiased]).toEqual([1, 0, 0]);
	expect([...samples.stack]).toEqual([0, 1, -1]);
	expect([...samples.stacks.isTruncated]).toEqual([1, 0]);
	expect(samples.frames.methods.map(({ row }) => row)).toEqual(['Mixer.hash', 'java.lang.Object.wait0', '(native)']);
	expect([...samples.frames.line]).toEqual([23, -1, -1]);
	expect(lostCpuTimeSamples).toBe(5);
	expect(problems).toHaveLength(1);
});

describe('damage', () => {
	const json = bytesOf('jdk17.print.json').subarray(0, 60_000);
	const text = bytesOf('jdk25.print.txt').subarray(0, 20_000);

	test('a cut file gives the events before', () => {
		const { samples, problems } = readJfrPrintJson(memorySource('a.json', json));
		expect(samples.length).toBeGreaterThan(3);
		expect(problems).toHaveLength(1);
	});

	test('anything may be changed', () => {
		fc.assert(
			fc.property(fc.array(fc.record({ at: fc.nat(), value: fc.nat(255) }), { maxLength: 60 }), (changes) => {
				for (const [bytes, read] of [
					[json, readJfrPrintJson],
					[text, readJfrPrintText],
				] as const) {
					const copy = Buffer.from(bytes);
					for (const { at, value } of changes) {
						copy[at % copy.length] = value;
					}
					expect(read(memorySource('a', copy)).samples.length).toBeLessThan(1000);
				}
			}),
			{ numRuns: 40 },
		);
	});
});

const ofJson = (...events: unknown[]) =>
	readJfrPrintJson(
		memorySource(
			'a.json',
			Buffer.from(`{"recording": {"events": [${events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event))).join()}]}}`),
		),
	);
const ofText = (text: string) => readJfrPrintText(memorySource('a.txt', Buffer.from(text)));
const sampleOf = (values: object, type = 'jdk.ExecutionSample') => ({ type, values });
const frame = (more: object = {}) => ({
	method: { type: { name: 'a/B' }, name: 'c', descriptor: '()V' },
	lineNumber: 7,
	bytecodeIndex: 3,
	type: 'JIT compiled',
	...more,
});

/** Each sample's frames, the innermost first. */
function stacksOf({ samples }: ReturnType<typeof readJfrPrintJson>) {
	const { stacks, frames } = samples;
	return Array.from(samples.stack, (stack) =>
		stack < 0
			? null
			: Array.from(stacks.frame.subarray(stacks.starts[stack], stacks.starts[stack + 1]), (at) => {
					const { name, row } = frames.methods[frames.method[at]!] ?? {};
					return `${name} ${row} ${frames.line[at]} ${frames.bci[at]}`;
				}),
	);
}

describe('JSON by hand', () => {
	test('threads, states, weights and times', () => {
		const { samples, problems } = ofJson(
			sampleOf({ startTime: '2026-11-20T22:05:47.5Z', sampledThread: { javaName: 'main', osName: 'java', osThreadId: 7 }, state: 'STATE_RUNNABLE' }),
			sampleOf(
				{ startTime: '2026-11-20T23:05:47.500000001+01:00', eventThread: { javaName: '', osName: 'GC', osThreadId: 8.9 }, biased: true, samples: 3 },
				'jdk.CPUTimeSample',
			),
			sampleOf({ startTime: '2026-11-20T22:05:47Z', sampledThread: { javaName: null }, weight: -5 }, 'profiler.WallClockSample'),
			sampleOf({ startTime: '2026-11-20T22:05Z', samples: 'x', weight: 9, sampledThread: null, biased: 'yes' }),
			sampleOf({ startTime: 5 }),
			sampleOf({ startTime: '2026-11-20 22:05:47Z' }),
			sampleOf({}, 'jdk.GarbageCollection'),
			sampleOf({}, 'jdk.ExecutionSamples'),
		);
		expect(problems).toEqual([]);
		expect([...(samples.timeNs ?? [])]).toEqual([0, 1, -500_000_000, -47_500_000_000, Number.NaN, Number.NaN]);
		expect(samples.originEpochNs).toBe(BigInt(Date.parse('2026-11-20T22:05:47Z')) * 1_000_000n + 500_000_000n);
		expect(Array.from(samples.thread, (thread) => samples.threads[thread])).toEqual([
			{ name: 'main', id: 7 },
			{ name: 'GC', id: 8 },
			...Array(4).fill({ name: null, id: -1 }),
		]);
		expect([...samples.weight]).toEqual([1, 3, 0, 1, 1, 1]);
		expect([...samples.isBiased]).toEqual([0, 1, 0, 0, 0, 0]);
		expect(Array.from(samples.state, (state) => samples.states[state])).toEqual(['STATE_RUNNABLE', '', '', '', '', '']);
		expect(Array.from(samples.event, (event) => samples.events[event])).toEqual([
			...['jdk.ExecutionSample', 'jdk.CPUTimeSample', 'profiler.WallClockSample'],
			...Array(3).fill('jdk.ExecutionSample'),
		]);
	});

	test.each([
		'2026-1x-20T22:05:47Z',
		'x2026-11-20T22:05:47Z',
		'2026-11-20T22:05:47Zx',
		'2026-11-20T22:05:47',
		'2026-13-20T22:05:47Z',
		'2026-11-20T22:05:47.1234567891Z',
		'2026-11-20T22:05:47.Z',
	])('%s is no time', (startTime) => {
		expect(ofJson(sampleOf({ startTime })).samples.timeNs).toBeNull();
	});

	test('frames: of Java, of native code, addresses that are none', () => {
		const native = { type: 'Native', lineNumber: 5 };
		const read = ofJson(
			sampleOf({
				stackTrace: {
					truncated: true,
					frames: [
						frame(),
						frame({ lineNumber: 0, bytecodeIndex: null }),
						frame({ method: { type: null, name: 'f', descriptor: '' } }),
						frame({ ...native, method: { type: { name: 'libc.so' }, name: 'memcpy' } }),
						frame({ ...native, method: { type: null, name: 'g' } }),
						frame({ ...native, method: { type: null, name: '0x7f00' } }),
						frame({ ...native, method: { type: null, name: '0x7f00g' } }),
						frame({ ...native, method: { type: null, name: '10x7f00' } }),
						frame({ type: 'Kernel', method: null }),
						frame({ method: null }),
					],
				},
			}),
			sampleOf({ stackTrace: { frames: [frame()] }, failed: true }),
			sampleOf({ stackTrace: { frames: 5 } }),
			sampleOf({ stackTrace: null }),
			sampleOf({ stackTrace: { frames: [] }, failed: false }),
		);
		expect(stacksOf(read)).toEqual([
			[
				'a.B.c a.B.c 7 3',
				'a.B.c a.B.c -1 -1',
				'f f 7 3',
				'libc.so`memcpy (native) -1 -1',
				'g (native) -1 -1',
				'0x7f00g (native) -1 -1',
				'10x7f00 (native) -1 -1',
				' (kernel) -1 -1',
				'  7 3',
			],
			null,
			null,
			null,
			[],
		]);
		expect([...read.samples.stacks.isTruncated]).toEqual([1, 0, 0]);
		expect(read.samples.frames.methods.map(({ descriptor }) => descriptor)).toEqual(['()V', null, null, null, null, null, null, null]);
	});

	test('samples that were lost', () => {
		const lost = (lostSamples: unknown) => sampleOf({ lostSamples }, 'jdk.CPUTimeSamplesLost');
		expect(ofJson(lost(5), lost(7), lost(-3), lost('x'), lost(null))).toMatchObject({ lostCpuTimeSamples: 12, samples: { length: 0 }, problems: [] });
	});

	test('events that are none, and many of them', () => {
		const { samples, problems } = ofJson(
			'{"type": 5, "values": {}}',
			'{"type": "jdk.ExecutionSample"}',
			'{"type": "jdk.ExecutionSample", "values": null}',
			'{x}',
			sampleOf({ stackTrace: { frames: [null] } }),
			sampleOf({}),
		);
		expect(samples.length).toBe(1);
		expect(problems).toEqual(
			Array(5).fill({
				severity: 'warning',
				file: 'a.json',
				offsetBytes: expect.any(Number),
				message: 'an event is no JSON, or not as jfr print --json writes it',
				action: 'the event is skipped',
			}),
		);
		const many = ofJson(...Array<string>(102).fill('{x}')).problems;
		expect(many).toHaveLength(101);
		expect(many[100]).toEqual({ severity: 'warning', file: 'a.json', message: '2 more events are damaged', action: 'they are skipped' });
		expect(ofJson(...Array<string>(100).fill('{x}')).problems).toHaveLength(100);
	});

	test('a file that ends within an event', () => {
		const { problems } = readJfrPrintJson(memorySource('a.json', Buffer.from('{"recording": {"events": [{"type"')));
		expect(problems).toEqual([{ severity: 'warning', file: 'a.json', offsetBytes: 26, message: 'the file ends inside an event', action: 'the event is lost' }]);
	});
});

describe('text by hand', () => {
	const event = (...fields: string[]): string => `jdk.ExecutionSample {\n${fields.map((field) => `  ${field}\n`).join('')}}\n`;

	test('fields', () => {
		const { samples, lostCpuTimeSamples, problems } = ofText(
			event('startTime = 1', 'state = "STATE_RUNNABLE"', 'weight = 12', 'sampledThread = "main" (javaThreadId = 1)') +
				event('samples = 1234567890', 'failed = true', 'stackTrace = [', '  a.B.c() line: 1', ']', 'eventThread = N/A') +
				event('state = none', 'biased = true', 'other = 5', 'eventThread = "a" x', 'samples = x') +
				'jdk.CPUTimeSamplesLost {\n  lostSamples = 12\n}\njdk.CPUTimeSamplesLost {\n  lostSamples = x\n}\njdk.GarbageCollection {\n  lostSamples = 7\n  stackTrace = [\n}\n',
		);
		expect(Array.from(samples.state, (state) => samples.states[state])).toEqual(['STATE_RUNNABLE', '', 'none']);
		expect([...samples.weight]).toEqual([12, 1, 1]);
		expect([...samples.isBiased]).toEqual([0, 0, 1]);
		expect([...samples.stack]).toEqual([-1, -1, -1]);
		expect(Array.from(samples.thread, (thread) => samples.threads[thread]?.name)).toEqual(['main', null, null]);
		expect([lostCpuTimeSamples, problems]).toEqual([12, []]);
	});

	test('frames, with and without lines; lines that are none', () => {
		const read = ofText(
			event(
				'stackTrace = [',
				'  a.B.c(int) line: 7',
				'  a.B.d()',
				'  a.B.e() line: 0',
				'  libc.so.6.memcpy() line: 3',
				'  libjvm.so.GrowableArray<long, A<long> >::grow() line: 0',
				'  ._raw_spin_lock(k) line: 0',
				'  .vtable stub() line: 0',
				'  no frame',
				'  ...',
				'  ]',
				'state = x',
			) +
				event('stackTrace = [', '  a.B.c(int) line: 7', ']') +
				event('stackTrace = null'),
		);
		const stack = [
			'a.B.c a.B.c 7 -1',
			'a.B.d a.B.d -1 -1',
			'a.B.e a.B.e -1 -1',
			'libc.so.6`memcpy (native) -1 -1',
			'libjvm.so`GrowableArray<long, A<long> >::grow (native) -1 -1',
			'_raw_spin_lock (kernel) -1 -1',
			'vtable stub (native) -1 -1',
		];
		expect(stacksOf(read)).toEqual([stack, ['a.B.c a.B.c 7 -1'], null]);
		expect([...read.samples.stacks.isTruncated]).toEqual([1, 0]);
	});

	test('events that do not end, and text between events', () => {
		const { samples, problems } = ofText(`jdk.ExecutionSample {\n${event('startTime = 1')}\n \nother\n}\njdk.ExecutionSample {\n  startTime = 1\n`);
		expect([samples.length, problems.map(({ line }) => line)]).toEqual([1, [1, 7, 8, 9]]);
	});

	test.each([
		['jdk.ExecutionSample {\n  startTime = 1', true],
		['\n\nmy.Event {\r\n  duration = 1', true],
		['my.Event {\n  other = 1', false],
		['my.Event {\nstartTime = 1', false],
		['Event {\n  startTime = 1', false],
		['my.Event {x\n  startTime = 1', false],
		['x\nmy.Event {\n  startTime = 1', false],
		['', false],
	])('%j is such a text: %s', (head, is) => {
		expect(isJfrPrintText(head)).toBe(is);
	});
});
