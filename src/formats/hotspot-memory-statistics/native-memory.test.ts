/** Summaries of Native Memory Tracking, in the forms of JDK 17 and 25. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { scanMemoryStatistics } from './scan.js';

const folder = path.resolve(import.meta.dirname, '../../../fixtures/jvm/memstat');
const scan = (...lines: string[]) => scanMemoryStatistics(memorySource('file', Buffer.from(lines.join('\n'))));
const fixture = (name: string) => scanMemoryStatistics(memorySource('file', fs.readFileSync(path.join(folder, name))));

const BLANKS = ' '.repeat(28);
const TITLE = 'Native Memory Tracking:';
const TOTAL = 'Total: reserved=8021339799, committed=483782295';
const NOTHING = { totalCommittedBytes: 483782295, reservedBytes: null, committedBytes: null, arenaBytes: null, arenaPeakBytes: null, arenas: null };

test('what jcmd answers, in KB, and what JDK 25 prints at its exit', () => {
	expect(fixture('jcmd/nmt.txt')).toMatchObject({ rows: [], tables: [], problems: [] });
	expect(fixture('jcmd/nmt.txt').nativeMemory).toEqual([
		{
			file: 'file',
			line: 3,
			totalCommittedBytes: 1247322 * 1024,
			reservedBytes: 1549 * 1024,
			committedBytes: 1549 * 1024,
			arenaBytes: 196 * 1024,
			arenaPeakBytes: 30305 * 1024,
			arenas: 6,
		},
	]);
	expect(fixture('huge/collect-only-with-nmt-at-exit.txt').nativeMemory).toEqual([
		{
			file: 'file',
			line: 5,
			totalCommittedBytes: 495629727,
			reservedBytes: 378400,
			committedBytes: 378400,
			arenaBytes: 200736,
			arenaPeakBytes: 46958312,
			arenas: 6,
		},
	]);
});

test('JDK 17, without peaks and with them; a peak that is now; megabytes; changes since a baseline', () => {
	const of = (total: string, ...compiler: string[]) => scan(TITLE, '', total, '', ' ', ...compiler, ' ').nativeMemory;
	expect(of(TOTAL, '-                  Compiler (reserved=170776, committed=170770)', `${BLANKS}(malloc=2216 #19) `, `${BLANKS}(arena=168560 #5)`)).toEqual([
		{ file: 'file', line: 1, ...NOTHING, reservedBytes: 170776, committedBytes: 170770, arenaBytes: 168560, arenas: 5 },
	]);
	expect(of(TOTAL, '-                  Compiler (reserved=170776, committed=170770)', `${BLANKS}(arena=168560 #5) (peak=443536 #11)`)).toMatchObject([
		{ arenaBytes: 168560, arenaPeakBytes: 443536, arenas: 5 },
	]);
	expect(of('Total: reserved=7MB, committed=2MB', '-  Compiler (reserved=1MB, committed=1MB)', `${BLANKS}(arena=1MB #5) (at peak)`)).toMatchObject([
		{ totalCommittedBytes: 2 << 20, committedBytes: 1 << 20, arenaBytes: 1 << 20, arenaPeakBytes: 1 << 20 },
	]);
	expect(
		of('Total: reserved=7KB +1KB, committed=2KB -3KB', '-  Compiler (reserved=1KB +1KB, committed=1KB +1KB)', `${BLANKS}(arena=1KB +1KB #5 +2)`),
	).toMatchObject([{ totalCommittedBytes: 2048, reservedBytes: 1024, committedBytes: 1024, arenaBytes: 1024, arenas: 5 }]);
});

test('only arenas of the compiler; the first line that fits no form ends it; without a total it is none', () => {
	expect(scan(TITLE, '', TOTAL, '-  Thread (reserved=5, committed=5)', `${BLANKS}(arena=1 #1)`).nativeMemory).toEqual([{ file: 'file', line: 1, ...NOTHING }]);
	expect(scan(TITLE, TOTAL, 'else', '-  Compiler (reserved=5, committed=5)').nativeMemory).toEqual([{ file: 'file', line: 1, ...NOTHING }]);
	expect(scan(TITLE, 'Native memory tracking is not enabled').nativeMemory).toEqual([]);
	const head = 'c1 (7) (ok) Arena usage T::f(([I)I): Total Usage: 98184 [ra 98184]';
	expect(scan(TITLE, '', TOTAL, head, TITLE, TOTAL)).toMatchObject({ rows: [{ compileId: '7' }], nativeMemory: [{ line: 1 }, { line: 5 }] });
});
