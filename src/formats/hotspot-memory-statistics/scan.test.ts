/** Every recorded output is read whole, adds up, and is written again byte for byte. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { once } from '../../../test/once.js';
import { memorySource } from '../../bytes/source.js';
import type { MemoryDetails } from '../../model/compiler-memory.js';
import { readDetails } from './details.js';
import type { MemoryStatistics, StatisticRow } from './rows.js';
import { scanMemoryStatistics } from './scan.js';
import { writeErrorReportBlock, writePrintBlock, writeTable } from './write.js';

const folder = path.resolve(import.meta.dirname, '../../../fixtures/jvm/memstat');

function readFixture(name: string): Buffer {
	const bytes = fs.readFileSync(path.join(folder, name));
	return name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

interface Scanned extends MemoryStatistics {
	readonly text: string;
	readonly detailsOf: (row: StatisticRow) => MemoryDetails;
}

function scan(bytes: Uint8Array | string): Scanned {
	const buffer = Buffer.from(bytes);
	const source = memorySource('file', buffer);
	const none: MemoryDetails = { phases: [], timeline: [], lostEntries: 0 };
	return {
		...scanMemoryStatistics(source),
		text: buffer.toString('latin1'),
		detailsOf: (row) => (row.details === null ? none : readDetails(source, row.details)),
	};
}

/** Forms, rows, tables. */
const FIXTURES: readonly [string, Partial<Record<StatisticRow['form'], number>>, number][] = [
	['huge/memstat-print.txt.gz', { print: 10 }, 0],
	['huge/memstat-print-c1only.txt', { print: 6 }, 0],
	['huge/collect-print-at-exit.txt', { table: 10 }, 1],
	['huge/collect-only-with-nmt-at-exit.txt', {}, 0],
	['javac/memstat-print-javac.txt.gz', { print: 6117 }, 0],
	['jcmd/default.txt', { table: 64 }, 1],
	['jcmd/legend.txt', { table: 64 }, 1],
	['jcmd/minsize4M.txt', { table: 64 }, 1],
	['jcmd/verbose-minsize8M.txt.gz', { verbose: 64 }, 1],
	['jcmd/nmt.txt', {}, 0],
	['jcmd/help.txt', {}, 0],
	['stop/stop-20M.txt.gz', { print: 11 }, 0],
	['stop/jcmd-memlimit-legend.txt', { table: 23 }, 1],
	['stop/jcmd-memlimit-verbose.txt.gz', { verbose: 23 }, 1],
	['crash/stdout.txt.gz', { 'error-report': 1 }, 0],
	['crash/hs_err_memlimit.log', { 'error-report': 1, table: 4 }, 1],
	['crash/replay.log.gz', {}, 0],
	['events/printcompilation.txt', {}, 0],
];

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

describe.each(FIXTURES)('%s', (name, forms, tables) => {
	const scanned = once(() => scan(readFixture(name)));

	test('is read whole and adds up', () => {
		const found: Record<string, number> = {};
		for (const { form } of scanned().rows) {
			found[form] = (found[form] ?? 0) + 1;
		}
		expect({ found, tables: scanned().tables.length, problems: scanned().problems }).toEqual({ found: forms, tables, problems: [] });
		const wrong: string[] = [];
		const check = (isRight: boolean, what: string, row: StatisticRow): void => {
			if (!isRight) {
				wrong.push(`${what}: line ${row.line}, ${row.spelling}`);
			}
		};
		for (const row of scanned().rows) {
			check(sum(row.byArena.bytes) === row.totalBytes, 'arenas', row);
			const { phases, timeline, lostEntries } = scanned().detailsOf(row);
			check(phases.length > 0 === (row.compiler === 'c2' && row.form !== 'table'), 'tables', row);
			check(phases.length === 0 || sum(phases.map(({ totalBytes }) => totalBytes)) === row.totalBytes, 'phases', row);
			check(
				phases.every(({ byArena, totalBytes }) => sum(byArena.bytes) === totalBytes),
				'a phase',
				row,
			);
			// The JVM keeps a bounded number of entries and says how many older ones it lost.
			const [first] = timeline;
			let bytes = lostEntries > 0 && first !== undefined ? first.bytes - first.deltaBytes : 0;
			let nodes = lostEntries > 0 && first !== undefined ? first.nodes - first.deltaNodes : 0;
			let highest = 0;
			for (const entry of timeline) {
				check(entry.bytes === bytes + entry.deltaBytes && entry.nodes === nodes + entry.deltaNodes, `entry ${entry.sequence}`, row);
				({ bytes, nodes } = entry);
				highest = Math.max(highest, bytes, entry.temporaryPeakBytes ?? 0);
			}
			// A peak inside an entry is printed only when it is well above both ends of it.
			check(highest <= row.totalBytes && (timeline.length === 0 || highest > row.totalBytes - (1 << 20)), 'peak', row);
		}
		expect(wrong).toEqual([]);
	});

	test('is written again byte for byte', () => {
		for (const row of scanned().rows) {
			const printed = scanned().text.slice(row.block.start, row.block.end);
			if (row.form === 'print') {
				expect(writePrintBlock(row, scanned().detailsOf(row))).toBe(printed);
			} else if (row.form === 'error-report') {
				expect(writeErrorReportBlock(row, scanned().detailsOf(row)).endsWith(printed)).toBe(true);
			}
		}
		for (const table of scanned().tables) {
			expect(writeTable(table, scanned().detailsOf)).toBe(scanned().text.slice(table.block.start, table.block.end));
		}
	});

	test('nothing of it is lost: the blocks cover every line that is a statistic', () => {
		const blocks = [...scanned().rows.filter(({ form }) => form === 'print' || form === 'error-report'), ...scanned().tables].map(({ block }) => block);
		let rest = '';
		let position = 0;
		for (const { start, end } of blocks.sort((a, b) => a.start - b.start)) {
			rest += scanned().text.slice(position, start);
			position = end;
		}
		rest += scanned().text.slice(position);
		expect(rest).not.toMatch(/Arena usage|Total Usage|Phase seq|Allocation timel|^ *c[12] {2,}\d|Compile ID/m);
	});
});

