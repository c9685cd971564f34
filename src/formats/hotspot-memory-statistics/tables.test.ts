/** Tables of jcmd, of the JVM's exit and of error reports: what their rows, legends and last lines become, and how they are written again. */
import { describe, expect, test } from 'vitest';
import { once } from '../../../test/once.js';
import { memorySource } from '../../bytes/source.js';
import { type MemoryDetails, NO_DETAILS } from '../../model/compiler-memory.js';
import type { Problem } from '../../model/problem.js';
import { readDetails } from './details.js';
import { RowKeeper } from './row-keeper.js';
import type { MemoryStatistics, StatisticRow } from './rows.js';
import { scanMemoryStatistics } from './scan.js';
import { writePrintBlock, writeTable } from './write.js';

interface Scanned extends MemoryStatistics {
	readonly text: string;
	readonly detailsOf: (row: StatisticRow) => MemoryDetails;
}

function scan(...lines: string[]): Scanned {
	const text = lines.map((line) => `${line}\n`).join('');
	const source = memorySource('out.txt', Buffer.from(text));
	return { ...scanMemoryStatistics(source), text, detailsOf: ({ details }) => (details === null ? NO_DETAILS : readDetails(source, details)) };
}

const said = ({ problems }: { readonly problems: readonly Problem[] }) => problems.map(({ line, message }) => `${line}: ${message}`);

/** The tables as they are written again, between what stands around them. */
function written({ tables, text, detailsOf }: Scanned): string {
	const [first] = tables;
	const start = first?.block.start ?? 0;
	const end = tables.at(-1)?.block.end ?? 0;
	return text.slice(0, start) + tables.map((table) => writeTable(table, detailsOf)).join('') + text.slice(end);
}

const TITLE = 'Compiler Memory Statistic';

