import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { InputError } from '../../model/problem.js';
import { type IrModule, readIrModule } from './read.js';
import { rewriteIr, withPredecessor } from './rewrite.js';

const source = (text: string): ReturnType<typeof memorySource> => memorySource('a.ll', Buffer.from(text));
const read = (text: string): IrModule => readIrModule(source(text));

/** With a prologue of two lines; `left` are indexes of functions that stay. */
function rewrite(text: string, left: readonly number[] = []): string {
	const pieces: Buffer[] = [];
	rewriteIr(
		source(text),
		{ globals: '@own = global i8 0\n', prologue: (index) => (left.includes(index) ? null : `  br label %cont\ncont:\n`), continuation: 'cont' },
		(bytes) => {
			pieces.push(Buffer.from(bytes));
		},
	);
	return Buffer.concat(pieces).toString();
}

const MODULE = `; ModuleID = '/tmp/a.ll'
source_filename = "dir/a\\22.c"
target datalayout = "e-m:e-p270:32:32-i64:64"
target triple = "x86_64-pc-linux-gnu"

@.str = private unnamed_addr constant [17 x i8] c"assay_order_skip\\00", section "llvm.metadata"
@.str.1 = private unnamed_addr constant [4 x i8] c"a.c\\00", section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @marked, ptr @.str, ptr @.str.1, i32 3, ptr null }], section "llvm.metadata"
@resolved = dso_local ifunc i32 (i32), ptr @resolver

; Function Attrs: nosync memory(none)
define i32 @f(i32 %0, i1 %1) #0 !dbg !4 {
  %3 = alloca i32, align 4
  br i1 %1, label %4, label %6

4:                                                ; preds = %2
  %5 = add i32 %0, 1
  br label %6

6:                                                ; preds = %4, %2
  %7 = phi i32 [ %5, %4 ], [ 0, %2 ]
  ret i32 %7
}

define internal ptr @resolver() #0 {
  ret ptr null
}

define void @marked() {
  ret void
}

attributes #0 = { nosync nounwind memory(none) "a"="nosync b" }
attributes #1 = { memory(argmem: read) }

uselistorder i32 0, { 1, 0 }

!4 = distinct !DISubprogram(name: "line: 99", scope: !5, file: !5, line: 12, type: !6)
!5 = !DIFile(filename: "dir/a.c", directory: "/src")
^0 = module: (path: "a.bc", hash: (1, 2))
`;

describe('a module of IR', () => {
	test('tells its functions and what the rest of the file says of them', () => {
		const { functions, ...module } = read(MODULE);
		expect(module).toMatchObject({ sourceFilename: 'dir/a".c', triple: 'x86_64-pc-linux-gnu', isBigEndian: false, pointerBits: 64, isInstrumented: false });
		expect(functions).toMatchObject([
			{ symbol: 'f', file: 'dir/a.c', line: 12, isResolver: false, annotations: [] },
			{ symbol: 'resolver', linkage: 'internal', isResolver: true, file: null, line: null },
			{ symbol: 'marked', annotations: ['assay_order_skip'] },
		]);
		expect(functions[0]?.allAttributes).toContain('nounwind');
	});

	test('of another target has other addresses', () => {
		expect(read('target datalayout = "E-m:e-p:32:32-i64:64"\n')).toMatchObject({ isBigEndian: true, pointerBits: 32 });
	});

	test('gives the bytes behind its names, in order', () => {
		const pieces: Buffer[] = [];
		readIrModule(source(MODULE), (bytes) => pieces.push(Buffer.from(bytes)));
		expect(Buffer.concat(pieces).toString()).toBe(MODULE.slice(MODULE.indexOf('target datalayout')));
	});

	test.each([
		['bitcode', 'BC\u00c0\u00de1234', /bitcode/],
		['another file', 'hello\nworld\n', /no LLVM IR text/],
		['a function that does not end', 'define void @f() {\n  ret void\n', /@f does not end/],
		['a body cut out', 'define void @f() {\n  ret void\ndefine void @g() {\n  ret void\n}\n', /@f does not end before/],
		['typed pointers among parameters', 'define void @f(i8* %0) {\n  ret void\n}\n', /typed pointers/],
		['typed pointers in a body', 'define void @f() {\n  %1 = alloca %"a*b"\n  store i32 0, %struct.S** %1, align 4\n}\n', /typed pointers/],
	])('is refused when it is %s', (_, text, message) => {
		const bytes = text.startsWith('BC') ? Buffer.from(text, 'latin1') : Buffer.from(text);
		expect(() => readIrModule(memorySource('a.ll', bytes))).toThrow(InputError);
		expect(() => readIrModule(memorySource('a.ll', bytes))).toThrow(message);
	});

	test('may have a * in names, text and comments', () => {
		expect(read('define void @"a*"(ptr %0) "k"="i8* x" { ; i8*\n  ret void\n}\n'.replace(' ; i8*', '')).functions).toHaveLength(1);
	});
});

