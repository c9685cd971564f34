/** Kinds of loops, where they are in the source, and what they count with: a few instructions of four bytes each, from 0x100 on. */
import { describe, expect, test } from 'vitest';
import { type PrintedLine, printedMethod } from '../../test/code.js';
import type { GeneratedCode } from '../model/generated-code.js';
import { loopPolls } from './loop-polls.js';

const at = (bci: number, line = bci, name = 'f'): string => `- a.B::${name}@${bci} (line ${line})`;
const CALL: PrintedLine = ['call 0x900', 'ImmutableOopMap {}', '*invokestatic g {reexecute=0}', at(6), '{static_call}'];
const VM_CALL: PrintedLine = ['call 0x900', 'ImmutableOopMap {}', '{runtime_call new_instance}', at(6)];
const LEAF_CALL: PrintedLine = ['call 0x900', '{runtime_call memcpy}'];
const TRAP: PrintedLine = ['call 0x900', 'ImmutableOopMap {}', '{runtime_call UncommonTrapBlob}'];
const POLL: PrintedLine = ['test %eax,(%r10)', '{poll}'];
/** Without debug information of other instructions than safepoints. */
const REEXECUTED: PrintedLine = ['nop', '*goto {reexecute=1 rethrow=0 return_oop=0}', '- (reexecute) a.B::f@5 (line 5)'];
const STEP: PrintedLine = ['inc %ecx', at(5)];
const COMPARE: PrintedLine = ['cmp %edx,%ecx'];
const BACK: PrintedLine = ['jl 0x100'];
const RET: PrintedLine = ['ret'];

const loops = (lines: readonly PrintedLine[], more: Partial<GeneratedCode> = {}) => loopPolls(printedMethod('a.B.f', lines, 0x100, more));
const kinds = (...lines: readonly PrintedLine[]) => loops(lines).map(({ kind, poll }) => `${kind}: ${poll}`);

describe('kinds', () => {
	test.each<[string, readonly PrintedLine[], string]>([
		['a Java call on every way', [STEP, CALL, COMPARE, BACK, RET], 'calls: iteration'],
		['a call into the VM on every way', [STEP, VM_CALL, COMPARE, BACK, RET], 'calls: iteration'],
		['a call that stops nowhere', [STEP, LEAF_CALL, COMPARE, BACK, RET], 'counted: none'],
		['a call on one way', [STEP, ['je 0x10c'], CALL, COMPARE, BACK, RET], 'some ways: none'],
		['a call into the VM on one way', [STEP, ['je 0x10c'], VM_CALL, COMPARE, BACK, RET], 'some ways: none'],
		['a poll on one way, a call on the other', [STEP, ['je 0x110'], POLL, ['jmp 0x114'], CALL, COMPARE, BACK, RET], 'calls: iteration'],
		['a poll on both ways', [['inc %ecx'], ['je 0x110'], POLL, ['jmp 0x114'], POLL, COMPARE, BACK, RET], 'counted with a poll: iteration'],
		['a poll, and an index of 32 bits', [['inc %ecx'], POLL, COMPARE, BACK, RET], 'counted with a poll: iteration'],
		['a poll, and no index', [['add %ebx,%ecx'], POLL, COMPARE, BACK, RET], 'not counted: iteration'],
		['no index, but bytecodes', [['add %ebx,%ecx', at(5)], COMPARE, BACK, RET], 'counted: none'],
		['no bytecode where others are described', [['inc %ecx'], COMPARE, BACK, ['nop', at(9)], RET], 'inside a bytecode: none'],
		['an index of 32 bits where only safepoints are described', [['inc %ecx'], COMPARE, BACK, REEXECUTED, RET], 'counted: none'],
		['one of 64 bits', [['inc %rcx'], ['cmp %rdx,%rcx'], BACK, REEXECUTED, RET], 'inside a bytecode: none'],
		['none', [['add %ebx,%ecx'], COMPARE, BACK, REEXECUTED, RET], 'inside a bytecode: none'],
		['calls alone that are described', [['inc %ecx'], COMPARE, BACK, ['call 0x900', at(9)], RET], 'counted: none'],
	])('%s', (_, lines, expected) => {
		expect(kinds(...lines)).toEqual([expected]);
	});

	test('C1 polls in every loop; where it does not, the loop is inside of a bytecode', () => {
		const c1 = (...lines: readonly PrintedLine[]) => loops(lines, { compiler: 'c1' }).map(({ kind }) => kind);
		expect([c1(STEP, POLL, COMPARE, BACK, RET), c1(STEP, COMPARE, BACK, RET)]).toEqual([['C1'], ['inside a bytecode']]);
	});

	test('a poll in an inner loop alone makes no counted loop of the outer one', () => {
		const nest = [['inc %ecx'], POLL, ['cmp %rsi,(%rdi)'], ['jne 0x104'], COMPARE, BACK, RET] as const;
		expect(kinds(...nest)).toEqual(['not counted: iteration', 'not counted: iteration']);
	});

	test('a jump to itself is none, a branch to itself and a jump to what stands before it are', () => {
		expect([kinds(['jmp 0x100']), kinds(['jl 0x100'], RET), kinds(['nop'], ['jmp 0x100'])].map(({ length }) => length)).toEqual([0, 1, 1]);
	});
});

