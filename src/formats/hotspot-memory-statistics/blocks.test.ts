/** The block of one compilation of C2, in print mode and in error reports: what becomes of its lines, whole, torn, cut and mixed with other output. */
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import type { Problem } from '../../model/problem.js';
import { readDetails } from './details.js';
import type { MemoryStatistics } from './rows.js';
import { scanMemoryStatistics } from './scan.js';

const C1_LINE = 'c1 (7) (ok) Arena usage T::f(()V): Total Usage: 30 [ra 10, cienv 20]';
const HEAD = 'c2 (17) (ok) Arena usage Huge::big(([I)I): Total Usage: 300 ';
const PEAK = [
	'    --- Arena Usage by Arena Type and compilation phase, at arena usage peak of 300 ---',
	'        Phase                         Total        ra      node',
	'        parse                           100        60        40',
	'        shorten branches                200       200         0',
];
const TIMELINE = [
	'    --- Allocation timelime by phase ---',
	'        Phase seq. number                             Bytes                  Nodes',
	'        >0                            (outside)        60 (+60)            3 (+3) ',
	'         >1                               parse       300 (+240)          10 (+7) ',
];
const END = '    ---';

function scan(...lines: string[]): MemoryStatistics {
	return scanMemoryStatistics(memorySource('out.txt', Buffer.from(lines.map((line) => `${line}\n`).join(''))));
}

const said = ({ problems }: { readonly problems: readonly Problem[] }) => problems.map(({ line, message }) => `${line}: ${message}`);
const totals = ({ rows }: MemoryStatistics) => rows.map(({ compileId, totalBytes }) => [compileId, totalBytes]);

