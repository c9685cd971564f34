import { describe, expect, test } from 'vitest';
import { parseDefine } from './define.js';
import { linkerSymbol, words } from './tokens.js';

const define = (line: string): NonNullable<ReturnType<typeof parseDefine>> => {
	expect(parseDefine(line)).not.toBeNull();
	return parseDefine(line)!;
};

describe('the first line of a function', () => {
	test.each([
		['define dso_local void @f() local_unnamed_addr #0 {\n', 'f', 'external', 0],
		['define internal fastcc range(i32 0, 5) i32 @g(i32 noundef %0, ptr byval(%struct.S) align 8 %1) #3 {', 'g', 'internal', 2],
		['define linkonce_odr noundef { ptr, i64 } @"a b(c)"(ptr %this, ...) comdat {', 'a b(c)', 'linkonce_odr', 0],
		['define weak_odr %"class.std::x(@y)" @"\\01_f"(%struct.S, [4 x i32], <4 x float> %v, %0 %named) {', '_f', 'weak_odr', 2],
		['define i32 @h(ptr initializes((0, 8)) %0, i32 %x1, target("t", i32, 1) %1) "k"="v)" {', 'h', 'external', 2],
		['define i32 @k(i32) {', 'k', 'external', 1],
	])('%s', (line, symbol, linkage, unnamedParameters) => {
		expect(define(line)).toMatchObject({ symbol, linkage, unnamedParameters });
	});

	test('tells groups, comdat, attributes and debug information', () => {
		const line = 'define void @"\\22q\\22"(i32 %0) unnamed_addr #12 comdat($c.1) section "x {" align 2 personality ptr @p !dbg !77 {\n';
		expect(define(line)).toMatchObject({ symbol: '"q"', comdat: 'c.1', attributeGroups: [12], debugInfo: 77 });
		expect(define('define void @f() naked noinline memory(argmem: read) comdat {')).toMatchObject({
			comdat: 'f',
			attributes: ['naked', 'noinline', 'memory(argmem: read)', 'comdat'],
		});
	});

	test('is refused when it is cut', () => {
		expect(parseDefine('define void @f(i32 %0')).toBeNull();
		expect(parseDefine('define void ')).toBeNull();
	});
});

test('words keep quoted text and brackets whole', () => {
	expect(words('a "k"="v w",  memory(x: y, z) { i32, [2 x i8] } b')).toEqual(['a', '"k"="v w"', ',', 'memory(x: y, z)', '{ i32, [2 x i8] }', 'b']);
	expect(linkerSymbol('"a\\5Cb\\C3\\A9\\\\"')).toBe('a\\bé\\');
});
