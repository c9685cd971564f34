import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { RECORDINGS } from '../../test/recordings.js';
import { openSamplesAndCode } from '../answers/open-parts.js';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-recording-'));
afterAll(() => fs.rmSync(root, { recursive: true }));

const log = (process: number): string =>
	`<?xml version='1.0' encoding='UTF-8'?>\n<hotspot_log version='160 1' process='${process}' time_ms='1700000000000'>\n` +
	"<nmethod compile_id='1' compiler='c2' level='4' entry='0x0000000000010000' size='256' address='0x000000000000ff00' method='a.B f ()V' stamp='0.5'/>\n" +
	'Compiled method (c2) 500    1       4       a.B::f (3 bytes)\n main code      [0x0000000000010000,0x0000000000010010] = 16\n\n[MachCode]\n[Verified Entry Point]\n' +
	'  0x0000000000010000: 55c3\n[/MachCode]\n';
const SAMPLES = '  1.000: cpu-clock:  10000 [unknown] (/tmp/perf-7.map)\n  1.001: cpu-clock:  10001 [unknown] (/tmp/perf-7.map)\n';

let folders = 0;
/** Writes files into a folder and opens it. */
async function open(files: Record<string, string | Buffer>, names?: readonly string[], processId: number | null = null): ReturnType<typeof openSamplesAndCode> {
	const folder = path.join(root, String(folders++));
	fs.mkdirSync(folder);
	for (const [name, content] of Object.entries(files)) {
		fs.writeFileSync(path.join(folder, name), content);
	}
	const paths = names === undefined ? [{ filePath: folder, name: 'run' }] : names.map((name) => ({ filePath: path.join(folder, name), name }));
	return await openSamplesAndCode(paths, processId);
}

test('a folder: log, samples, manifest, perf map, and other files', async () => {
	const recording = await open({
		'hotspot.log': log(7),
		'perf.txt.gz': gzipSync(SAMPLES),
		'perf-7.map': '0x0000000000010000 0x0000000000000010 void a.B.f()\n0000020000 10 StubRoutines (1)\n',
		'meta.json': '{"skipMs":10,"lenMs":20}',
		'notes.txt': 'hello\n',
	});
	expect(recording).toMatchObject({
		samplesFile: 'run/perf.txt.gz',
		format: 'perf',
		logFile: 'run/hotspot.log',
		log: { processId: 7 },
		note: { window: { skipMs: 10, lengthMs: 20 } },
		problems: [],
	});
	expect(recording.samples.length).toBe(2);
	expect(recording.code.map(({ kind, name, start }) => [kind, name, start])).toEqual([
		['compilation', 'a.B.f', 0x10000],
		['stub', 'StubRoutines (1)', 0x20000],
	]);
	const printed = await recording.readCode(recording.code);
	expect([...printed.values()].map(({ instructions }) => instructions.text)).toEqual([['push %rbp', 'ret']]);
	expect(recording.lostLines()).toBe(0);
	recording.close();
});

test("JMH's annotated copy beside the plain log: the plain one", async () => {
	const recording = await open({ 'a-annotated.log': log(7).replace(/^/gm, '          '), 'hotspot.log': log(7), 'perf.txt': SAMPLES });
	expect(recording.logFile).toBe('run/hotspot.log');
	recording.close();
});

test('the annotated copy alone', async () => {
	const recording = await open({ 'a-annotated.log': log(7).replace(/^/gm, '          '), 'perf.txt': SAMPLES });
	const printed = await recording.readCode(recording.code);
	expect([...printed.values()].map(({ instructions }) => instructions.text)).toEqual([['push %rbp', 'ret']]);
	recording.close();
});

test('of a JVM and of a process that it started, of which there is no log: the samples of that one alone', async () => {
	const line = (process: number, second: number): string => `java ${process}/${process}  ${second}.001: cpu-clock:  7f5c2e7f51a3 f (/lib/libjvm.so)\n`;
	const files = { 'hotspot.log': log(7), 'perf.txt': `${line(7, 1)}${line(8, 2)}` };
	const other = await open(files, undefined, 8);
	expect([other.log, other.logFile, other.code, other.loggedJvms, [...other.samples.processId]]).toEqual([null, null, [], [], [7, 8]]);
	other.close();
	await expect(open(files, undefined, 9)).rejects.toThrow('no log is of process 9, and no sample: there are logs of 7');
	// In a container the JVM has another number than its samples.
	await expect(open({ ...files, 'hotspot.log': log(1) }, undefined, 8)).rejects.toThrow('no log is of process 8');
	const own = await open(files, undefined, 7);
	expect([own.log?.processId, own.loggedJvms]).toEqual([7, [7]]);
	own.close();
});