describe('print mode', () => {
	test('a block between other lines: its numbers, its place, and nothing that it does not say', () => {
		const text = ['hello', HEAD, ...PEAK, ...TIMELINE, END, 'bye'].map((line) => `${line}\n`);
		const { rows, problems } = scanMemoryStatistics(memorySource('out.txt', Buffer.from(text.join(''))));
		const start = 'hello\n'.length;
		const end = text.join('').length - 'bye\n'.length;
		expect(problems).toEqual([]);
		expect(rows).toEqual([
			{
				compileId: '17',
				compiler: 'c2',
				level: null,
				osrBci: null,
				method: 'Huge.big',
				signature: '([I)I',
				totalBytes: 300,
				byArena: { arenas: ['ra', 'node'], bytes: [260, 40] },
				byPhase: { phases: ['parse', 'shorten branches'], bytes: [100, 200] },
				nodes: null,
				result: 'ok',
				limitBytes: null,
				hitLimit: false,
				seconds: null,
				thread: null,
				timesCompiled: null,
				skipped: null,
				form: 'print',
				spelling: 'Huge::big(([I)I)',
				line: 2,
				block: { start, end },
				details: { start, end },
			},
		]);
	});

	test('a line of C1 is its own block and has no phases', () => {
		const { rows, problems } = scan(C1_LINE);
		expect(problems).toEqual([]);
		expect(rows).toMatchObject([
			{
				compileId: '7',
				compiler: 'c1',
				totalBytes: 30,
				byArena: { arenas: ['ra', 'cienv'], bytes: [10, 20] },
				block: { start: 0, end: C1_LINE.length + 1 },
				details: null,
			},
		]);
		expect(rows[0]).not.toHaveProperty('byPhase');
	});

	test('arenas of a line that do not sum to its total are said; older forms do not list all arenas', () => {
		expect(said(scan(C1_LINE.replace('ra 10', 'ra 11')))).toEqual(['1: the arenas of c7 sum to 31, not to 30']);
		expect(said(scan('c1 Arena usage T::f(()V): 30 [na 1 ra 2] (0->30->0)'))).toEqual([]);
		expect(said(scan('jvmci (7) (ok) Arena usage T::f(()V): Total Usage: 30 []'))).toEqual([]);
	});

	test('a row whose arenas do not sum to its total, and a row that is lost, are said', () => {
		const wrongRow = [HEAD, ...PEAK.with(2, PEAK[2]!.replace('60', '61')), ...TIMELINE, END];
		expect(said(scan(...wrongRow))).toEqual(['1: the phases of c17 sum to 300, not to 300']);
		const lostRow = scan('x', HEAD, ...PEAK.slice(0, -1), ...TIMELINE, END);
		expect(said(lostRow)).toEqual(['2: the phases of c17 sum to 100, not to 300']);
		expect(lostRow.rows).toMatchObject([{ totalBytes: 300, byArena: { bytes: [60, 40] } }]);
	});

	test('a block without a table has a total and no details; nothing is missing where nothing was allocated', () => {
		const { rows, ...scanned } = scan(HEAD, END);
		expect(said(scanned)).toEqual(['1: c17 has no table of its arenas']);
		expect(rows).toMatchObject([{ totalBytes: 300, byArena: { arenas: [], bytes: [] }, details: null }]);
		expect(said(scan(HEAD.replace('300', '0'), END))).toEqual([]);
	});

	test('a block that the next one interrupts, or the end of the file, is taken as far as it goes', () => {
		const interrupted = scan(HEAD, ...PEAK, C1_LINE, HEAD, ...PEAK, ...TIMELINE);
		expect(totals(interrupted)).toEqual([
			['17', 300],
			['7', 30],
			['17', 300],
		]);
		expect(said(interrupted)).toEqual(['1: the tables of c17 have no end', '7: the tables of c17 have no end']);
		expect(interrupted.rows[0]?.block).toEqual({ start: 0, end: [HEAD, ...PEAK].join('\n').length + 1 });
	});

	test('other output between the rows of the table may begin with blanks', () => {
		const { rows, problems } = scan(HEAD, ...PEAK.slice(0, 3), '	at T.main(T.java:7)', '    at T.main(T.java:7)', PEAK[3]!, ...TIMELINE, END);
		expect(problems).toEqual([]);
		expect(rows).toMatchObject([{ byPhase: { phases: ['parse', 'shorten branches'], bytes: [100, 200] } }]);
	});

	test('a head inside the timeline begins the next block', () => {
		expect(totals(scan(HEAD, ...PEAK, ...TIMELINE, C1_LINE, C1_LINE))).toEqual([
			['17', 300],
			['7', 30],
			['7', 30],
		]);
	});

	test('a thousand lines of other output may stand in a row inside of a block, not more', () => {
		const other = Array.from({ length: 1000 }, (_, line) => `[gc] pause ${line}`);
		expect(scan(HEAD, ...PEAK.slice(0, 3), ...other, PEAK[3]!, ...other, ...TIMELINE, END).problems).toEqual([]);
		const lost = scan(HEAD, ...PEAK, ...other, 'one more', END, C1_LINE);
		expect(said(lost)).toEqual(['1: the tables of c17 have no end']);
		expect(totals(lost)).toEqual([
			['17', 300],
			['7', 30],
		]);
	});
});