describe('a row for each compilation', () => {
	const HEAD = '    ctyp  total     ra        node      #nodes  result  limit     time    id    thread             method';
	const C2_ROW = '    c2    300       100       200       4924    oom     250*      0.220   21    0x00007fcb400c4e10 Huge::medium(([I)I) ';
	const C1_ROW = '    c1    98184     98184     0         -       ok      -         0.100   12    0x00007fcb400c6800 T::f(()V) ';

	test('its numbers, and null for what the table does not tell', () => {
		const { rows, problems, text } = scan('26769:', TITLE, HEAD, C2_ROW, C1_ROW);
		const block = { start: text.indexOf(C1_ROW), end: text.length };
		expect(problems).toEqual([]);
		expect(rows).toEqual([
			{
				compileId: '21',
				compiler: 'c2',
				level: null,
				osrBci: null,
				method: 'Huge.medium',
				signature: '([I)I',
				totalBytes: 300,
				byArena: { arenas: ['ra', 'node'], bytes: [100, 200] },
				nodes: 4924,
				result: 'oom',
				limitBytes: 250,
				hitLimit: true,
				seconds: 0.22,
				thread: '0x00007fcb400c4e10',
				timesCompiled: null,
				skipped: null,
				form: 'table',
				spelling: 'Huge::medium(([I)I)',
				line: 4,
				block: { start: text.indexOf(C2_ROW), end: text.indexOf(C1_ROW) },
				details: null,
			},
			expect.objectContaining({ compileId: '12', compiler: 'c1', nodes: null, limitBytes: null, hitLimit: false, seconds: 0.1, line: 5, block }),
		]);
	});

	test('a result that the compiler left empty does not move the limit behind it', () => {
		const { rows } = scan(TITLE, HEAD, C2_ROW.replace('oom', '   ').replace('250* ', '250M*'), C1_ROW.replace('ok', '  '));
		expect(rows).toMatchObject([
			{ result: null, limitBytes: 250 * 2 ** 20, hitLimit: true, compileId: '21' },
			{ result: null, limitBytes: null, hitLimit: false, compileId: '12' },
		]);
	});

	test('the process, the legend, the counts and what was left out belong to the table', () => {
		const LEGEND = ['    Legend:', '            ctype: compiler type', '               ra: Resource areas', ''];
		const END = ['    Total: 2 (C1: 1, C2: 1)', '     (49 compilations smaller than 12582912 omitted)'];
		const scanned = scan('hello', '26769:', TITLE, ...LEGEND, HEAD, C2_ROW, C1_ROW, ...END, 'bye');
		expect(scanned.problems).toEqual([]);
		expect(scanned.tables).toEqual([
			{
				title: TITLE,
				processId: '26769',
				verbose: false,
				indent: 4,
				legend: LEGEND,
				columns: HEAD.trim().split(/ +/),
				rows: scanned.rows,
				omitted: { count: 49, minsizeBytes: 12582912 },
				total: { all: 2, c1: 1, c2: 1 },
				block: { start: 'hello\n'.length, end: scanned.text.length - 'bye\n'.length },
			},
		]);
		expect(written(scanned)).toBe(scanned.text);
	});

	test('a table has no process without its line right above, and no legend of the table before', () => {
		const { tables } = scan('26769:', 'hello', TITLE, '    Legend:', HEAD, C1_ROW, TITLE, HEAD, C1_ROW);
		expect(tables.map(({ processId, legend, total, omitted }) => [processId, legend, total, omitted])).toEqual([
			[null, ['    Legend:'], null, null],
			[null, [], null, null],
		]);
		expect(tables[0]?.block.start).toBe('26769:\nhello\n'.length);
	});

	test('what follows the counts, or is no row, is none of the table', () => {
		const counted = scan(TITLE, HEAD, C1_ROW, '    Total: 1 (C1: 1, C2: 0)', C2_ROW);
		expect(counted.rows.map(({ compileId }) => compileId)).toEqual(['12']);
		const printed = 'c1 (7) (ok) Arena usage T::f(()V): Total Usage: 30 [ra 30]';
		const ended = scan(TITLE, HEAD, C1_ROW, printed, C2_ROW);
		expect(ended.rows.map(({ compileId, form }) => [compileId, form])).toEqual([
			['12', 'table'],
			['7', 'print'],
		]);
	});

	test('how many entries of how many are shown is told between the rows, and alone on its line', () => {
		expect(scan(TITLE, HEAD, '    (12/345)', C1_ROW, '(1/23)', C2_ROW).rows).toHaveLength(2);
		for (const other of ['    (12/345) more', 'x (12/345)', '    No entries. more', 'x No entries.']) {
			expect(scan(TITLE, HEAD, C1_ROW, other, C2_ROW).rows, other).toHaveLength(1);
		}
	});

	test('an empty table is one, with its rows of none written again', () => {
		const scanned = scan('7:', TITLE, HEAD, '    No entries.', 'bye');
		expect(scanned.tables).toMatchObject([{ processId: '7', rows: [], total: null }]);
		expect(written(scanned)).toBe(scanned.text);
	});

	test('a title without a table, and a statistic that is off, give none; the JVM’s words are kept', () => {
		expect(scan(TITLE, 'hello', HEAD, C1_ROW)).toMatchObject({ tables: [], rows: [], problems: [] });
		expect(said(scan(TITLE, '    (unavailable)', HEAD, C1_ROW))).toEqual(['2: the JVM says: (unavailable)']);
		for (const words of ['disabled', 'unavailable', 'not yet initialized']) {
			const line = `Compilation memory statistics ${words}.`;
			expect(said(scan(line, HEAD, C1_ROW))).toEqual([`1: the JVM says: ${line}`]);
		}
		expect(scan('Compilation memory statistics, 10 most expensive compilations:', HEAD, C1_ROW).rows).toHaveLength(1);
	});
});

