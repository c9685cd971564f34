import { expect, test } from 'vitest';
import { nameMatches } from './name-pattern.js';
import { threadMatcher } from './thread-name.js';

test.each([
	// Without a star anywhere in the name.
	['get', 'a.B.getNode', true],
	['', 'a.B.getNode', true],
	['set', 'a.B.getNode', false],
	// With one the whole name.
	['*', '', true],
	['*', 'a.B.getNode', true],
	['a.*', 'a.B.getNode', true],
	['B*', 'a.B.getNode', false],
	['*Node', 'a.B.getNode', true],
	['*get', 'a.B.getNode', false],
	['a*Node', 'a.B.getNode', true],
	['a.B.getNode*', 'a.B.getNode', true],
	// What stands at both ends may not overlap.
	['ab*ba', 'aba', false],
	['ab*ba', 'abba', true],
	['a*a', 'a', false],
	// Parts in the middle come one after the other, before the end.
	['a*b*c', 'a1b2c', true],
	['a*b*c', 'abc', true],
	['a*c*c', 'abc', false],
	['a*b*b*c', 'a1b2c', false],
	['a*b*b*c', 'a1b2b3c', true],
	['*bb*bb*', 'bbb', false],
	['*bb*bb*', 'bbbb', true],
	['*b*', 'abc', true],
	['*x*', 'abc', false],
	['a**c', 'abc', true],
])('%j and %j: %s', (pattern, name, isMatch) => {
	expect(nameMatches(pattern, name)).toBe(isMatch);
});

test('of names of threads the first 15 bytes, unless a star says what is meant', () => {
	expect(threadMatcher('C2 CompilerThread0')('C2 CompilerThre')).toBe(true);
	expect(threadMatcher('C2 CompilerThread0')('C2 Compiler')).toBe(false);
	expect(threadMatcher('C2 CompilerThread*')('C2 CompilerThre')).toBe(false);
	expect([threadMatcher('worker-*')('worker-1'), threadMatcher('orker')('worker-1')]).toEqual([true, true]);
});
