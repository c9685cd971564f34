import { expect, test } from 'vitest';
import { FRAMES, ORIGIN, RUN, STACKED } from '../../../test/stacked-samples.js';
import type { StackedSamples } from '../../model/stacked-samples.js';
import { writeFirefoxProfile } from './write.js';

function written(stacked: StackedSamples) {
	const pieces: string[] = [];
	writeFirefoxProfile(stacked, ORIGIN, (piece) => void pieces.push(piece));
	return JSON.parse(pieces.join(''));
}

test('threads in the order of their samples, samples in the order of time', () => {
	const { threads } = written(STACKED);
	const common = {
		processType: 'default',
		processName: 'a recording',
		processStartupTime: 0,
		processShutdownTime: null,
		registerTime: 0,
		unregisterTime: null,
		pausedRanges: [],
		pid: '50',
		markers: { length: 0, data: [], name: [], startTime: [], endTime: [], phase: [], category: [] },
	};
	const samples = { weightType: 'samples', weight: null };
	expect(threads).toEqual([
		{
			...common,
			name: 'worker',
			isMainThread: false,
			tid: 51,
			samples: {
				...samples,
				length: 7,
				stack: [1, 1, null, 2, null, 1, null],
				time: [1, 2, 249, 250, 499, 500, 501],
				threadCPUDelta: [20, 60, 0, 30, 0, 10, 0],
			},
		},
		{
			...common,
			name: 'main',
			isMainThread: true,
			tid: 50,
			samples: { ...samples, length: 4, stack: [null, 3, 5, null], time: [11, 12, 13, 14], threadCPUDelta: [0, 40, 50, 0] },
		},
		{
			...common,
			name: 'all threads',
			isMainThread: false,
			tid: 2,
			samples: { ...samples, length: 3, stack: [null, 6, null], time: [40.5, 41.5, 42.5], threadCPUDelta: [0, 70, 0] },
		},
	]);
});

test('the main thread is told by its number, or by its name where it comes first', () => {
	const mainOf = (threads: StackedSamples['threads']): unknown =>
		written({ ...STACKED, threads }).threads.map(({ isMainThread }: { isMainThread: boolean }) => isMainThread);
	expect(mainOf([{ name: 'worker', id: 51 }, { name: 'main', id: 52 }, STACKED.threads[2]!])).toEqual([true, false, false]);
	expect(mainOf([{ name: 'main', id: 51 }, { name: 'worker', id: 52 }, STACKED.threads[2]!])).toEqual([false, false, false]);
	expect(mainOf([{ name: 'main', id: 50 }, { name: 'main', id: 52 }, STACKED.threads[2]!])).toEqual([true, true, false]);
});

test('a thread with the number 0 keeps it', () => {
	const threads = [STACKED.threads[0]!, STACKED.threads[1]!, { name: 'swapper', id: 0 }];
	expect(written({ ...STACKED, threads }).threads[2]).toMatchObject({ name: 'swapper', tid: 0 });
});

test('meta data', () => {
	expect(written(STACKED).meta).toEqual({
		interval: 1,
		startTime: 1_700_000_000_000,
		profilingStartTime: 0,
		profilingEndTime: 501,
		processType: 0,
		product: 'a recording',
		importedFrom: 'assay 1',
		stackwalk: 1,
		version: 32,
		preprocessedProfileVersion: 60,
		categories: [
			{ name: 'Other', color: 'grey', subcategories: ['Other'] },
			{ name: 'Java, compiled by c2', color: 'blue', subcategories: ['Other'] },
			{ name: 'Native', color: 'green', subcategories: ['Other'] },
			{ name: 'Kernel', color: 'orange', subcategories: ['Other'] },
			{ name: 'Interpreter', color: 'yellow', subcategories: ['Other'] },
			{ name: 'Stub of the JVM', color: 'magenta', subcategories: ['Other'] },
		],
		markerSchema: expect.arrayContaining([expect.objectContaining({ name: 'Compilation' }), expect.objectContaining({ name: 'Collection' })]),
		symbolicated: true,
		symbolicationNotSupported: true,
		usesOnlyOneStackType: true,
		sourceCodeIsNotOnSearchfox: true,
		sampleUnits: { time: 'ms', eventDelay: 'ms', threadCPUDelta: 'ns' },
		extra: [{ label: 'Recording', entries: [{ label: 'Sampled event', format: 'string', value: 'cpu-clock' }] }],
	});
	expect(written({ ...STACKED, intervalNs: 2_500_000 }).meta).toMatchObject({ interval: 2.5, profilingEndTime: 502.5 });
});

test('without times samples follow each other', () => {
	const { meta, threads } = written({ ...STACKED, timeSeconds: null, intervalNs: null, originEpochMs: null, processId: null });
	expect(meta).toMatchObject({ interval: 1, startTime: 0, profilingEndTime: 1 });
	expect(threads.map(({ pid, samples }: { pid: string; samples: { stack: number[]; time: number[] } }) => [pid, samples.stack, samples.time])).toEqual([
		['0', [1, 1, 2, 1], [0, 1, 2, 3]],
		['0', [3, 5], [0, 1]],
		['0', [6], [0]],
	]);
});

