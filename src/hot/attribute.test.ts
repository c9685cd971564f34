import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { piece, type SampleRow, samplesOf } from '../../test/code.js';
import { codeMap } from '../model/code-map.js';
import type { GeneratedCode } from '../model/generated-code.js';
import { type Attribution, type AttributionOptions, attributeSamples, classifyPlace, REASONS } from './attribute.js';

const ALL: AttributionOptions = { event: 0, processId: null, window: { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }, clock: null };
const attribute = (rows: readonly SampleRow[], code: readonly GeneratedCode[], options: Partial<AttributionOptions> = {}): Attribution =>
	attributeSamples(samplesOf(rows), codeMap(code), { ...ALL, ...options });
/** Reason of each sample, or the id of its compilation. */
const outcome = ({ reason, target, map }: Attribution): (string | null | undefined)[] =>
	[...reason].map((why, i) => (why >= 0 ? REASONS[why] : map.code[target[i]!]?.compileId));

const LIBJVM = '/usr/lib/jvm/lib/server/libjvm.so';

describe('code at an address', () => {
	const versions = [piece(10, 20, { compileId: '1', installedSeconds: 1 }), piece(10, 20, { compileId: '2', installedSeconds: 5 })];
	const rows = [103, 104.9, 105, 109].map((time) => ({ time, at: 15 }));

	test('that was there at the time: with a recorded clock', () => {
		const result = attribute(rows, versions, { clock: { startSeconds: 100, uncertaintySeconds: 0.002, source: 'recorded' } });
		expect(outcome(result)).toEqual(['1', '1', '2', '2']);
		// The one at the very time of the change.
		expect(result.ambiguous).toBe(1);
	});

	test('with a clock from the samples themselves, and how many are too near to the change', () => {
		const result = attribute([{ time: 100.5, at: 500, library: LIBJVM }, ...rows, { time: 101, at: 15 }], versions);
		expect(result.clock).toEqual({ startSeconds: 100, uncertaintySeconds: 0.001, source: 'samples' });
		expect(outcome(result)).toEqual(['native library', '1', '1', '2', '2', '1']);
		const rough = attribute(rows, versions, { clock: { startSeconds: 100, uncertaintySeconds: 0.2, source: 'recorded' } });
		expect(rough.ambiguous).toBe(2);
		const fromSamples = attribute(rows, versions, { clock: { startSeconds: 100, uncertaintySeconds: 0.2, source: 'samples' } });
		expect(fromSamples.ambiguous).toBe(1);
		const beforeAll = attribute([{ time: 100.9, at: 15 }], versions, { clock: { startSeconds: 100, uncertaintySeconds: 0.2, source: 'recorded' } });
		expect([outcome(beforeAll), beforeAll.ambiguous]).toEqual([['1'], 0]);
	});

	test('well before it was installed nothing lay there: a recorded clock tells, one from samples does not', () => {
		const early = (time: number, source: 'recorded' | 'samples') =>
			outcome(attribute([{ time, at: 15 }], versions.slice(0, 1), { clock: { startSeconds: 100, uncertaintySeconds: 0.5, source } }));
		expect(early(100.495, 'recorded')).toEqual(['1']);
		expect(early(100.48, 'recorded')).toEqual(['unknown']);
		expect(early(100.48, 'samples')).toEqual(['1']);
	});

	test('without any clock the last, and all are doubtful', () => {
		const result = attribute(rows, [piece(10, 20), piece(10, 20, { compileId: '9' })]);
		expect(result.clock.source).toBe('none');
		expect(outcome(result)).toEqual(['9', '9', '9', '9']);
		expect(result.ambiguous).toBe(4);
	});

	test('codelets, stubs and names of a perf map have their reason and their code', () => {
		const other = [
			piece(10, 20, { kind: 'interpreter', compileId: null }),
			piece(20, 30, { kind: 'stub', compileId: null }),
			piece(30, 40, { compileId: null }),
			piece(40, 50, { kind: 'native wrapper' }),
		];
		const result = attribute(
			[15, 25, 35, 45].map((at) => ({ at })),
			other,
		);
		expect(outcome(result)).toEqual(['interpreter', 'stub', 'named by the profiler only', '1']);
		expect([...result.target]).toEqual([0, 1, 2, 3]);
	});
});

