import { Profile } from 'pprof-format';
import { expect, test } from 'vitest';
import { FRAMES, ORIGIN, STACKED } from '../../../test/stacked-samples.js';
import type { StackedSamples } from '../../model/stacked-samples.js';
import { pprofProfile } from './write.js';

/** The profile with its numbers of strings and ids resolved. */
function written(stacked: StackedSamples) {
	const profile = Profile.decode(pprofProfile(stacked, ORIGIN));
	const text = (at: number | bigint | undefined): string => profile.stringTable.strings[Number(at)] ?? '?';
	const type = (value: { type: number | bigint; unit: number | bigint } | undefined): string => `${text(value?.type)}/${text(value?.unit)}`;
	const functions = profile.function.map(({ name, systemName, filename }) => [text(name), text(systemName), text(filename)]);
	const mappings = profile.mapping.map(({ filename, memoryStart, memoryLimit }) => [text(filename), BigInt(memoryStart), BigInt(memoryLimit)]);
	const locations = profile.location.map(({ mappingId, address, line }) => ({
		mapping: mappings[Number(mappingId) - 1]?.[0],
		address: BigInt(address),
		lines: line.map(({ functionId, line: number }) => [functions[Number(functionId) - 1]?.[0], Number(number)]),
	}));
	return {
		profile,
		types: profile.sampleType.map(type),
		periodType: type(profile.periodType),
		functions,
		mappings,
		locations,
		samples: profile.sample.map(({ locationId, value, label }) => ({
			locations: locationId.map((id) => locations[Number(id) - 1]?.lines[0]?.[0]),
			value: value.map(Number),
			labels: label.map(({ key, str, num }) => `${text(key)}=${Number(str) === 0 ? Number(num) : text(str)}`),
		})),
		comments: profile.comment.map(text),
		defaultType: text(profile.defaultSampleType),
	};
}

test('samples of one stack and thread are one, with what they stand for added', () => {
	const { types, samples, defaultType, periodType, profile, comments } = written(STACKED);
	expect(types).toEqual(['samples/count', 'cpu/nanoseconds']);
	expect(samples).toEqual([
		{ locations: ['a.Main.step'], value: [3, 90], labels: ['thread=worker', 'thread_id=51'] },
		{ locations: ['memcpy', 'a.Main.step'], value: [1, 30], labels: ['thread=worker', 'thread_id=51'] },
		{ locations: ['(schedule)', 'memcpy', 'a.Main.step'], value: [1, 40], labels: ['thread=main', 'thread_id=50'] },
		{ locations: ['(StubRoutines (1))', '(Interpreter)'], value: [1, 50], labels: ['thread=main', 'thread_id=50'] },
		{ locations: ['memcpy', '(Interpreter)'], value: [1, 70], labels: [] },
	]);
	expect({ defaultType, periodType, comments }).toEqual({ defaultType: 'cpu', periodType: 'cpu/nanoseconds', comments: ['a recording', 'assay 1'] });
	expect([profile.period, profile.timeNanos, profile.durationNanos].map(BigInt)).toEqual([1_000_000n, 1_700_000_000_000_000_000n, 500_000_000n]);
});

test('two threads in one stack are two samples', () => {
	const { samples } = written({ ...STACKED, node: new Int32Array(7).fill(1) });
	expect(samples.map(({ value, labels }) => [value[0], labels[0]])).toEqual([
		[4, 'thread=worker'],
		[2, 'thread=main'],
		[1, undefined],
	]);
});

test('functions, and places with what was inlined there', () => {
	const { functions, locations } = written(STACKED);
	expect(functions).toEqual([
		['a.Main.step', 'a/Main::step', 'a/Main.java'],
		['a.Main.run', 'a/Main::run', 'a/Main.java'],
		['memcpy', 'memcpy', '/lib/libc.so'],
		['(schedule)', 'schedule', ''],
		['(StubRoutines (1))', 'StubRoutines (1)', ''],
		['(Interpreter)', 'Interpreter', ''],
	]);
	expect(locations).toEqual([
		{
			mapping: '[code cache]',
			address: 0x1010n,
			lines: [
				['a.Main.step', 20],
				['a.Main.run', 10],
			],
		},
		{ mapping: '/lib/libc.so', address: 0x5000n, lines: [['memcpy', 0]] },
		{ mapping: '[kernel.kallsyms]', address: 2n ** 64n - 0x100n, lines: [['(schedule)', 0]] },
		{ mapping: '[code cache]', address: 0xf04n, lines: [['(StubRoutines (1))', 0]] },
		{ mapping: '[code cache]', address: 0n, lines: [['(Interpreter)', 0]] },
		{ mapping: '/lib/libc.so', address: 0x5020n, lines: [['memcpy', 0]] },
	]);
});

