import { expect, test } from 'vitest';
import { assemble } from '../../test/assemble.js';
import { at, END, many, ROWS, report } from '../../test/hot-report.js';
import { completeInstructions } from '../formats/shared/hotspot/instruction-comments.js';
import { type CODE_FOLDS, fold, foldThreads } from './fold.js';
import type { ThreadTime } from './thread-time.js';

const rows = (kind: (typeof CODE_FOLDS)[number]): [string, number][] => fold(report(ROWS), kind).map(({ name, samples }) => [name, samples]);

test('by line, bytecode and method', () => {
	expect(rows('line').slice(0, 3)).toEqual([
		['a.C.inner:30', 64],
		['(a.B.g, no code)', 20],
		['(libc.so.6)', 8],
	]);
	expect(rows('line')).toContainEqual(['a.C.inner (no line)', 5]);
	expect(rows('bytecode')).toContainEqual(['a.C.inner@9', 5]);
	expect(rows('method').slice(0, 2)).toEqual([
		['a.C.inner', 69],
		['a.B.g', 20],
	]);
	expect(fold(report(ROWS), 'line')[0]).toMatchObject({ method: 'a.C.inner', line: 30, bci: null, analysed: null, compileIds: ['1'] });
});

test('by instruction, library and region', () => {
	expect(rows('instruction')[0]).toEqual([`c1 0x${at(3).toString(16)} add %eax,%ebx`, 60]);
	expect(rows('library')).toEqual([
		['c2, level 4', 69],
		['c1, level 3', 20],
		['libc.so.6', 8],
		['runtime stub', 3],
		['kernel', 2],
	]);
	expect(rows('region')[0]).toEqual(['r1 a.B.f', 64]);
});

test('by region with what skid moved', () => {
	const straight = assemble(['push %rbp', 'idiv %ecx', 'je @4', 'add %eax,%ebx', 'ret']);
	const moved = report([...many(60, { at: at(2) }), ...many(10, { at: at(3) })], { skid: 'on' }, straight);
	expect(fold(moved, 'region').map(({ name, samples, analysed }) => [name, samples, analysed])).toEqual([['r1 a.B.f', 70, 70]]);
	const nextBlock = report(many(60, { at: at(3) }), { skid: 'on' }, straight);
	expect(fold(nextBlock, 'region').map(({ name, samples, analysed }) => [name, samples, analysed])).toEqual([['r1 a.B.f', 60, 60]]);
});

test('what skid moved counts where it came from and where it went; rows say where they are', () => {
	const straight = assemble(
		['push %rbp', 'idiv %ecx', 'add %eax,%ebx', 'ret'],
		[null, [{ method: 'a.C.slow', bci: 3, line: 30 }], [{ method: 'a.C.next', bci: 9, line: null }], null],
	);
	// Samples behind a division are moved onto it.
	const moved = report([...many(50, { at: at(2) }), ...many(10, { at: at(0) })], { skid: 'on' }, straight);
	const row = (kind: (typeof CODE_FOLDS)[number], name: string) => fold(moved, kind).find((one) => one.name === name);
	expect(row('bytecode', 'a.C.slow@3')).toMatchObject({ samples: 0, analysed: 50, method: 'a.C.slow', line: 30, bci: 3, compileIds: ['1'] });
	expect(row('bytecode', 'a.C.next@9')).toMatchObject({ samples: 50, analysed: 0, method: 'a.C.next', line: null, bci: 9 });
	expect(row('line', 'a.C.slow:30')).toMatchObject({ samples: 0, analysed: 50, bci: null });
	expect(row('line', 'a.C.next (no line)')).toMatchObject({ samples: 50, analysed: 0 });
	expect(row('method', 'a.C.slow')).toMatchObject({ line: null, bci: null, analysed: 50 });
	// Without debug information at an instruction: the compiled method.
	expect([
		row('method', 'a.B.f')?.samples,
		row('line', '(a.B.f, no debug information)')?.samples,
		row('bytecode', '(a.B.f, no debug information)')?.method,
	]).toEqual([10, 10, null]);
	for (const kind of ['instruction', 'line', 'bytecode', 'method', 'region'] as const) {
		const all = fold(moved, kind);
		expect([all.reduce((sum, { samples }) => sum + samples, 0), all.reduce((sum, { analysed }) => sum + (analysed ?? 0), 0)]).toEqual([60, 60]);
	}
});