test('in a LogFile, which is XML, the marks of the timeline are entities', () => {
	const plain = scan(readFixture('huge/memstat-print.txt.gz'));
	const escaped = scan(plain.text.replace(/^( *)([<>])(?=\d)/gm, (_, blanks: string, mark: string) => `${blanks}${mark === '<' ? '&lt;' : '&gt;'}`));
	expect(escaped.rows.map((row) => escaped.detailsOf(row))).toEqual(plain.rows.map((row) => plain.detailsOf(row)));
	expect(Math.max(...plain.rows.map((row) => plain.detailsOf(row).timeline.length))).toBeGreaterThan(10);
});

test('limits that were hit, and tasks', () => {
	const { hits, tasks } = scan(readFixture('stop/stop-20M.txt.gz'));
	expect(hits.map(({ compileId, limitBytes, nowBytes, hits: count }) => [compileId, limitBytes, nowBytes, count])).toEqual([
		['17', 20971520, 23737552, 2],
		['18', 20971520, 22422400, 45],
	]);
	expect(tasks.get('17')).toEqual({ level: 4, osrBci: 4100, skipped: null });
	expect(tasks.get('18')).toEqual({ level: 4, osrBci: null, skipped: 'hit memory limit while compiling (retry at different tier)' });
	const report = scan(readFixture('crash/hs_err_memlimit.log'));
	expect(report.rows[0]).toMatchObject({ compileId: '17', compiler: 'c2', method: 'Huge.big', signature: '([I[I)I', totalBytes: 23704824 });
	expect(report.hits).toMatchObject([{ compileId: '17', limitBytes: 20971520, nowBytes: 23704824 }]);
	expect([report.currentTask, report.tasks.get('17')?.osrBci]).toEqual(['17', 4100]);
	expect(scan(readFixture('crash/stdout.txt.gz')).rows[0]).toMatchObject({ compileId: '17', compiler: 'c2', totalBytes: 23704824 });
});

const OLD_LEGEND = `Compilation memory statistics

Legend:
  total  : memory allocated via arenas while compiling
  NA     : ...how much in node arenas (if c2)
  RA     : ...how much in resource areas

 (cutoff: 1000 bytes)

`;

test('tables of methods, as JDK 22 and 23 print them', () => {
	const { rows, problems, tables } = scan(
		`123:\n${OLD_LEGEND}total     NA        RA        result  #nodes  time    type  #rc thread              method\n(2/9)\n` +
			'23737552  2716664   14403832  ok      8709    0.375   c2    3   0x00007f18940c4d80  Huge::big(([I[I)I) \n' +
			'65456     0         65456     oom     0       0.041   c1    1   0x00007f18940c6770  T::f(()V) \n\nother\n',
	);
	expect(problems).toEqual([]);
	expect(tables).toHaveLength(1);
	expect(rows).toMatchObject([
		{ compileId: null, compiler: 'c2', totalBytes: 23737552, byArena: { arenas: ['NA', 'RA'], bytes: [2716664, 14403832] }, nodes: 8709, timesCompiled: 3 },
		{ compileId: null, compiler: 'c1', method: 'T.f', signature: '()V', result: 'oom', nodes: null, seconds: 0.041 },
	]);
});

test('tables of methods with all arenas and a limit, as JDK 24 prints them', () => {
	const { rows, problems } = scan(
		`${OLD_LEGEND.replace('NA     ', 'node   ')}total     ra        node      comp      type      result  #nodes  limit   time    type  #rc thread             method\n` +
			'300       100       50        100       50        ok      8709    20480K  0.375   c2    3   0x00007f18940c4d80 Huge::big(([I[I)I) \n' +
			'65456     65456     0         0         0         err     -       -       0.041   c1    1   0x00007f18940c6770 T::f(()V) \n',
	);
	expect(problems).toEqual([]);
	expect(rows).toMatchObject([
		{ compiler: 'c2', byArena: { arenas: ['ra', 'node', 'comp', 'type'], bytes: [100, 50, 100, 50] }, limitBytes: 20971520, hitLimit: false },
		{ compiler: 'c1', result: 'err', limitBytes: null, nodes: null },
	]);
});

