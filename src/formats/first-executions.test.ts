import { expect, test } from 'vitest';
import { textSource } from '../../test/recordings.js';
import { memorySource } from '../bytes/source.js';
import type { ReadTraces } from '../model/function-trace.js';
import { InputError } from '../model/problem.js';
import { SymbolCollector, type SymbolTable } from '../model/symbol-table.js';
import { tracesOfInstructions, tracesOfList, tracesOfPerf, tracesOfPerfData, tracesOfUftrace } from './first-executions.js';

const collector = new SymbolCollector();
collector.add('main', 0x1100, 0x40, 0, false, null);
collector.add('helper', 0x1200, 0x40, 0, true, 'a.c');
const PROGRAM: SymbolTable = {
	kind: 'elf',
	name: 'app',
	machine: null,
	isRelocatable: true,
	entry: null,
	sections: [{ name: '.text', address: 0x1000, sizeBytes: 0x1000, alignment: 16, isExecutable: true, fileOffset: 0x1000 }],
	symbols: collector.columns(),
	inputSections: null,
	readCode: null,
};
const BIAS = 0x555555554000;
const BESIDE = [{ processId: 0, start: BIAS, sizeBytes: 0x4000, fileOffset: 0, isExecutable: true, isWritable: false, file: '/x/app' }];
const MAP_LINE = '555555554000-555555558000 r-xp 00000000 fe:00 1 /x/app\n';

const named = ({ functions, traces }: ReadTraces): string[] =>
	traces.flatMap(({ order }) => Array.from(order, (position) => functions[position]?.symbol ?? '?'));
const lines = ({ problems }: ReadTraces) => problems.map(({ line, message }) => line ?? message);

test('perf script: named by the program, which lies where the recording or a map beside it says', () => {
	const text = ' 1.5: cycles: 555555555210 [unknown] (/x/app)\nother\n 1.6: cycles: 555555555104 [unknown] (/x/app)\n';
	const beside = tracesOfPerf(textSource(text), PROGRAM, BESIDE);
	expect([named(beside), lines(beside)]).toEqual([['helper', 'main'], [2]]);
	const within = 'app 1/1 PERF_RECORD_MMAP2 1/1: [0x555555554000(0x4000) @ 0 fe:00 1 2]: r-xp /x/app\n';
	expect(named(tracesOfPerf(textSource(within + text), PROGRAM))).toEqual(['helper', 'main']);
	const unnamed = tracesOfPerf(textSource(' 1.5: cycles: 1210 f+0x1 (/a)\n 1.5: cycles: 1211 (/a)\nother\n'), null);
	expect([named(unnamed), lines(unnamed)]).toEqual([['f'], [3, '1 rows have no symbol']]);
});

test('perf.data of which nothing can be read is refused', () => {
	expect(() => tracesOfPerfData(memorySource('perf.data', Buffer.from('PERFILE2')), null)).toThrow(InputError);
});

test('uftrace and lists: what is damaged, and what has no name, is told', () => {
	const uftrace = tracesOfUftrace(textSource('# DURATION     TID     FUNCTION\n            [ 1] | main() {\n   0.1 us [ 1] |   f();\nwhat is this\n'), null);
	expect([named(uftrace), lines(uftrace)]).toEqual([['main', 'f'], [4]]);
	const list = tracesOfList(textSource('0 1 main\n1 2 f\n2 3 a::b\n3 4 c\nthis is no symbol\n'), null);
	expect([named(list), lines(list)]).toEqual([
		['main', 'f', 'c'],
		[5, expect.stringContaining('1 rows have demangled names')],
	]);
	expect(named(tracesOfList(textSource('0x555555555210\n0x555555555104\n'), PROGRAM, BESIDE))).toEqual(['helper', 'main']);
});

test('a layout is no order of execution', () => {
	expect(tracesOfList(textSource('# Ordered 2 functions\nmain\nf\n', 'order.txt'), null).problems).toEqual([
		{
			severity: 'warning',
			file: 'order.txt',
			message: 'was written by llvm-profdata order: a layout, not the order in which functions ran',
			action: 'it is taken as it is; decode the .profdata itself for the order of execution',
		},
	]);
	expect(tracesOfList(textSource('main\nf\n'), null).problems).toEqual([]);
});

test('executed instructions: the map may stand in the list or beside it', () => {
	const text = '555555555210 4\nother\n555555555104 4\n';
	for (const read of [
		tracesOfInstructions(textSource(text), PROGRAM, BESIDE),
		tracesOfInstructions(textSource(text.replace('other\n', `${MAP_LINE}other\n`)), PROGRAM),
	]) {
		expect([named(read), lines(read).length]).toEqual([['helper', 'main'], 1]);
	}
});
