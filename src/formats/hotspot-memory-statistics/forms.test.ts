/** Lines and rows of the statistics one by one, and what only looks like one. */
import { describe, expect, test } from 'vitest';
import { arenasOf, tableColumns, tableFields } from './columns.js';
import { elementTask, limitLine, printHead, taskLine } from './line-forms.js';

describe('heads of print mode', () => {
	test.each<[string, unknown]>([
		['c1 (7) (ok) Arena usage T::f(([I)I): Total Usage: 98184 [ra 98184]', ['c1', '7', 'ok', 'T::f(([I)I)', 98184, ['ra'], [98184], false]],
		[
			'c2 (7) (ok) Arena usage T::f(([I)I): Total Usage: 98184 [ra 12016232, cienv 4]',
			['c2', '7', 'ok', 'T::f(([I)I)', 98184, ['ra', 'cienv'], [12016232, 4], false],
		],
		['c2 (7) (ok) Arena usage T::f(([I)I): Total Usage: 98184', ['c2', '7', 'ok', 'T::f(([I)I)', 98184, [], [], true]],
		['c1 (7) (ok) Arena usage T::f(([I)I): Total Usage: 98184 ', ['c1', '7', 'ok', 'T::f(([I)I)', 98184, [], [], false]],
		['said: jvmci (7) (err) Arena usage T::f(()V): Total Usage: 0 []', ['jvmci', '7', 'err', 'T::f(()V)', 0, [], [], false]],
		['c1 Arena usage T::f(()V): 42 [na 2 ra 40] (5->7)', ['c1', null, null, 'T::f(()V)', 42, ['na', 'ra'], [2, 40], false]],
		['xc1 (7) (ok) Arena usage T::f(([I)I): Total Usage: 98184', null],
		['c3 (7) (ok) Arena usage T::f(([I)I): Total Usage: 98184', null],
		['c1 (7) (ok) Arena usage T::f(([I)I): Total Usage: 98184 more', null],
		['c1 (7) (ok) Arena usage T::f(([I)I): Total Usage:', null],
		['c1 Arena usage T::f(()V): 42', null],
	])('%s', (line, expected) => {
		const head = printHead(line);
		expect(
			head === null ? null : [head.compiler, head.compileId, head.result, head.spelling, head.totalBytes, head.arenas, head.bytes, head.hasTables],
		).toEqual(expected);
	});
});

describe('limits that were hit', () => {
	test.each<[string, unknown]>([
		['c2 (17) Huge::big(([I[I)I): Hit MemLimit again - limit: 20971520 now: 23737552', ['c2', '17', 'Huge::big(([I[I)I)', true, 20971520, 23737552, false]],
		['c2 (17) H::b(()V): Hit MemLimit - limit: 5 now: 6', ['c2', '17', 'H::b(()V)', false, 5, 6, false]],
		['fatal error: c1 (17) H::b(()V): Hit MemLimit (limit: 5 now: 6)', ['c1', '17', 'H::b(()V)', false, 5, 6, true]],
		['c1 H::b(()V): Hit MemLimit (limit: 5 now: 6)', ['c1', null, 'H::b(()V)', false, 5, 6, false]],
		['c1 (17) H::b(()V): Hit MemLimit - limit: 5 now: x', null],
		['c1 (17) H::b(()V): Hit MemLimit - limit: 5 now: 6 more', null],
	])('%s', (line, expected) => {
		const hit = limitLine(line);
		expect(hit === null ? null : [hit.compiler, hit.compileId, hit.spelling, hit.isAgain, hit.limitBytes, hit.nowBytes, hit.isFatal]).toEqual(expected);
	});
});

describe('tasks', () => {
	test.each<[string, unknown]>([
		['   104   17 %  b  4       Huge::big @ 4100 (8204 bytes)', ['17', 4, 4100, null]],
		['C2:104   17    b  4       Huge::big (8204 bytes)', ['17', 4, null, null]],
		['C1: 104   17    b  4       Huge::big @ 7 (8204 bytes)', ['17', 4, null, null]],
		['   104   17       3       Huge::big (native)   COMPILE SKIPPED: out of memory', ['17', 3, null, 'out of memory']],
		['   104   17       5       Huge::big (8204 bytes)', null],
		['   104   17       4       Huge.big (8204 bytes)', null],
		['C3:104   17       4       Huge::big (8204 bytes)', null],
		['   104   17       4       Huge::big', null],
	])('%s', (line, expected) => {
		const task = taskLine(line);
		expect(task === null ? null : [task.compileId, task.level, task.osrBci, task.skipped]).toEqual(expected);
	});

	test.each<[string, unknown]>([
		["<nmethod compile_id='17' compile_kind='osr' compiler='c2' level='4' osr_bci='3'/>", ['17', 4, 3]],
		["<task compile_id='17' method='x'/>", ['17', 4, null]],
		["<task compile_id='17' level='2'/>", ['17', 2, null]],
		["<task compile_id='x17' level='2'/>", null],
		["<task compile_id='17x' level='2'/>", null],
		["<task level='2'/>", null],
	])('%s', (line, expected) => {
		const task = elementTask(line);
		expect(task === null ? null : [task.compileId, task.level, task.osrBci]).toEqual(expected);
	});
});

describe('rows of tables', () => {
	const head = 'ctyp  total  ra  node  #nodes  limit  result  id  method';
	const columns = tableColumns(`  ${head} `) ?? [];

	test('heads are told by their first and last names, and one behind the arenas', () => {
		expect(columns).toEqual(head.split(/ +/));
		expect(arenasOf(columns)).toEqual(['ra', 'node']);
		expect(tableColumns('total NA RA result #nodes time type #rc thread method')).not.toBeNull();
		expect(tableColumns('total NA RA time thread method')).toBeNull();
		expect(tableColumns(head.replace('ctyp', 'type'))).toBeNull();
		expect(tableColumns(head.replace('total', 'all'))).toBeNull();
		expect(tableColumns(head.replace('method', 'name'))).toBeNull();
	});

	const fields = (row: string) => {
		const found = tableFields(row, columns);
		return found === null
			? null
			: [found.totalBytes, found.bytes, found.limitBytes, found.hitLimit, found.texts.get('result') ?? null, found.texts.get('id'), found.spelling];
	};
	test.each<[string, unknown]>([
		['  c2  300  100  200  7  -  ok  17  T::f(([I)I)  ', [300, [100, 200], null, false, 'ok', '17', 'T::f(([I)I)']],
		['c2 300B 1K 2M 7 1G ok 17 T::f x', [300, [1024, 2 * 1024 ** 2], 1024 ** 3, false, 'ok', '17', 'T::f x']],
		['c2 300 100 200 7 20M* oom 17 T::f', [300, [100, 200], 20 * 1024 ** 2, true, 'oom', '17', 'T::f']],
		['c2 300 100 200 7 - 17 T::f', [300, [100, 200], null, false, null, '17', 'T::f']],
		['c2 300 100 x 7 - ok 17 T::f', null],
		['c2 300T 100 200 7 - ok 17 T::f', null],
		['c2 300 100 200 7 - ok 17 ', null],
		['c2 300 100 200', null],
		['', null],
	])('%j', (row, expected) => {
		expect(fields(row)).toEqual(expected);
	});
});
