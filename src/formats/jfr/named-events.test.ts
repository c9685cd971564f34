/** Events of the compilers and of the JVM in made-up chunks: every field, what is missing, and the clock. */
import { describe, expect, test } from 'vitest';
import { jfrChunk, jfrEvent, type MadePart, type MadeValue, SAFEPOINT_TYPE, SAMPLE_TYPES, TICKS_PER_SECOND_AT } from '../../../test/jfr-file.js';
import { memorySource } from '../../bytes/source.js';
import { type JfrEvents, readJfrEvents } from './read.js';

const { 'jdk.ExecutionSample': _, ...CONSTANT_TYPES } = SAMPLE_TYPES;

const TYPES = {
	...CONSTANT_TYPES,
	...SAFEPOINT_TYPE,
	'jdk.types.Word': { word: 'java.lang.String' },
	'jdk.types.CalleeMethod': { type: 'java.lang.String', name: 'java.lang.String', descriptor: 'java.lang.String' },
	'jdk.Compilation': {
		startTime: 'long',
		duration: 'long',
		eventThread: '@java.lang.Thread',
		compileId: 'int',
		compiler: '@jdk.types.Word',
		method: '@jdk.types.Method',
		compileLevel: 'short',
		succeded: 'boolean',
		isOsr: 'boolean',
		codeSize: 'long',
		inlinedBytes: 'long',
		arenaBytes: 'long',
	},
	'jdk.CompilerInlining': {
		startTime: 'long',
		eventThread: '@java.lang.Thread',
		compileId: 'int',
		caller: '@jdk.types.Method',
		callee: 'jdk.types.CalleeMethod',
		succeeded: 'boolean',
		message: 'java.lang.String',
		bci: 'int',
	},
	'jdk.CompilationFailure': { startTime: 'long', eventThread: '@java.lang.Thread', failureMessage: 'java.lang.String', compileId: 'int' },
	'jdk.Deoptimization': {
		startTime: 'long',
		eventThread: '@java.lang.Thread',
		compileId: 'int',
		method: '@jdk.types.Method',
		bci: 'int',
		reason: '@jdk.types.Word',
		action: '@jdk.types.Word',
	},
	'jdk.JVMInformation': {
		startTime: 'long',
		jvmVersion: 'java.lang.String',
		jvmArguments: 'java.lang.String',
		javaArguments: 'java.lang.String',
		jvmStartTime: 'long',
		pid: 'long',
	},
	'jdk.ActiveSetting': { startTime: 'long', id: 'long', name: 'java.lang.String', value: 'java.lang.String' },
	'jdk.BooleanFlag': { startTime: 'long', name: 'java.lang.String', value: 'boolean', origin: '@jdk.types.Word' },
	'jdk.IntFlag': { startTime: 'long', name: 'java.lang.String', value: 'int', origin: '@jdk.types.Word' },
	'jdk.LongFlag': { startTime: 'long', name: 'java.lang.String', value: 'long', origin: '@jdk.types.Word' },
	'jdk.StringFlag': { startTime: 'long', name: 'java.lang.String', value: 'java.lang.String', origin: '@jdk.types.Word' },
	'jdk.SafepointStateSynchronization': { startTime: 'long', duration: 'long', safepointId: 'long', initialThreadCount: 'int' },
	'jdk.SafepointCleanup': { startTime: 'long', duration: 'long', safepointId: 'long' },
	'jdk.SafepointEnd': { startTime: 'long', duration: 'long', safepointId: 'long' },
	'jdk.ExecuteVMOperation': { startTime: 'long', duration: 'long', operation: '@jdk.types.Word', safepointId: 'long' },
	'jdk.GarbageCollection': {
		startTime: 'long',
		duration: 'long',
		gcId: 'int',
		name: '@jdk.types.Word',
		cause: '@jdk.types.Word',
		sumOfPauses: 'long',
		longestPause: 'long',
	},
	'jdk.CodeCacheStatistics': {
		startTime: 'long',
		codeBlobType: '@jdk.types.Word',
		entryCount: 'int',
		methodCount: 'int',
		unallocatedCapacity: 'long',
		fullCount: 'int',
	},
} as const;

const CONSTANTS: MadePart = {
	constants: {
		'java.lang.Thread': [
			[1, 'main', 4711, 'main'],
			[2, 'C2 CompilerThread0', 4712, null],
			[3, 'unknown', -1, null],
		],
		'jdk.types.Symbol': [
			[1, 'demo/Hot$Inner'],
			[2, 'run'],
			[3, '(I)V'],
		],
		'java.lang.Class': [[30, 1]],
		'jdk.types.Method': [[10, 30, 2, 3, 0]],
		'jdk.types.Word': [
			[1, 'c2'],
			[2, 'class_check'],
			[3, 'reinterpret'],
			[4, 'Command line'],
			[5, 'G1New'],
			[6, 'System.gc()'],
			[7, "CodeHeap 'profiled nmethods'"],
		],
	},
};

