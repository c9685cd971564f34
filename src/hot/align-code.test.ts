/** Two listings laid beside each other; comparisons of whole regions are in compare-hot.test.ts. */
import { expect, test } from 'vitest';
import { assemble } from '../../test/assemble.js';
import { alignCode } from './align-code.js';

const numbers = (length: number): number[] => Array.from({ length }, (_, i) => i);
const align = (a: readonly string[], b: readonly string[]) => alignCode(assemble(a), numbers(a.length), assemble(b), numbers(b.length));

test('what is the same up to registers, addresses and the layout of frames stands beside each other', () => {
	expect(align(['mov 0x10(%rsp),%eax', 'add %eax,%ebx', 'call 0x7f0000001234'], ['mov 0x28(%rsp),%ecx', 'add %ecx,%edx', 'call 0x7f0000005678'])).toEqual([
		[0, 0],
		[1, 1],
		[2, 2],
	]);
	// Small numbers are of the program.
	expect(align(['add $0x1,%eax', 'ret'], ['add $0x2,%eax', 'ret'])).toEqual([
		[0, -1],
		[-1, 0],
		[1, 1],
	]);
});

test('one side longer: in front, in the middle, at the end; one side empty', () => {
	const [long, short] = [
		['push %rbp', 'nop', 'inc %eax', 'dec %eax', 'ret'],
		['nop', 'dec %eax'],
	];
	expect(align(long, short)).toEqual([
		[0, -1],
		[1, 0],
		[2, -1],
		[3, 1],
		[4, -1],
	]);
	expect(align(short, long)).toEqual([
		[-1, 0],
		[0, 1],
		[-1, 2],
		[1, 3],
		[-1, 4],
	]);
	expect([align(['nop', 'ret'], ['nop']), align(['nop'], ['nop', 'ret']), align([], ['nop']), align(['nop'], []), align([], [])]).toEqual([
		[
			[0, 0],
			[1, -1],
		],
		[
			[0, 0],
			[-1, 1],
		],
		[[-1, 0]],
		[[0, -1]],
		[],
	]);
});

test('listings that are too long are not compared, unless they begin alike', () => {
	const listing = (first: string, length: number): string[] => Array.from({ length }, (_, i) => (i === 0 ? first : 'nop'));
	expect(align(listing('inc %eax', 8193), listing('dec %eax', 8193))).toBeNull();
	expect(align(listing('inc %eax', 8193), listing('inc %eax', 8193))?.at(-1)).toEqual([8192, 8192]);
});
