/** Spellings that the whole modules of read and rewrite do not have. */
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { parseDefine } from './define.js';
import { readIrModule } from './read.js';
import { rewriteIr } from './rewrite.js';
import { endOfBrackets, endOfName, linkerSymbol, plainName, words } from './tokens.js';

const source = (text: string): ReturnType<typeof memorySource> => memorySource('a.ll', Buffer.from(text));
const read = (text: string): ReturnType<typeof readIrModule> => readIrModule(source(text));
const F = 'define void @f() !dbg !4 {\n  ret void\n}\n';

function rewrite(text: string, isLeft = false): string {
	const pieces: Buffer[] = [];
	const edits = { globals: '@own = global i8 0\n', prologue: () => (isLeft ? null : '  br label %cont\ncont:\n'), continuation: 'cont' };
	rewriteIr(source(text), edits, (bytes) => void pieces.push(Buffer.from(bytes)));
	return Buffer.concat(pieces).toString();
}

test.each([
	['"a\\22b"', 'a"b'],
	['"a\\\\b"', 'a\\b'],
	['"a\\5Cb"', 'a\\b'],
	['"a\\zzb"', 'a\\zzb'],
	['"\\C3\\A9"', 'é'],
	['"a', 'a'],
	['"', ''],
	['""', ''],
	['a"', 'a"'],
	['a.b', 'a.b'],
])('the name %s', (spelled, plain) => {
	expect(plainName(spelled)).toBe(plain);
});

test('names, brackets and words of lines', () => {
	expect([linkerSymbol('"\\01_f"'), linkerSymbol('_f'), linkerSymbol('"_\\01f"')]).toEqual(['_f', '_f', '_\u0001f']);
	expect(['f(', '"a b"(', 'a-b$c.d_9 x', '"cut'].map((text) => endOfName(text, 0))).toEqual([1, 5, 9, 4]);
	expect(['(a)b', '(a(b)[c]{d}<e>)f', '(")")g', '(a', '([)])x', '("a'].map((text) => endOfBrackets(text, 0))).toEqual([3, 15, 5, 2, 5, 3]);
	expect(words(' a,b\t"c d"e\r\n(f, g)h ')).toEqual(['a', ',', 'b', '"c d"e', '(f, g)h']);
	expect(words('')).toEqual([]);
});

test.each([
	['define void @f() {', { linkage: 'external', comdat: null, attributeGroups: [], attributes: [], debugInfo: null, unnamedParameters: 0, tailStart: 16 }],
	['define available_externally void @f() {', { linkage: 'available_externally' }],
	['define i32 @f() #0 #12 !dbg !7 {', { attributeGroups: [0, 12], debugInfo: 7 }],
	['define i32 @f() !dbg !x {', { debugInfo: null }],
	['define i32 @f() !dbg {', { debugInfo: null }],
	['define i32 @f() comdat($"a b") {', { comdat: 'a b' }],
	['define i32 @f(i32 %x, i32 %0, i32, ptr) {', { unnamedParameters: 3 }],
	['define i32 @f(...) {', { unnamedParameters: 0 }],
	['define i32 @f(%struct.S) {', { unnamedParameters: 1 }],
	['define [2 x i8] @f() {', { irName: 'f' }],
	['define <2 x ptr> @f() {', { irName: 'f' }],
	['define %"a@b" @f() {', { irName: 'f' }],
	['define ptr addrspace(1) @f() {', { irName: 'f' }],
])('%s', (line, told) => {
	expect(parseDefine(line)).toMatchObject(told);
});

test.each(['define void @f {', 'define void @f() { ret', 'define void @f()', 'define "cut', 'define void f() {', 'define {ptr @f() {'])(
	'%s is refused',
	(line) => {
		expect(parseDefine(line)).toBeNull();
		expect(() => read(`; c\n${line}\n  ret void\n}\n`)).toThrow(/line 2|a.ll:2/);
	},
);

