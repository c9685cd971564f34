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

	test('hidden classes and methods without a signature', () => {
		const own = compiled('1', { method: 'a.B$$Lambda/0x0000700001.run', signature: '()V', doneMs: 10 });
		expect(heat([{ ms: 20, stack: ['JIT compiled a.B$$Lambda/0x0000800002.run'] }], [own]).code).toHaveLength(1);
		expect(chosen([20], [compiled('1', { signature: null, doneMs: 10 })])).toEqual(['1']);
	});
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