test('of a JVM and of Node, which a script started one after the other: the code of the one that is asked for, else of the JVM', async () => {
	const dump = fs.readFileSync(path.join(import.meta.dirname, '..', '..', 'fixtures', 'jitdump', 'pako', 'jit-24262.dump.gz'));
	const files = {
		'hotspot.log': log(7),
		'perf.txt': `${SAMPLES}  2.001: cpu-clock:  7f5c2e7f51a3 [unknown] (/tmp/perf-24262.map)\n  2.002: cpu-clock:  10001 [unknown] (/tmp/perf-8.map)\n`,
		'jit-24262.dump.gz': dump,
	};
	const jvm = await open(files);
	expect([jvm.log?.processId, jvm.sources.length]).toEqual([7, 0]);
	jvm.close();
	// Of several, too; in a container processes have other numbers than their dumps tell.
	const several = await open({ ...files, 'second.dump.gz': dump });
	expect(several.sources).toEqual([]);
	several.close();
	const contained = await open({ ...files, 'perf.txt': SAMPLES });
	expect(contained.sources.map(({ processId }) => processId)).toEqual([24262]);
	contained.close();
	const node = await open(files, undefined, 24262);
	expect([node.log, node.sources.map(({ processId }) => processId), node.logFile]).toEqual([null, [24262], null]);
	node.close();
	await expect(open(files, undefined, 8)).rejects.toThrow('no log is of process 8, and no sample: there are logs of 7');
});

test('of two JVMs the one that was sampled', async () => {
	const files = { 'one.log': log(6), 'two.log': log(7), 'perf.txt': SAMPLES };
	const recording = await open(files);
	expect(recording.logFile).toBe('run/two.log');
	recording.close();
	await expect(open({ ...files, 'perf.txt': SAMPLES.replaceAll('perf-7', 'perf-5') })).rejects.toThrow(
		'the files are of several JVMs: processes 6, 7; say which one is meant',
	);
});

test('several JVMs that were sampled are listed by what tells them apart, the busiest first', async () => {
	const withCommand = (processId: number, command: string): string => log(processId).replace(/^(<hotspot_log .*)$/m, `$1\n<command>\n${command}\n</command>`);
	const line = (pid: number, time: string): string => `java ${pid}/${pid} ${time}: 1001001 cpu-clock:  10000 [unknown] (/tmp/perf-${pid}.map)\n`;
	const samples = line(6, '1.000') + line(7, '1.001') + line(7, '1.002') + line(7, '1.003');
	const files = { 'one.log': withCommand(6, 'app.Launcher x'), 'two.log': withCommand(7, 'lib/worker.jar -v'), 'perf.txt': samples };
	await expect(open(files)).rejects.toThrow(
		'the files are of several JVMs: processes 7 (lib/worker.jar, 3 samples, 0.0 s of CPU time), 6 (app.Launcher, 1 sample, 0.0 s of CPU time); say which one is meant',
	);
});

test('samples without a log', async () => {
	const recording = await open({ 'perf.txt': SAMPLES }, ['perf.txt']);
	expect(recording).toMatchObject({ log: null, logFile: null, code: [], note: null });
	expect(await recording.readCode([])).toEqual(new Map());
	recording.close();
});

test('what leaves nothing to look at', async () => {
	await expect(open({ 'hotspot.log': log(7) })).rejects.toThrow('run: samples are missing');
	await expect(open({})).rejects.toThrow('run: samples are missing');
	await expect(open({ 'a.txt': SAMPLES, 'b.txt': SAMPLES })).rejects.toThrow('several files hold samples: run/a.txt, run/b.txt');
	await expect(open({ 'notes.txt': 'hello' }, ['notes.txt'])).rejects.toThrow('notes.txt: holds neither samples');
	await expect(open({}, ['missing.txt'])).rejects.toThrow('missing.txt: cannot be read (No such file or directory)');
	await expect(open({ 'perf.txt': SAMPLES, 'hotspot.log': '' }, ['perf.txt', 'hotspot.log'])).rejects.toThrow('hotspot.log: holds neither samples');
});

test('what is missing may stand in a file that cannot be read', async () => {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-unreadable-'));
	fs.writeFileSync(path.join(folder, 'hotspot.log'), log(7));
	fs.symlinkSync('perf.txt', path.join(folder, 'perf.txt'));
	await expect(openSamplesAndCode([{ filePath: folder, name: 'run' }])).rejects.toThrow(
		'run: samples are missing; run/perf.txt cannot be read (Too many levels of symbolic links): mend that, or give perf.data',
	);
	fs.rmSync(folder, { recursive: true });
});

test('a real recording', async () => {
	const recording = await openSamplesAndCode([{ filePath: path.join(RECORDINGS, 'jdk25-arraySum-nohsdis'), name: 'r' }]);
	expect(recording).toMatchObject({ logFile: 'r/hotspot.log.zst', samplesFile: 'r/perf.script.txt.gz', problems: [] });
	expect(recording.note?.window).not.toBeNull();
	const printed = await recording.readCode(recording.code.slice(0, 40));
	expect(printed.size).toBe(40);
	for (const [code, { instructions }] of printed) {
		expect(instructions.address[0]).toBe(code.start);
		expect(instructions.end.at(-1)).toBe(code.end);
	}
	recording.close();
});
