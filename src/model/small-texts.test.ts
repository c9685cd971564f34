/** Names, addresses and times as texts, and what is told from them. */
import { expect, test } from 'vitest';
import { append } from './append.js';
import { hexadecimal } from './hexadecimal.js';
import { mayBeSameStart } from './jvm-start.js';
import { shortVersion } from './jvm-version.js';
import { shellWord } from './shell-word.js';
import { placeOfComments, sourceComment } from './source-comment.js';

test('addresses; those of the kernel are numbers of 64 bits', () => {
	expect([0, 0x7f8c64ec969e, -1, -4096].map(hexadecimal)).toEqual(['0x0', '0x7f8c64ec969e', '0xffffffffffffffff', '0xfffffffffffff000']);
});

test('two files of one start of a JVM: within two seconds', () => {
	expect([mayBeSameStart(5000, 5000), mayBeSameStart(5000, 7000), mayBeSameStart(7000, 5000)]).toEqual([true, true, true]);
	expect([mayBeSameStart(5000, 7001), mayBeSameStart(7001, 5000)]).toEqual([false, false]);
});

test('a version without what it was built from', () => {
	expect(shortVersion('OpenJDK 64-Bit Server VM (25+36) for linux-amd64 JRE (25+36), built on 2025-08-16 by x')).toBe(
		'OpenJDK 64-Bit Server VM (25+36) for linux-amd64',
	);
	expect(shortVersion('VM (8) built on Jan 1\nmore')).toBe('VM (8)');
	expect(shortVersion('VM 17')).toBe('VM 17');
});

test('words of a shell', () => {
	expect(['run-1', 'a/b.c', 'c1%', '--pid=5,6:7@x+y', 'a b', "it's", '', '$x', 'a\n'].map(shellWord)).toEqual([
		'run-1',
		'a/b.c',
		'c1%',
		'--pid=5,6:7@x+y',
		"'a b'",
		"'it'\\''s'",
		"''",
		"'$x'",
		"'a\n'",
	]);
});

test('the place in the source that a comment tells', () => {
	expect(sourceComment('/app/fib.js:3:10')).toBe('at /app/fib.js:3:10');
	expect(placeOfComments(['odd at x', 'at a.js:1', 'at b.js:2'])).toBe('a.js:1');
	expect([placeOfComments([]), placeOfComments(['atx'])]).toEqual([null, null]);
});

test('more items than a call takes arguments', () => {
	const list = [1];
	append(list, new Set([2, 3]));
	expect(list).toEqual([1, 2, 3]);
	append(list, new Array<number>(300_000).fill(4));
	expect(list).toHaveLength(300_003);
});
