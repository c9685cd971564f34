/** By hand, what the recorded text beside class files does not show. */
import { expect, test } from 'vitest';
import { textSource } from '../../../test/recordings.js';
import { isJavap, readJavap } from './read.js';

const read = (...lines: string[]) =>
	readJavap(textSource(lines.join('\n'))).methods.map(({ method, signature, code }) => ({
		method,
		signature,
		code: code.map(({ bci, opcode, targets, local, constant }) => [bci, opcode, targets, local, constant]),
	}));
const NONE = Number.NaN;

test('names of methods, constructors and initializers, of several classes', () => {
	const code = ['    Code:', '       0: return'];
	const methods = read(
		'Compiled from "A.java"',
		'public final class a.A<T> extends b.B implements c.C {',
		'  public static int longIndex(int, java.lang.String);',
		'    descriptor: (ILjava/lang/String;)I',
		...code,
		'  a.A();',
		...code,
		'  static {};',
		'    descriptor: ()V',
		...code,
		'  <T extends java.lang.Object> T generic(T) throws java.io.IOException;',
		...code,
		'interface D {',
		'  default void run();',
		...code,
		'enum E$F {',
		...code,
		'  E$F(int);',
		...code,
	);
	expect(methods.map(({ method, signature }) => [method, signature])).toEqual([
		['a.A.longIndex', '(ILjava/lang/String;)I'],
		['a.A.<init>', null],
		['a.A.<clinit>', '()V'],
		['a.A.generic', null],
		['D.run', null],
		['E$F.<init>', null],
	]);
	expect(methods.every(({ code: instructions }) => instructions.length === 1)).toBe(true);
});

test('a method without code, and fields, are none', () => {
	expect(read('class A {', '  int field;', '  abstract void f();', '  void g();', '    Code:', '       0: return', '  abstract void h();')).toMatchObject([
		{ method: 'A.g' },
	]);
});

test('jumps, locals and constants', () => {
	const [{ code } = { code: [] }] = read(
		'class A {',
		'  void f(int);',
		'    Code:',
		'       0: iload_1',
		'       1: bipush        13',
		'       3: if_icmpge     34',
		'       6: iinc          2, -1',
		'       9: iinc_w        300, 1000',
		'      15: goto_w        0',
		'      20: jsr           6',
		'      21: jsr_w         7',
		'      23: iload         4',
		'      25: wide',
		'      26: invokevirtual #7                  // Method g:()V',
		'     100: newarray       int',
		'     102: iconst_m1',
		'     103: sipush        -5',
		'     106: ifnull',
	);
	expect(code).toEqual([
		[0, 'iload_1', [], 1, NONE],
		[1, 'bipush', [], -1, 13],
		[3, 'if_icmpge', [34], -1, NONE],
		[6, 'iinc', [], 2, -1],
		[9, 'iinc', [], 300, 1000],
		[15, 'goto', [0], -1, NONE],
		[20, 'jsr', [6], -1, NONE],
		[21, 'jsr', [7], -1, NONE],
		[23, 'iload', [], 4, NONE],
		[25, 'wide', [], -1, NONE],
		[26, 'invokevirtual', [], -1, NONE],
		[100, 'newarray', [], -1, NONE],
		[102, 'iconst_m1', [], -1, -1],
		[103, 'sipush', [], -1, -5],
		[106, 'ifnull', [], -1, NONE],
	]);
});

test('the cases of a switch are its targets, whatever they are numbered', () => {
	const [{ code } = { code: [] }] = read(
		'class A {',
		'  void f(int);',
		'    Code:',
		'       0: lookupswitch  { // 2',
		'                    -5: 28',
		'                     7: 30',
		'               default: 136',
		'          }',
		'      28: tableswitch   { // 0 to 1',
		'                     0: 40',
		'               default: 41',
		'          }',
		'      40: return',
	);
	expect(code).toEqual([
		[0, 'lookupswitch', [28, 30, 136], -1, NONE],
		[28, 'tableswitch', [40, 41], -1, NONE],
		[40, 'return', [], -1, NONE],
	]);
});

test('what is printed behind the instructions is none', () => {
	const methods = read(
		...['class A {', '  void f();', '    descriptor: ()V', '    flags: (0x0000)', '    Code:', '      stack=1, locals=1, args_size=1', '       0: nop'],
		...['    LineNumberTable:', '       5: nop', '    Exceptions:', '  void g();', '    Code:', '       1: nop', '', '       2: nop', '}', '       3: nop'],
	);
	expect(methods.map(({ method, signature, code }) => [method, signature, code.map(([bci]) => bci)])).toEqual([
		['A.f', '()V', [0]],
		['A.g', null, [1, 2, 3]],
	]);
});

test('code outside of a class or a method is none; text behind such a line is', () => {
	expect(read('    Code:', '       0: nop', 'class A {', '    Code:', '       0: nop')).toEqual([]);
});

test.each([
	['Classfile /a/A.class\n', true],
	['Compiled from "A.java"\n', true],
	['public final class a.A {\n', true],
	['interface A {\n', true],
	['enum A extends java.lang.Enum<A> {\n', true],
	['x\nclass A {\n', true],
	[' class A {\n', false],
	['class A\n', false],
	['', false],
])('%j before code: %s', (head, is) => {
	expect(isJavap(`${head}    Code:\n`)).toBe(is);
	expect(isJavap(`${head}x Code:\n`)).toBe(false);
	expect(isJavap(`${head}    Code: x\n`)).toBe(false);
});
