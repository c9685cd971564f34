import { expect, test } from 'vitest';
import { piece } from '../../test/code.js';
import { kindOfSymbol, sourceOfCode } from './generated-code.js';

test.each([
	['Interpreter', 'interpreter'],
	['Interpreter (method entry point)', 'interpreter'],
	['int java.lang.String.hashCode()', 'compilation'],
	['void a.B.f(int, java.lang.String)', 'compilation'],
	['java.lang.String::hashCode', 'compilation'],
	['Ljava/lang/String;::hashCode', 'compilation'],
	['StubRoutines (1)', 'stub'],
	['StubRoutines::call_stub', 'stub'],
	['jbyte_arraycopy', 'stub'],
	['SafepointBlob', 'stub'],
	['vtable stub', 'stub'],
	['two words (note)', 'stub'],
	['::f', 'stub'],
	['a.B::', 'stub'],
	['my Interpreter', 'stub'],
])('%s is of %s', (name, kind) => {
	expect(kindOfSymbol(name)).toBe(kind);
});

test('who made a piece of code', () => {
	const source = (more: Parameters<typeof piece>[2]) => sourceOfCode(piece(0, 1, more));
	expect(source({ compiler: 'c2', level: 4 })).toBe('c2, level 4');
	expect(source({ compiler: 'c1', level: 0 })).toBe('c1, level 0');
	expect(source({ compiler: 'jvmci', level: null })).toBe('jvmci');
	expect(source({ compiler: null, level: 3 })).toBe('unknown compiler, level 3');
	expect([source({ kind: 'stub' }), source({ kind: 'interpreter' }), source({ kind: 'native wrapper' })]).toEqual([
		'runtime stub',
		'interpreter',
		'native wrapper',
	]);
});
