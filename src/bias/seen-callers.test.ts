/** Callers from the tops of stacks, and what a prediction makes of them. */
import { describe, expect, test } from 'vitest';
import { call, type PrintedLine, piece, printedMethod } from '../../test/code.js';
import { codeMap } from '../model/code-map.js';
import { predict } from './predict.js';
import type { PrintedMethod } from './printed-method.js';
import { seenCallers, TopsOfStacks } from './seen-callers.js';

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
): TopsOfStacks {
	return new TopsOfStacks({
		tops: {
			sample: Int32Array.from(rows, ([sample]) => sample),
			slot: Uint16Array.from(rows, ([, slot]) => slot),
			address: Float64Array.from(rows, ([, , address]) => address),
		},
		map: codeMap([...all.map(({ code }) => code), stub]),
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
});
