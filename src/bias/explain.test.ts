/** Who is blamed for whose samples, and why: the way of instructions to the poll, and the rule by which frames are shown there. */
import { describe, expect, test } from 'vitest';
import { call, type PrintedLine, printedMethod, vmCall } from '../../test/code.js';
import { coldCode } from '../../test/cold-code.js';
import type { BlameKey } from './blame.js';
import { type Explanation, RULES } from './explain.js';
import { predict } from './predict.js';
import type { PredictionInput } from './prediction-input.js';
import type { PrintedMethod } from './printed-method.js';
import { Place } from './safepoint-places.js';

const ALWAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
const at = (name: string, bci: number): string => `- a.B::${name}@${bci} (line ${10 * bci})`;
const RETURN: readonly PrintedLine[] = [['cmp (%r15),%rsp', '{poll_return}'], ['ret']];
const poll = (...chain: string[]): readonly PrintedLine[] => [
	['mov (%r15),%r10', ...chain],
	['test %eax,(%r10)', '{poll}'],
];

const row = (method: PrintedMethod, ...counts: number[]) => ({
	method,
	counts: Float64Array.from({ length: method.instructions.length }, (_, i) => counts[i] ?? 0),
	...ALWAYS,
});
const predicted = (sampled: PredictionInput['sampled'], methods: readonly PrintedMethod[] = [], more: Partial<PredictionInput> = {}, by?: BlameKey) =>
	predict({ sampled, methods: [...sampled.map(({ method }) => method), ...methods], native: [], cold: [], ...more }, undefined, by);
/** Steps as the second to last digits of their addresses, with notes. */
const way = (of: Explanation | null) =>
	of?.steps.map((step) => (step.kind === 'skipped' ? `${step.instructions} more` : `${step.address.toString(16)}${step.note === null ? '' : ` ${step.note}`}`));
/** `from > to: amount`. */
const transfers = ({ transfers: all }: ReturnType<typeof predict>) =>
	[...all].flatMap(([from, to]) =>
		[...to].filter(([, amount]) => amount > 1e-6).map(([name, amount]) => `${from} > ${name}: ${Math.round(1000 * amount) / 1000}`),
	);

describe('the rule', () => {
	const why = (sampled: readonly PrintedLine[], to: string, ...methods: readonly PrintedMethod[]) => {
		const explanation = predicted([row(printedMethod('a.B.f', sampled), 4)], methods).explain('a.B.f', to);
		return [explanation?.rule, explanation?.place, explanation?.pollAddress.toString(16), explanation?.frames[0]?.bci];
	};
	const first: PrintedLine = ['inc %eax', at('f', 1)];

	test('of a loop, a call into the VM, a trap, a return, and of what is not described', () => {
		expect(why([first, ...poll(at('x', 2), at('f', 2)), ['ret']], 'a.B.x')).toEqual([RULES.loop, Place.LoopPoll, '108', 2]);
		expect(why([first, vmCall(at('x', 3), at('f', 2)), ['ret']], 'a.B.x')).toEqual([RULES.vm, Place.VmCall, '104', 3]);
		const trap: PrintedLine = ['call 0x9000', 'ImmutableOopMap {}', '{runtime_call UncommonTrapBlob}', at('x', 4), at('f', 2)];
		expect(why([first, trap], 'a.B.x')).toEqual([RULES.vm, Place.Trap, '104', 4]);
		expect(why([first, ['jmp *%rax', at('x', 5)]], '(unknown)')).toEqual([RULES.none, Place.None, '104', undefined]);
		const caller = printedMethod('a.B.g', [call('f', at('g', 6)), ['ret']], 0x200);
		expect(why([first, ...RETURN], 'a.B.g', caller)).toEqual([RULES.return, Place.ReturnPoll, '104', 6]);
		expect(why([first, ['ret']], 'a.B.g', caller)).toEqual([RULES.return, Place.None, '104', 6]);
	});

	test('of calls: into the VM inside, a return inside, and too deep', () => {
		const calling = [first, call('g', at('f', 2)), ['ret']] as const;
		const g = (...lines: readonly PrintedLine[]) => printedMethod('a.B.g', lines, 0x200);
		expect(why(calling, 'a.B.g', g(vmCall(at('g', 3)), ['ret']))).toEqual([RULES.vm, Place.JavaCall, '200', 3]);
		expect(why(calling, 'a.B.f', g(['ret', at('g', 3)]))).toEqual([RULES.callReturns, Place.JavaCall, '200', 2]);
		// Inside of g another call returns, or goes to what is not printed.
		const h = printedMethod('a.B.h', RETURN, 0x300);
		expect(why(calling, 'a.B.g', g(call('h', at('g', 3)), ['ret']), h)).toEqual([RULES.callReturns, Place.JavaCall, '300', 3]);
		expect(why(calling, 'a.B.g', g(call('h', at('g', 3)), ['ret']))).toEqual([RULES.callUnknown, Place.JavaCall, '200', 3]);
		const self = [first, call('f', at('f', 2)), ['ret']] as const;
		expect(why(self, 'a.B.f')).toEqual([RULES.callDeep, Place.JavaCall, '104', 2]);
	});

	test.each([
		[10, RULES.loop],
		[11, RULES.callDeep],
	])('%i calls deep', (deep, rule) => {
		const start = (n: number): number => 0x1000 + 0x100 * n;
		const methods = Array.from({ length: deep + 1 }, (_, n) =>
			printedMethod(`a.B.m${n}`, n < deep ? [call(`m${n + 1}`, at(`m${n}`, 1)), ['ret']] : [...poll(at(`m${n}`, 1)), ['ret']], start(n)),
		);
		const explanation = predicted([row(methods[0]!, 4)], methods.slice(1)).explain('a.B.m0', `a.B.m${deep}`);
		expect(explanation?.rule).toBe(rule);
		expect(explanation?.frames[0]?.method).toBe(`a.B.m${deep}`);
	});
});