describe('samples that are not counted', () => {
	const code = [piece(10, 20, { installedSeconds: 1 })];

	test('other events, and a window with both its ends', () => {
		const rows = [
			{ time: 1, at: 15 },
			{ time: 2, at: 15 },
			{ time: 3, at: 15 },
			{ time: 4, at: 15 },
			{ time: 2, at: 15, event: 'cycles' },
		];
		const result = attribute(rows, code, { window: { from: 1, to: 2 } });
		expect(outcome(result)).toEqual(['outside the window', '1', '1', 'outside the window', 'other event']);
		expect(result).toMatchObject({ total: 5, counted: 2 });
		expect(outcome(attribute(rows, code, { event: 1 }))).toEqual(['other event', 'other event', 'other event', 'other event', '1']);
	});

	test('other processes by id; the JVM is the one with samples in its code', () => {
		const rows = [
			{ at: 15, processId: 7 },
			{ at: 900, processId: 8, library: '/usr/lib/libc.so.6' },
			{ at: 15, processId: 8 },
			{ at: 16, processId: 7 },
			{ at: 901, processId: 7, library: '/opt/app/bin/server', symbol: 'main' },
			{ at: 17, processId: 7, library: '/tmp/perf-1.map' },
			{ at: 77, processId: 7, library: '/tmp/perf-1.map', symbol: 'Interpreter' },
		];
		expect(outcome(attribute(rows, code))).toEqual(['1', 'other process', 'other process', '1', 'native library', '1', 'interpreter']);
		expect(outcome(attribute(rows, code, { processId: 8 }))).toEqual([
			'other process',
			'native library',
			'1',
			'other process',
			'other process',
			'other process',
			'other process',
		]);
	});

	test('of several processes the one with most samples in code, whichever comes first', () => {
		const rows = (...ids: number[]): SampleRow[] => ids.map((processId) => ({ at: 15, processId }));
		const counted = (...ids: number[]) => outcome(attribute(rows(...ids), code)).map((one) => (one === '1' ? 'x' : '.'));
		expect([counted(7, 8, 8), counted(8, 8, 7), counted(7, 8), counted(7, 8, 9, 9)].map((all) => all.join(''))).toEqual(['.xx', 'xx.', 'x.', '..xx']);
		// What lies outside of all code tells of no JVM.
		expect(
			outcome(
				attribute(
					[
						{ at: 900, processId: 8 },
						{ at: 901, processId: 8 },
						{ at: -5, processId: 8 },
						{ at: 15, processId: 7 },
					],
					code,
				),
			),
		).toEqual(['other process', 'other process', 'other process', '1']);
	});

	test('without ids the files tell: perf maps of another process, programs that are no launcher', () => {
		const rows = [
			{ at: 15, library: '/tmp/perf-7.map' },
			{ at: 16, library: '/tmp/perf-8.map' },
			{ at: 99, library: '/usr/bin/bash', symbol: 'main' },
			{ at: 98, library: '/usr/lib/jvm/bin/java', symbol: 'main' },
			{ at: 97, library: '/usr/bin/plugins/libx.so', symbol: 'main' },
			{ at: 96, library: '/sbin/init', symbol: 'main' },
		];
		expect(outcome(attribute(rows, code, { processId: 7 }))).toEqual([
			'1',
			'other process',
			'other process',
			'native library',
			'native library',
			'other process',
		]);
	});

	test("before the JVM's start: until its library or its code was seen", () => {
		const rows = [
			{ time: 1, at: 90, library: '/usr/lib/ld.so' },
			{ time: 2, at: 91, library: LIBJVM },
			{ time: 3, at: 90, library: '/usr/lib/ld.so' },
			{ time: 9, at: 15 },
		];
		expect(outcome(attribute(rows, code))).toEqual(["before the JVM's start", 'native library', 'native library', '1']);
		// Symbols of the library in a file of their own are not the library.
		const debug = { time: 0, at: 91, library: `${LIBJVM}.debug` };
		expect(outcome(attribute([debug, ...rows], code))[0]).toBe("before the JVM's start");
	});
});

test('the kernel by its addresses, and by its file', () => {
	expect(outcome(attribute([{ at: -5 }, { at: 5, library: '[kernel.kallsyms]' }, { at: -7, library: '/usr/lib/x.so' }], []))).toEqual([
		'kernel',
		'kernel',
		'kernel',
	]);
});