describe('why it polls', () => {
	const reason = (lines: readonly PrintedLine[], osrBci: number | null = null) => loops(lines, { osrBci })[0]?.reason ?? '';
	const testFirst = (bci: number, name = 'f'): readonly PrintedLine[] => [
		['cmp %edx,%ecx', at(bci, bci, name)],
		['jge 0x118'],
		['nop', at(bci, bci, name)],
		POLL,
		['inc %ecx'],
		['jmp 0x100'],
		RET,
	];
	const ENTERED = 'on-stack replacement enters at the test';

	test.each([
		[5, 5, true],
		[5, 1, true],
		[5, 0, false],
		[5, 6, false],
	])('its first bytecode is %i, on-stack replacement enters at %i: at its test, %s', (bci, osrBci, expected) => {
		expect(reason(testFirst(bci), osrBci).includes(ENTERED)).toBe(expected);
	});

	test('entered by a call, of another method, or stepped before the test', () => {
		expect(reason(testFirst(5))).toContain('UseCountedLoopSafepoints with');
		expect(reason(testFirst(5, 'g'), 5)).toContain('UseCountedLoopSafepoints with');
		expect(reason([STEP, POLL, COMPARE, BACK, RET], 5)).toContain('UseCountedLoopSafepoints with');
		expect(reason([['add %ebx,%ecx', at(5)], POLL, COMPARE, BACK, RET], 5)).toContain('not a counted loop');
	});

	test('an index of 64 bits', () => {
		expect(reason([['inc %rcx', at(5)], POLL, ['cmp %rdx,%rcx'], BACK, RET])).toContain('an index of 64 bits');
	});
});

describe('the index', () => {
	const index = (...lines: readonly PrintedLine[]) => loops(lines).map(({ index: found }) => found && `${found.register} ${found.step}`)[0];

	test('decides whether the loop goes on, and is stepped on every way', () => {
		expect(index(STEP, COMPARE, BACK, RET)).toBe('%ecx 1');
		expect(index(STEP, COMPARE, ['je 0x110'], ['nop'], ['cmp %rsi,(%rdi)'], ['jne 0x100'], RET)).toBeNull();
		expect(index(['je 0x108'], STEP, COMPARE, BACK, RET)).toBeNull();
	});

	test('may decide to leave to a trap where nothing else leaves', () => {
		expect(index(STEP, COMPARE, ['jae 0x110'], ['jmp 0x100'], TRAP)).toBe('%ecx 1');
	});

	test.each([
		[0, '%ecx 1'],
		[3, '%ecx 1'],
		// Further away it is not seen that a trap comes: the first comparison decides.
		[4, '%ebx 2'],
	])('a comparison that leads over %i jumps to a trap does not decide beside another', (jumps, expected) => {
		const behind = Array.from({ length: jumps }, (_, n): PrintedLine => [`jmp 0x${(0x120 + 4 * n).toString(16)}`]);
		expect(index(STEP, ['add $0x2,%ebx'], ['cmp %esi,%ebx'], ['jae 0x11c'], COMPARE, BACK, RET, ...behind, TRAP)).toBe(expected);
	});
});