describe('the way', () => {
	test('what jumps, falls through and leaves loops', () => {
		const lines: readonly PrintedLine[] = [
			['inc %eax', at('f', 1)],
			['je 0x10c'],
			['nop', at('f', 1)],
			['inc %ecx', at('f', 1)], // 0x10c, a loop
			['jl 0x10c', at('f', 1)],
			['jmp 0x118'],
			...poll(at('x', 2), at('f', 2)), // 0x118
			['ret'],
		];
		const method = printedMethod('a.B.f', lines, 0x100, { compiler: 'c1' });
		const from = (...counts: number[]) => way(predicted([row(method, ...counts)]).explain('a.B.f', 'a.B.x'));
		// By the first guess the test enters the loop.
		expect(from(4)).toEqual(['100', '104 jumps', '10c', '110 leaves the loop', '114', '118', '11c']);
		expect(from(0, 0, 4)).toEqual(['108', '10c', '110 leaves the loop', '114', '118', '11c']);
		expect(from(0, 0, 0, 0, 4)).toEqual(['110 leaves the loop', '114', '118', '11c']);
		const through = printedMethod('a.B.f', [['je 0x10c', at('f', 1)], ...poll(at('x', 2), at('f', 2)), ['ret'], ['nop'], ['ret']]);
		expect(way(predicted([row(through, 4)]).explain('a.B.f', 'a.B.x'))).toEqual(['100 falls through', '104', '108']);
	});

	test('of two ways the more probable one', () => {
		const slow: PrintedLine = ['call 0x9000', '{runtime_call StubRoutines::method_entry_barrier}'];
		const method = printedMethod('a.B.f', [
			['je 0x10c', at('f', 1)],
			slow,
			['nop'],
			...poll(at('x', 2), at('f', 2)), // 0x10c
			['ret'],
		]);
		expect(way(predicted([row(method, 4)]).explain('a.B.f', 'a.B.x'))).toEqual(['100 jumps', '10c', '110']);
	});
});

