/** Profiles that other tools wrote, with the counts that these tools tell of them, and what is damaged or made by hand. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { Line, Location, Function as PprofFunction, Profile, Sample, StringTable, ValueType } from 'pprof-format';
import { describe, expect, test } from 'vitest';
import { samplesOfProfile, weightsByStack } from '../../test/profile-stacks.js';
import { memorySource } from '../bytes/source.js';
import { isChromeTrace, readChromeTrace } from './chrome-trace/read.js';
import { isCpuProfile, readCpuProfile } from './cpu-profile/read.js';
import { isFirefoxProfile, readFirefoxProfile } from './firefox-profile/read.js';
import type { ReadProfile } from './format.js';
import { isOtlpProfiles, readOtlpProfiles } from './otlp-profiles/read.js';
import { isPprof, readPprof } from './pprof/read.js';
import { isSpeedscope, readSpeedscope } from './speedscope/read.js';

const FOLDER = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'profiles');

function recorded(name: string): Buffer {
	const bytes = fs.readFileSync(path.join(FOLDER, name));
	return name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

const source = (bytes: string | Uint8Array) => memorySource('profile', typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
const json = (value: unknown) => source(JSON.stringify(value));

/** Samples by innermost frame; those of threads that wait apart. */
function leaves(read: ReadProfile, event = 'samples'): Record<string, number> {
	const result: Record<string, number> = {};
	for (const { stack, event: own, state, samples } of samplesOfProfile(read)) {
		if (own === event) {
			const key = `${state === '' ? '' : `${state} `}${stack.at(-1)}`;
			result[key] = (result[key] ?? 0) + samples;
		}
	}
	return result;
}

interface Recorded {
	readonly name: string;
	readonly is: (head: string) => boolean;
	readonly read: typeof readPprof;
	/** As the tool itself tells them. */
	readonly samples: Record<string, number>;
}

/** go tool pprof -top -sample_index=samples; a count over the ids of `samples` of V8's; the weights of py-spy's own file. */
const RECORDED: readonly Recorded[] = [
	{ name: 'go.pb.gz', is: isPprof, read: readPprof, samples: { '(main.inner)': 72 } },
	{
		name: 'node.cpuprofile',
		is: isCpuProfile,
		read: readCpuProfile,
		samples: {
			'(program)': 1,
			'(fib)': 2,
			'(sortLots)': 86,
			'(garbage collector)': 7,
			'(anonymous)': 2,
			'(spin)': 21,
			'(_write)': 1,
			'WAITING (idle)': 12,
		},
	},
	{
		name: 'chrome-trace.json.gz',
		is: isChromeTrace,
		read: readChromeTrace,
		samples: { '(fib)': 2993, '(anonymous)': 7, '(program)': 2, '(work)': 1 },
	},
	{ name: 'py-spy.speedscope.json', is: isSpeedscope, read: readSpeedscope, samples: { '(fib)': 111 } },
];

describe.each(RECORDED)('$name', ({ name, is, read, samples }) => {
	test('is told from others, and has the samples that its own tool tells', () => {
		const bytes = recorded(name);
		expect(RECORDED.filter((one) => one.is(bytes.toString('latin1'))).map((one) => one.name)).toEqual([name]);
		expect(is(bytes.toString('latin1'))).toBe(true);
		const profile = read(source(bytes));
		expect(profile.problems).toEqual([]);
		expect(leaves(profile)).toEqual(samples);
		expect(profile.file.kinds[0]).toMatchObject({ event: 'samples' });
	});

	test('cut anywhere: a problem that says where, or less', () => {
		const bytes = recorded(name);
		const step = Math.max(1, Math.floor(bytes.length / 60));
		for (let length = 1; length < bytes.length - 1; length += step) {
			const { problems } = read(source(bytes.subarray(0, length)));
			const told = problems.every(({ message, action }) => message !== '' && action !== '');
			expect(told, String(length)).toBe(true);
			if (!name.endsWith('.pb.gz')) {
				expect(problems[0], String(length)).toMatchObject({ severity: 'error', offsetBytes: expect.any(Number) });
			}
		}
	});

	test('with flipped bits: never throws', () => {
		const bytes = recorded(name).subarray(0, 20_000);
		fc.assert(
			fc.property(fc.nat(bytes.length - 1), fc.nat(7), (at, bit) => {
				const damaged = Uint8Array.from(bytes);
				damaged[at] = damaged[at]! ^ (1 << bit);
				read(source(damaged));
			}),
			{ numRuns: 50 },
		);
	});
});

