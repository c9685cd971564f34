import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type JitCompilation, unknownCompilation } from '../model/jit-compilation.js';
import { type StackSamples, StackSamplesBuilder } from '../model/stack-samples.js';
import { heatOfStacks, type StackHeat, type StackHeatInput } from './stack-heat.js';

const START = 1_000_000_000n;

interface Sample {
	readonly ms?: number;
	/** Innermost first: `Inlined a.B.f:3`, with `@` a bytecode index; null: no stack. */
	readonly stack: readonly string[] | null;
	readonly event?: string;
	readonly thread?: string;
	readonly state?: string;
	readonly weight?: number;
}

function samplesOf(rows: readonly Sample[]): StackSamples {
	const builder = new StackSamplesBuilder();
	builder.originEpochNs = START;
	for (const { ms = 0, stack, event = 'jdk.CPUTimeSample', thread = 'main', state = 'STATE_RUNNABLE', weight = 1 } of rows) {
		const frames = (stack ?? []).map((text) => {
			const [, kind = '', name = '', line = '-1', bci = '-1'] = /^(.*) (\S+?)(?::(\d+))?(?:@(\d+))?$/.exec(text) ?? [];
			return builder.frameNumber(builder.methodNumber(name, name.startsWith('(') ? null : '()V', name), Number(line), Number(bci), kind);
		});
		builder.add({
			timeNs: ms * 1e6,
			event: builder.eventNumber(event),
			thread: builder.threadNumber(thread, 1),
			stack: stack === null ? -1 : builder.stackNumber(frames, frames.length, false),
			state: builder.stateNumber(state),
			weight,
			isBiased: false,
		});
	}
	return builder.build();
}

function compiled(compileId: string, more: Partial<JitCompilation>): JitCompilation {
	const kind = compileId.endsWith('%') ? 'osr' : 'standard';
	return { ...unknownCompilation(), compileId, kind, method: 'a.B.f', signature: '()V', compiler: 'c2', level: 4, ...more };
}

function heat(rows: readonly Sample[], compilations: readonly JitCompilation[] = [], more: Partial<StackHeatInput> = {}): StackHeat {
	return heatOfStacks({ samples: samplesOf(rows), event: 0, jvmStartEpochNs: START, compilations, filter: {}, ...more });
}

const COMPILED = ['JIT compiled a.B.f:3'];

/** The compilation of each sample, in the order of times. */
function chosen(times: readonly number[], compilations: readonly JitCompilation[]): (string | null)[] {
	return times.map((ms) => heat([{ ms, stack: COMPILED }], compilations).code[0]?.code.compileId ?? null);
}