describe('error reports', () => {
	const TITLE = 'Compiler Memory Statistic, hit OOM limit; offending compilation:';
	const USAGE = 'Total Usage: 300 ';
	const HIT = 'fatal error: c1 (17) Huge::big(([I)I): Hit MemLimit (limit: 200 now: 250)';
	const TASK = 'C2:104   18 %  b  4       Huge::big @ 41 (82 bytes)';

	test('the compilation is that which hit the limit', () => {
		const { rows, problems, hits } = scan(HIT, 'x', TITLE, 'Huge::big(([I)I)', USAGE, ...PEAK, ...TIMELINE, END);
		expect(problems).toEqual([]);
		expect(hits).toEqual([{ compileId: '17', compiler: 'c1', spelling: 'Huge::big(([I)I)', limitBytes: 200, nowBytes: 250, hits: 1, line: 1 }]);
		expect(rows).toMatchObject([{ form: 'error-report', compiler: 'c1', compileId: '17', method: 'Huge.big', totalBytes: 300, result: null, line: 5 }]);
		expect(rows[0]?.block.start).toBe([HIT, 'x', TITLE, ''].join('\n').length);
	});

	test('without that line it is the task that the JVM was at', () => {
		const report = ['Current CompileTask:', TASK, TITLE, 'Huge::big(([I)I)', USAGE, ...PEAK, ...TIMELINE, END];
		expect(scan(...report)).toMatchObject({ currentTask: '18', problems: [], rows: [{ compiler: 'c2', compileId: '18' }] });
		const other = HIT.replace('big', 'small');
		expect(scan(other, ...report)).toMatchObject({ rows: [{ compiler: 'c2', compileId: '18', method: 'Huge.big' }] });
		expect(scan(TASK, ...report.slice(2))).toMatchObject({ currentTask: null, rows: [{ compileId: null }] });
	});

	test('what is said of a compilation without a number names its method', () => {
		expect(said(scan(TITLE, 'Huge::big(([I)I)', USAGE, ...PEAK))).toEqual(['3: the tables of Huge.big have no end']);
		expect(said(scan(TITLE, 'Huge::big(([I)I)', USAGE, END))).toEqual(['3: Huge.big has no table of its arenas']);
		expect(said(scan(TITLE, 'Huge::big(([I)I)', USAGE, ...PEAK.slice(0, -1), END))).toEqual(['3: the phases of Huge.big sum to 100, not to 300']);
	});

	test('a title without its method or its usage gives nothing, and the line behind it is read as any other', () => {
		expect(totals(scan(TITLE, C1_LINE.replace('T::f', 'f')))).toEqual([['7', 30]]);
		expect(totals(scan(TITLE, 'Huge::big(([I)I)', C1_LINE))).toEqual([['7', 30]]);
		expect(totals(scan(TITLE, USAGE, 'Huge::big(([I)I)'))).toEqual([]);
		// The method of the first title is not that of the second.
		expect(totals(scan(TITLE, 'Huge::big(([I)I)', TITLE, USAGE))).toEqual([]);
	});

	test('what stands under a total that follows a hit is that method', () => {
		const { rows } = scan(HIT, USAGE, ...PEAK, ...TIMELINE, END);
		expect(rows).toMatchObject([{ form: 'error-report', compileId: '17', totalBytes: 300 }]);
		const nameless = [{ form: 'print', compileId: null, method: '(unknown)', totalBytes: 300 }];
		expect(scan(USAGE, ...PEAK, END).rows).toMatchObject(nameless);
		expect(scan(HIT, `${USAGE}bytes`, ...PEAK, END).rows).toMatchObject(nameless);
		expect(scan(TITLE, 'Huge::big(([I)I)', `${USAGE}bytes`, ...PEAK, END).rows).toMatchObject(nameless);
	});

	test('a line that is no task, under the heading of the task, is read as any other', () => {
		expect(scan('Current CompileTask:', C1_LINE, TASK)).toMatchObject({ currentTask: null, rows: [{ compileId: '7' }] });
		expect(scan('Current CompileTask:', C1_LINE, TASK.slice(3)).tasks.get('18')).toEqual({ level: 4, osrBci: 41, skipped: null });
	});
});