describe('any bytes', () => {
	const readers = { readPprof, readOtlpProfiles, readSpeedscope, readFirefoxProfile, readCpuProfile, readChromeTrace };
	test.each(Object.entries(readers))('%s never throws, and tells of nothing or of a problem', (_, read) => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
				const profile = read(source(bytes));
				expect(profile.file.stacks?.length === 0 || profile.problems.length >= 0).toBe(true);
			}),
		);
		fc.assert(fc.property(fc.jsonValue(), (value) => void read(json(value))));
	});

	test.each(['', '{}', '{"a":1}', 'a;b 1\n', '\n\n', '\u007fELF\u0002', '[{"a":1}]', '{"code":[],"totalPeriod":1}'])('%j is none of them', (head) => {
		for (const is of [isPprof, isOtlpProfiles, isSpeedscope, isFirefoxProfile, isCpuProfile, isChromeTrace]) {
			expect(is(head)).toBe(false);
		}
	});
});

describe('speedscope', () => {
	const shared = { frames: [{ name: 'a.B.main' }, { name: 'a.B.f', file: 'a/B.java', line: 7 }, { name: 'memcpy', file: 'libc.so.6' }] };

	test('weights that are no times are numbers of samples; a profile for each thread', () => {
		const profiles = [
			{
				type: 'sampled',
				name: 'main (7)',
				unit: 'none',
				samples: [
					[0, 1],
					[0, 1, 2],
				],
				weights: [3, 2],
			},
			{ type: 'sampled', name: 'worker', unit: 'none', samples: [[0]], weights: [5] },
		];
		const read = readSpeedscope(json({ shared, profiles }));
		expect([...weightsByStack(read, 'samples')]).toEqual([
			['main a.B.main;a.B.f', 3],
			['main a.B.main;a.B.f;(memcpy)', 2],
			['worker a.B.main', 5],
		]);
		expect(read.file.stacks?.threads).toEqual([
			{ name: 'main', id: 7 },
			{ name: 'worker', id: -1 },
		]);
		expect(samplesOfProfile(read)[0]).toMatchObject({ method: 'a.B.f', line: 7 });
	});

	test('a row is a sample where weights are times; times that differ are a kind of their own', () => {
		const profiles = [{ type: 'sampled', name: 'a', unit: 'milliseconds', samples: [[0], [0], [1]], weights: [1, 2, 4] }];
		const read = readSpeedscope(json({ shared, profiles }));
		expect(read.file.kinds.map(({ event, unit }) => [event, unit])).toEqual([
			['samples', undefined],
			['time', 'nanoseconds'],
		]);
		expect([leaves(read), leaves(read, 'time')]).toEqual([
			{ 'a.B.main': 2, 'a.B.f': 1 },
			{ 'a.B.main': 3e6, 'a.B.f': 4e6 },
		]);
	});

	test('events that open and close frames are times; others are counted', () => {
		const events = [
			{ type: 'O', frame: 0, at: 1 },
			{ type: 'O', frame: 1, at: 3 },
			{ type: 'C', frame: 1, at: 10 },
			{ type: 'C', frame: 1, at: 11 },
			{ type: 'X', frame: 1, at: 11 },
			{ type: 'C', frame: 0, at: 12 },
		];
		const read = readSpeedscope(json({ shared, profiles: [{ type: 'evented', name: 'a', unit: 'microseconds', events, startValue: 0, endValue: 20 }] }));
		expect([...weightsByStack(read, 'time')]).toEqual([
			['null a.B.main', 4000],
			['null a.B.main;a.B.f', 7000],
		]);
		expect(read.problems).toMatchObject([{ message: expect.stringMatching(/^2 rows/) }]);
	});

	test('frames that are not there', () => {
		const profiles = [{ type: 'sampled', name: 'a', unit: 'none', samples: [[9], 'x', [0]], weights: [1, 1, 1] }, { type: 'odd' }, null];
		const read = readSpeedscope(json({ shared, profiles }));
		expect(leaves(read)).toEqual({ 'a.B.main': 1 });
		expect(read.problems).toMatchObject([{ message: expect.stringMatching(/^4 rows/) }]);
		expect(readSpeedscope(json({ shared })).problems).toMatchObject([{ severity: 'error', message: expect.stringContaining('expected profiles') }]);
	});
});