describe('which compilation was executed', () => {
	test('the one that was installed last; before the first nobody knows', () => {
		expect(chosen([5, 10, 19, 20, 99], [compiled('2', { doneMs: 20 }), compiled('1', { doneMs: 10, level: 3 })])).toEqual([null, '1', '1', '2', '2']);
	});

	test('that of its own class, where the profile tells classes of one name apart', () => {
		const samples = samplesOf([5, 15, 25].map((ms) => ({ ms, stack: COMPILED })));
		const ofClass = (classId?: number): StackHeat => {
			const methods = samples.frames.methods.map((method) => (classId === undefined ? method : { ...method, classId }));
			const both = [compiled('1', { doneMs: 1, classId: 7 }), compiled('2', { doneMs: 10, classId: 8 }), compiled('3', { doneMs: 20, classId: 0 })];
			const told = { ...samples, frames: { ...samples.frames, methods } };
			return heatOfStacks({ samples: told, event: 0, jvmStartEpochNs: START, compilations: both, filter: {} });
		};
		const rows = ({ code, methods }: StackHeat) => [code.map((row) => [row.code.compileId, row.samples]), methods.map((row) => [row.method, row.samples])];
		expect(rows(ofClass(7))).toEqual([
			[
				['1', 2],
				['3', 1],
			],
			[],
		]);
		expect(rows(ofClass(9))).toEqual([[['3', 1]], [['a.B.f', 2]]]);
		expect(rows(ofClass())[0]).toEqual([
			['1', 1],
			['2', 1],
			['3', 1],
		]);
	});

	test('methods of classes of one name share a row', () => {
		const builder = new StackSamplesBuilder();
		for (const classId of [7, 8, 8]) {
			const frame = builder.frameNumber(builder.methodNumber('a.B.f', '()V', 'a.B.f', classId), 3, 1, 'Interpreted');
			const known = { event: builder.eventNumber('x'), thread: builder.threadNumber('main', 1), state: builder.stateNumber(''), weight: 1, isBiased: false };
			builder.add({ timeNs: 0, stack: builder.stackNumber([frame], 1, false), ...known });
		}
		const { hotMethods } = heatOfStacks({ samples: builder.build(), event: 0, jvmStartEpochNs: START, compilations: [], filter: {} });
		expect(hotMethods.map(({ method, samples, interpreted }) => [method, samples, interpreted])).toEqual([['a.B.f', 3, 3]]);
	});

	test('not one that a trap threw away, while another is there', () => {
		const trap = { kind: 'uncommon trap', reason: 'null_check', method: null, bci: null, threadId: null } as const;
		const dead = compiled('2', { doneMs: 20, deoptimizations: [{ ...trap, action: 'make_not_entrant', ms: 30 }] });
		expect(chosen([25, 35], [compiled('1', { doneMs: 10 }), dead])).toEqual(['2', '1']);
		// A thread that is in the code goes on there.
		expect(chosen([35], [dead])).toEqual(['2']);
		const kept = compiled('2', { doneMs: 20, deoptimizations: [{ ...trap, action: 'maybe_recompile', ms: 30 }] });
		expect(chosen([35], [compiled('1', { doneMs: 10 }), kept])).toEqual(['2']);
		expect(chosen([35], [compiled('1', { doneMs: 10 }), compiled('2', { doneMs: 20, notEntrant: { ms: 30, reason: null } })])).toEqual(['1']);
	});

	test('OSR code where it is of a higher level, or came later', () => {
		const low = { level: 3, compiler: 'c1' };
		expect(chosen([25], [compiled('1%', { doneMs: 10 }), compiled('2', { doneMs: 20, ...low })])).toEqual(['1%']);
		expect(chosen([25], [compiled('1%', { doneMs: 10 }), compiled('2', { doneMs: 20 })])).toEqual(['2']);
		expect(chosen([25], [compiled('1', { doneMs: 10 }), compiled('2%', { doneMs: 20 })])).toEqual(['2%']);
		expect(chosen([25], [compiled('1', { doneMs: 10 }), compiled('2%', { doneMs: 20, ...low })])).toEqual(['2%']);
		expect(heat([{ ms: 25, stack: COMPILED }], [compiled('1', { doneMs: 10 }), compiled('2%', { doneMs: 20 })]).attribution.ambiguous).toBe(1);
		expect(heat([{ ms: 15, stack: COMPILED }], [compiled('1', { doneMs: 10 }), compiled('2%', { doneMs: 20 })]).attribution.ambiguous).toBe(0);
	});

	test('C1 where the profiler says so; not what failed', () => {
		const both = [compiled('1', { doneMs: 10, level: 3, compiler: 'c1' }), compiled('2', { doneMs: 20 })];
		expect(heat([{ ms: 25, stack: ['C1 compiled a.B.f'] }], both).code[0]?.code.compileId).toBe('1');
		expect(chosen([25], [compiled('1', { doneMs: 10, sizeBytes: 0, failure: { reason: 'out of nodes', phase: null } })])).toEqual([null]);
	});

	test('without the time of the start the last one, and it is said', () => {
		const both = [compiled('1', { doneMs: 10 }), compiled('2', { doneMs: 20 })];
		const { code, attribution } = heat([{ ms: 0, stack: COMPILED }], both, { jvmStartEpochNs: null });
		expect(code.map((row) => row.code.compileId)).toEqual(['2']);
		expect(attribution.ambiguous).toBe(1);
	});

	test('of equal levels OSR code only where it came later; of a lower level only where it came later', () => {
		const versions = (osrMs: number, osrLevel: number, standardMs: number, level: number) =>
			chosen([99], [compiled('1%', { doneMs: osrMs, level: osrLevel }), compiled('2', { doneMs: standardMs, level })])[0];
		expect([
			versions(10, 4, 20, 3),
			versions(10, 4, 20, 4),
			versions(20, 4, 20, 4),
			versions(21, 4, 20, 4),
			versions(10, 3, 20, 4),
			versions(21, 3, 20, 4),
		]).toEqual(['1%', '2', '2', '1%', '2', '1%']);
	});

	test('hidden classes and methods without a signature', () => {
		const own = compiled('1', { method: 'a.B$$Lambda/0x0000700001.run', signature: '()V', doneMs: 10 });
		expect(heat([{ ms: 20, stack: ['JIT compiled a.B$$Lambda/0x0000800002.run'] }], [own]).code).toHaveLength(1);
		expect(chosen([20], [compiled('1', { signature: null, doneMs: 10 })])).toEqual(['1']);
	});
});