describe('rewriting', () => {
	test('splits the entry block behind its allocas, and phis follow', () => {
		expect(rewrite(MODULE, [1])).toBe(
			MODULE.replace('; Function Attrs', '; Function Attrs')
				.replace('define i32 @f', '@own = global i8 0\ndefine i32 @f')
				.replace('  %3 = alloca i32, align 4\n', '  %3 = alloca i32, align 4\n  br label %cont\ncont:\n')
				.replace('[ 0, %2 ]', '[ 0, %cont ]')
				.replace('define void @marked() {\n', 'define void @marked() {\n  br label %cont\ncont:\n')
				.replace('nosync nounwind memory(none) "a"="nosync b"', 'nounwind "a"="nosync b"')
				.replace('{ memory(argmem: read) }', '{ "assay-no-promise" }')
				.replace('uselistorder i32 0, { 1, 0 }\n', '')
				.replace(/\^0 .*\n/, ''),
		);
	});

	test('leaves allocas behind a call where they are: the call would run before the log', () => {
		const text =
			'define void @f() {\n  %1 = alloca i8\n  call void @llvm.lifetime.start.p0(ptr %1)\n  %2 = alloca i8\n  call void @g()\n  %3 = alloca i8\n  ret void\n}\n';
		expect(rewrite(text)).toBe(`@own = global i8 0\n${text.replace('  call void @g()', '  br label %cont\ncont:\n  call void @g()')}`);
	});

	test('knows an entry block by its label, with quotes too', () => {
		const body = (label: string): string =>
			`define i32 @f() {\n${label}:\n  br label %x\nx:\n  %y = phi i32 [ 1, %${label} ]\n  uselistorder i32 %y, { 1, 0 }\n  ret i32 %y\n}\n`;
		for (const label of ['entry', '"a b"', '7']) {
			const text = rewrite(body(label));
			expect(text).toContain(`${label}:\n  br label %cont\ncont:\n  br label %x`);
			expect(text).toContain('[ 1, %cont ]');
			expect(text).not.toContain('uselistorder');
		}
	});

	test('takes promises from the line of a function', () => {
		expect(rewrite('define i32 @f(ptr readonly %0) readnone nosync "x"="y z" !dbg !3 {\n  ret i32 0\n}\n')).toContain(
			'define i32 @f(ptr readonly %0) "x"="y z" !dbg !3 {\n',
		);
	});

	test('changes predecessors only', () => {
		expect(withPredecessor('  %9 = phi [2 x %1] [ [%1 %1, %1 %1], %1 ], [ %10, %12 ], [ %a, %1 ], !dbg !1', '%1', '%c')).toBe(
			'  %9 = phi [2 x %1] [ [%1 %1, %1 %1], %c ], [ %10, %12 ], [ %a, %c ], !dbg !1',
		);
		expect(withPredecessor('  %9 = phi ptr [%1,%1], [ %2,%10 ]', '%1', '%c')).toBe('  %9 = phi ptr [%1,%c], [ %2,%10 ]');
	});

	test('copies everything else, however the lines lie in blocks', () => {
		fc.assert(
			fc.property(
				fc.array(fc.constantFrom('@x = global i8 0', '', '; comment', '!0 = !{}', 'declare void @g()', 'é'.repeat(9)), { maxLength: 30 }),
				(lines) => {
					const text = lines.join('\n');
					expect(rewrite(text)).toBe(text);
				},
			),
		);
		const long = `@x = constant [9 x i8] c"${'y'.repeat(3 << 20)}"\ndefine void @f() {\n  ret void\n}\n`;
		expect(rewrite(long, [0])).toBe(long.replace('define', '@own = global i8 0\ndefine'));
	});

	test('of arbitrary lines throws nothing but InputError', () => {
		const line = fc.constantFrom(
			'define void @f(',
			'define void @f() {',
			'}',
			'  %1 = phi i32 [',
			'  %"a',
			'"x":',
			'  store i32 0, i8* %1',
			'attributes #0 = {',
			'@',
			'!',
		);
		fc.assert(
			fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
				const text = lines.join('\n');
				rewrite(text);
				try {
					read(text);
				} catch (error) {
					expect(error).toBeInstanceOf(InputError);
				}
			}),
		);
	});
});