describe('Firefox Profiler', () => {
	const tables = {
		stackTable: { frame: [0, 1, 2], prefix: [null, 0, 1], length: 3 },
		frameTable: { func: [0, 1, 2], line: [null, 12, null], category: [0, 0, 1], length: 3 },
		funcTable: { name: [0, 1, 2], fileName: [null, 3, null], resource: [-1, -1, 0], length: 3 },
		resourceTable: { name: [4] },
	};
	const strings = ['a.B.main', 'a.B.f', 'poll', 'a/B.java', 'libc.so.6'];
	const meta = { preprocessedProfileVersion: 60, startTime: 1000, categories: [{ name: 'Other' }, { name: 'Idle' }] };
	const samples = { stack: [1, null, 2, 9, 1], time: [1, 2, 3, 4, 5], weight: [2, 1, 1, 1, 1], weightType: 'samples' };

	test.each([
		['tables of all threads', { meta, shared: { ...tables, stringArray: strings }, threads: [{ name: 'main', tid: 7, samples }] }],
		['tables of each thread', { meta, threads: [{ name: 'main', tid: '7', samples, ...tables, stringArray: strings }] }],
		[
			'strings of all threads, differences of times',
			{
				meta,
				shared: { stringArray: strings },
				threads: [{ name: 'main', tid: 7, samples: { ...samples, time: undefined, timeDeltas: [1, 1, 1, 1, 1] }, ...tables }],
			},
		],
	])('%s: idle samples wait, those without a stack are none', (_, profile) => {
		const read = readFirefoxProfile(json(profile));
		expect(isFirefoxProfile(JSON.stringify(profile))).toBe(true);
		expect(leaves(read)).toEqual({ 'a.B.f': 3, 'WAITING (poll)': 1 });
		expect(read.file.stacks).toMatchObject({ originEpochNs: 1_000_000_000n, threads: [{ name: 'main', id: 7 }] });
		expect([...(read.file.stacks?.timeNs ?? [])]).toEqual([1e6, 3e6, 5e6]);
		expect(samplesOfProfile(read)[0]).toMatchObject({ line: 12, stack: ['a.B.main', 'a.B.f'] });
		expect(read.problems).toMatchObject([{ message: '1 samples have a stack that is not in the profile' }]);
	});

	test('weights in milliseconds; stacks that are a loop', () => {
		const profile = { meta, shared: { ...tables, stringArray: strings }, threads: [{ name: 'main', samples: { ...samples, weightType: 'tracing-ms' } }] };
		expect(leaves(readFirefoxProfile(json(profile)), 'time')).toEqual({ 'a.B.f': 3e6, 'WAITING (poll)': 1e6 });
		const loop = { ...tables, stackTable: { frame: [0], prefix: [0] } };
		const read = readFirefoxProfile(json({ meta, shared: { ...loop, stringArray: strings }, threads: [{ name: 'main', samples: { stack: [0] } }] }));
		expect(read.problems).toHaveLength(1);
	});
});

test('values below zero of pprof are told, and left out', () => {
	const strings = new StringTable();
	const [type, unit, name] = ['samples', 'count', 'f'].map((text) => strings.dedup(text)) as [number, number, number];
	const profile = new Profile({
		sampleType: [new ValueType({ type, unit })],
		sample: [new Sample({ locationId: [1], value: [3] }), new Sample({ locationId: [1], value: [-2] })],
		location: [new Location({ id: 1, line: [new Line({ functionId: 1, line: 1 })] })],
		function: [new PprofFunction({ id: 1, name })],
		stringTable: strings,
	});
	const read = readPprof(source(profile.encode()));
	expect(leaves(read)).toEqual({ '(f)': 3 });
	expect(read.problems).toMatchObject([{ severity: 'warning', message: '1 values are below zero, as in the difference of two profiles' }]);
});