describe('what may be executed', () => {
	test('at the very moments: from the installation on, up to the trap; wrappers are no compilations', () => {
		const first = compiled('1', { installedMs: 10, doneMs: 5, notEntrant: { ms: 30, reason: null } });
		expect(chosen([9.99, 10], [first])).toEqual([null, '1']);
		expect(chosen([29.99, 30], [compiled('9', { doneMs: 1, level: 3 }), first])).toEqual(['1', '9']);
		expect(chosen([40], [compiled('1', { doneMs: 10, kind: 'native wrapper' })])).toEqual([null]);
	});

	test('up to the first of its fatal traps', () => {
		const trap = (ms: number | null, action: string | null) =>
			({ kind: 'uncommon trap', reason: 'null_check', action, method: null, bci: null, ms, threadId: null }) as const;
		const left = (...deoptimizations: ReturnType<typeof trap>[]) => [compiled('1', { doneMs: 1 }), compiled('2', { doneMs: 10, deoptimizations })];
		expect(chosen([19, 21], left(trap(50, 'reinterpret'), trap(20, 'make_not_compilable'), trap(30, 'make_not_entrant')))).toEqual(['2', '1']);
		expect(chosen([99], left(trap(null, 'reinterpret')))).toEqual(['2']);
		expect(chosen([99], left(trap(20, null)))).toEqual(['2']);
		const ended = { ...left(trap(50, 'reinterpret'))[1]!, notEntrant: { ms: 40, reason: null } };
		expect(chosen([39, 41], [compiled('1', { doneMs: 1 }), ended])).toEqual(['2', '1']);
	});

	test('an overload is told by its signature, where that is told', () => {
		const overloads = [compiled('1', { signature: '(I)V', doneMs: 1 }), compiled('2', { doneMs: 1 }), compiled('3', { signature: null, doneMs: 1 })];
		expect(chosen([5], overloads)).toEqual(['2']);
		expect(chosen([5], overloads.slice(0, 1))).toEqual(['1']);
	});

	test('C2 or C1 where the profiler tells them apart', () => {
		const both = [compiled('2', { doneMs: 20 }), compiled('1', { doneMs: 30, level: 3, compiler: 'c1' })];
		const by = (kind: string) => heat([{ ms: 40, stack: [`${kind} a.B.f:3`] }], both).code.map((row) => row.code.compileId);
		expect([by('JIT compiled'), by('C1 compiled'), by('C2 compiled'), by('Compiled')]).toEqual([['1'], ['1'], ['1'], []]);
		expect(heat([{ ms: 40, stack: ['C1 compiled a.B.f:3'] }], both.slice(0, 1)).methods.map(({ method }) => method)).toEqual(['a.B.f']);
	});

	test('where it is not clear, each sample counts by its weight', () => {
		const osr = [compiled('1', { doneMs: 10, level: 3 }), compiled('2%', { doneMs: 20 })];
		const { code, attribution } = heat(
			[
				{ ms: 25, stack: COMPILED, weight: 3 },
				{ ms: 15, stack: COMPILED },
			],
			osr,
		);
		expect(code.map((row) => [row.code.compileId, row.samples])).toEqual([
			['2%', 3],
			['1', 1],
		]);
		expect(attribution).toEqual({ total: 4, counted: 4, ambiguous: 3 });
		const timeless = (...compilations: JitCompilation[]) =>
			heat([{ stack: COMPILED, weight: 2 }], compilations, { jvmStartEpochNs: null }).attribution.ambiguous;
		expect([timeless(osr[0]!), timeless(...osr), timeless(compiled('1', { doneMs: 1 }), compiled('2', { doneMs: 2 }))]).toEqual([0, 2, 2]);
	});

	test('times of samples and of compilations have their own beginnings', () => {
		const log = [compiled('1', { doneMs: 10 }), compiled('2', { doneMs: 20 })];
		const at = (ms: number, startNs: bigint) => heat([{ ms, stack: COMPILED }], log, { jvmStartEpochNs: startNs }).code[0]?.code.compileId;
		expect([at(15, START), at(15, START - 5_000_000n), at(25, START + 10_000_000n), at(5, START)]).toEqual(['1', '2', '1', undefined]);
	});
});

