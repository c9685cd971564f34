import fc from 'fast-check';
import { expect, test } from 'vitest';
import { samplesOfProfile } from '../../../test/profile-stacks.js';
import { memorySource } from '../../bytes/source.js';
import { isCollapsedStacks as isSurelyCollapsed } from './detect.js';
import { isCollapsedStacks, readCollapsed } from './read.js';

function read(text: string): ReturnType<typeof readCollapsed> {
	return readCollapsed(memorySource('a.collapsed', Buffer.from(text)));
}

function leaves(text: string): string[] {
	return samplesOfProfile(read(text)).map(({ thread, method, line, samples }) => `${thread} ${method} ${line} ${samples}`);
}

test('methods in the spellings of different tools', () => {
	expect(
		leaves(
			'[S7];java.lang.Thread.run:1474;java.util.HashMap.getNode:588 117\n' +
				'[main tid=7];java/util/HashMap.getNode_[j] 2\n' +
				'a.B.main;java.util.HashMap.getNode(Object, int) 3\n' +
				'a.B.main;java.lang.String.<init>:4863 1\n' +
				'Hot.main;Hot.f;0x7f2bb3ecda28 4\n' +
				'Hot.main;do_syscall_64_[k] 5\n' +
				'Hot.main;libjvm.so`Parse::Parse 6\r\n' +
				'Hot.main;[unknown_Java] 7\n',
		),
	).toEqual([
		'S7 java.util.HashMap.getNode 588 117',
		'main java.util.HashMap.getNode -1 2',
		'null java.util.HashMap.getNode -1 3',
		'null java.lang.String.<init> 4863 1',
		'null Hot.f -1 4',
		'null (kernel) -1 5',
		'null (native) -1 6',
		'null (unknown) -1 7',
	]);
});

test('sums of nanoseconds or bytes are no samples, and said to be none', () => {
	const lines = (weights: readonly number[]) => weights.map((weight, i) => `a.B.main;a.B.f${i} ${weight}\n`).join('');
	const totals = Array.from({ length: 12 }, (_, i) => 89_043 + i * 1_000_000);
	expect(read(lines(totals)).problems).toMatchObject([
		{ severity: 'warning', message: expect.stringMatching(/^no stack counts less than 89043: .*option total/) },
	]);
	expect(read(lines([...totals, 1])).problems).toEqual([]);
	expect(read(lines([5000, 7000])).problems).toEqual([]);
});

test('frames with what they are told of, the outermost first; threads and addresses are no frames', () => {
	const rows = samplesOfProfile(
		read('[main tid=1];a.B.run:7;java/util/HashMap.get_[j];0x7f00 3\n(truncated);a.B.run:9;(memcpy) 2\n(no stack) 4\nlibc.so`memcpy;f_[k] 1\n'),
	);
	expect(rows.map(({ stack, samples }) => [stack.join(' > '), samples])).toEqual([
		['a.B.run > java.util.HashMap.get', 3],
		['… > a.B.run > (memcpy)', 2],
		['', 4],
		['(libc.so`memcpy) > (f)', 1],
	]);
});

test('any text: never throws, and every sample is in a row', () => {
	fc.assert(
		fc.property(fc.array(fc.tuple(fc.string(), fc.nat(1000))), (lines) => {
			const profile = read(lines.map(([text, count]) => `${text.replace(/[\r\n]/g, '')} ${count}`).join('\n'));
			const sum = samplesOfProfile(profile).reduce((all, { samples }) => all + samples, 0);
			expect(sum).toBeLessThanOrEqual(lines.reduce((all, [, count]) => all + count, 0));
			expect(profile.problems.length).toBeLessThanOrEqual(lines.length);
		}),
	);
});

test('other lines are counted, and the rest is read', () => {
	const profile = read('nonsense\nA.a;B.b x\nA.a;B.b 2\n\n');
	expect(samplesOfProfile(profile).map(({ samples }) => samples)).toEqual([2]);
	expect(profile.problems.map(({ line }) => line)).toEqual([1, 2]);
});

test.each([
	['a.b 1\n', true],
	['a.b 1\n\n  \nother\n', true],
	['a.b 1\nother\nother\n', false],
	['a.b 1  \r\n', true],
	['a.b 1 x\nother 1 y\n', false],
	[' a.b 1\n', false],
	['', false],
])('%j has stacks: %s', (head, is) => {
	expect(isCollapsedStacks(head)).toBe(is);
});

test('nearly all lines are stacks, where only that tells what a file is', () => {
	const lines = (good: number, bad: number): boolean => isSurelyCollapsed(`${'a;b 1\n'.repeat(good)}\n${'other text\n'.repeat(bad)}`);
	expect([lines(1, 1), lines(1, 2), lines(80, 10), lines(80, 11), lines(0, 1)]).toEqual([true, false, true, false, false]);
	expect([isSurelyCollapsed('a 1\nb 2\n'), isSurelyCollapsed('a;b 1\r\nc 2\r\n'), isSurelyCollapsed(';b 1\n'), isSurelyCollapsed('a;b 1 x\n')]).toEqual([
		false,
		true,
		false,
		false,
	]);
});

test('profiles without callers, as assay writes them', () => {
	expect(['(memcpy) 2\na.B.f 3\n', '(libc.so.6) 1\n', 'a.B.f 3\na.B.g 1\n', '(memcpy) 2\nother 3\nx 1\n', '(a) x\n'].map(isSurelyCollapsed)).toEqual([
		true,
		true,
		false,
		false,
		false,
	]);
});

test('threads, addresses and frames at the edges of a line', () => {
	expect(leaves('[main tid=12] 3\n[main tid=12];a.B.c 1\nx[y];a.B.c 1\n[a;b];a.B.c 1\n')).toEqual([
		'main (unknown) -1 3',
		'main a.B.c -1 1',
		'null a.B.c -1 1',
		'null a.B.c -1 1',
	]);
	expect(leaves('0x7f00 1\na.B.c;0x7f00 2\na.B.main;a.B.d;0x7f00  4 \n;0x7f00 8\n')).toEqual([
		'null (unknown) -1 1',
		'null a.B.c -1 2',
		'null (native) -1 4',
		'null (unknown) -1 8',
	]);
});

test.each(['a.B.c 1x', 'a.B.c x1', 'a.B.c -1', 'a.B.c 1.5', 'a.B.c', 'a.B.c 100000000000000000'])('%j is no stack', (line) => {
	const profile = read(`${line}\n`);
	expect(samplesOfProfile(profile)).toEqual([]);
	expect(profile).toMatchObject({ file: { kinds: [] }, problems: [{ line: 1 }] });
});
