/** `assay report` on folders in which real tools left what they recorded of a program's start-up, beside the program. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { assay, run, tool } from './order-tools.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-order-report-'));
const SOURCE = path.resolve(import.meta.dirname, 'programs', 'startup-threads.c');
let work = '';
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
	work = fs.mkdtempSync(path.join(folder, 'run-'));
});

const inWork = (command: string, ...argv: string[]): string => run(command, argv, { cwd: work });
const result = (...argv: string[]) => JSON.parse(inWork(process.execPath, assay, ...argv, '--json')).result;

test('a build of assay-cc: program, map and dump', () => {
	inWork(process.execPath, assay, 'order', 'cc', '--', tool('clang-19'), '-O1', '-pthread', SOURCE, '-o', 'app');
	run('./app', [], { cwd: work, env: { ...process.env, ASSAY_ORDER_FILE: 'run.dump' } });
	const { startup, findings } = result('report', '.');
	// The child that it forks ends by _exit and has a dump of its own.
	const traces = [
		{ file: 'run.dump', unplaced: 0 },
		{ file: expect.stringMatching(/^run\.dump\.\d+$/), unplaced: 0 },
	];
	expect(startup).toMatchObject({ program: { file: 'app' }, traces, maps: ['app.order-map.json'] });
	expect(startup.traces[0].functions).toBeGreaterThan(3);
	// The command of the finding runs as it stands.
	const [, ...words] = findings[0].command.split(' ');
	inWork(process.execPath, assay, ...words);
	expect(fs.readFileSync(path.join(work, 'app.order'), 'utf8')).toMatch(/^main$/m);
	const { recording } = result('doctor', '.');
	expect(recording.joins).toMatchObject([{ name: 'startup', works: true }]);
});

test('a folder of uftrace, its dump, and what valgrind executed', () => {
	// Not -pg: its timer's signals may end a program under valgrind.
	inWork('gcc', '-finstrument-functions', '-g', '-O1', '-no-pie', SOURCE, '-pthread', '-o', 'traced');
	inWork('uftrace', 'record', '--no-libcall', '-d', 'recorded', './traced');
	fs.writeFileSync(path.join(work, 'dump.txt'), inWork('uftrace', 'dump', '--demangle=no', '-d', 'recorded'));
	inWork('valgrind', '--tool=lackey', '--trace-mem=yes', '--log-file=run.insns', './traced');
	const { startup } = result('report', '.');
	expect(startup.program.file).toBe('traced');
	expect(new Set(startup.traces.map(({ file }: { file: string }) => file))).toEqual(new Set(['recorded', 'dump.txt', 'run.insns']));
	expect(startup.leftOut).toEqual([]);
	const { recording } = result('doctor', '.');
	const kinds = Object.fromEntries(recording.files.map(({ name, kind }: { name: string; kind: string }) => [name, kind]));
	expect(kinds).toEqual({
		'dump.txt': 'order-trace',
		recorded: 'order-trace',
		'run.insns': 'executed-instructions',
		traced: 'linked-program',
	});
});
