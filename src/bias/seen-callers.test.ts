/** Callers from the tops of stacks, and what a prediction makes of them. */
import { describe, expect, test } from 'vitest';
import { call, type PrintedLine, piece, printedMethod } from '../../test/code.js';
import { codeMap } from '../model/code-map.js';
import type { GeneratedCode } from '../model/generated-code.js';
import { type InterpretedMethods, LEFT_FOR_KERNEL } from '../model/samples.js';
import { bootstrap } from './bootstrap.js';
import { predict } from './predict.js';
import { predictedBlame } from './predicted-blame.js';
import type { PrintedMethod } from './printed-method.js';
import { type NativeOwner, seenCallers, TopsOfStacks } from './seen-callers.js';
import { Walks } from './walks.js';

const at = (name: string, bci: number): string => `- ${name}@${bci} (line ${bci})`;
const RETURN: readonly PrintedLine[] = [['add $0x10,%rsp'], ['pop %rbp'], ['cmp (%r15),%rsp', '{poll_return}'], ['ret']];
const FRAME: readonly PrintedLine[] = [['push %rbp'], ['sub $0x10,%rsp']];
/** Frames of four words with the return address; the call is the fourth instruction and returns to the fifth. */
const caller = (name: string, start: number): PrintedMethod =>
	printedMethod(name, [...FRAME, ['inc %eax', at(name, 0)], call('callee', at(name, 1)), ...RETURN], start);
const callee = printedMethod('a.B.callee', [...FRAME, ['inc %eax', at('a.B::callee', 0)], ...RETURN], 0x100);
const [often, seldom] = [caller('a.B::often', 0x200), caller('a.B::seldom', 0x300)];
const stub = piece(0x400, 0x440, { kind: 'stub', name: 'itable stub' });
const returnsTo = ({ code }: PrintedMethod): number => code.start + 16;

function tops(
	rows: readonly (readonly [sample: number, slot: number, address: number])[],
	all: readonly PrintedMethod[] = [callee, often, seldom],
	others: readonly GeneratedCode[] = [stub],
	interpretedMethods?: InterpretedMethods,
): TopsOfStacks {
	return new TopsOfStacks({
		tops: {
			...(interpretedMethods === undefined ? {} : { interpretedMethods }),
			copiedBytes: 1024,
			sample: Int32Array.from(rows, ([sample]) => sample),
			slot: Uint16Array.from(rows, ([, slot]) => slot),
			address: Float64Array.from(rows, ([, , address]) => address),
		},
		map: codeMap([...all.map(({ code }) => code), ...others]),
		methods: new Map(all.map((method) => [method.code, method])),
		secondsOf: () => 1,
	});
}

describe('the call that a compilation was entered by', () => {
	test('stands behind its frame, wherever the frame is made or taken down', () => {
		const seen = tops([
			[0, 3, returnsTo(often)],
			[1, 0, returnsTo(seldom)],
			[2, 1, returnsTo(seldom)],
		]);
		expect(seen.callerOf(0, callee, 2)).toEqual({ method: often, instruction: 3 });
		expect(seen.callerOf(0, callee, 0)).toBeNull();
		expect(seen.callerOf(1, callee, 0)).toEqual({ method: seldom, instruction: 3 });
		expect(seen.callerOf(2, callee, 1)).toEqual({ method: seldom, instruction: 3 });
		expect(seen.callerOf(1, callee, 6)).toEqual({ method: seldom, instruction: 3 });
		expect(seen.callerOf(9, callee, 2)).toBeNull();
	});

	test('is none where no call ends, or where nothing is known', () => {
		const seen = tops([
			[0, 3, returnsTo(often) - 4],
			[1, 3, 0x9000],
			[2, 3, stub.start + 4],
		]);
		expect([0, 1, 2].map((number) => seen.callerOf(number, callee, 2))).toEqual([null, null, null]);
	});

	test('is of the code that was there at the time', () => {
		const before = printedMethod('a.B.before', [...FRAME, ['inc %eax'], ['inc %eax'], ...RETURN], 0x200, { installedSeconds: 0 });
		const later = printedMethod('a.B.later', [...FRAME, ['inc %eax'], ['call 0x100'], ...RETURN], 0x200, { installedSeconds: 2 });
		const now = printedMethod('a.B.now', [...FRAME, ['inc %eax'], ['call 0x100'], ...RETURN], 0x200, { installedSeconds: 0.5 });
		expect(tops([[0, 3, 0x210]], [callee, before, now, later]).callerOf(0, callee, 2)).toEqual({ method: now, instruction: 3 });
	});
});