describe('methods', () => {
	test('by their own time: how it was executed, and the line with most of it', () => {
		const { hotMethods, lines, code, methods } = heat(
			[
				{ stack: ['JIT compiled a.B.f:3'], weight: 2 },
				{ stack: ['JIT compiled a.B.f:5'], weight: 2 },
				{ stack: ['Inlined a.B.f:4', 'JIT compiled a.B.main'], weight: 1 },
				{ stack: ['JIT compiled a.B.f'], weight: 5 },
				{ stack: ['Interpreted a.B.g:9'], weight: 4 },
				{ stack: ['Native a.B.a'], weight: 4 },
				{ stack: [' a.B.z:1'], weight: 6 },
				{ stack: ['Inlined a.B.z:1', 'Interpreted a.B.main'] },
				{ stack: ['Inlined a.B.z:2', 'Inlined a.B.main'] },
				{ stack: null, weight: 3 },
			],
			[compiled('1', { doneMs: 0 }), compiled('2', { method: 'a.B.main', doneMs: 0 })],
		);
		expect(hotMethods.map(({ method, descriptor, samples, line }) => [method, descriptor, samples, line])).toEqual([
			['a.B.f', '()V', 10, { line: 3, samples: 2 }],
			['a.B.z', '()V', 8, { line: 1, samples: 7 }],
			['a.B.a', '()V', 4, null],
			['a.B.g', '()V', 4, { line: 9, samples: 4 }],
		]);
		expect(hotMethods.map(({ compiled: own, inlined, interpreted, native, untold }) => [own, inlined, interpreted, native, untold])).toEqual([
			[9, 1, 0, 0, 0],
			[0, 2, 0, 0, 6],
			[0, 0, 0, 4, 0],
			[0, 0, 4, 0, 0],
		]);
		expect(hotMethods[0]?.share.percent).toBeCloseTo((100 * 10) / 29, 10);
		expect(['a.B.f', 'a.B.g', 'a.B.a', 'a.B.main'].map(lines.hottestLine)).toEqual([3, 9, null, null]);
		expect(code.map((row) => [row.code.compileId, row.code.name, row.samples])).toEqual([
			['1', 'a.B.f', 9],
			['2', 'a.B.main', 1],
		]);
		expect(methods.map(({ method, samples }) => [method, samples])).toEqual([
			['a.B.z', 7],
			['(interpreter)', 4],
			['(native)', 4],
			['(no stack)', 3],
			['a.B.main', 1],
		]);
	});

	test('of equal ones the first by name, and of a method with several signatures the hottest line', () => {
		const builder = new StackSamplesBuilder();
		const add = (name: string, descriptor: string, line: number, weight: number) => {
			const frame = builder.frameNumber(builder.methodNumber(name, descriptor, name), line, 0, 'Interpreted');
			const stack = builder.stackNumber([frame], 1, false);
			builder.add({
				timeNs: 0,
				event: builder.eventNumber('e'),
				thread: builder.threadNumber('t', 1),
				stack,
				state: builder.stateNumber(''),
				weight,
				isBiased: false,
			});
		};
		add('a.B.f', '()V', 10, 2);
		add('a.B.f', '(I)V', 20, 3);
		add('a.B.f', '(J)V', 30, 1);
		add('a.A.x', '()V', 40, 2);
		const { hotMethods, lines } = heatOfStacks({ samples: builder.build(), event: 0, jvmStartEpochNs: null, compilations: [], filter: {} });
		expect(hotMethods.map(({ method, descriptor }) => [method, descriptor])).toEqual([
			['a.B.f', '(I)V'],
			['a.A.x', '()V'],
			['a.B.f', '()V'],
			['a.B.f', '(J)V'],
		]);
		expect(lines.hottestLine('a.B.f')).toBe(20);
	});
});

