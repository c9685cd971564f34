/** Time of threads summed by class, activity, thread and library, of samples whose reasons and classes are given. */
import { describe, expect, test } from 'vitest';
import type { SamplePlace } from '../model/samples.js';
import { THREAD_CLASSES, type ThreadClass } from '../model/thread-class.js';
import { type Attribution, REASONS, type Reason } from './attribute.js';
import { type ThreadTime, threadTime } from './thread-time.js';

interface Row {
	readonly thread: number;
	/** null: compiled code. */
	readonly why: Reason | null;
	/** Where it is not that of its thread. */
	readonly as?: ThreadClass;
	readonly place?: Partial<SamplePlace>;
	/** What is known to lie there. */
	readonly code?: string;
}

const JVM = '/jdk/lib/server/libjvm.so';
const THREADS = [
	{ name: 'main', id: 12, class: 'java' },
	{ name: 'worker', id: 11, class: 'java' },
	{ name: 'VM Thread', id: 20, class: 'jvm' },
	{ name: 'C2 CompilerThre', id: 30, class: 'c2' },
	{ name: 'idle', id: 40, class: 'native' },
] as const;

function timeOf(rows: readonly Row[]): ThreadTime {
	const attribution = {
		samples: {
			length: rows.length,
			places: rows.map(({ place = {} }) => ({ symbol: null, library: null, ...place })),
			place: Int32Array.from(rows, (_, i) => i),
		},
		reason: Int8Array.from(rows, ({ why }) => (why === null ? -1 : REASONS.indexOf(why))),
		map: { code: rows.map(({ code: name }) => ({ name })) },
		target: Int32Array.from(rows, ({ code }, i) => (code === undefined ? -1 : i)),
	};
	const classOf = ({ thread, as }: Row): ThreadClass => as ?? THREADS[thread]?.class ?? 'native';
	return threadTime(
		attribution as unknown as Attribution,
		{ of: Int32Array.from(rows, ({ thread }) => thread), threads: THREADS.map(({ name, id }) => ({ name, id })) },
		{ ofThread: THREADS.map((one) => one.class), ofSample: Uint8Array.from(rows, (row) => THREAD_CLASSES.indexOf(classOf(row))) },
	);
}

const many = (count: number, row: Row): Row[] => Array.from({ length: count }, () => row);
const native = (symbol: string | null, library: string | null): Pick<Row, 'why' | 'place'> => ({ why: 'native library', place: { symbol, library } });

describe('activities', () => {
	const activities = (rows: readonly Row[]) => timeOf(rows).classes.map((row) => [row.class, row.activities.map(({ name, samples }) => `${name} ${samples}`)]);

	test('what was executed, most first, of equal ones by name', () => {
		expect(
			activities([
				...many(4, { thread: 0, why: null }),
				...many(2, { thread: 0, why: 'interpreter' }),
				...many(3, { thread: 1, why: 'stub' }),
				...many(2, { thread: 1, why: 'kernel', place: { symbol: 'schedule', library: '[kernel.kallsyms]' } }),
				{ thread: 0, why: 'unknown' },
				...many(2, { thread: 0, why: 'named by the profiler only' }),
				...many(2, { thread: 0, ...native('memcpy', '/usr/lib/libc.so.6') }),
				{ thread: 0, ...native('ClassFileParser::parse', JVM) },
			]),
		).toEqual([
			['java', ['compiled code 4', 'stubs 3', 'interpreter 2', 'kernel 2', 'libc.so.6 2', 'named by the profiler only 2', 'class loading 1', 'unknown 1']],
		]);
	});

	test('of the JVM by what its thread is there for; the C library moves memory for the collector in the VM thread alone', () => {
		expect(
			activities([
				{ thread: 2, ...native('os::sleep', JVM) },
				...many(2, { thread: 2, ...native('memcpy', '/usr/lib/libc.so.6') }),
				...many(2, { thread: 3, ...native('os::malloc', JVM) }),
				{ thread: 0, ...native('memcpy', '/usr/lib/libc.so.6') },
				{ thread: 9, ...native('os::malloc', JVM) },
			]),
		).toEqual([
			['jvm', ['garbage collection 2', 'safepoints and VM operations 1']],
			['c2', ['compiling 2']],
			['java', ['libc.so.6 1']],
			['native', ['other 1']],
		]);
	});

	test('a sample that the recording cost is in its class, as its thread did it', () => {
		expect(activities([{ thread: 0, as: 'recording', ...native('fileStream::write', JVM) }, ...many(2, { thread: 0, why: null })])).toEqual([
			['java', ['compiled code 2']],
			['recording', ['printing and logging 1']],
		]);
	});
});