describe('a block for each compilation', () => {
	const C2_BLOCK = [
		'    Method              : Huge::medium(([I)I)',
		'    Compiler            : c2',
		'    Arena Usage at peak : 2883584 (2.75M)',
		'    Nodes at peak       : 4924',
		'    Compile ID          : 21',
		'    Result              : oom (memory limit was: 1048576)',
		'    Thread              : 0x00007fcb400c4e10',
		'    Timestamp           : 0.225',
		'',
		'    Arena Usage by Arena Type and compilation phase, at arena usage peak of 2883584:',
		'    Phase                         Total        ra      node',
		'    parse                       1883584   1000000    883584',
		'    shorten branches            1000000   1000000         0',
		'',
		'    Allocation timelime by phase:',
		'    Phase seq. number                             Bytes                  Nodes',
		'    >0                            (outside)   2883584 (+2883584)      3 (+3) ',
		'     1                                parse   2883584 (+0)            3 (+0) ',
		'     >2                           optimizer   2883580 (-4)            4 (+1) ',
		'    <1 (cont.)                        parse   2883580 (+0)            4 (+0) ',
		'',
		'    ------------------------',
		'',
	];
	const C1_BLOCK = [
		'    Method              : T::f(()V)',
		'    Compiler            : c1',
		'    Arena Usage at peak : 1048576',
		'    Compile ID          : 12',
		'    Result              : ok',
		'    Thread              : 0x00007fcb400c6800',
		'    Timestamp           : 12.000',
		'',
		'    Arena Usage by Arena Type, at arena usage peak of 1048576:',
		'    Resource areas                      : 1000000 ',
		'    Arena of tomorrow                   : 48576 ',
		'',
		'    ------------------------',
		'',
	];

	test('its fields, arenas and phases', () => {
		const scanned = scan('26769:', TITLE, ...C2_BLOCK, ...C1_BLOCK);
		const { rows, text } = scanned;
		expect(scanned.problems).toEqual([]);
		const [c2Block, c1Block] = [text.indexOf('    Method'), text.lastIndexOf('    Method')];
		const block = { start: c2Block, end: c1Block - 1 };
		expect(rows).toEqual([
			{
				compileId: '21',
				compiler: 'c2',
				level: null,
				osrBci: null,
				method: 'Huge.medium',
				signature: '([I)I',
				totalBytes: 2883584,
				byArena: { arenas: ['ra', 'node'], bytes: [2000000, 883584] },
				byPhase: { phases: ['parse', 'shorten branches'], bytes: [1883584, 1000000] },
				nodes: 4924,
				result: 'oom',
				limitBytes: 1048576,
				hitLimit: true,
				seconds: 0.225,
				thread: '0x00007fcb400c4e10',
				timesCompiled: null,
				skipped: null,
				form: 'verbose',
				spelling: 'Huge::medium(([I)I)',
				line: 3,
				block,
				details: block,
			},
			expect.objectContaining({
				compileId: '12',
				compiler: 'c1',
				totalBytes: 1048576,
				byArena: { arenas: ['ra', 'Arena of tomorrow'], bytes: [1000000, 48576] },
				nodes: null,
				result: 'ok',
				limitBytes: null,
				hitLimit: false,
				seconds: 12,
				line: 26,
				details: null,
			}),
		]);
		expect(rows[1]).not.toHaveProperty('byPhase');
	});

	test('the table is written again, up to the line that is none of it', () => {
		const scanned = scan('hello', '26769:', TITLE, ...C2_BLOCK, ...C1_BLOCK, 'c1 (7) (ok) Arena usage T::f(()V): Total Usage: 30 [ra 30]');
		expect(scanned.tables).toMatchObject([{ title: TITLE, processId: '26769', verbose: true, indent: 4, legend: [], columns: [], omitted: null, total: null }]);
		expect(scanned.rows.map(({ compileId }) => compileId)).toEqual(['21', '12', '7']);
		expect(written(scanned)).toBe(scanned.text);
	});

	test('a block that is cut, or that the next one interrupts, is taken as far as it goes', () => {
		const cut = scan(TITLE, ...C1_BLOCK.slice(0, 11));
		expect(said(cut)).toEqual(['2: the block of c12 has no end']);
		expect(cut.rows).toMatchObject([{ compileId: '12', totalBytes: 1048576, block: { end: cut.text.length } }]);
		expect(said(scan(TITLE, ...C1_BLOCK.slice(0, 11), ...C2_BLOCK))).toEqual(['2: the block of c12 has no end']);
		expect(scan(TITLE, C1_BLOCK[0]!, '    Compiler            :  c1 ', ...C1_BLOCK.slice(2)).rows).toMatchObject([{ compiler: 'c1' }]);
		const early = scan(TITLE, C1_BLOCK[0]!, '    Arena Usage at peak : 7 ');
		expect(said(early)).toEqual(['2: the block of T.f has no end', '2: the arenas of T.f sum to 0, not to 7']);
		expect(early.rows).toMatchObject([{ compileId: null, compiler: 'unknown', totalBytes: 7, result: null, seconds: null, thread: null, limitBytes: null }]);
	});

	test('arenas that do not sum to the total are said, and so are rows that do not sum to theirs', () => {
		const lost = C1_BLOCK.filter((line) => !line.includes('tomorrow'));
		expect(said(scan(TITLE, ...lost, ...C2_BLOCK))).toEqual(['2: the arenas of c12 sum to 1000000, not to 1048576']);
		const wrongRow = C2_BLOCK.map((line) => line.replace('   1883584', '   1883585'));
		expect(said(scan(TITLE, ...wrongRow))).toEqual(['2: the arenas of c21 sum to 2883584, not to 2883584']);
	});

	test('a peak in MiB has two decimals, and a tie goes to the even digit, as C prints it', () => {
		const blockOf = (bytes: number): string => {
			const row = { ...scan(TITLE, ...C1_BLOCK).rows[0]!, totalBytes: bytes };
			const table = { title: TITLE, processId: null, verbose: true, indent: 0, legend: [], columns: [], rows: [row], omitted: null, total: null };
			return /peak : (.*)/.exec(writeTable({ ...table, block: row.block }, () => NO_DETAILS))?.[1] ?? '';
		};
		const mebibyte = 2 ** 20;
		expect([1.125, 1.375, 1.5, 11.209].map((size) => blockOf(Math.round(size * mebibyte)))).toEqual([
			'1179648 (1.12M)',
			'1441792 (1.38M)',
			'1572864 (1.50M)',
			'11753488 (11.21M)',
		]);
		expect(blockOf(mebibyte - 1)).toBe('1048575');
	});
});