test("V8's nodes that are a loop", () => {
	const node = (id: number, functionName: string, children: readonly number[]) => ({ id, callFrame: { functionName, url: '' }, children });
	const profile = { nodes: [node(1, '(root)', [1]), node(2, 'f', [3]), node(3, 'g', [2])], samples: [1, 2, 3], timeDeltas: [1, 1, 1] };
	expect(readCpuProfile(json(profile)).problems).toMatchObject([{ message: '3 samples are of nodes that are not in the profile' }]);
});

describe('traces without profiles', () => {
	test('spans are stacks, with the time in which nothing lies in them', () => {
		const at = { pid: 1, tid: 2 };
		const traceEvents = [
			{ ph: 'M', name: 'thread_name', ...at, args: { name: 'main' } },
			{ ph: 'X', name: 'outer', ts: 10, dur: 100, ...at },
			{ ph: 'B', name: 'inner', ts: 20, ...at },
			{ ph: 'E', ts: 50, ...at },
			{ ph: 'X', name: 'too long', ts: 100, dur: 50, ...at },
			{ ph: 'X', name: 'other', ts: 0, dur: 5, pid: 1, tid: 3 },
			{ ph: 'X', name: 'no time', ...at },
			{ ph: 'E', ts: 60, ...at },
			{ ph: 'i', name: 'instant', ts: 7, ...at },
		];
		const read = readChromeTrace(json(traceEvents));
		expect(isChromeTrace(JSON.stringify(traceEvents))).toBe(true);
		expect([...weightsByStack(read, 'time')]).toEqual([
			['main (outer)', 60_000],
			['main (outer);(inner)', 30_000],
			['main (outer);(too long)', 10_000],
			['null (other)', 5000],
		]);
		expect(read.problems).toMatchObject([{ message: expect.stringMatching(/^2 events/) }]);
	});
});

describe('names of functions', () => {
	const named = (name: string, file?: string) => {
		const frame = { name, ...(file === undefined ? {} : { file }) };
		const profiles = [{ type: 'sampled', name: 'a', unit: 'none', samples: [[0]], weights: [1] }];
		const [sample] = samplesOfProfile(readSpeedscope(json({ shared: { frames: [frame] }, profiles })));
		return [sample?.method, sample?.stack.at(-1), sample?.line];
	};
	test.each([
		['a.B.f', undefined, ['a.B.f', 'a.B.f', -1]],
		['a/B.f_[j]', undefined, ['a.B.f', 'a.B.f', -1]],
		['a.B.f:12', undefined, ['a.B.f', 'a.B.f', 12]],
		['a.B.f(int)', undefined, ['a.B.f', 'a.B.f', -1]],
		['main.inner', './g.go', ['(native)', '(main.inner)', -1]],
		['std::sort<int>', undefined, ['(native)', '(std::sort<int>)', -1]],
		['(anonymous namespace)::f(int)', undefined, ['(native)', '((anonymous namespace)::f(int))', -1]],
		['(StubRoutines (1))', undefined, ['(native)', '(StubRoutines (1))', -1]],
		['(unknown)', undefined, ['(unknown)', '(unknown)', -1]],
		['(kernel)', undefined, ['(kernel)', '(kernel)', -1]],
		['(native)', undefined, ['(native)', '(native)', -1]],
		['do_syscall_64_[k]', undefined, ['(kernel)', '(do_syscall_64)', -1]],
		['schedule', '[kernel.kallsyms]', ['(kernel)', '(schedule)', -1]],
		['', undefined, ['(unknown)', '(unknown)', -1]],
		['()', undefined, ['(native)', '(())', -1]],
	])('%s of %s', (name, file, expected) => {
		expect(named(name, file)).toEqual(expected);
	});
});
