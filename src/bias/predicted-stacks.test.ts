/** Stacks at the next safepoints, the innermost frame first: code of a few instructions without samples of its own, so that every branch without a reason goes both ways equally. */
import { describe, expect, test } from 'vitest';
import { call, printedMethod as method, type PrintedLine, vmCall } from '../../test/code.js';
import { coldCode } from '../../test/cold-code.js';
import type { GeneratedCode } from '../model/generated-code.js';
import { type KnownCallers, predictedStacks, type StackInput } from './predicted-stacks.js';
import type { PredictionInput } from './prediction-input.js';
import type { PrintedMethod } from './printed-method.js';
import { Walks } from './walks.js';

const ALWAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
const RUN: KnownCallers = { names: ['a.B.run', 'a.B.main'], isMethod: true };

const at = (name: string, bci: number): string => `- a.B::${name}@${bci} (line ${bci})`;
const LEAF_CALL: PrintedLine = ['call 0x9000', '{runtime_call jbyte_arraycopy}'];
const BARRIER: PrintedLine = ['call 0x9000', '{runtime_call StubRoutines::method_entry_barrier}'];
const RETURN: readonly PrintedLine[] = [['cmp (%r15),%rsp', '{poll_return}'], ['ret']];
const UNKNOWN: readonly PrintedLine[] = [['inc %eax'], ['jmp *%rax']];

const countsOf = (of: PrintedMethod, counts: readonly number[]) => Float64Array.from({ length: of.instructions.length }, (_, i) => counts[i] ?? 0);
const row = (of: PrintedMethod, ...counts: number[]) => ({ method: of, counts: countsOf(of, counts), ...ALWAYS });
const called = (of: PrintedMethod, callers: KnownCallers | null, ...counts: number[]) => ({ ...row(of, ...counts), callers });

/** Amounts by stack, `<` between a frame and its caller; what is shown not at all is left out. */
function shown(methods: readonly PrintedMethod[], of: Partial<StackInput>, more: Partial<PredictionInput> = {}): Record<string, number> {
	const walks = new Walks({ sampled: [], cold: [], native: [], ...more, methods });
	const result: Record<string, number> = {};
	predictedStacks({ hasStacks: true, stacks: [], called: [], nativeCalls: [], native: [], ...of }, walks, (names, amount) => {
		if (amount > 0) {
			const key = names.map((name) => name.replace('a.B.', '')).join(' < ');
			result[key] = Math.round(1e4 * ((result[key] ?? 0) + amount)) / 1e4;
		}
	});
	return result;
}

describe('in the code itself', () => {
	const polls = method('a.B.f', [['inc %eax', at('f', 1)], ['mov (%r15),%r10', at('g', 7), at('f', 2)], ['test %eax,(%r10)', '{poll}'], ['jmp 0x100']]);

	test('what is inlined stands above the method, its callers below', () => {
		expect(shown([polls], { called: [called(polls, RUN, 7)] })).toEqual({ 'g < f < run < main': 7 });
		expect(shown([polls], { called: [called(polls, null, 7)] })).toEqual({ 'g < f': 7 });
		expect(shown([polls], { called: [called(polls, RUN)] })).toEqual({});
	});

	test('nothing is known where the text ends, not even with callers', () => {
		const open = method('a.B.f', UNKNOWN);
		expect(shown([open], { called: [called(open, RUN, 3)] })).toEqual({ '': 3 });
	});

	test('code with few samples: they stay where they are', () => {
		const cold = row(polls, 2, 3);
		expect(shown([polls], { called: [{ ...cold, callers: RUN }] }, { cold: [coldCode(cold)] })).toEqual({ 'f < run < main': 2, 'g < f < run < main': 3 });
		const plain = method('a.B.h', [['inc %eax'], ['ret']]);
		expect(shown([plain], { called: [called(plain, null, 4)] }, { cold: [coldCode(row(plain, 4))] })).toEqual({ h: 4 });
	});
});