const idOf = (type: keyof typeof TYPES): number => 100 + 9 + Object.keys(TYPES).indexOf(type);
const event = (name: keyof typeof TYPES, ...values: MadeValue[]): MadePart => ({ event: name, values });
const file = (parts: readonly MadePart[], more: Partial<Parameters<typeof jfrChunk>[0]> = {}) =>
	memorySource('a.jfr', jfrChunk({ types: TYPES, parts: [...parts, CONSTANTS], ...more }));
const compilers = (...parts: MadePart[]): JfrEvents => readJfrEvents(file(parts), 'compilers');
const jvm = (...parts: MadePart[]): JfrEvents => readJfrEvents(file(parts), 'jvm');

const METHOD = { method: 'demo.Hot$Inner.run', descriptor: '(I)V' };
const C2 = { threadId: 4712, threadName: 'C2 CompilerThread0' };

// A tick is a millisecond, and the JVM started at tick 0.
describe('compilers', () => {
	test('compilations, in the order of their starts', () => {
		const { compilations, problems, startMs, endMs, jvmStartEpochNs } = compilers(
			event('jdk.Compilation', 700, 25, 2, 18, 1, 10, 4, 1, 1, 999, 120, 65536),
			event('jdk.Compilation', 600, 5, 3, 17, 99, 99, 3, 0, 0, 999, 0, 0),
		);
		expect(compilations).toEqual([
			{
				compileId: 17,
				ms: 600,
				threadId: null,
				threadName: 'unknown',
				durationMs: 5,
				compiler: null,
				method: { method: '?', descriptor: null },
				classId: 0,
				level: 3,
				succeeded: false,
				isOsr: false,
				inlinedBytes: 0,
				arenaBytes: 0,
			},
			{
				compileId: 18,
				ms: 700,
				...C2,
				durationMs: 25,
				compiler: 'c2',
				method: METHOD,
				classId: 30,
				level: 4,
				succeeded: true,
				isOsr: true,
				inlinedBytes: 120,
				arenaBytes: 65536,
			},
		]);
		expect([startMs, endMs, jvmStartEpochNs]).toEqual([500, 2500, 500_000_000n]);
		expect(problems.map(({ message }) => message)).toEqual(["2 references of the compilers' events name constants that the chunk does not hold"]);
	});

	test('decisions on inlining, failures and deoptimizations', () => {
		const read = compilers(
			event('jdk.CompilerInlining', 600, 2, 18, 10, ['demo/Other', 'call', '()V'], 1, 'inline (hot)', 42),
			event('jdk.CompilerInlining', 601, 2, 18, 10, ['demo/Other', 'call', '()V'], 0, 'too big', 45),
			event('jdk.CompilationFailure', 602, 2, 'out of nodes', 18),
			event('jdk.CompilationFailure', 603, 2, null, 19),
			event('jdk.Deoptimization', 604, 1, 18, 10, -1, 2, 3),
			event('jdk.Deoptimization', 605, 1, 18, 0, 7, 0, 0),
		);
		const callee = { method: 'demo.Other.call', descriptor: '()V' };
		expect(read.problems).toEqual([]);
		expect(read.inlinings).toEqual([
			{ compileId: 18, ms: 600, ...C2, caller: METHOD, bci: 42, callee, succeeded: true, message: 'inline (hot)' },
			{ compileId: 18, ms: 601, ...C2, caller: METHOD, bci: 45, callee, succeeded: false, message: 'too big' },
		]);
		expect(read.failures).toEqual([
			{ compileId: 18, ms: 602, ...C2, message: 'out of nodes' },
			{ compileId: 19, ms: 603, ...C2, message: 'unknown' },
		]);
		const main = { threadId: 4711, threadName: 'main' };
		expect(read.deoptimizations).toEqual([
			{ compileId: 18, ms: 604, ...main, method: METHOD, bci: -1, reason: 'class_check', action: 'reinterpret' },
			{ compileId: 18, ms: 605, ...main, method: null, bci: 7, reason: 'unknown', action: null },
		]);
	});

	test('each list is in the order of time', () => {
		const read = compilers(
			...[603, 601, 602].flatMap((ticks) => [
				event('jdk.CompilerInlining', ticks, 2, 18, 10, ['A', 'b', '()V'], 1, 'inline', 1),
				event('jdk.CompilationFailure', ticks, 2, 'no', 18),
				event('jdk.Deoptimization', ticks, 1, 18, 10, 1, 2, 3),
			]),
		);
		for (const list of [read.inlinings, read.failures, read.deoptimizations]) {
			expect(list.map(({ ms }) => ms)).toEqual([601, 602, 603]);
		}
	});

	test('fields that an older or later JVM does not have are null', () => {
		const types = { ...CONSTANT_TYPES, 'jdk.Compilation': { startTime: 'long', succeeded: 'boolean' }, 'jdk.CompilerInlining': { startTime: 'long' } };
		const parts: MadePart[] = [
			{ event: 'jdk.Compilation', values: [600, 1] },
			{ event: 'jdk.CompilerInlining', values: [600] },
		];
		const none = { compileId: -1, ms: null, threadId: null, threadName: null };
		const read = readJfrEvents(memorySource('a.jfr', jfrChunk({ types, parts })), 'compilers');
		expect(read.compilations).toEqual([
			{
				...none,
				durationMs: null,
				compiler: null,
				method: { method: '?', descriptor: null },
				classId: 0,
				level: null,
				succeeded: true,
				isOsr: false,
				inlinedBytes: null,
				arenaBytes: null,
			},
		]);
		expect(read.inlinings).toEqual([
			{ ...none, caller: { method: '?', descriptor: null }, bci: -1, callee: { method: '', descriptor: null }, succeeded: false, message: '' },
		]);
		// Nothing in the file is HotSpot's own.
		expect([read.startMs, read.endMs, read.jvmStartEpochNs]).toEqual([null, null, null]);
	});

	test('compilations alone leave the rest out; the JVM and its code cache are there in both', () => {
		const parts = [
			event('jdk.Compilation', 700, 25, 2, 18, 1, 10, 4, 1, 1, 999, 120, 65536),
			event('jdk.CompilationFailure', 602, 2, 'out of nodes', 18),
			event('jdk.JVMInformation', 600, 'OpenJDK', '-Xmx1g', 'Main', 123, 4711),
			event('jdk.CodeCacheStatistics', 601, 7, 3, 2, 4096, 1),
		];
		const expected = {
			information: { version: 'OpenJDK', arguments: '-Xmx1g', command: 'Main', startedEpochMs: 123, processId: 4711 },
			codeCache: [{ startMs: 601, isFull: false, heap: "CodeHeap 'profiled nmethods'", freeBytes: 4096, blobs: 3, nmethods: 2, timesFull: 1 }],
		};
		const few = readJfrEvents(file(parts), 'compilations');
		expect(few).toMatchObject({ compilations: [{ compileId: 18 }], failures: [], ...expected, problems: [] });
		expect(compilers(...parts)).toMatchObject({ compilations: [{ compileId: 18 }], failures: [{ compileId: 18 }], ...expected });
		expect(jvm(...parts)).toMatchObject(expected);
	});

	test('an event that is cut is left out and counted; so are those before damage that are not to be trusted', () => {
		const cut = { bytes: jfrEvent(idOf('jdk.CompilationFailure'), Buffer.of(1)) };
		const failure = event('jdk.CompilationFailure', 602, 2, 'out of nodes', 18);
		const read = compilers(cut, failure, { bytes: jfrEvent(77, Buffer.of(1)) }, failure, { bytes: Buffer.alloc(9) });
		expect(read.failures).toHaveLength(1);
		expect(read.problems.map(({ message }) => message)).toEqual([
			'no event can be read here, and 1 events of the compilers before it are not to be trusted',
			'1 events of the compilers are not as the metadata describes them',
		]);
		expect(jvm({ bytes: jfrEvent(idOf('jdk.BooleanFlag'), Buffer.of(1)) }).problems).toMatchObject([
			{ offsetBytes: 0, message: '1 events of the JVM are not as the metadata describes them', action: 'they are left out' },
		]);
	});
});

