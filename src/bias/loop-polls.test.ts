import { expect, test } from 'vitest';
import { printedMethod as method } from '../../test/code.js';
import { chainGraph } from './chain-blocks.js';
import { loopPolls } from './loop-polls.js';
import { predict } from './predict.js';
import type { PrintedMethod } from './printed-method.js';
import { versionDifferences } from './version-differences.js';

const LOOP = '- a.B::f@5 (line 7)';

test('a poll on every way round, on some, on none', () => {
	const polled = method('a.B.f', [
		['mov (%r15),%r10', '*goto', '- (reexecute) a.B::f@5 (line 7)'],
		['test %eax,(%r10)', '{poll}'],
		['jl 0x100', LOOP],
		['ret'],
	]);
	expect(loopPolls(polled).map(({ poll, line }) => [poll, line])).toEqual([['iteration', 7]]);
	const some = method('a.B.f', [['inc %eax', LOOP], ['je 0x10c', LOOP], ['test %eax,(%r10)', '{poll}'], ['jl 0x100', LOOP], ['ret']]);
	expect(loopPolls(some)).toMatchObject([{ poll: 'none', kind: 'some ways' }]);
	const none = method('a.B.f', [['inc %eax', LOOP], ['jl 0x100', LOOP], ['ret']]);
	expect(loopPolls(none)).toMatchObject([{ poll: 'none', header: 0x100 }]);
});

test('strip-mined: an outer loop of the same bytecode has the poll', () => {
	const nest = method('a.B.f', [
		['mov $0x3e8,%ecx', LOOP],
		['inc %eax', LOOP],
		['jl 0x104', LOOP],
		['mov (%r15),%r10', '- (reexecute) a.B::f@5 (line 7)'],
		['test %eax,(%r10)', '{poll}'],
		['cmp %esi,%eax'],
		['jl 0x100', LOOP],
		['ret'],
	]);
	expect(loopPolls(nest).map(({ poll }) => poll)).toEqual(['strip', 'strip']);
});

test('a poll is blamed on the frames before it, a return on the call of the caller, a call on what the callee does', () => {
	const counted = method(
		'a.B.g',
		[['inc %eax', '- a.B::g@1 (line 20)'], ['jl 0x200', '- a.B::g@1 (line 20)'], ['cmp (%r15),%rsp', '{poll_return}'], ['ret']],
		0x200,
	);
	const caller = method('a.B.f', [
		['call 0x200', 'ImmutableOopMap {}', '*invokestatic g {reexecute=0}', '- a.B::f@2 (line 10)', '{static_call}'],
		['mov (%r15),%r10', '- (reexecute) a.B::f@9 (line 11)'],
		['test %eax,(%r10)', '{poll}'],
		['jmp 0x100'],
	]);
	const time = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
	const sampled = (of: PrintedMethod, ...counts: number[]): { method: PrintedMethod; counts: Float64Array; from: number; to: number } => ({
		method: of,
		counts: Float64Array.from(counts),
		...time,
	});
	const { blame, transfers } = predict({
		sampled: [sampled(counted, 30, 10, 0, 0), sampled(caller, 3, 0, 2, 0)],
		methods: [counted, caller],
		native: [],
		cold: [],
	});
	expect(blame.byLine.get('a.B.f:10')).toBeCloseTo(43, 3);
	expect(blame.byLine.get('a.B.f:11')).toBeCloseTo(2, 3);
	expect(transfers.get('a.B.g')?.get('a.B.f')).toBeCloseTo(40, 3);
});

test('what leads only to a trap is taken for not executed', () => {
	const graph = chainGraph(
		method('a.B.f', [
			['je 0x10c'],
			['cmp (%r15),%rsp', '{poll_return}'],
			['ret'],
			['call 0x900', 'ImmutableOopMap {}', '{runtime_call UncommonTrapBlob}'],
			['hlt'],
		]),
	);
	expect(graph.width[graph.entry]).toBe(0);
	expect(graph.guess[graph.entry]).toBeLessThan(-20);
});