describe('limits and tasks', () => {
	test('a limit counts by compilation, with the memory of the last hit and the line of the first', () => {
		const hit = (id: number, now: number) => `c2 (${id}) Huge::big(([I)I): Hit MemLimit - limit: 200 now: ${now}`;
		expect(scan('x', hit(1, 210), hit(2, 220), hit(1, 230)).hits).toEqual([
			{ compileId: '1', compiler: 'c2', spelling: 'Huge::big(([I)I)', limitBytes: 200, nowBytes: 230, hits: 2, line: 2 },
			{ compileId: '2', compiler: 'c2', spelling: 'Huge::big(([I)I)', limitBytes: 200, nowBytes: 220, hits: 1, line: 3 },
		]);
	});

	test('what several lines tell of a task is put together, and the first word stays', () => {
		const lines = [
			"<task_queued compile_id='17' level='3'/>",
			'   104   17 %     4       Huge::big @ 41 (82 bytes)   COMPILE SKIPPED: out of nodes',
			"<nmethod compile_id='17' level='4' osr_bci='42'/>",
			'   104   17       3       Huge::big (82 bytes)   COMPILE SKIPPED: again',
		];
		const told = [['17', { level: 3, osrBci: 41, skipped: 'out of nodes' }]];
		for (const at of lines.keys()) {
			expect([...scan(...lines.slice(0, at), C1_LINE, ...lines.slice(at)).tasks]).toEqual(told);
		}
		expect([...scan(...lines, C1_LINE).tasks]).toEqual(told);
		// Nobody wants to know of tasks where there is no statistic.
		expect(scan(...lines).tasks.size).toBe(0);
	});

	test('elements of LogCompilation that are no tasks tell of none', () => {
		expect(scan("<make_not_entrant compile_id='17' level='4'/>", "<uncommon_trap compile_id='18' level='4'/>").tasks.size).toBe(0);
	});
});

describe('the tables of a compilation, read on demand', () => {
	const details = (...lines: string[]) => {
		const bytes = Buffer.from(lines.join('\n'));
		return readDetails(memorySource('out.txt', bytes), { start: 0, end: bytes.length });
	};

	test('phases with their arenas; names may be empty, hold blanks or end with a number', () => {
		expect(details(...PEAK, '                     30   20 10', '  chaitin 2    7  3  4 ', ' x 1 2', 'parse 100 60 x').phases).toEqual([
			{ name: 'parse', totalBytes: 100, byArena: { arenas: ['ra', 'node'], bytes: [60, 40] } },
			{ name: 'shorten branches', totalBytes: 200, byArena: { arenas: ['ra', 'node'], bytes: [200, 0] } },
			{ name: '', totalBytes: 30, byArena: { arenas: ['ra', 'node'], bytes: [20, 10] } },
			{ name: 'chaitin 2', totalBytes: 7, byArena: { arenas: ['ra', 'node'], bytes: [3, 4] } },
		]);
		expect(details('parse 100 60 40')).toEqual({ phases: [], timeline: [], lostEntries: 0 });
	});

	test('the timeline: depth by indentation, changes, entries that go on, peaks in between, and how many are lost', () => {
		const { timeline, lostEntries } = details(
			...TIMELINE.slice(1, 2),
			'                 (12 older entries lost)',
			'        >0                            (outside)        60 (+60)            3 (+3) ',
			'         >1                    shorten branches       300 (+240)          10 (+7) ',
			'         12                               parse       310 (+10)           10 (+0) ',
			'        <0 (cont.)                    (outside)       280 (-30)            8 (-2)  significant temporary peak: 900 (+590)',
			'something else',
		);
		expect(lostEntries).toBe(12);
		expect(timeline).toEqual([
			{ sequence: 0, depth: 0, phase: '(outside)', isContinued: false, bytes: 60, deltaBytes: 60, nodes: 3, deltaNodes: 3, temporaryPeakBytes: null },
			{ sequence: 1, depth: 1, phase: 'shorten branches', isContinued: false, bytes: 300, deltaBytes: 240, nodes: 10, deltaNodes: 7, temporaryPeakBytes: null },
			{ sequence: 12, depth: 0, phase: 'parse', isContinued: false, bytes: 310, deltaBytes: 10, nodes: 10, deltaNodes: 0, temporaryPeakBytes: null },
			{ sequence: 0, depth: 0, phase: '(outside)', isContinued: true, bytes: 280, deltaBytes: -30, nodes: 8, deltaNodes: -2, temporaryPeakBytes: 900 },
		]);
	});
});