test('mappings reach from the first to behind the last address that was seen', () => {
	const { mappings, profile } = written(STACKED);
	expect(mappings).toEqual([
		['[code cache]', 0xf04n, 0x1011n],
		['/lib/libc.so', 0x5000n, 0x5021n],
		['[kernel.kallsyms]', 2n ** 64n - 0x100n, 2n ** 64n - 0xffn],
	]);
	expect(profile.mapping).toMatchObject(mappings.map(() => ({ hasFunctions: true, hasFilenames: true, hasLineNumbers: true, hasInlineFrames: true })));
});

test('mappings that were recorded, with what identifies their files', () => {
	const libc = { name: '/lib/libc.so', start: 0x4000, end: 0x6000, offset: 0x1000, buildId: '93ac61' };
	const { mappings, profile, locations } = written({ ...STACKED, mappings: [libc, { ...libc, name: '/other', start: 0x9000, end: 0x9100 }] });
	expect(mappings.slice(1)).toEqual([
		['/lib/libc.so', 0x4000n, 0x6000n],
		['[kernel.kallsyms]', 2n ** 64n - 0x100n, 2n ** 64n - 0xffn],
	]);
	expect([profile.mapping[1]?.fileOffset, profile.stringTable.strings[Number(profile.mapping[1]?.buildId)]].map(String)).toEqual(['4096', '93ac61']);
	expect(new Set(locations.filter(({ lines }) => lines[0]?.[0] === 'memcpy').map(({ mapping }) => mapping))).toEqual(new Set(['/lib/libc.so']));
});

test('code without a library, and without an address', () => {
	const frames = FRAMES.map((frame) => ({ ...frame, library: null, code: null, address: Number.NaN, inlineDepth: 0 }));
	const unknown = { ...frames[3]!, kind: 'unknown' as const, name: '(?)' };
	const { mappings, locations } = written({ ...STACKED, frames: [...frames.slice(0, 3), unknown, ...frames.slice(4)] });
	expect(mappings).toEqual([
		['[code cache]', 0n, 0n],
		['[unknown]', 0n, 0n],
	]);
	expect(locations.map(({ mapping, lines }) => [mapping, lines[0]?.[0]])).toEqual([
		['[code cache]', 'a.Main.step'],
		['[code cache]', 'a.Main.run'],
		['[unknown]', 'memcpy'],
		['[unknown]', '(?)'],
		['[code cache]', '(StubRoutines (1))'],
		['[code cache]', '(Interpreter)'],
		['[unknown]', 'memcpy'],
	]);
});

test('a method without a class', () => {
	const frames = [{ ...FRAMES[0]!, name: 'run' }, ...FRAMES.slice(1)];
	expect(written({ ...STACKED, frames }).functions[1]).toEqual(['run', '::run', '']);
});

test('an inlined frame without a caller is a place by itself', () => {
	const { samples } = written({ ...STACKED, length: 1, node: Int32Array.of(0), nodeFrame: Int32Array.of(1), nodeParent: Int32Array.of(-1) });
	expect(samples.map(({ locations }) => locations)).toEqual([['a.Main.step']]);
});

test('the periods of an event that is no clock are its counts', () => {
	const { types, samples, defaultType } = written({ ...STACKED, event: 'cycles' });
	expect(types).toEqual(['samples/count', 'cpu/nanoseconds', 'cycles/count']);
	expect(samples[0]?.value).toEqual([3, 3_000_000, 90]);
	expect(defaultType).toBe('cpu');
});

test.each([
	['neither times nor what samples stand for', { timeSeconds: null, periods: null, intervalNs: null, originEpochMs: null }],
	['no sample', { length: 0, timeSeconds: new Float64Array(0), periods: new Float64Array(0), intervalNs: null, originEpochMs: null }],
])('%s', (_, nothing) => {
	const { types, samples, defaultType, periodType, profile } = written({ ...STACKED, ...nothing });
	expect(types).toEqual(['samples/count']);
	expect(samples.every(({ value }) => value.length === 1)).toBe(true);
	expect({ defaultType, periodType }).toEqual({ defaultType: 'samples', periodType: 'samples/count' });
	expect([profile.period, profile.timeNanos, profile.durationNanos].map(Number)).toEqual([1, 0, 0]);
});

test('threads that have a name or a number only', () => {
	const threads = [{ name: '', id: 0 }, { name: 'worker', id: -1 }, STACKED.threads[2]!];
	expect(new Set(written({ ...STACKED, threads }).samples.map(({ labels }) => labels.join()))).toEqual(
		new Set(['thread=worker', 'thread=thread 0,thread_id=0', '']),
	);
});