test.each([
	['!4 = distinct !DISubprogram(name: "f", scope: !1, file: !5, line: 12)\n!5 = !DIFile(filename: "a b.c", directory: "/")\n', 'a b.c', 12],
	['!5 = !DIFile(filename: "a\\22.c", directory: "/")\n!4 = distinct !DISubprogram(file: !5, scope: !1, line: 0)\n', 'a".c', null],
	['!4 = distinct !DISubprogram(name: "file: !6, line: 9", file: !5)\n!5 = !DIFile(filename: "a.c")\n!6 = !DIFile(filename: "b.c")\n', 'a.c', null],
	['!4 = distinct !DISubprogram(name: "f", line: 12)\n!5 = !DIFile(filename: "a.c")\n', null, null],
	['!4 = distinct !DISubprogram(file: !6, line: 3)\n!5 = !DIFile(filename: "a.c")\n', null, 3],
	['!4 = !DISubprogram(file: !5, line: 12)\n!5 = !DIFile(filename: "a.c")\n', null, null],
	['!4 = distinct !DISubprogram(file: !5, line: 12)\n!5 = !{!"filename: "}\n', null, 12],
	['!14 = distinct !DISubprogram(file: !5, line: 12)\n!5 = !DIFile(filename: "a.c")\n', null, null],
	['!\n!4\n!DIFile(\n', null, null],
])('debug information %j', (metadata, file, line) => {
	expect(read(F + metadata).functions).toMatchObject([{ file, line }]);
});

test.each([
	['@x = ifunc i32 (i32), ptr @f\n', true],
	['@x = hidden thread_local(initialexec) ifunc i32 (), ptr @f, partition "@g"\n', true],
	['@x = dso_local ifunc i32 (), ptr @f ; @g\n', false],
	['@x = alias i32 (), ptr @f\n', false],
	['@x = private constant [9 x i8] c" ifunc  @f"\n', false],
])('%j makes @f a resolver: %s', (global, isResolver) => {
	expect(read(global + F).functions).toMatchObject([{ isResolver }]);
});

test('annotations: several of a function, of names in quotes, of strings that are not there', () => {
	const entry = (name: string, string: string): string => `{ ptr, ptr, ptr, i32, ptr } { ptr @${name}, ptr @${string}, ptr @.file, i32 3, ptr null }`;
	const { functions } = read(
		'@.a = private constant [2 x i8] c"a\\00", section "llvm.metadata"\n@"b c" = private constant [2 x i8] c"b\\00", section "llvm.metadata"\n' +
			'@.other = private constant [2 x i8] c"c\\00"\n@.cut = private constant [2 x i8] c"d", section "llvm.metadata"\n' +
			`@llvm.global.annotations = appending global [6 x { ptr }] [${[entry('f', '.a'), entry('f', '"b c"'), entry('"g h"', '.a'), entry('f', '.other'), entry('f', '.cut')].join(', ')}]\n` +
			`${F}define void @"g h"() {\n  ret void\n}\n`,
	);
	expect(functions.map(({ symbol, annotations }) => [symbol, annotations])).toEqual([
		['f', ['a', 'b']],
		['g h', ['a']],
	]);
});

test('attributes of the line and of its groups', () => {
	const text =
		'define void @f() #0 cold #2 #9 {\n  ret void\n}\nattributes #0 = { nounwind "a"="b c" }\nattributes #1 = { noreturn }\nattributes #2 = { memory(none) }\nattributes #x\n';
	expect([...(read(text).functions[0]?.allAttributes ?? [])]).toEqual(['cold', 'nounwind', '"a"="b c"', 'memory(none)']);
});

test.each([
	['e-m:e-i64:64', false, 64],
	['E', true, 64],
	['E-m:e', true, 64],
	['e-p:32:32', false, 32],
	['e-p0:32', false, 32],
	['p:32', false, 32],
	['e-p:64:64-p1:32:32', false, 64],
	['e-p270:32:32', false, 64],
	['e-p:321', false, 64],
	['eE', false, 64],
])('target datalayout %s', (layout, isBigEndian, pointerBits) => {
	expect(read(`target datalayout = "${layout}"\n`)).toMatchObject({ isBigEndian, pointerBits, triple: null, sizeBytes: 23 + layout.length });
	expect(read('target triple = "x86_64-linux"\n')).toMatchObject({ triple: 'x86_64-linux', isBigEndian: false });
});

test('what is IR, and what was instrumented before', () => {
	expect(read('source_filename = "a.c"\n')).toMatchObject({ sourceFilename: 'a.c', isInstrumented: false, functions: [] });
	expect(read('source_filename = "a.c"\n@__assay_order_x = global i8 0\n').isInstrumented).toBe(true);
	expect(read('source_filename = "a.c"\n@__assay_other = global i8 0\n').isInstrumented).toBe(false);
	for (const text of ['', 'target other = "x"\n', 'sourcefilename = "a.c"\n', ' source_filename = "a.c"\n', '\nBC\u00c0\u00de\n']) {
		expect(() => read(text)).toThrow(/no LLVM IR text/);
	}
});