describe('the JVM', () => {
	test('parts of safepoints, operations and collections, with times in milliseconds', () => {
		const read = jvm(
			event('jdk.SafepointEnd', 640, 4, 7),
			event('jdk.SafepointBegin', 600, 30, 7, 12),
			event('jdk.SafepointStateSynchronization', 610, 20, 7, 3),
			event('jdk.SafepointCleanup', 635, 1, 7),
			event('jdk.ExecuteVMOperation', 601, 50, 6, 7),
			event('jdk.GarbageCollection', 602, 45, 2, 5, 6, 40, 25),
		);
		expect(read.problems).toEqual([]);
		expect(read.safepoints).toEqual([
			{ startMs: 600, durationMs: 30, part: 'begin', safepointId: 7, threads: 12 },
			{ startMs: 610, durationMs: 20, part: 'synchronization', safepointId: 7, threads: 3 },
			{ startMs: 635, durationMs: 1, part: 'cleanup', safepointId: 7, threads: null },
			{ startMs: 640, durationMs: 4, part: 'end', safepointId: 7, threads: null },
		]);
		expect(read.operations).toEqual([{ startMs: 601, durationMs: 50, operation: 'System.gc()', safepointId: 7 }]);
		expect(read.collections).toEqual([{ startMs: 602, durationMs: 45, gcId: 2, name: 'G1New', cause: 'System.gc()', sumOfPausesMs: 40, longestPauseMs: 25 }]);
	});

	test('operations, collections and the code cache are in the order of time', () => {
		const read = jvm(
			...[602, 601].flatMap((ticks) => [
				event('jdk.ExecuteVMOperation', ticks, 1, 6, 0),
				event('jdk.GarbageCollection', ticks, 1, 2, 5, 6, 1, 1),
				event('jdk.CodeCacheStatistics', ticks, 7, 3, 2, 4096, 1),
			]),
		);
		for (const list of [read.operations, read.collections, read.codeCache]) {
			expect(list.map(({ startMs }) => startMs)).toEqual([601, 602]);
		}
	});

	test('flags of all kinds as they are printed, the last value of each', () => {
		const { flags } = jvm(
			event('jdk.BooleanFlag', 1, 'UseSerialGC', 1, 4),
			event('jdk.BooleanFlag', 1, 'UseG1GC', 0, 0),
			event('jdk.IntFlag', 1, 'VMThreadPriority', -1, 4),
			event('jdk.IntFlag', 1, 'CICompilerCount', 3, 4),
			event('jdk.IntFlag', 2, 'CICompilerCount', 4, 4),
			event('jdk.LongFlag', 1, 'MaxRAM', 2n ** 62n + 1n, 4),
			event('jdk.StringFlag', 1, 'ErrorFile', '/tmp/e.log', 4),
			event('jdk.StringFlag', 1, 'HeapDumpPath', null, 4),
			event('jdk.StringFlag', 1, null, 'no name', 4),
		);
		expect([...flags.values()]).toEqual([
			{ name: 'UseSerialGC', value: 'true', origin: 'Command line' },
			{ name: 'UseG1GC', value: 'false', origin: null },
			{ name: 'VMThreadPriority', value: '-1', origin: 'Command line' },
			{ name: 'CICompilerCount', value: '4', origin: 'Command line' },
			{ name: 'MaxRAM', value: '4611686018427387905', origin: 'Command line' },
			{ name: 'ErrorFile', value: '/tmp/e.log', origin: 'Command line' },
			{ name: 'HeapDumpPath', value: '', origin: 'Command line' },
		]);
	});

	test('settings belong to the event whose number they name', () => {
		const { settings } = jvm(
			event('jdk.ActiveSetting', 1, idOf('jdk.Compilation'), 'threshold', '100 ms'),
			event('jdk.ActiveSetting', 1, idOf('jdk.Compilation'), 'enabled', 'true'),
			event('jdk.ActiveSetting', 2, idOf('jdk.Compilation'), 'threshold', '0 ms'),
			event('jdk.ActiveSetting', 1, idOf('jdk.BooleanFlag'), 'enabled', 'false'),
			event('jdk.ActiveSetting', 1, 9999, 'enabled', 'false'),
			event('jdk.ActiveSetting', 1, idOf('jdk.BooleanFlag'), 'period', null),
		);
		expect([...settings].map(([name, own]) => [name, Object.fromEntries(own)])).toEqual([
			['jdk.Compilation', { threshold: '0 ms', enabled: 'true' }],
			['jdk.BooleanFlag', { enabled: 'false' }],
		]);
	});

	test('what kinds there are, and how many of each, is told of those that are not read, too', () => {
		const { declared, events, information } = jvm(event('jdk.CompilationFailure', 602, 2, 'no', 18));
		expect(declared.has('jdk.CompilationFailure') && declared.has('jdk.GarbageCollection')).toBe(true);
		expect(events.get('jdk.CompilationFailure')).toBe(1);
		expect(events.has('jdk.GarbageCollection')).toBe(false);
		expect(information).toBeNull();
	});

	test('a file without chunks tells nothing', () => {
		expect(readJfrEvents(memorySource('a.jfr', new Uint8Array(0)), 'jvm')).toMatchObject({ chunks: [], information: null, startMs: null, endMs: null });
	});

	test('without a rate of ticks there are no times, and no events that have nothing else', () => {
		const parts = [event('jdk.SafepointBegin', 600, 30, 7, 12), event('jdk.BooleanFlag', 1, 'UseSerialGC', 1, 4)];
		const read = readJfrEvents(file(parts, { header: { [TICKS_PER_SECOND_AT]: 0 } }), 'jvm');
		expect(read).toMatchObject({ safepoints: [], startMs: null, endMs: null, jvmStartEpochNs: null });
		expect(read.flags.size).toBe(1);
	});
});