test('why a loop polls: its index, what unrolling left, one bytecode, C1', () => {
	const unrolled = method('a.B.f', [
		['lea 0x10(%rcx),%r10d', '- a.B::f@5 (line 7)'],
		['xor %eax,%ebx', '- a.B::f@9 (line 7)'],
		['mov %r10d,%ecx', '- a.B::f@12 (line 7)'],
		['cmp $0x2b1,%r10d'],
		['jl 0x100', '- a.B::f@5 (line 7)'],
		['xor %eax,%ebx', '- a.B::f@9 (line 7)'],
		['inc %ecx', '- a.B::f@12 (line 7)'],
		['cmp $0x2bc,%ecx'],
		['jl 0x114', '- a.B::f@20 (line 8)'],
		['ret'],
	]);
	expect(loopPolls(unrolled).map(({ kind, index, line }) => [kind, index?.step, index?.bits, line])).toEqual([
		['counted', 16, 32, 7],
		['rest', 1, 32, 7],
	]);
	const variable = method('a.B.f', [
		['add %edx,%ecx', LOOP],
		['mov (%r15),%r10', '- (reexecute) a.B::f@8 (line 8)'],
		['test %eax,(%r10)', '{poll}'],
		['cmp %esi,%ecx'],
		['jl 0x100', LOOP],
		['ret'],
	]);
	expect(loopPolls(variable)).toMatchObject([
		{ kind: 'not counted', poll: 'iteration', index: null, reported: [{ address: 0x108, place: 'poll', frames: [{ method: 'a.B.f', line: 8 }] }] },
	]);
	const clearing = method('a.B.f', [['mov %rax,(%rdi)'], ['add $0x40,%rdi'], ['dec %rcx'], ['jne 0x100'], ['mov %rax,%rbx', LOOP], ['ret']]);
	expect(loopPolls(clearing)).toMatchObject([{ kind: 'inside a bytecode', poll: 'none' }]);
	const stub = method('a.B.f', [['ret'], ['movabs $0x0,%rbx'], ['jmp 0x108']]);
	expect(loopPolls(stub)).toEqual([]);
});

test('strip-mined and unrolled: the strip is a multiple of 1000, and the poll that of the jump back', () => {
	const nest = method('a.B.f', [
		['cmp $0x3e80,%ecx'],
		['xor %eax,%ebx', '- a.B::f@14 (line 7)'],
		['inc %ecx', '- a.B::f@27 (line 7)'],
		['cmp %edx,%ecx'],
		['jl 0x104'],
		['mov (%r15),%r10', '- (reexecute) a.B::f@32 (line 7)'],
		['test %eax,(%r10)', '{poll}'],
		['cmp %esi,%ecx'],
		['jl 0x100'],
		['ret'],
	]);
	expect(loopPolls(nest).map(({ poll, kind }) => [poll, kind])).toEqual([
		['strip', 'strip-mined'],
		['strip', 'strip-mined'],
	]);
});

test('a loop that polls in one version only', () => {
	const counted = method('a.B.f', [['inc %ecx', LOOP], ['cmp %edx,%ecx'], ['jl 0x100'], ['ret']]);
	const polled = method('a.B.f', [['inc %ecx', LOOP], ['mov (%r15),%r10', LOOP], ['test %eax,(%r10)', '{poll}'], ['cmp %edx,%ecx'], ['jl 0x100'], ['ret']]);
	const osr = { ...polled, code: { ...polled.code, compileId: '9%', osrBci: 2 } };
	expect(versionDifferences([...loopPolls(counted), ...loopPolls(osr)])).toMatchObject([
		{
			method: 'a.B.f',
			line: 7,
			versions: [
				{ isOsr: false, poll: 'none' },
				{ compileId: '9%', isOsr: true, poll: 'iteration' },
			],
		},
	]);
	expect(versionDifferences([...loopPolls(polled), ...loopPolls(osr)])).toEqual([]);
});