test('frames, functions, symbols and libraries', () => {
	const { shared, libs } = written(STACKED);
	const { stringArray, stackTable, frameTable, funcTable, resourceTable, nativeSymbols, sources } = shared;
	const text = (at: number): string => stringArray[at];
	expect(stackTable).toEqual({ length: 7, frame: [0, 1, 2, 3, 4, 5, 6], prefix: [null, 0, 1, 2, null, 4, 4] });
	expect({ ...frameTable, length: 7 }).toEqual({
		length: 7,
		// Relative to the lowest generated code, 0xf00; what is not generated has none.
		address: [0x110, 0x110, -1, -1, -1, 4, -1],
		inlineDepth: [0, 1, 0, 0, 0, 0, 0],
		category: [1, 1, 2, 3, 4, 5, 2],
		subcategory: [0, 0, 0, 0, 0, 0, 0],
		func: [0, 1, 2, 3, 4, 5, 2],
		nativeSymbol: [0, 0, null, null, null, 1, null],
		innerWindowID: [null, null, null, null, null, null, null],
		line: [10, 20, null, null, null, null, null],
		column: [null, null, null, null, null, null, null],
	});
	const none = [null, null, null, null, null, null];
	const no = [false, false, false, false, false, false];
	expect({ ...funcTable, name: funcTable.name.map(text) }).toEqual({
		length: 6,
		name: ['a.Main.run', 'a.Main.step', 'memcpy', '(schedule)', '(Interpreter)', '(StubRoutines (1))'],
		isJS: no,
		relevantForJS: no,
		resource: [0, 0, 1, -1, -1, 0],
		source: none,
		lineNumber: none,
		columnNumber: none,
	});
	expect({ ...resourceTable, name: resourceTable.name.map(text) }).toEqual({
		length: 2,
		lib: [0, 1],
		name: ['JIT', '/lib/libc.so'],
		host: [null, null],
		type: [1, 1],
	});
	expect({ ...nativeSymbols, name: nativeSymbols.name.map(text) }).toEqual({
		length: 2,
		libIndex: [0, 0],
		address: [0x100, 0],
		name: ['a.Main.run [c7 c2 level 4]', 'StubRoutines (1)'],
		functionSize: [0x100, 0x40],
	});
	expect(libs).toEqual(['JIT', '/lib/libc.so'].map((name) => ({ arch: '', name, path: name, debugName: name, debugPath: name, breakpadId: '', codeId: null })));
	expect(sources).toEqual({ length: 0, id: [], filename: [] });
	expect(new Set(stringArray).size).toBe(stringArray.length);
});

test('what is compiled twice is two symbols of one function', () => {
	const again = { ...RUN, compileId: '9%', compiler: null, level: null, start: 0x2000, end: 0x2010 };
	const frames = [...FRAMES.slice(0, 6), { ...FRAMES[0]!, code: again, address: 0x2008 }];
	const { frameTable, funcTable, nativeSymbols, stringArray } = written({ ...STACKED, frames }).shared;
	expect(frameTable.func[6]).toBe(0);
	expect(funcTable.length).toBe(6);
	expect([frameTable.address[6], frameTable.nativeSymbol[6]]).toEqual([0x1108, 2]);
	expect([stringArray[nativeSymbols.name[2]], nativeSymbols.address[2], nativeSymbols.functionSize[2]]).toEqual(['a.Main.run [c9%]', 0x1100, 0x10]);
});

test('generated code of which no address is told has no symbol', () => {
	const frames = [{ ...FRAMES[0]!, address: Number.NaN }, ...FRAMES.slice(1)];
	const { frameTable, nativeSymbols } = written({ ...STACKED, frames }).shared;
	expect([frameTable.address[0], frameTable.nativeSymbol[0], nativeSymbols.length]).toEqual([-1, null, 2]);
});

test('many samples are written in pieces', () => {
	const length = 8193;
	const stacks = Array.from({ length }, (_, i) => i % 7);
	const { threads } = written({ ...STACKED, length, node: Int32Array.from(stacks), thread: new Int32Array(length), timeSeconds: null });
	expect(threads[0].samples).toMatchObject({ length, stack: stacks, time: stacks.map((_, i) => i) });
});

test('markers are a thread of their own, in the order of their begins', () => {
	const pieces: string[] = [];
	const compilation = { type: 'Compilation' as const, name: 'c7 a.Main.run', startMs: 20.5, endMs: 900, details: { compileId: '7', level: 4, bytes: null } };
	const left = { type: 'Deoptimization' as const, name: 'c7 a.Main.run', startMs: 3, endMs: null, details: { reason: 'null_check' } };
	writeFirefoxProfile(STACKED, ORIGIN, (piece) => void pieces.push(piece), [compilation, left]);
	const { meta, threads, shared } = JSON.parse(pieces.join(''));
	const { markers, samples, tid } = threads.at(-1);
	expect([tid, samples.length, meta.profilingEndTime]).toEqual([52, 0, 901]);
	expect(markers.name.map((number: number) => shared.stringArray[number])).toEqual(['c7 a.Main.run', 'c7 a.Main.run']);
	expect({ ...markers, name: [] }).toEqual({
		length: 2,
		data: [
			{ type: 'Deoptimization', reason: 'null_check' },
			{ type: 'Compilation', compileId: '7', level: 4 },
		],
		name: [],
		startTime: [3, 20.5],
		endTime: [null, 900],
		phase: [0, 1],
		category: [0, 0],
	});
});

test('weights of rows, and of times', () => {
	const weights = Float64Array.of(1, 2e6, 3, 4, 5, 6, 7);
	const of = (unit: string) => written({ ...STACKED, periods: null, weights, unit }).threads[0].samples;
	expect(of('samples')).toMatchObject({ weightType: 'samples', weight: [2e6, 6, 3, 1] });
	expect(of('nanoseconds')).toMatchObject({ weightType: 'tracing-ms', weight: [2, 6e-6, 3e-6, 1e-6] });
});