describe('where it begins', () => {
	test('of the instructions with most samples the first that leads there', () => {
		const method = printedMethod('a.B.f', [
			['nop', at('f', 1)],
			vmCall(at('x', 2), at('f', 2)),
			['nop', at('f', 3)], // 0x108
			['nop', at('f', 3)],
			vmCall(at('y', 4), at('f', 4)),
			['ret'],
		]);
		const all = predicted([row(method, 3, 0, 0.5, 0.75)]);
		const begins = (to: string) => {
			const of = all.explain('a.B.f', to);
			return [of?.sampledAddress.toString(16), of?.sampledCount, of?.amount, of?.share, of?.probability];
		};
		expect(begins('a.B.x')).toEqual(['100', 3, 3, 1, 1]);
		expect(begins('a.B.y')).toEqual(['10c', 0.75, 1.25, 1, 1]);
		expect(all.explain('a.B.x', 'a.B.f')).toBeNull();
	});

	test('of two compilations the one with more of it', () => {
		const compiled = (start: number) => printedMethod('a.B.f', [['nop', at('f', 1)], vmCall(at('x', 2), at('f', 2)), ['ret']], start);
		const [less, more] = [compiled(0x100), compiled(0x200)];
		for (const rows of [
			[row(less, 1), row(more, 3)],
			[row(more, 3), row(less, 1)],
		]) {
			const explanation = predicted(rows).explain('a.B.f', 'a.B.x');
			expect([explanation?.code.start, explanation?.amount, explanation?.share]).toEqual([0x200, 4, 0.75]);
		}
	});
});

describe('whose samples they are', () => {
	const method = printedMethod('a.B.f', [['nop', at('inlined', 1), at('f', 1)], ['nop', at('f', 3)], vmCall(at('x', 2), at('f', 4)), ['ret']]);

	test('by method and by line; without a description of the compilation', () => {
		expect(transfers(predicted([row(method, 3, 1)]))).toEqual(['a.B.inlined > a.B.x: 3', 'a.B.f > a.B.x: 1']);
		expect(transfers(predicted([row(method, 3, 1)], [], {}, 'line'))).toEqual(['a.B.inlined:10 > a.B.x:20: 3', 'a.B.f:30 > a.B.x:20: 1']);
		const plain = printedMethod('a.B.g', [['nop'], ['jmp *%rax']], 0x200);
		expect(transfers(predicted([row(plain, 2, 1)]))).toEqual(['a.B.g > (unknown): 3']);
	});

	test('code with few samples keeps them', () => {
		const { blame, ...rest } = predicted([], [], { cold: [coldCode(row(method, 2, 1))] });
		expect([...blame.byLine]).toEqual([
			['a.B.inlined:10', 2],
			['a.B.f:30', 1],
		]);
		expect(transfers({ blame, ...rest })).toEqual(['a.B.inlined > a.B.inlined: 2', 'a.B.f > a.B.f: 1']);
		expect(rest.explain('a.B.f', 'a.B.f')).toBeNull();
	});

	test('those of native code are blamed, but not explained', () => {
		const native = [{ symbol: 'x', library: 'y', activity: 'allocation', count: 5 }];
		const all = predicted([row(method, 0, 1)], [], { native });
		expect(transfers(all)).toEqual(['a.B.f > a.B.x: 1', '(native) > a.B.x: 5']);
		expect(all.explain('(native)', 'a.B.x')).toBeNull();
		const leaf = printedMethod('a.B.f', [['call 0x9000', '{runtime_call memcpy}'], vmCall(at('x', 2), at('f', 4)), ['ret']]);
		const behind = predicted([row(leaf, 1)], [], { native: [{ symbol: 'memcpy', library: 'libc.so', activity: null, count: 5 }] });
		expect(transfers(behind)).toContain('(native) > a.B.x: 5');
		expect(behind.explain('(native)', 'a.B.x')).toBeNull();
	});

	test('a part of them is blamed by itself, and changes nothing of the whole', () => {
		const all = predicted([row(method, 3, 1)]);
		expect([...all.blameOf([row(method, 0, 1)]).byMethod]).toEqual([['a.B.x', 1]]);
		expect([...all.blameOf([]).byMethod]).toEqual([]);
		expect([...all.blame.byMethod]).toEqual([['a.B.x', 4]]);
		expect(transfers(all)).toEqual(['a.B.inlined > a.B.x: 3', 'a.B.f > a.B.x: 1']);
	});
});
