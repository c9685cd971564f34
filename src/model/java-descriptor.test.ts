import { expect, test } from 'vitest';
import { methodWithParameters, parameterTypes } from './java-descriptor.js';

test('types of parameters', () => {
	expect(parameterTypes('()V')).toEqual([]);
	expect(parameterTypes('(Ljava/util/Map$Entry;I[[BJ)[Ljava/lang/Object;')).toEqual(['java.util.Map$Entry', 'int', 'byte[][]', 'long']);
});

test.each(['', 'V', '(', '(Q)V', '(Ljava/lang/Object)V', '([', '(LLLLLL)L'])('%j is no descriptor', (text) => {
	expect(parameterTypes(text)).toBeNull();
});

test('methods as Graal and proftool write them', () => {
	expect(methodWithParameters('a.B.m', '(Ljava/lang/Object;[I)V', false)).toBe('a.B.m(Object, int[])');
	expect(methodWithParameters('a.B.m', '(Ljava/lang/Object;[I)V', true)).toBe('a.B.m(java.lang.Object, int[])');
	expect(methodWithParameters('a.B.m', null, true)).toBe('a.B.m');
});
