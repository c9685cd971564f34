import { expect, test } from 'vitest';
import { comparableMethodName, splitMethodName } from './method-name.js';

test('holder and name, and what stands behind the first bracket', () => {
	expect(splitMethodName('java.util.HashMap.getNode(Object)')).toEqual({ method: 'java.util.HashMap.getNode', signature: '(Object)' });
	expect(splitMethodName('a.B.f')).toEqual({ method: 'a.B.f', signature: null });
	expect(splitMethodName('(x)')).toEqual({ method: '', signature: '(x)' });
});

test.each([
	['a.B.f', 'a.B.f'],
	['a.B.f()', 'a.B.f()'],
	['a.B.f(java.lang.StringBuilder, int)', 'a.B.f(StringBuilder,int)'],
	['a.B.f(StringBuilder,int)', 'a.B.f(StringBuilder,int)'],
	['a.B.f(java.util.Map$Entry[])', 'a.B.f(Map$Entry[])'],
	['a.B.f(int)void', 'a.B.f(int)'],
	['a.B.f(java.lang.String', 'a.B.f(String)'],
])('%s is compared as %s', (name, comparable) => {
	expect(comparableMethodName(name)).toBe(comparable);
});