test('the time that was sampled: from the first sample that counts to the last', () => {
	const at = (ms: number, more: Partial<Sample> = {}): Sample => ({ stack: COMPILED, ms, ...more });
	expect(heat([at(2000), at(500), at(1750), at(9000, { event: 'x' }), at(0, { state: 'STATE_SLEEPING' })]).seconds).toBe(1.5);
	expect(heat([at(500)]).seconds).toBeNull();
	expect(heat([at(Number.NaN), at(Number.NaN)]).seconds).toBeNull();
	expect(heat([at(1000), at(Number.NaN), at(3000)]).seconds).toBe(2);
	expect([heat([at(1)]).event, heat([at(1), at(1, { event: 'x' })], [], { event: 1 }).event, heat([], [], { event: 3 }).event]).toEqual([
		'jdk.CPUTimeSample',
		'x',
		'',
	]);
});

test('what a thread waits for is not counted, and is said with the other events; so are other threads', () => {
	const { reasons, attribution } = heat(
		[
			{ stack: COMPILED, state: 'STATE_IN_OBJECT_WAIT', weight: 2 },
			{ stack: COMPILED, event: 'x', weight: 3 },
			{ stack: COMPILED, thread: 'GC Thread#1', weight: 4 },
			{ stack: COMPILED, thread: 'worker', weight: 5 },
		],
		[],
		{ filter: { threadClass: 'gc' } },
	);
	expect([Object.fromEntries(reasons), attribution]).toEqual([
		{ 'other event': 5, 'other thread': 5, 'named by the profiler only': 4 },
		{ total: 14, counted: 4, ambiguous: 0 },
	]);
});

test('an inlined frame is of the compilation around it, and the time is of the inlined method', () => {
	const { code, hotMethods } = heat(
		[{ ms: 20, stack: ['Inlined a.B.g:7', 'Inlined a.B.h:5', ...COMPILED, 'Interpreted a.B.main'] }],
		[compiled('1', { doneMs: 10 })],
	);
	expect(code.map((row) => row.code)).toEqual([{ compileId: '1', name: 'a.B.f' }]);
	expect(hotMethods).toMatchObject([{ method: 'a.B.g', samples: 1, inlined: 1, compiled: 0, line: { line: 7, samples: 1 } }]);
});

