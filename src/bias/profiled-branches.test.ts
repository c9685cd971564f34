/** Branches of code that take no time, so that samples say nothing of them: what C2's profile says. */
import { describe, expect, test } from 'vitest';
import { type PrintedLine, printedMethod } from '../../test/code.js';
import { type BranchProfile, branchKey } from '../model/branch-profile.js';
import { chainGraph } from './chain-blocks.js';
import { fittedChain } from './fitted-chain.js';
import { profiledBranch } from './profiled-branches.js';

const at = (name: string, bci: number): string => `- ${name}@${bci} (line ${bci})`;
/** `if (a) call(); return`: the branch at bci 1 goes to 9 where it is taken. */
const IF = (inJump: PrintedLine, inFall: PrintedLine, ...outer: string[]): PrintedLine[] => [
	['test %eax,%eax', '*ifeq', at('a.B::f', 1), ...outer],
	['je 0x118', '*ifeq', at('a.B::f', 1), ...outer],
	inFall,
	['inc %ecx', at('a.B::k', 0)],
	['ret'],
	['nop', at('a.B::k', 0)],
	inJump,
	['ret', at('a.B::k', 0)],
];
const of = (taken: number, notTaken: number, targetBci = 9, ...bcis: number[]): BranchProfile =>
	new Map([[branchKey('a.B.f', bcis.length > 0 ? bcis : [1]), { taken, notTaken, targetBci }]]);
const TARGET: PrintedLine = ['inc %eax', at('a.B::f', 9)];
const BETWEEN: PrintedLine = ['inc %ebx', at('a.B::f', 4)];

function found(lines: readonly PrintedLine[], profile: BranchProfile): ReturnType<typeof profiledBranch> {
	const method = printedMethod('a.B.f', lines);
	const { blocks } = chainGraph(method);
	return profiledBranch(blocks, 0, method.instructions, profile);
}

describe('which way of the machine is which of the bytecode', () => {
	test('the jump goes to the target of the bytecode', () => {
		expect(found(IF(TARGET, BETWEEN), of(20, 80))).toEqual({ jumps: 20, falls: 80 });
	});

	test('the compiler turned it round', () => {
		expect(found(IF(BETWEEN, TARGET), of(20, 80))).toEqual({ jumps: 80, falls: 20 });
	});

	test('one way is enough where it lies before the target; at the target both may go on', () => {
		expect(found(IF(['nop'], BETWEEN), of(20, 80))).toEqual({ jumps: 20, falls: 80 });
		expect(found(IF(BETWEEN, ['nop']), of(20, 80))).toEqual({ jumps: 80, falls: 20 });
		expect(found(IF(TARGET, ['nop']), of(20, 80))).toBeNull();
		expect(found(IF(TARGET, TARGET), of(20, 80))).toBeNull();
		expect(found(IF(BETWEEN, BETWEEN), of(20, 80))).toBeNull();
	});

	test('a branch back: what lies between is taken', () => {
		const back: PrintedLine = ['inc %eax', at('a.B::f', 0)];
		expect(found(IF(back, ['nop']), of(20, 80, 0))).toBeNull();
		expect(found(IF(back, TARGET), of(20, 80, 0))).toEqual({ jumps: 20, falls: 80 });
	});

	test('only where the method is inlined at the same place', () => {
		const inlined = (bci: number, outer: number): PrintedLine => ['inc %eax', at('a.B::f', bci), at('a.B::g', outer)];
		const lines = (outer: number): PrintedLine[] => IF(inlined(9, 3), inlined(4, outer), at('a.B::g', 3));
		expect(found(lines(3), of(20, 80, 9, 1, 3))).toEqual({ jumps: 20, falls: 80 });
		expect(found(lines(5), of(20, 80, 9, 1, 3))).toBeNull();
		expect(found(lines(3), of(20, 80, 9, 1, 5))).toBeNull();
		expect(found(lines(3), of(20, 80))).toBeNull();
	});

	test('what is inlined in one way is of that way', () => {
		const deeper: PrintedLine = ['inc %eax', at('a.B::h', 0), at('a.B::f', 4)];
		expect(found(IF(TARGET, deeper), of(20, 80))).toEqual({ jumps: 20, falls: 80 });
	});

	test('a profile of few', () => {
		expect(found(IF(TARGET, BETWEEN), of(4, 5))).toBeNull();
	});
});

test('samples that say nothing leave a branch where the profile has it; those that do move it', () => {
	const lines = IF(TARGET, BETWEEN);
	const share = (profile: BranchProfile | null, head: number, jump: number, fall: number): number =>
		fittedChain({ ...printedMethod('a.B.f', lines), branches: () => profile }, Float64Array.of(head, 0, fall, 0, 0, 0, jump, 0)).jumpShares[0]!;
	expect(share(of(900, 100), 1, 0, 0)).toBeCloseTo(0.9, 2);
	expect(share(of(100, 900), 1, 0, 0)).toBeCloseTo(0.1, 2);
	expect(share(of(100, 900), 1000, 900, 100)).toBeGreaterThan(0.4);
	expect(share(null, 1, 0, 0)).toBe(share(of(0, 0), 1, 0, 0));
	// C1 has no profile to lay out code by.
	const ofC1 = { ...printedMethod('a.B.f', lines, 0x100, { compiler: 'c1' }), branches: () => null };
	expect(fittedChain(ofC1, null).jumpShares[0]).toBeCloseTo(0.5, 5);
});
