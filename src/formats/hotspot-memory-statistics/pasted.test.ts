/** Tables by phase pasted alone, as people paste them into mails and bug reports: without the line of their compilation, indented, quoted. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { readDetails } from './details.js';
import { scanMemoryStatistics } from './scan.js';

const folder = path.resolve(import.meta.dirname, '../../../fixtures/jvm/memstat');
const textOf = (name: string): string => {
	const bytes = fs.readFileSync(path.join(folder, name));
	return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
};
function scan(text: string) {
	const source = memorySource('file', Buffer.from(text));
	const { rows, tables, problems } = scanMemoryStatistics(source);
	return { rows, tables, problems, details: rows.map(({ details }) => (details === null ? null : readDetails(source, details))) };
}

/** The first compilation with tables: its row as it is read with all around it, and the lines from the title of its table on. */
function first(name: string): { lines: string[]; row: ReturnType<typeof scan>['rows'][number]; details: ReturnType<typeof readDetails> } {
	const text = textOf(name);
	const whole = scan(text);
	const at = whole.rows.findIndex(({ details }) => details !== null);
	const row = whole.rows[at]!;
	const block = text.slice(row.block.start, row.block.end).split('\n');
	const title = block.findIndex((line) => line.includes('Arena Usage by Arena Type'));
	const end = block.findIndex((line, i) => i > title && /^\s*-{3,24}$/.test(line));
	return { lines: block.slice(title, end < 0 ? undefined : end), row, details: whole.details[at]! };
}

const FORMS = [
	'huge/memstat-print.txt.gz',
	'stop/stop-20M.txt.gz',
	'javac/memstat-print-javac.txt.gz',
	'crash/hs_err_memlimit.log',
	'jcmd/verbose-minsize8M.txt.gz',
];
const SURROUNDINGS: readonly [string, (lines: readonly string[]) => string][] = [
	['alone', (lines) => lines.join('\n')],
	['with its end', (lines) => [...lines, '    ---', ''].join('\n')],
	['in a mail', (lines) => ['Hi,', '', 'it says:', '', ...lines, '', 'Any idea? 17 of 20 runs do that.', 'Regards'].join('\n')],
	['quoted', (lines) => ['A. wrote:', '>', ...lines.map((line) => `> ${line}`.trimEnd()), '>', 'We saw 12 of them.'].join('\n')],
	['quoted twice', (lines) => lines.map((line) => `> > ${line}`).join('\n')],
	['without blanks before', (lines) => lines.map((line) => line.replace(new RegExp(`^ {${indentOf(lines)}}`), '')).join('\n')],
	['further in', (lines) => lines.map((line) => `        ${line}`).join('\n')],
	['behind tabs', (lines) => lines.map((line) => `\t\t${line}`).join('\r\n')],
];

const indentOf = (lines: readonly string[]): number => /^ */.exec(lines[0]!)![0].length;

describe.each(FORMS)('the tables of %s', (name) => {
	const { lines, row, details } = first(name);

	test.each(SURROUNDINGS)('%s are read as with the line of the compilation', (_, paste) => {
		const pasted = scan(paste(lines));
		expect(pasted).toMatchObject({ problems: [], tables: [], rows: [{ method: '(unknown)', signature: null, compileId: null, compiler: 'c2' }] });
		const [{ totalBytes, byArena, byPhase } = { totalBytes: 0, byArena: null }] = pasted.rows;
		expect({ totalBytes, byArena, byPhase }).toEqual({ totalBytes: row.totalBytes, byArena: row.byArena, byPhase: row.byPhase });
		expect(pasted.details).toEqual([details]);
	});

	test('without the timeline', () => {
		const end = lines.findIndex((line) => line.includes('Allocation timel'));
		const pasted = scan(lines.slice(0, end < 0 ? undefined : end).join('\n'));
		expect(pasted.problems).toEqual([]);
		expect(pasted.details).toEqual([{ phases: details.phases, timeline: [], lostEntries: 0 }]);
	});
});

test('several, and a table of jcmd after one', () => {
	const { lines } = first(FORMS[0]!);
	const both = scan([...lines, '', ...lines, '', textOf('jcmd/minsize4M.txt')].join('\n'));
	expect(both.rows.map(({ method }) => method).filter((method) => method === '(unknown)')).toHaveLength(2);
	expect(both).toMatchObject({ problems: [], tables: [{ rows: { length: 64 } }] });
});

test('a row that is lost is told; a title alone is none', () => {
	const { lines } = first(FORMS[0]!);
	expect(scan(lines.filter((_, i) => i !== 4).join('\n')).problems).toMatchObject([{ message: expect.stringContaining('the phases of (unknown) sum to') }]);
	expect(scan(`${lines[0]}\n\nhas no table`)).toMatchObject({ rows: [], problems: [] });
});