describe('where it is in the source', () => {
	const places = (...lines: readonly PrintedLine[]) => loops(lines).map(({ method, line, bytecodes }) => [method, line, ...bytecodes]);

	test.each<[string, readonly string[], (string | number)[]]>([
		['of a later bytecode is behind the loop', [at(20)], ['a.B.f', 5, 5]],
		['of an earlier one is the test that begins it', [at(2)], ['a.B.f', 2, 5]],
		['of something inlined is none of the loop', [at(1, 1, 'g'), at(2)], ['a.B.f', 5, 5]],
		['of another method neither', [at(2, 2, 'g')], ['a.B.f', 5, 5]],
		['of nothing', [], ['a.B.f', 5, 5]],
	])('what stands beside the branch that falls out: %s', (_, comments, expected) => {
		expect(places(STEP, COMPARE, ['jl 0x100', ...comments], RET)).toEqual([expected]);
	});

	test('a branch inside is described by the loop', () => {
		expect(places(STEP, ['je 0x10c', at(8)], ['nop'], COMPARE, BACK, RET)).toEqual([['a.B.f', 5, 5, 8]]);
	});

	test('where only that is described, its line, and no bytecodes', () => {
		expect(places(['inc %ecx'], COMPARE, ['jl 0x100', at(9, 4, 'g')], RET)).toEqual([['a.B.g', 4]]);
	});

	test('an outer loop has the bytecodes of its own instructions; where none is described, those of the inner one', () => {
		const nest = (first: PrintedLine) => places(first, ['inc %ecx', at(5)], COMPARE, ['jl 0x104'], ['cmp %rsi,(%rdi)'], ['jne 0x100'], RET);
		expect(nest(['nop', at(20)])).toEqual([
			['a.B.f', 20, 20],
			['a.B.f', 5, 5],
		]);
		expect(nest(['nop'])).toEqual([
			['a.B.f', 5, 5],
			['a.B.f', 5, 5],
		]);
	});

	test('bytecodes ascend, each once; a class file without lines has none', () => {
		expect(places(['nop', at(9)], ['nop', at(5)], ['nop', at(9)], BACK, RET)).toEqual([['a.B.f', 5, 5, 9]]);
		expect(places(['nop', '- a.B::f@9'], ['nop', '- a.B::f@5'], BACK, RET)).toEqual([['a.B.f', null, 5, 9]]);
	});

	test('its first instruction, the end of its last, and those of its own', () => {
		const nest = loops([['nop'], STEP, COMPARE, ['jl 0x104'], ['cmp %rsi,(%rdi)'], ['jne 0x100'], RET]);
		expect(nest.map(({ header, end, own }) => [header, end, own])).toEqual([
			[0x100, 0x118, [0, 4, 5]],
			[0x104, 0x110, [1, 2, 3]],
		]);
	});
});