test('lines of print mode before JDK 25', () => {
	const { rows, hits } = scan(
		'c2 Huge::big(([I[I)I): Hit MemLimit  (limit: 20971520 now: 23704824)\nc2 Huge::big(([I[I)I): Hit MemLimit again (limit: 20971520 now: 23704900)\n' +
			'c2 Arena usage Huge::big(([I[I)I): 23704900 [na 1000 ra 2000]\nc1 Arena usage T::f(()V): 98184 [ra 65456 ha 32728 ] (0->98184->0)\n',
	);
	expect(hits).toMatchObject([{ compileId: null, limitBytes: 20971520, nowBytes: 23704900, hits: 2 }]);
	expect(rows).toMatchObject([
		{ compileId: null, totalBytes: 23704900, byArena: { arenas: ['na', 'ra'], bytes: [1000, 2000] } },
		{ compileId: null, totalBytes: 98184, byArena: { arenas: ['ra', 'ha'], bytes: [65456, 32728] } },
	]);
});

test('a statistic that is not there is said', () => {
	expect(scan('1:\nCompilation memory statistics disabled.\n').problems).toMatchObject([{ severity: 'warning', line: 2 }]);
	expect(scan('Compilation memory statistics\n(unavailable)\n').problems).toHaveLength(1);
	expect(
		scan('7:\nCompiler Memory Statistic\n    ctyp  total     ra        #nodes  result  limit     time    id    thread             method\n    No entries.\n'),
	).toMatchObject({
		rows: [],
		problems: [],
		tables: [{ processId: '7', rows: [] }],
	});
});

describe('damaged output', () => {
	const whole = readFixture('huge/memstat-print.txt.gz');
	const verbose = readFixture('stop/jcmd-memlimit-verbose.txt.gz');
	const table = readFixture('stop/jcmd-memlimit-legend.txt');

	test('cut anywhere: what is whole is read, the rest is said', () => {
		fc.assert(
			fc.property(fc.constantFrom(whole, verbose, table), fc.double({ min: 0, max: 1, noNaN: true }), (bytes, part) => {
				const all = scan(bytes).rows;
				const end = Math.floor(bytes.length * part);
				const { rows, problems } = scan(bytes.subarray(0, end));
				const untouched = all.filter(({ block }) => block.end <= end);
				expect(rows.slice(0, untouched.length).map(({ spelling, totalBytes }) => [spelling, totalBytes])).toEqual(
					untouched.map(({ spelling, totalBytes }) => [spelling, totalBytes]),
				);
				expect(rows.length).toBeLessThanOrEqual(untouched.length + 1);
				expect(rows.length === untouched.length || problems.length > 0 || rows.at(-1)?.form === 'table' || rows.at(-1)?.compiler === 'c1').toBe(true);
			}),
			{ numRuns: 60 },
		);
	});

	test('a block without its total is no compilation of 0 bytes', () => {
		const { rows, problems } = scan('Compiler Memory Statistic\n    Method              : Huge::medium(([I[I)I)\n');
		expect(rows).toEqual([]);
		expect(problems).toMatchObject([{ line: 2, message: 'the block of Huge::medium(([I[I)I) ends before its total', action: 'it is left out' }]);
	});

	test('any bytes: never throws, and what it takes for a total is one that is printed', () => {
		const pieces = fc.constantFrom(
			...whole.toString('latin1').split('\n').slice(0, 40),
			...verbose.toString('latin1').split('\n').slice(0, 30),
			...table.toString('latin1').split('\n').slice(20, 30),
			'123:',
			'Compilation memory statistics',
			'Current CompileTask:',
		);
		fc.assert(
			fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 60 }), (lines) => {
				const scanned = scan(lines.join('\n'));
				for (const row of scanned.rows) {
					expect(scanned.text).toContain(String(row.totalBytes));
					scanned.detailsOf(row);
				}
			}),
			{ numRuns: 200 },
		);
	});

	test('other output inside a block, before a head and between lines', () => {
		const lines = whole.toString('latin1').split('\n');
		const at = lines.findIndex((line) => line.startsWith('c2 (17)'));
		const mixed = [
			...lines.slice(0, at),
			`no line end c2 ${lines[at]}`,
			'hello',
			...lines.slice(at + 1, at + 10),
			'a println',
			...lines.slice(at + 10, at + 40),
			'[gc] pause',
			...lines.slice(at + 40),
		];
		const { rows, problems } = scan(mixed.join('\n'));
		expect(problems).toEqual([]);
		expect(rows.map(({ compileId, totalBytes }) => [compileId, totalBytes])).toEqual(
			scan(whole).rows.map(({ compileId, totalBytes }) => [compileId, totalBytes]),
		);
		// A row that is torn is missed by the sums, and the total stays what was printed.
		mixed[at + 5] = 'torn';
		expect(scan(mixed.join('\n')).problems).toMatchObject([{ message: expect.stringContaining('the phases of c17 sum to') }]);
	});
});