test('a compilation that took no memory, or of another compiler, is a line of print mode without a list', () => {
	const lines = ['c2 (7) (ok) Arena usage T::f(()V): Total Usage: 0 ', 'jvmci (8) (err) Arena usage T::f(()V): Total Usage: 42 '];
	const rows = lines.flatMap((line) => scan(line, '    ---').rows);
	expect(rows.map((row) => writePrintBlock(row, NO_DETAILS))).toEqual(lines.map((line) => `${line}\n`));
});

test('a block whose tables are empty is written again', () => {
	const { rows, detailsOf, text } = scan(
		'c2 (7) (ok) Arena usage T::f(()V): Total Usage: 30 ',
		'    --- Arena Usage by Arena Type and compilation phase, at arena usage peak of 30 ---',
		'    --- Allocation timelime by phase ---',
		'    ---',
	);
	expect(rows.map((row) => writePrintBlock(row, detailsOf(row)))).toEqual([text]);
});

describe('of very many compilations', () => {
	const LINE = 'c1 (7) (ok) Arena usage T::f(()V): Total Usage: 30 [ra 30]';
	const row = once(() => scan(LINE).rows[0]!);

	function keep(most: number, totals: readonly number[]) {
		const problems: Problem[] = [];
		const keeper = new RowKeeper('out.txt', problems, most);
		for (const totalBytes of totals) {
			keeper.add({ ...row(), totalBytes });
		}
		const { rows, dropped } = keeper.finish();
		return { kept: rows.map(({ totalBytes }) => totalBytes), dropped, problems };
	}

	test('the smallest are let go, in the order of the file, and counted', () => {
		expect(keep(3, [5, 1, 9, 2, 7, 3, 8])).toEqual({
			kept: [9, 7, 8],
			dropped: 4,
			problems: [{ severity: 'warning', file: 'out.txt', message: 'holds 7 compilations', action: 'the 3 most expensive are kept' }],
		});
		expect(keep(3, [5, 1, 9, 2])).toMatchObject({ kept: [5, 9, 2], dropped: 1 });
	});

	test('as many as fit are all kept', () => {
		expect(keep(3, [1, 5, 2])).toEqual({ kept: [1, 5, 2], dropped: 0, problems: [] });
	});
});