describe('what unrolling left', () => {
	/** Two loops, one behind the other. */
	const two = (main: string, rest: string, mainAt: string, restAt: string) =>
		loops([[main, mainAt], COMPARE, BACK, [rest, restAt], COMPARE, ['jl 0x10c'], RET]).map(({ kind }) => kind);

	test.each<[string, string, string, string, string, string]>([
		['a smaller step', 'add $0x8,%ecx', 'add $0x1,%ecx', at(5), at(5), 'rest'],
		['a smaller step downwards', 'sub $0x8,%ecx', 'sub $0x1,%ecx', at(5), at(5), 'rest'],
		['the same step', 'add $0x8,%ecx', 'add $0x8,%ecx', at(5), at(5), 'counted'],
		['no step', 'add $0x8,%ecx', 'add %ebx,%ecx', at(5), at(5), 'counted'],
		['other bytecodes', 'add $0x8,%ecx', 'add $0x1,%ecx', at(5), at(6), 'counted'],
		['another method', 'add $0x8,%ecx', 'add $0x1,%ecx', at(5), at(5, 5, 'g'), 'counted'],
	])('%s', (_, main, rest, mainAt, restAt, expected) => {
		expect(two(main, rest, mainAt, restAt)).toEqual(['counted', expected]);
		expect(two(rest, main, restAt, mainAt)).toEqual([expected, 'counted']);
	});

	test('of loops without a description the smaller step is the rest', () => {
		const lines: readonly PrintedLine[] = [['add $0x8,%ecx'], COMPARE, BACK, ['add $0x1,%ecx'], COMPARE, ['jl 0x10c'], REEXECUTED, RET];
		expect(kinds(...lines)).toEqual(['counted: none', 'rest: none']);
	});

	test('one that polls is none, and an outer loop has no rest inside of it', () => {
		expect(kinds(['add $0x8,%ecx', at(5)], COMPARE, BACK, ['add $0x1,%ecx', at(5)], POLL, COMPARE, ['jl 0x10c'], RET)[1]).toBe(
			'counted with a poll: iteration',
		);
		expect(kinds(['add $0x8,%ecx', at(5)], ['inc %ebx', at(5)], ['cmp %esi,%ebx'], ['jl 0x104'], COMPARE, BACK, RET)).toEqual([
			'counted: none',
			'counted: none',
		]);
	});

	test('the main loop may be strip-mined, the rest beside its outer loop', () => {
		const nest: readonly PrintedLine[] = [
			['cmp $0x1f40,%ebp'],
			['add $0x8,%ecx', at(5)],
			['cmp %ebp,%ecx'],
			['jl 0x104'],
			['nop', '- (reexecute) a.B::f@5 (line 5)'],
			POLL,
			['cmp %ebx,%ecx'],
			['jl 0x100'],
			['inc %ecx', at(5)],
			COMPARE,
			['jl 0x120'],
			RET,
		];
		const found = loops(nest).sort((a, b) => a.header - b.header);
		expect(found.map(({ kind }) => kind)).toEqual(['strip-mined', 'strip-mined', 'rest']);
		expect(found[0]?.reason).toContain('LoopStripMiningIter (1000) iterations');
		// Both loops of the nest report at the poll of the outer one.
		expect(found.map(({ reported }) => reported.map(({ address }) => address))).toEqual([[0x114], [0x114], []]);
	});
});

describe('where threads are reported', () => {
	test('at polls, with what is described before them, and at calls', () => {
		const [loop] = loops([['nop', at(7)], POLL, VM_CALL, LEAF_CALL, CALL, BACK, RET]);
		expect(loop?.reported.map(({ address, place, frames }) => [address, place, frames[0]?.bci])).toEqual([
			[0x104, 'poll', 7],
			[0x108, 'call', 6],
			[0x110, 'call', 6],
		]);
	});
});

describe('a poll behind the loop', () => {
	const behind = (poll: string, ...between: readonly PrintedLine[]) => kinds(STEP, COMPARE, ['jl 0x100', at(5)], ...between, ['nop', poll], POLL, RET)[0];

	test.each<[string, string, readonly PrintedLine[], string]>([
		['of the same bytecode', at(5), [], 'outer loop gone: strip'],
		['of another method', at(5, 5, 'g'), [], 'counted: none'],
		['behind a branch', at(5), [['je 0x114']], 'counted: none'],
		['behind other instructions', at(5), [['nop']], 'outer loop gone: strip'],
	])('%s', (_, poll, between, expected) => {
		expect(behind(poll, ...between)).toBe(expected);
	});

	test('of the bytecode that the loop ends with', () => {
		expect(kinds(STEP, COMPARE, ['jl 0x100', at(30)], ['nop', at(30)], POLL, RET)).toEqual(['outer loop gone: strip']);
		expect(kinds(STEP, COMPARE, ['jl 0x100', at(30)], ['nop', at(29)], POLL, RET)).toEqual(['counted: none']);
	});

	test('is of no loop that polls itself, and of none that it is inside of', () => {
		expect(kinds(STEP, POLL, COMPARE, ['jl 0x100', at(5)], ['nop', at(5)], POLL, RET)).toEqual(['counted with a poll: iteration']);
		expect(kinds(STEP, ['je 0x110'], ['nop', at(5)], POLL, COMPARE, ['jl 0x100', at(5)], RET)).toEqual(['some ways: none']);
	});
});