test('what is no compiled code has a reason and a row', () => {
	const { reasons, methods, failed, hotMethods, code } = heat([
		{ stack: ['Interpreted a.B.f:1'] },
		{ stack: ['Native java.lang.Object.clone'] },
		{ stack: ['C++ (native)', 'JIT compiled a.B.f'] },
		{ stack: ['Kernel (kernel)'] },
		{ stack: null },
		{ stack: COMPILED },
		{ stack: [' a.B.f'] },
	]);
	expect(Object.fromEntries(reasons)).toEqual({ interpreter: 1, 'native library': 2, kernel: 1, unknown: 1, 'named by the profiler only': 2 });
	expect(methods.map(({ method, samples }) => [method, samples])).toEqual([
		['(native)', 2],
		['a.B.f', 2],
		['(interpreter)', 1],
		['(kernel)', 1],
		['(no stack)', 1],
	]);
	expect(failed).toBe(1);
	expect(code).toEqual([]);
	expect(hotMethods.map(({ method, compiled: own, interpreted, native, untold }) => [method, own, interpreted, native, untold])).toEqual([
		['a.B.f', 1, 1, 0, 1],
		['java.lang.Object.clone', 0, 0, 1, 0],
	]);
});

test('other events, threads that wait and threads that are not meant do not count', () => {
	const rows: Sample[] = [
		{ stack: COMPILED },
		{ stack: COMPILED, event: 'jdk.ExecutionSample' },
		{ stack: COMPILED, state: 'STATE_SLEEPING' },
		{ stack: COMPILED, thread: 'worker-1', weight: 3 },
		{ stack: COMPILED, thread: 'C2 CompilerThread0' },
	];
	expect(heat(rows).attribution).toEqual({ total: 7, counted: 5, ambiguous: 0 });
	expect(heat(rows, [], { filter: { thread: 'worker-*' } }).attribution.counted).toBe(3);
	expect(heat(rows, [], { filter: { threadClass: 'java' } }).attribution.counted).toBe(4);
	expect(heat(rows, [], { filter: { thread: 'worker-*' } }).reasons.get('other thread')).toBe(2);
});

test('a bytecode has the line of the nearest frame at or before it', () => {
	const { lines } = heat([{ stack: ['JIT compiled a.B.f:10@4'] }, { stack: ['JIT compiled a.B.f:12@9'] }, { stack: ['JIT compiled a.B.f:12@11'] }]);
	expect([3, 4, 8, 9, 50].map((bci) => lines.lineOf('a.B.f', bci))).toEqual([null, 10, 10, 12, 12]);
	expect(lines.lineOf('a.B.g', 4)).toBeNull();
	expect(lines.hottestLine('a.B.f')).toBe(12);
	expect(lines.hottestLine('a.B.g')).toBeNull();
});

const STACKS = [COMPILED, ['Inlined a.B.g', ...COMPILED], ['Interpreted a.B.g'], ['Native a.B.n'], ['Kernel (kernel)'], ['Inlined a.B.g'], null];

test('samples of compilations and of other rows add up to those that count; those of methods to all with a method', () => {
	const row = fc.record({
		ms: fc.integer({ min: 0, max: 50 }),
		stack: fc.constantFrom(...STACKS),
		event: fc.constantFrom('jdk.CPUTimeSample', 'jdk.ExecutionSample'),
		weight: fc.integer({ min: 1, max: 3 }),
	});
	const versions = fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.boolean()), { maxLength: 5 });
	fc.assert(
		fc.property(fc.array(row, { maxLength: 30 }), versions, (rows, installed) => {
			const all = installed.map(([doneMs, isOsr], i) => compiled(`${i}${isOsr ? '%' : ''}`, { doneMs }));
			const { attribution, code, methods, reasons, hotMethods } = heat(rows, all);
			const sum = (list: readonly { readonly samples: number }[]): number => list.reduce((total, { samples }) => total + samples, 0);
			expect(attribution.total).toBe(rows.reduce((total, { weight }) => total + weight, 0));
			expect(sum(code) + sum(methods)).toBe(attribution.counted);
			expect(sum(code) + [...reasons.values()].reduce((total, count) => total + count, 0)).toBe(attribution.total);
			for (const { samples, compiled: own, inlined, interpreted, native, untold } of hotMethods) {
				expect(own + inlined + interpreted + native + untold).toBe(samples);
			}
		}),
	);
});
