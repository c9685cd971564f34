import { expect, test } from 'vitest';
import { assemble } from '../../test/assemble.js';
import { at, many, ROWS, report } from '../../test/hot-report.js';
import { type FOLDS, fold } from './fold.js';

const rows = (kind: (typeof FOLDS)[number]): [string, number][] => fold(report(ROWS), kind).map(({ name, samples }) => [name, samples]);

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
