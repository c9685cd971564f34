import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-perfasm-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

fs.writeFileSync(
	path.join(folder, 'perf.txt'),
	'  1.000: cpu-clock:u:  1000 [unknown] (/tmp/perf-1.map)\n  1.001: cpu-clock:u:  1004 [unknown] (/tmp/perf-1.map)\n  1.002: cpu-clock:u:  ffffffff00000000 k\x1b[31m ([kernel])\nnoise\n',
);
fs.copyFileSync(path.join(folder, 'perf.txt'), path.join(folder, 'perf-2.txt'));
fs.writeFileSync(
	path.join(folder, 'log.txt'),
	"<hotspot_log version='160 1' process='1' time_ms='1'>\n<nmethod compile_id='1' compiler='c2' level='4' entry='0x1000' size='16' method='a.B m ()V'/>\n  0x1000:   nop\n  0x1004:   jmp    0x1006\n  0x1006:   ret\n  0x1008:   nop\n",
);
fs.copyFileSync(path.join(folder, 'log.txt'), path.join(folder, 'log-2.txt'));
fs.writeFileSync(path.join(folder, 'other.txt'), 'hello\n');
fs.writeFileSync(path.join(folder, 'dtrace.txt'), '  0  1    :profile-1001 7 0x1000 1000 0x1000\n  0  1    :profile-1001 7 0x1000 2000000 0x1000\n');

const run = (...argv: string[]): ReturnType<typeof runAssay> => runAssay(['perfasm', ...argv], folder);

test('samples and log in any order; what was skipped is said', async () => {
	const { stdout, stderr, exit } = await run('log.txt', 'perf.txt', '--hotThreshold=0.5');
	expect(exit).toBe(0);
	expect(stderr).toBe('warning: perf.txt:4 (byte 170): expected a sample of perf script: time, event, address, symbol and file; the line is skipped\n');
	expect(stdout.split('\n')).toEqual(
		expect.arrayContaining([
			'PrintAssembly processed: 4 total address lines.',
			' Column 1: cpu-clock (3 events)',
			'c2, level 4, a.B::m, version 1, compile id 1 ',
			'  33.33%     0x1000:   nop',
			'  33.33%  ╭  0x1004:   jmp    0x1006',
			'          ↘  0x1006:   ret',
			'  66.67%  <total for region 1>',
		]),
	);
});

test('switches take true, false or nothing', async () => {
	for (const form of [['--drawIntraJumps', 'false'], ['--drawIntraJumps=false']]) {
		expect((await run(...form, 'perf.txt', 'log.txt')).stdout).not.toContain('╭');
	}
	expect((await run('--skipAsm', 'perf.txt', 'log.txt')).stdout).toContain('PrintAssembly skipped, Java methods are not resolved.');
	expect(await run('--skipAsm=maybe', 'perf.txt')).toMatchObject({ exit: 2, stderr: expect.stringContaining('--skipAsm takes true or false, not "maybe"') });
});

test('a terminal gets no control characters out of names', async () => {
	const { stdout } = await runAssay(['perfasm', 'perf.txt', 'log.txt', '--mergeMargin', '0'], folder, { isTerminal: true });
	expect(stdout).not.toContain('\x1b');
	expect(stdout).toContain('k\\u001b[31m');
});

test('samples without assembly, an empty window and unknown events', async () => {
	expect((await run('perf.txt')).stdout).toContain('ERROR: no line of the assembly has an address');
	const late = await run('perf.txt', 'log.txt', '--events', 'cycles', '--delay', '10000');
	expect(late.stdout).toContain('ERROR: no sample of cycles lies in the window.');
	expect(late.stderr).toContain('has no sample of the event cycles; its column stays empty; events of this file: cpu-clock');
});

test('modifiers of events', async () => {
	expect((await run('perf.txt', 'log.txt', '--events', 'cpu-clock:u')).stdout).toContain(' Column 1: cpu-clock (cpu-clock:u) (3 events)\n');
});

test('DTrace samples without a log are those of all processes', async () => {
	const { stdout, stderr } = await run('dtrace.txt');
	expect(stdout).toContain(' Column 1: sampled_pc (1 events)');
	expect(stderr).toContain('holds samples of all processes, and no log says which is the JVM');
});

test.each([
	[[], 2, 'files are expected: samples, and the log of the JVM'],
	[['log.txt'], 3, 'log.txt: samples are missing'],
	[['log.txt', 'log-2.txt', 'perf.txt'], 3, 'log-2.txt: holds assembly, and log.txt does too; give one of each'],
	[['perf.txt', 'perf-2.txt'], 3, 'perf-2.txt: holds samples, and perf.txt does too; give one of each'],
	[['other.txt', 'perf.txt'], 3, 'other.txt: holds neither samples'],
	[['missing.txt'], 3, 'missing.txt: cannot be read (No such file or directory)'],
	[['perf.txt', '--top', 'many'], 2, '--top takes a whole number from 0 on, not "many"'],
	[['perf.txt', '--hotThreshold', '10'], 2, '--hotThreshold takes a share between 0 and 1, not "10"'],
	[['perf.txt', '--showCounts', 'all'], 2, '--showCounts takes percent_total, raw or norm, not "all"'],
	[['perf.txt', '--showCounts', 'norm'], 2, '--showCounts norm needs the operations of the benchmark: --ops N'],
] as const)('%j', async (argv, exit, message) => {
	const result = await run(...argv);
	expect(result).toMatchObject({ exit, stdout: '' });
	expect(result.stderr).toContain(message);
});