test('the place of what is refused', () => {
	const typed = (line: string): string => `${F}define void @g() {\n${line}\n  ret void\n}\n`;
	expect(() => read(typed('  store i32 0, i32* %1'))).toThrow(/a\.ll.*5.*typed pointers/);
	for (const line of [
		'  store i32 0, ptr %1 ; i8* x',
		'  store ptr @"a* b", ptr %1',
		'  %1 = load i32, i32* %0',
		'  call void @h(ptr %0) ; store i8* %1',
		'  store i32 0, ptr %1 * 2',
	]) {
		expect(read(typed(line)).functions).toHaveLength(2);
	}
	expect(() => read('define void @f(i8* %0) {\n  ret void\n}\n')).toThrow(/LLVM before 15/);
	expect(() => read(`${F}define void @g() {\n  ret void\ndefine void @h() {\n  ret void\n}\n`)).toThrow(/a\.ll.*6.*@g does not end before the next function/);
	// The line is counted in files of any length.
	expect(() => read(`${`;${'x'.repeat(998)}\n`.repeat(1100)}define void @f(i8* %0) {\n  ret void\n}\n`)).toThrow(/1101/);
});

test('what stands before the first function has the lines of names in front only', () => {
	const taken = (text: string): string => {
		const pieces: Buffer[] = [];
		readIrModule(source(text), (bytes) => void pieces.push(Buffer.from(bytes)));
		return Buffer.concat(pieces).toString();
	};
	const rest = `; comment\nsource_filename = "b.c"\n${F}`;
	expect(taken(`; ModuleID = 'x'\nsource_filename = "a.c"\n${rest}`)).toBe(rest);
	expect(taken(`source_filename = "a.c"\n${rest}`)).toBe(rest);
	expect(taken(`; ModuleID = 'x'\n${rest.slice(rest.indexOf('source'))}`)).toBe(F);
	expect(taken(`target triple = "x"\n${rest}`)).toBe(`target triple = "x"\n${rest}`);
});

test('the globals stand before the first function, once', () => {
	const text = `${F}${F.replace('@f', '@g')}`;
	const begun = text.replaceAll('{\n', '{\n  br label %cont\ncont:\n');
	expect(rewrite(text)).toBe(`@own = global i8 0\n${begun}`);
	expect(rewrite('; no function\n')).toBe('; no function\n');
	expect(rewrite(text, true)).toBe(`@own = global i8 0\n${text}`);
});

test.each([
	['  %1 = alloca i8\n  %"a b" = alloca i8\n', '  ret void\n'],
	['  %1 = alloca i8\n', '  %2 = add i32 0, 1\n  %3 = call i32 @llvm.abs.i32(i32 %2, i1 true)\n  ret void\n'],
	['  %1 = alloca i8\n  call void @llvm.dbg.declare()\n  %2 = alloca i8\n', '  ret void\n'],
	['  %1 = alloca i8\n', '  call void @llvm.memcpy.p0.p0.i64(ptr %1)\n  %2 = alloca i8\n  ret void\n'],
	['  %1 = alloca i8\n', '  %2 = tail call ptr @llvm.objc.retain(ptr %1)\n  %3 = alloca i8\n  ret void\n'],
	['  %1 = alloca i8\n', '  %"x y" = tail call i32 @g()\n  %3 = alloca i8\n  ret void\n'],
	['  %1 = alloca i8\n', '  musttail call void @g()\n  ret void\n'],
	['', '  br label %x\nx:\n  %1 = alloca i8\n  ret void\n'],
	['', '  %r = invoke i32 @g() to label %x unwind label %y\nx:\n  %1 = alloca i8\n  ret void\n'],
	['  ; comment\n\n  %1 = alloca i8\n', '  ; another\n\n  ret void\n'],
	['entry:\n  %1 = alloca i8\n', '  ret void\n'],
	['"a b":                  ; preds =\n', '  ret void\n'],
	['  call void (...) @llvm.localescape()\n', '  ret void\n'],
	['  %t = call token @llvm.experimental.convergence.entry()\n', '  ret void\n'],
	['', '  ret void\nx:\n  %1 = alloca i8\n  unreachable\n'],
])('the prologue stands behind %j', (before, after) => {
	expect(rewrite(`define void @f() {\n${before}${after}}\n`)).toBe(`@own = global i8 0\ndefine void @f() {\n${before}  br label %cont\ncont:\n${after}}\n`);
});

