/** Lines that other lines cut: what is waited for, and how long. */
import { describe, expect, test } from 'vitest';
import { textSource } from '../../../test/recordings.js';
import { readPrintCompilation } from './read.js';

const read = (...lines: string[]) => readPrintCompilation(textSource(`${lines.join('\n')}\n`));
const LINE = '1    1       3       A::a (1 bytes)';
const cut = (id: number): string => `128   ${id}       3       java.lang.Obj`;
const REST = 'ect::<init> (7 bytes)';

test.each([
	['   made n', 'made not entrant'],
	['   m', 'made not entrant'],
	['   made zo', 'made zombie'],
	['   COMP', 'skipped'],
	['   (st', 'compiled'],
	['', 'compiled'],
	['   x', 'compiled'],
])('a message that is cut to %j has the nearest meaning', (rest, event) => {
	expect(read(LINE + rest).rows).toMatchObject([{ event, reason: null, isStatic: false }]);
});

test.each([
	['   made zo', 'mbie', { event: 'made zombie' }],
	['   COMPILE SK', 'IPPED: out of nodes (not retryable)', { event: 'skipped', reason: 'out of nodes', retry: 'not retryable' }],
	['   (sta', 'tic)', { event: 'compiled', isStatic: true }],
	['', '   made not entrant: unused', { event: 'made not entrant', reason: 'unused' }],
	['', '   (static)', { isStatic: true }],
])('%j goes on with %j', (rest, more, told) => {
	const { rows, repairedLines } = read(LINE + rest, 'output of the program', more);
	expect([rows.length, repairedLines]).toEqual([1, 1]);
	expect(rows[0]).toMatchObject(told);
});

test('a message that is whole does not go on', () => {
	for (const whole of ['   made zombie', '   (static)', '   made not entrant: unused']) {
		const { rows, repairedLines } = read(LINE + whole, '   made not entrant');
		expect([rows[0], repairedLines]).toEqual([read(LINE + whole).rows[0], 0]);
	}
	expect(read(LINE, 'made not entrant')).toMatchObject({ rows: [{ event: 'compiled' }], repairedLines: 0 });
});

test('the line of one that was put together is that where it began', () => {
	const { rows, repairedLines, lostLines } = read('output', `output ${cut(81)}`, LINE, REST);
	expect(rows.map(({ compileId, line }) => [compileId, line])).toEqual([
		['1', 3],
		['81', 2],
	]);
	expect([repairedLines, lostLines]).toEqual([1, 0]);
});

test('the place of a rest that does not come', () => {
	expect(read('output', `output ${cut(81)}`).problems).toMatchObject([{ line: 2, offsetBytes: 14 }]);
});

test('four lines may be cut at a time; the last one is completed first', () => {
	const ids = [81, 82, 83, 84, 85];
	const four = read(...ids.slice(1).map(cut), ...ids.slice(1).map(() => REST));
	expect([four.rows.map(({ compileId }) => compileId), four.lostLines]).toEqual([['85', '84', '83', '82'], 0]);
	const five = read(...ids.map(cut), ...ids.map(() => REST));
	expect([five.rows.map(({ compileId }) => compileId), five.lostLines]).toEqual([['85', '84', '83', '82'], 1]);
	expect(five.problems).toMatchObject([{ line: 1, offsetBytes: 0 }]);
});

test('a rest is waited for over a hundred lines', () => {
	const after = (lines: number) => {
		const { rows, lostLines } = read(cut(81), ...Array<string>(lines - 1).fill('output'), REST);
		return [rows.length, lostLines];
	};
	expect([after(100), after(101)]).toEqual([
		[1, 0],
		[0, 1],
	]);
	// Of several only the old ones are forgotten.
	const { rows, lostLines } = read(cut(81), ...Array<string>(50).fill('output'), cut(82), ...Array<string>(60).fill('output'), REST);
	expect([rows.map(({ compileId }) => compileId), lostLines]).toEqual([['82'], 1]);
});

describe('a compilation begins only once: a second line of it without a message is one whose message was cut', () => {
	const OSR = '70  276 %     4       Ledger::main @ 5 (35 bytes)';
	const GIVEN_UP = OSR.replace('70', '73');
	const OTHER = '71  277       3       B::b (2 bytes)';
	const events = (...lines: string[]) => read(...lines).rows.map(({ compileId, event, reason }) => [compileId, event, reason]);

	test('and its message comes behind lines of others', () => {
		const { rows, repairedLines, lostLines } = read(OSR, OTHER, GIVEN_UP, '74  278       3       C::c (3 bytes)', '   made not entrant: uncommon trap');
		expect(rows.map(({ compileId, event, reason }) => [compileId, event, reason])).toEqual([
			['276%', 'compiled', null],
			['277', 'compiled', null],
			['276%', 'made not entrant', 'uncommon trap'],
			['278', 'compiled', null],
		]);
		expect([repairedLines, lostLines]).toEqual([1, 0]);
	});

	test('or does not come: the process ended', () => {
		const { rows, lostLines, problems } = read(OSR, OTHER, GIVEN_UP);
		expect(rows.map(({ event }) => event)).toEqual(['compiled', 'compiled', 'made not entrant']);
		expect(lostLines).toBe(1);
		expect(problems).toMatchObject([{ line: 3 }]);
	});

	test('code that is not entrant becomes a zombie', () => {
		expect(events(OSR, `${OSR}   made not entrant`, OSR).map(([, event]) => event)).toEqual(['compiled', 'made not entrant', 'made zombie']);
	});

	test('that of the nearest line without one comes first', () => {
		const second = '74  277       3       B::b (2 bytes)';
		expect(events(OSR, OTHER, GIVEN_UP, second, '   made not entrant: b', '   made not entrant: main').slice(2)).toEqual([
			['276%', 'made not entrant', 'main'],
			['277', 'made not entrant', 'b'],
		]);
	});

	test('other code of the same number is of another JVM', () => {
		for (const line of [
			'80  276 %     4       Other::main @ 5 (35 bytes)',
			'80  276 %     3       Ledger::main @ 5 (35 bytes)',
			'80  276       4       Ledger::main (35 bytes)',
		]) {
			expect(events(OSR, line).map(([, event]) => event)).toEqual(['compiled', 'compiled']);
		}
		// Its clock begins anew.
		expect(events(OSR, '31    1       3       A::a (1 bytes)', '68  276 %     4       Ledger::main @ 5 (35 bytes)').map(([, event]) => event)).toEqual(
			Array(3).fill('compiled'),
		);
	});
});