describe('through calls', () => {
	const caller = method('a.B.f', [call('g', at('f', 2)), ...RETURN]);
	const callee = (...lines: readonly PrintedLine[]) => method('a.B.g', lines, 0x200);
	const polling = callee(['mov (%r15),%r10', at('g', 5)], ['test %eax,(%r10)', '{poll}'], ['jmp 0x200']);
	const through = (hasStacks: boolean, ...callees: readonly PrintedMethod[]) =>
		shown([caller, ...callees], { hasStacks, called: [called(caller, hasStacks ? RUN : null, 100)] });

	test('a native method stands above the call, whatever it does', () => {
		const wrappers: GeneratedCode[] = [{ ...polling.code, kind: 'native wrapper', compiler: null, level: 0 }];
		expect(shown([caller], { called: [called(caller, RUN, 9)] }, { wrappers })).toEqual({ 'g < f < run < main': 9 });
		expect(shown([caller], { hasStacks: false, called: [called(caller, null, 9)] }, { wrappers })).toEqual({ g: 9 });
	});

	test.each<[string, readonly PrintedMethod[], Record<string, number>, Record<string, number>]>([
		['is not printed', [], { 'f < run < main': 100 }, { f: 100 }],
		['returns', [callee(...RETURN)], { 'f < run < main': 100 }, { f: 100 }],
		['returns without a poll', [callee(['ret'])], { 'f < run < main': 100 }, { f: 100 }],
		['polls', [polling], { 'g < f < run < main': 100 }, { g: 100 }],
		['calls the VM', [callee(vmCall(at('x', 3), at('g', 1)), ['ret'])], { 'x < g < f < run < main': 100 }, { 'x < g': 100 }],
		['is not described', [callee(...UNKNOWN)], { '': 100 }, { '': 100 }],
		[
			'polls on one way of two',
			[callee(['je 0x20c'], ...RETURN, ['mov (%r15),%r10', at('g', 5)], ['test %eax,(%r10)', '{poll}'], ['jmp 0x204'])],
			{ 'g < f < run < main': 10, 'f < run < main': 90 },
			{ g: 10, f: 90 },
		],
		[
			'polls with the same frames on both ways',
			[
				callee(
					['je 0x20c'],
					['mov (%r15),%r10', at('g', 5)],
					['test %eax,(%r10)', '{poll}'],
					['mov (%r15),%r10', at('g', 5)],
					['test %eax,(%r10)', '{poll}'],
					['ret'],
				),
			],
			{ 'g < f < run < main': 100 },
			{ g: 100 },
		],
		[
			'calls one that polls',
			[callee(call('h', at('g', 1)), ['ret']), method('a.B.h', [['mov (%r15),%r10', at('h', 9)], ['test %eax,(%r10)', '{poll}'], ['jmp 0x300']], 0x300)],
			{ 'h < g < f < run < main': 100 },
			{ h: 100 },
		],
		['calls one that returns', [callee(call('h', at('g', 1)), ['ret']), method('a.B.h', RETURN, 0x300)], { 'g < f < run < main': 100 }, { g: 100 }],
	])('what is called %s', (_, callees, withStacks, without) => {
		expect(through(true, ...callees)).toEqual(withStacks);
		expect(through(false, ...callees)).toEqual(without);
	});

	test('only code that was there at the time is entered', () => {
		const later = { ...polling, code: { ...polling.code, installedSeconds: 5 } };
		const between = (from: number, to: number) => shown([caller, later], { called: [{ ...called(caller, null, 1), from, to }] });
		expect([between(0, 4), between(0, 5)]).toEqual([{ f: 1 }, { 'g < f': 1 }]);
	});

	test('a method that calls itself is entered once more', () => {
		const self = method('a.B.f', [call('f', at('f', 2)), ...RETURN]);
		expect(shown([self], { called: [called(self, null, 100)] })).toEqual({ 'f < f': 100 });
	});

	test.each([41, 42])('%i calls deep: no more than 41 are entered', (deep) => {
		const start = (n: number): number => 0x1000 + 0x100 * n;
		const methods = Array.from({ length: deep + 1 }, (_, n) =>
			n < deep
				? method(`a.B.m${n}`, [call(`m${n + 1}`, at(`m${n}`, 1)), ['ret']], start(n))
				: method(`a.B.m${n}`, [['mov (%r15),%r10', at(`m${n}`, 1)], ['test %eax,(%r10)', '{poll}'], ['ret']], start(n)),
		);
		const names = Array.from({ length: 42 }, (_, n) => `m${41 - n}`);
		expect(shown(methods, { called: [called(methods[0]!, null, 1)] })).toEqual({ [names.join(' < ')]: 1 });
	});

	test('what is reached less than once in ten thousand calls is put at the call', () => {
		// The barrier is reached twice in a thousand, the call into the VM behind it again.
		const twice = callee(['je 0x20c'], ...RETURN, BARRIER, ['je 0x218'], ['jmp 0x204'], vmCall(at('g', 1)), ['ret']);
		expect(through(true, twice)).toEqual({ 'f < run < main': 100 });
		const once = callee(['je 0x20c'], ...RETURN, vmCall(at('g', 1)), ['ret']);
		expect(through(true, once)).toEqual({ 'g < f < run < main': 0.2, 'f < run < main': 99.8 });
		// Twice in a thousand a call of one that calls the VM twice in a thousand.
		const rarely = callee(['je 0x20c'], ...RETURN, BARRIER, call('h', at('g', 1)), ['ret']);
		const inner = method('a.B.h', [['je 0x30c'], ...RETURN, vmCall(at('h', 1)), ['ret']], 0x300);
		expect(through(true, rarely, inner)).toEqual({ 'g < f < run < main': 0.1996, 'f < run < main': 99.8004 });
	});
});