test('phis that name the entry block, in bodies of any length, and no other lines', () => {
	const body = [
		'  br label %x',
		'x:',
		'  %1 = phi i32 [ 1, %0 ], [ 2, %x ]',
		'  %"a b" = phi i32 [ 1, %0 ], [ 2, %x ]',
		`  %long = phi i32 ${Array.from({ length: 30 }, (_, i) => `[ ${i}, %y${i} ]`).join(', ')}, [ 1, %0 ]`,
		'  %c = insertvalue [2 x i32] undef, i32 1, %0 ; = phi [ 1, %0 ]',
		'  call void @g(i32 %1, i32 %0) ; = phi [ 1, %0 ]',
		'  br label %x',
	].join('\n');
	const changed = (text: string): string => text.replace(/^( +%(?:"a b"|1|long) = phi .*)%0 \]/gm, '$1%cont ]');
	const text = (lines: string): string => `define void @f() {\n${lines}\n}\n`;
	const begun = (lines: string): string => text(lines).replace('{\n', '{\n  br label %cont\ncont:\n');
	expect(rewrite(text(body))).toBe(`@own = global i8 0\n${changed(begun(body))}`);
	// With an order of uses, which is taken away, the body is read line by line.
	const order = '  uselistorder i32 %1, { 1, 0 }';
	expect(rewrite(text(`${body}\n${order}`))).toBe(`@own = global i8 0\n${changed(begun(body))}`);
	expect(rewrite(text(`${body}\n${order}`), true)).toBe(`@own = global i8 0\n${text(body)}`);
	const long = `${body}\n${`  ; ${'y'.repeat(997)}\n`.repeat(2500)}${body.slice(body.indexOf('x:'))}`;
	expect(rewrite(text(long))).toBe(`@own = global i8 0\n${changed(begun(long))}`);
});

test.each([
	['attributes #0 = { nounwind }\n', 'attributes #0 = { nounwind }\n'],
	['attributes #0 = { nosync }\n', 'attributes #0 = { "assay-no-promise" }\n'],
	['attributes #0 = { nosync nounwind readnone }\n', 'attributes #0 = { nounwind }\n'],
	['attributes #0 = { "nosync" memory(read) }\n', 'attributes #0 = { "nosync" }\n'],
	['attributes #0 = other\n', 'attributes #0 = other\n'],
	['attributes #10 = {nosync}\n', 'attributes #10 = { "assay-no-promise" }\n'],
	['^0 = module: ()\n', ''],
	['uselistorder ptr @f, { 1, 0 }\n', ''],
	['uselistorder_bb @f, %x, { 1, 0 }\n', ''],
	['  uselistorder i32 0, { 1, 0 }\n', '  uselistorder i32 0, { 1, 0 }\n'],
	['use\n', 'use\n'],
])('the line %j', (line, changed) => {
	expect(rewrite(`@a = global i8 0\n${line}@b = global i8 0\n`)).toBe(`@a = global i8 0\n${changed}@b = global i8 0\n`);
});

test('Mach-O: told by the layout of data, else by the system; symbols as its linker sees them', () => {
	const names = 'define void @f() {\n  ret void\n}\ndefine internal void @"\\01-[Foo bar:]"() {\n  ret void\n}\ndefine void @"\\01plain"() {\n  ret void\n}\n';
	const of = (head: string) => {
		const { isMachO, functions } = read(`${head}${names}`);
		return [isMachO, functions.map(({ symbol }) => symbol)];
	};
	const machO = [true, ['_f', '-[Foo bar:]', 'plain']];
	const elf = [false, ['f', '-[Foo bar:]', 'plain']];
	const layout = (text: string): string => `target datalayout = "${text}"\n`;
	const triple = (text: string): string => `target triple = "${text}"\n`;
	expect(of(layout('e-m:o-i64:64') + triple('arm64-apple-ios13.0.0'))).toEqual(machO);
	expect(of(triple('x86_64-apple-macosx10.13.0'))).toEqual(machO);
	expect(of(layout('e-m:e-i64:64') + triple('aarch64-unknown-linux-gnu'))).toEqual(elf);
	expect(of(triple('x86_64-unknown-linux-gnu'))).toEqual(elf);
	expect(of('source_filename = "a.c"\n')).toEqual(elf);
});