test.each([
	[{ symbol: 'f', library: null }, 'unknown'],
	[{ symbol: '[unknown]', library: '[unknown]' }, 'unknown'],
	[{ symbol: 'free', library: '[unknown]' }, 'native library'],
	[{ symbol: null, library: '//anon' }, 'unknown'],
	[{ symbol: null, library: '/memfd:x (deleted)' }, 'unknown'],
	[{ symbol: null, library: '[vdso]' }, 'native library'],
	[{ symbol: null, library: 'kernel' }, 'kernel'],
	[{ symbol: null, library: '[guest.kernel.kallsyms]' }, 'kernel'],
	[{ symbol: null, library: '/usr/sbin/sshd' }, 'other process'],
	[{ symbol: null, library: '/opt/jdk/bin/java-real' }, 'native library'],
	[{ symbol: null, library: '/opt/java/bin/bash' }, 'other process'],
	[{ symbol: null, library: '/usr/bin/javac' }, 'native library'],
	[{ symbol: 'int java.lang.String.hashCode()+0x10', library: '/tmp/perf-7.map' }, 'named by the profiler only'],
	[{ symbol: 'a.B::f', library: '/tmp/perf-7.map' }, 'named by the profiler only'],
	[{ symbol: 'Interpreter+0x4', library: '/tmp/perf-7.map' }, 'interpreter'],
	[{ symbol: 'StubRoutines (1)', library: '/tmp/perf-7.map' }, 'stub'],
	[{ symbol: '_new_array_Java', library: '/tmp/perf-7.map' }, 'stub'],
	[{ symbol: '[unknown]', library: '/tmp/perf-7.map' }, 'unknown'],
	[{ symbol: 'f', library: '/tmp/perf-70.map' }, 'other process'],
] as const)('%j is %s', (place, wanted) => {
	expect(classifyPlace(place, 7)).toBe(wanted);
});

test('any samples, code and options: reasons and compilations add up to the total', () => {
	const row: fc.Arbitrary<SampleRow> = fc.record({
		time: fc.double({ min: 0, max: 10, noNaN: true }),
		at: fc.integer({ min: -5, max: 60 }),
		event: fc.constantFrom('cpu-clock', 'cycles'),
		processId: fc.constantFrom(-1, 7, 8),
		library: fc.constantFrom(null, LIBJVM, '/tmp/perf-7.map', '/tmp/perf-8.map', '[kernel.kallsyms]', '/usr/bin/bash', '//anon'),
		symbol: fc.constantFrom(null, 'f', 'Interpreter'),
	});
	const code = fc
		.tuple(
			fc.integer({ min: 0, max: 50 }),
			fc.integer({ min: 1, max: 20 }),
			fc.option(fc.double({ min: 0, max: 10, noNaN: true })),
			fc.constantFrom('compilation', 'stub', 'interpreter'),
		)
		.map(([start, size, installedSeconds, kind]) =>
			piece(start, start + size, { installedSeconds, kind: kind as GeneratedCode['kind'], compileId: kind === 'compilation' ? '1' : null }),
		);
	const options = fc.record({
		event: fc.constantFrom(0, 1, 5, -1),
		processId: fc.constantFrom(null, 7, 8, 9),
		window: fc.constantFrom(ALL.window, { from: 1, to: 4 }, { from: 4, to: 1 }),
		clock: fc.constantFrom(null, { startSeconds: 1, uncertaintySeconds: 0.1, source: 'recorded' as const }),
	});
	fc.assert(
		fc.property(fc.array(row), fc.array(code), options, (rows, pieces, chosen) => {
			const result = attribute(rows, pieces, chosen);
			const reasons = [...result.byReason.values()].reduce((sum, count) => sum + count, 0);
			const inCompilations = [...result.target].filter((target, i) => target >= 0 && result.reason[i] === -1).length;
			expect(reasons + inCompilations).toBe(rows.length);
			expect(result.total).toBe(rows.length);
			expect(result.counted).toBeLessThanOrEqual(rows.length);
			expect([...result.reason].every((why, i) => why >= 0 || result.target[i]! >= 0)).toBe(true);
		}),
	);
});