test('classes and threads: most samples first, of equal threads the older one; those without any are left out', () => {
	const time = timeOf([
		...many(2, { thread: 0, why: null }),
		...many(2, { thread: 1, why: null }),
		...many(5, { thread: 3, why: 'stub' }),
		{ thread: 9, why: 'unknown' },
		{ thread: 2, why: 'other event' },
		{ thread: 2, why: 'outside the window' },
		{ thread: 2, why: 'other thread' },
	]);
	expect(time.counted).toBe(10);
	expect(time.classes.map((row) => [row.class, row.samples, row.share.percent, row.threads])).toEqual([
		['c2', 5, 50, 1],
		['java', 4, 40, 2],
		['native', 1, 10, 0],
	]);
	expect(time.threads).toEqual([
		{ name: 'C2 CompilerThre', id: 30, class: 'c2', samples: 5 },
		{ name: 'worker', id: 11, class: 'java', samples: 2 },
		{ name: 'main', id: 12, class: 'java', samples: 2 },
	]);
	expect(time.libraries).toEqual([{ library: 'runtime stub', samples: 5, activities: [], symbols: [{ symbol: null, activity: null, samples: 5 }] }]);
});

test('stubs and the interpreter have a row each, with the names of what ran: of known code, else of the map of the profiler', () => {
	const stub = (symbol: string): Row => ({ thread: 0, why: 'stub', place: { symbol, library: '/tmp/perf-12.map' } });
	const time = timeOf([
		...many(3, stub('vtable stub+0x8')),
		stub('jint_disjoint_arraycopy'),
		{ thread: 1, why: 'stub', code: 'itable stub' },
		{ thread: 1, why: 'interpreter', code: 'invokevirtual' },
	]);
	expect(time.libraries.map(({ library, samples, symbols }) => [library, samples, symbols.map((one) => `${one.symbol} ${one.samples}`)])).toEqual([
		['runtime stub', 5, ['vtable stub 3', 'itable stub 1', 'jint_disjoint_arraycopy 1']],
		['interpreter', 1, ['invokevirtual 1']],
	]);
	expect(time.classes.map((row) => row.activities.map(({ name, samples }) => `${name} ${samples}`))).toEqual([['stubs 5', 'interpreter 1']]);
});

test('libraries by the names of their files, with their functions; of the JVM what it did', () => {
	const time = timeOf([
		...many(2, { thread: 0, ...native('memcpy+0x1f', '/usr/lib/libc.so.6') }),
		...many(3, { thread: 0, ...native('strlen', '/usr/lib/libc.so.6') }),
		{ thread: 0, ...native('memcpy', '/opt/libc.so.6') },
		{ thread: 0, ...native('[unknown]', '/usr/lib/libc.so.6') },
		{ thread: 0, ...native(null, 'libc.so.6') },
		{ thread: 0, ...native('f', null) },
		...many(2, { thread: 0, ...native('ClassFileParser::parse', JVM) }),
		{ thread: 3, ...native('ClassFileParser::parse', JVM) },
		{ thread: 3, ...native('Node::dominates', JVM) },
		...many(2, { thread: 0, why: 'kernel', place: { symbol: 'schedule', library: '[kernel.kallsyms]' } }),
		{ thread: 2, why: 'kernel', place: { symbol: 'schedule', library: '[kernel.kallsyms]' } },
	]);
	expect(time.libraries).toEqual([
		{
			library: 'libc.so.6',
			samples: 8,
			activities: [],
			symbols: [
				{ symbol: 'memcpy', activity: null, samples: 3 },
				{ symbol: 'strlen', activity: null, samples: 3 },
				{ symbol: null, activity: null, samples: 2 },
			],
		},
		{
			library: 'libjvm.so',
			samples: 4,
			activities: [
				{ name: 'class loading', samples: 2 },
				{ name: 'compiling', samples: 2 },
			],
			symbols: [
				{ symbol: 'ClassFileParser::parse', activity: 'class loading', samples: 2 },
				{ symbol: 'ClassFileParser::parse', activity: 'compiling', samples: 1 },
				{ symbol: 'Node::dominates', activity: 'compiling', samples: 1 },
			],
		},
		{ library: 'kernel', samples: 3, activities: [], symbols: [{ symbol: 'schedule', activity: null, samples: 3 }] },
		{ library: 'unknown', samples: 1, activities: [], symbols: [{ symbol: 'f', activity: null, samples: 1 }] },
	]);
});

test('of no samples', () => {
	expect(timeOf([])).toEqual({ counted: 0, classes: [], threads: [], libraries: [] });
});

test('in whatever order the samples come, what has as many stands in the same one', () => {
	const rows: Row[] = [
		{ thread: 0, ...native('f', '/lib/libb.so') },
		{ thread: 0, ...native('g', '/lib/libb.so') },
		{ thread: 0, ...native(null, '/lib/liba.so') },
		{ thread: 3, ...native('os::malloc', JVM) },
		{ thread: 0, ...native('os::malloc', JVM) },
		{ thread: 0, ...native('e', '/lib/liba.so') },
	];
	const told = timeOf(rows).libraries;
	expect(told.map(({ library, symbols }) => [library, symbols.map(({ symbol }) => symbol)])).toEqual([
		['liba.so', ['e', null]],
		['libb.so', ['f', 'g']],
		['libjvm.so', ['os::malloc', 'os::malloc']],
	]);
	expect(timeOf(rows.toReversed()).libraries).toEqual(told);
});