describe('a thread that returns', () => {
	const leaf = method('a.B.h', [['inc %eax', at('h', 1)], ...RETURN], 0x500);
	const calling = (name: string, start: number, more: Partial<GeneratedCode> = {}) =>
		method(`a.B.${name}`, [call('h', at('in', 3), at(name, 2)), ['ret']], start, more);
	const methods = [leaf, calling('f', 0x100), calling('g', 0x200)];
	const samples = { sampled: [row(methods[1]!, 3), row(methods[2]!, 1)] };
	const returning = (callers: KnownCallers | null) => shown(methods, { called: [called(leaf, callers, 100)] }, samples);

	test('is shown in the caller that it had, else in all that call it, by how often they do', () => {
		expect(returning(RUN)).toEqual({ 'run < main': 100 });
		expect(returning(null)).toEqual({ 'in < f': 75, 'in < g': 25 });
		expect(returning({ names: ['a.B.main'], isMethod: false })).toEqual({ 'in < f < main': 75, 'in < g < main': 25 });
	});

	test('is shown nowhere if nothing that calls it is known', () => {
		expect(shown([leaf], { called: [called(leaf, null, 5)] })).toEqual({ '': 5 });
		expect(shown([leaf], { called: [called(leaf, { ...RUN, isMethod: false }, 5)] })).toEqual({ '': 5 });
	});
});

describe('native code', () => {
	const poll: readonly PrintedLine[] = [['mov (%r15),%r10', at('f', 3)], ['test %eax,(%r10)', '{poll}'], ['jmp 0x100']];

	test.each<[string, readonly PrintedLine[], number, Record<string, number>]>([
		['goes on behind a call of a function', [['call 0x9000', '{runtime_call jbyte_arraycopy}', at('x', 8), at('f', 1)], ...poll], 0, { 'f < run < main': 9 }],
		['stays at a call behind which nothing comes', [['call 0x9000', '{runtime_call jbyte_arraycopy}', at('x', 8), at('f', 1)]], 0, { 'x < f < run < main': 9 }],
		['stays at a call into the VM', [vmCall(at('x', 8), at('f', 1)), ...poll], 0, { 'x < f < run < main': 9 }],
		['stays at a call of a Java method', [call('g', at('x', 8), at('f', 1)), ...poll], 0, { 'x < f < run < main': 9 }],
		['stays at an instruction that is no call', [['inc %ecx', at('x', 8), at('f', 1)], ...poll], 0, { 'x < f < run < main': 9 }],
	])('%s', (_, lines, instruction, expected) => {
		const code = { method: method('a.B.f', lines), callers: RUN, ...ALWAYS };
		expect(shown([code.method], { nativeCalls: [{ code, instruction, count: 9 }] })).toEqual(expected);
	});

	test('without a stack: behind the calls that may lead there, at a call into the VM, or nowhere', () => {
		const code = method('a.B.f', [LEAF_CALL, ...poll]);
		const allocating = method('a.B.g', [vmCall(at('g', 4)), ['ret']], 0x200);
		const of = (activity: string | null, count: number, library = 'y') => ({ symbol: 'x', library, activity, count });
		const native = [of(null, 5, ''), of('allocation', 3), of('classes', 2), of(null, 4)];
		expect(shown([code, allocating], { native }, { sampled: [row(code, 1), row(allocating, 1)] })).toEqual({ f: 5, g: 3, '': 6 });
	});
});