test('native code is a row by function where instructions are asked for, else by library; equal rows by name', () => {
	const native = report([
		...many(3, { at: 77, library: '/usr/lib/libc.so.6', symbol: 'memcpy' }),
		...many(3, { at: 99, library: '/usr/lib/liba.so', symbol: 'f' }),
	]);
	expect(fold(native, 'instruction').map(({ name }) => name)).toEqual(['(f) liba.so', '(memcpy) libc.so.6']);
	expect(fold(native, 'line').map(({ name, samples }) => [name, samples])).toEqual([
		['(liba.so)', 3],
		['(libc.so.6)', 3],
	]);
});

test('what has no code or is named by the profiler alone is one row by each fold', () => {
	const native = report([
		...many(4, { at: 5, library: '/tmp/perf-7.map', symbol: 'a.P::one' }),
		...many(3, { at: END + 7 }),
		...many(2, { at: END + 210 }),
		{ at: -9, library: '[kernel.kallsyms]', symbol: 'k' },
	]);
	const folded = (kind: (typeof CODE_FOLDS)[number]) => fold(native, kind).map(({ name, samples, compileIds }) => [name, samples, compileIds]);
	expect(folded('method')).toEqual([
		['a.P::one profiler', 4, []],
		['a.B.g', 3, ['2%']],
		['(runtime stub)', 2, []],
		['(kernel)', 1, []],
	]);
	expect(folded('bytecode')).toEqual([
		['a.P::one profiler', 4, []],
		['(a.B.g, no code)', 3, ['2%']],
		['(runtime stub)', 2, []],
		['(kernel)', 1, []],
	]);
	expect(folded('instruction')).toEqual([
		['a.P::one profiler', 4, []],
		['(a.B.g, no code)', 3, ['2%']],
		['jbyte_arraycopy runtime stub', 2, []],
		['(k) kernel', 1, []],
	]);
	expect(folded('library')).toEqual([
		['perf-7.map', 4, []],
		['c1, level 3', 3, []],
		['runtime stub', 2, []],
		['kernel', 1, []],
	]);
	expect(folded('region').map(([name]) => name)).toEqual(['r1 a.P::one', 'r2 a.B.g', 'r3 jbyte_arraycopy', 'r4 (k)']);
});

test('lines of code whose comments tell them: of a JIT of another language', () => {
	const code = assemble(['nop', 'nop', 'nop', 'ret']);
	const comments = [['at /app/fib.js:3:10'], ['odd', 'at /app/fib.js:3:22'], ['at /app/other.js:7'], []];
	const hot = report(
		[...many(3, { at: at(0) }), ...many(2, { at: at(1) }), { at: at(2) }, ...many(4, { at: at(3) })],
		{},
		completeInstructions({ ...code, comments }),
	);
	expect(fold(hot, 'line').map(({ name, samples, method, line, bci }) => [name, samples, method, line, bci])).toEqual([
		['/app/fib.js:3', 5, null, 3, null],
		['(a.B.f, no debug information)', 4, null, null, null],
		['/app/other.js:7', 1, null, 7, null],
	]);
	expect(fold(hot, 'bytecode').map(({ name, samples }) => [name, samples])).toEqual([['(a.B.f, no debug information)', 10]]);
	expect(fold(hot, 'method').map(({ name, samples }) => [name, samples])).toEqual([['a.B.f', 10]]);
});

test('by class of thread, and by thread', () => {
	const time = {
		counted: 20,
		classes: [
			{ class: 'java', samples: 15 },
			{ class: 'jvm', samples: 5 },
		],
		threads: [
			{ name: 'main', id: 7, class: 'java', samples: 10 },
			{ name: 'worker', id: -1, class: 'java', samples: 5 },
			{ name: 'VM Thread', id: 0, class: 'jvm', samples: 5 },
		],
	} as unknown as ThreadTime;
	expect(foldThreads(time, 'class').map(({ name, samples, share }) => [name, samples, share.percent])).toEqual([
		['Java', 15, 75],
		['other JVM', 5, 25],
	]);
	expect(foldThreads(time, 'thread').map(({ name, samples, share }) => [name, samples, share.percent])).toEqual([
		['main 7 (Java)', 10, 50],
		['worker (Java)', 5, 25],
		['VM Thread 0 (other JVM)', 5, 25],
	]);
	expect(foldThreads(time, 'class')[0]).toMatchObject({ method: null, line: null, bci: null, analysed: null, compileIds: [] });
	expect([foldThreads(null, 'class'), foldThreads(null, 'thread')]).toEqual([[], []]);
});