test('stubs without a frame have it on top; others where they are called, also through a register', () => {
	const copy = piece(0x9000, 0x9100, { kind: 'stub', name: 'jbyte_arraycopy' });
	const seen = tops([
		[0, 0, returnsTo(often)],
		[1, 0, 5],
		[1, 1, returnsTo(often)],
	]);
	expect(seen.callerOfStub(0, stub)).toEqual({ method: often, instruction: 3 });
	expect(seen.callerOfStub(1, stub)).toBeNull();
	expect(seen.callerOfStub(1, copy)).toEqual({ method: often, instruction: 3 });
	expect(seen.callerOfStub(1, { ...copy, start: 0x8000, end: 0x8100 })).toBeNull();
	const indirect = printedMethod('a.B.indirect', [...FRAME, ['inc %eax'], ['call *%r10'], ...RETURN], 0x500);
	expect(tops([[0, 1, returnsTo(indirect)]], [indirect]).callerOfStub(0, copy)).toEqual({ method: indirect, instruction: 3 });
});

describe('native code', () => {
	const wrapper = piece(0x600, 0x640, { kind: 'native wrapper', name: 'a.B.nativeOne' });
	const runtime = piece(0x700, 0x740, { kind: 'stub', name: '_new_array_Java' });
	const interpreter = piece(0x800, 0x900, { kind: 'interpreter', name: 'invokevirtual' });
	const allocating = printedMethod('a.B.allocating', [...FRAME, ['inc %eax'], ['call 0x700'], ...RETURN], 0x900);
	const leaving = printedMethod('a.B.leaving', [...FRAME, ['inc %eax'], ['call *%r10'], ...RETURN], 0xa00);
	const calling = printedMethod('a.B.calling', [...FRAME, ['inc %eax'], ['call 0x100'], ...RETURN], 0xb00);
	const methods = [callee, often, allocating, leaving, calling];
	const seenBy = (...rows: readonly (readonly [slot: number, address: number])[]): TopsOfStacks =>
		tops(
			rows.map(([slot, address]) => [0, slot, address]),
			methods,
			[stub, wrapper, runtime, interpreter],
		);
	const owner = (...rows: readonly (readonly [slot: number, address: number])[]): NativeOwner | null => seenBy(...rows).ownerOf(0, undefined);

	test('is of the native method whose wrapper called it, where a call of Java stands above its frame', () => {
		const printed = printedMethod('a.B.nativeOne', [...FRAME, ['mov %rax,%r11'], ['call *%r11'], ...RETURN], 0xc00, { kind: 'native wrapper' });
		const above = (...rows: readonly (readonly [slot: number, address: number])[]): NativeOwner | null =>
			tops(
				rows.map(([slot, address]) => [0, slot, address]),
				[...methods, printed],
				[interpreter],
			).ownerOf(0, undefined);
		// Three words of its frame, and the one that it returned by.
		const own = [30, returnsTo(printed)] as const;
		const expected = { method: 'a.B.nativeOne', wrapper: printed.code, call: { method: often, instruction: 3 } };
		expect(above(own, [34, returnsTo(often)])).toEqual(expected);
		expect(above(own, [32, returnsTo(calling)], [34, returnsTo(often)])).toEqual(expected);
		expect(above(own, [34, interpreter.start + 8])).toEqual({ ...expected, call: null });
		expect([above(own, [33, returnsTo(calling)]), above(own, [35, returnsTo(calling)])]).toEqual([null, null]);
	});

	test('is of a native method whose wrapper was not printed, where a call of Java stands near; of which is not told', () => {
		expect(owner([30, wrapper.start + 8], [40, returnsTo(often)])).toEqual({ method: 'a.B.nativeOne', wrapper, call: null });
		expect(owner([30, wrapper.start + 8], [40, interpreter.start + 8])).toEqual({ method: 'a.B.nativeOne', wrapper, call: null });
		expect([owner([30, wrapper.start + 8]), owner([30, wrapper.start + 8], [99, returnsTo(calling)])]).toEqual([null, null]);
	});

	test('is of a call of compiled code that a stub led on, or that left generated code', () => {
		const call = { method: allocating, instruction: 3 };
		expect(owner([9, runtime.start + 8], [12, returnsTo(allocating)])).toEqual({ method: null, wrapper: null, call });
		expect(owner([9, returnsTo(leaving)])).toEqual({ method: null, wrapper: null, call: { method: leaving, instruction: 3 } });
	});

	test('is nobody’s by words that lie there from earlier: a method called, another stub, an interpreter between', () => {
		expect(owner([9, returnsTo(calling)])).toBeNull();
		expect(owner([9, runtime.start + 8], [12, returnsTo(calling)])).toBeNull();
		expect(owner([9, interpreter.start + 8], [12, wrapper.start + 8], [14, returnsTo(often)])).toBeNull();
		expect(owner([4, returnsTo(calling)], [9, wrapper.start + 8], [12, returnsTo(often)])).toEqual({ method: 'a.B.nativeOne', wrapper, call: null });
		expect(tops([]).ownerOf(3, undefined)).toBeNull();
	});

	test('works for the method that is interpreted, and so do the interpreter, stubs and the kernel', () => {
		const slowly = new Map(Array.from({ length: 6 }, (_, i) => [i, { name: 'a.B.slow', bytecodeBytes: i === 5 ? 0 : 7 }]));
		const told = { bySample: slowly, byRow: slowly };
		const rows = [
			[0, 9, interpreter.start + 8],
			[1, LEFT_FOR_KERNEL, interpreter.start + 4],
			[2, 1, returnsTo(allocating)],
			[3, 9, returnsTo(leaving)],
			[4, LEFT_FOR_KERNEL, often.code.start + 8],
		] as const;
		const seen = tops(rows, methods, [stub, wrapper, runtime, interpreter], told);
		const slow = { method: 'a.B.slow', wrapper: null, call: null, isInterpreted: true };
		expect(seen.ownerOf(0, undefined)).toEqual(slow);
		expect([seen.ownerOf(0, interpreter), seen.ownerOf(0, runtime), seen.ownerOf(1, undefined)]).toEqual([slow, slow, slow]);
		// A native method has a frame of the interpreter too.
		expect(seen.ownerOf(5, interpreter)).toEqual({ method: 'a.B.slow', wrapper: null, call: null });
		// What compiled code calls is its own.
		expect([2, 3, 4].map((number) => seen.ownerOf(number, number === 2 ? runtime : undefined)?.call?.method)).toEqual([allocating, leaving, often]);
		expect([seen.ownerOf(0, wrapper), seen.ownerOf(0, often.code), seen.ownerOf(9, interpreter)]).toEqual([null, null, null]);
		// Only what lies below a return address into the interpreter tells for which method that called.
		const below = tops(rows, methods, [wrapper, interpreter], { bySample: slowly, byRow: new Map() });
		expect([below.ownerOf(0, undefined), below.ownerOf(0, interpreter)]).toEqual([null, slow]);
	});

	test('entered the kernel, or generated code did, at an instruction', () => {
		const left = seenBy([LEFT_FOR_KERNEL, often.code.start + 8], [12, wrapper.start + 8], [14, returnsTo(often)]);
		expect(left.leftForKernel(0)).toEqual({ method: often, instruction: 2 });
		expect(left.ownerOf(0, undefined)).toEqual({ method: null, wrapper: null, call: { method: often, instruction: 2 } });
		expect(seenBy([12, wrapper.start + 8], [14, returnsTo(often)]).leftForKernel(0)).toBeNull();
		expect(left.leftForKernel(1)).toBeNull();
	});
});

describe('a prediction', () => {
	const ALWAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
	const counts = (method: PrintedMethod, samples: number): Float64Array => new Float64Array(method.instructions.length).fill(samples, 2, 3);
	const sampled = [callee, often, seldom].map((method) => ({ method, counts: counts(method, method === callee ? 100 : 1), ...ALWAYS }));
	const callers = seenCallers([
		...Array.from({ length: 90 }, () => [callee, { method: often, instruction: 3 }] as const),
		...Array.from({ length: 10 }, () => [callee, { method: seldom, instruction: 3 }] as const),
	]);
	const shares = (input: Partial<Parameters<typeof predict>[0]>): Record<string, number> =>
		Object.fromEntries(
			[...predict({ sampled, methods: sampled.map(({ method }) => method), native: [], cold: [], ...input }).blame.byMethod].map(([name, amount]) => [
				name,
				Math.round(amount),
			]),
		);

	test('returns to the callers that were seen', () => {
		expect(shares({})).toEqual({ 'a.B.often': 51, 'a.B.seldom': 51 });
		expect(shares({ callers })).toEqual({ 'a.B.often': 91, 'a.B.seldom': 11 });
	});

	test('goes on in what was seen to be called, though another method of that name is nearer', () => {
		const namesake = printedMethod(
			'a.B.callee',
			[['inc %eax', at('a.B::callee', 9)], ['test %eax,(%r10)', '{poll}'], ['jl 0x500', at('a.B::callee', 9)], ['ret']],
			0x500,
		);
		const row = { method: namesake, counts: new Float64Array(namesake.instructions.length).fill(500, 0, 1), ...ALWAYS };
		const all = { sampled: [...sampled.slice(1), row], methods: [...sampled.map(({ method }) => method), namesake] };
		expect(shares(all)['a.B.callee']).toBe(502);
		expect(shares({ ...all, callers })).toEqual({ 'a.B.callee': 500, 'a.B.often': 1, 'a.B.seldom': 1 });
	});

	test('has threads in a stub go on into the call that they came by', () => {
		const native = [{ symbol: 'itable stub', library: '', activity: null, call: { method: seldom, instruction: 3 }, count: 50 }];
		expect(shares({ callers, native })).toEqual({ 'a.B.often': 91, 'a.B.seldom': 61 });
	});

	test('has threads in native methods stop there, with the callers above', () => {
		const native = [{ symbol: 'deflate', library: 'libzip.so', activity: null, method: 'a.B.nativeOne', call: { method: seldom, instruction: 3 }, count: 50 }];
		expect(shares({ callers, native })).toEqual({ 'a.B.often': 91, 'a.B.seldom': 11, 'a.B.nativeOne': 50 });
		const { transfers } = predict({ sampled, methods: sampled.map(({ method }) => method), cold: [], callers, native });
		expect(transfers.get('a.B.nativeOne')).toEqual(new Map([['a.B.nativeOne', 50]]));
		const whole = new Walks({ sampled, methods: sampled.map(({ method }) => method), cold: [], callers, native });
		const intervals = bootstrap(whole, 20);
		const share = (100 * 50) / 152;
		const { low = 0, high = 0 } = intervals.get('a.B.nativeOne') ?? {};
		expect([low < share && low > share - 15, high > share && high < share + 15]).toEqual([true, true]);
	});

	test('follows what the kernel took over from the instruction, without taking it for executions', () => {
		const inKernel = [{ method: seldom, counts: counts(seldom, 40), ...ALWAYS }];
		const without = shares({ callers });
		const blamed = shares({ callers, inKernel });
		expect(blamed['a.B.often']).toBe(without['a.B.often']);
		expect((blamed['a.B.seldom'] ?? 0) - (without['a.B.seldom'] ?? 0)).toBe(40);
		const walks = new Walks({ sampled, methods: sampled.map(({ method }) => method), native: [], cold: [], callers, inKernel });
		expect(predictedBlame(walks).get('a.B.seldom')).toBeCloseTo(51, 0);
		const { low = 0, high = 0 } = bootstrap(walks, 20).get('a.B.seldom') ?? {};
		expect(low < (100 * 51) / 142 && high > (100 * 51) / 142).toBe(true);
	});
});
