import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, expect, test } from 'vitest';
import { DumpWriter } from '../../test/jitdump.js';
import { readPacked } from '../../test/packed.js';
import { mmap2, perfDataFile, sample as samplePiece } from '../../test/perf-data-file.js';
import { runAssay } from '../../test/run-assay.js';
import { report } from '../index.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const recordings = path.join(root, 'fixtures', 'jitdump');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-jitdump-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

interface HotJson {
	readonly recording: { readonly logFile: string | null; readonly processId: number | null };
	readonly samples: { readonly total: number; readonly counted: number; readonly byReason: Record<string, number>; readonly ambiguous: number };
	readonly clock: { readonly source: string };
	readonly compilations: readonly {
		compileId: string;
		method: string;
		compiler: string;
		samples: number;
		installedSeconds: number;
		withoutInstruction: number;
	}[];
	readonly regions: readonly { compileId: string | null; method: string; source: string; samples: number; lines: { samples: number; comments: string[] }[] }[];
}

async function hot(...argv: string[]): Promise<{ result: HotJson; problems: { message: string; action: string }[] }> {
	const { stdout, exit } = await runAssay(['hot', ...argv, '--json'], folder);
	expect(exit).toBe(0);
	const parsed = JSON.parse(stdout);
	const validate = new Ajv2020({ allErrors: true, strict: false }).compile(JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'hot.json'), 'utf8')));
	expect(validate(parsed), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
	return parsed;
}

test('a recording of Node as text', async () => {
	const { stdout, stderr, exit } = await runAssay(['hot', 'pako', '--top', '12'], recordings);
	expect(exit).toBe(0);
	expect(stderr).toBe('');
	await expect(stdout).toMatchFileSnapshot(path.join(root, 'fixtures', 'golden', 'hot-jitdump.txt'));
});

test('every piece of code has as many samples as perf inject --jit gives it', async () => {
	const { result, problems } = await hot(path.join(recordings, 'pako'));
	expect(problems).toEqual([]);
	expect(result).toMatchObject({ recording: { processId: 24262 }, samples: { total: 1188, counted: 1188, ambiguous: 0 }, clock: { source: 'recorded' } });
	const rows = fs.readFileSync(path.join(recordings, 'pako-perf-inject.txt'), 'utf8').trim().split('\n');
	const ofPerf = rows.map((row) => /^(\d+) (\d+) (\w+):(.*)$/.exec(row)!.slice(1));
	const compiled = ofPerf.filter(([, , category]) => category === 'JS' || category === 'RegExp').map(([samples, index]) => [Number(samples), index]);
	expect(result.compilations.map(({ samples, compileId }) => [samples, compileId]).sort()).toEqual(compiled.sort());
	const sum = (category: string) => ofPerf.reduce((total, [samples, , of]) => total + (of === category ? Number(samples) : 0), 0);
	expect(result.samples.byReason).toMatchObject({ stub: sum('Builtin'), interpreter: sum('BytecodeHandler') });
	expect(result.compilations.every(({ withoutInstruction }) => withoutInstruction === 0)).toBe(true);
});

test('every sampled instruction has its line, also where V8 had freed the name of the file', async () => {
	const { result } = await hot(path.join(recordings, 'pako'));
	const sampled = result.regions.filter(({ compileId }) => compileId !== null).flatMap(({ lines }) => lines.filter(({ samples }) => samples > 0));
	expect(sampled.length).toBeGreaterThan(100);
	const places = sampled.flatMap(({ comments }) => comments);
	expect(places).toHaveLength(sampled.length);
	expect(places.filter((place) => !/^at (?:\/tmp\/pako-run\/node_modules\/pako\/lib\/\w+\/\w+\.js|node:\S+):\d+:\d+$/.test(place))).toEqual([]);
});

test('samples of Node without the dump: what to record', async () => {
	const { problems } = await hot(path.join(recordings, 'pako', 'perf.script.txt.gz'));
	expect(problems).toMatchObject([{ message: 'no file holds the code that Node made', action: expect.stringContaining('node --perf-prof') }]);
});

test('samples by line of source', async () => {
	const { stdout } = await runAssay(['hot', 'pako', '--by', 'line', '--top', '4'], recordings);
	expect(
		stdout
			.split('\n')
			.slice(4, 10)
			.map((line) => line.trim()),
	).toEqual([
		'Samples by line',
		'36.70 %  (node)',
		'20.20 %  /tmp/pako-run/node_modules/pako/lib/zlib/deflate.js:287',
		'9.76 %  /tmp/pako-run/node_modules/pako/lib/zlib/deflate.js:329',
		'9.01 %  /tmp/pako-run/node_modules/pako/lib/zlib/deflate.js:276',
		'69 more rows: 24.33 %  → --top 20',
	]);
});

test('wasmtime: as many samples as perf inject --jit gives', async () => {
	const { result, problems } = await hot(path.join(recordings, 'wasmtime'));
	expect(problems).toEqual([]);
	expect(result.samples).toMatchObject({ total: 1547, counted: 1547 });
	expect(result.compilations.map(({ method, compiler, samples }) => [method, compiler, samples])).toEqual([
		['fib', 'jit', 1312],
		['wasm[0]::array_to_wasm_trampoline[0]', 'jit', 1],
	]);
});

const CODE = Uint8Array.of(0x48, 0x89, 0xe5, 0x5d, 0xc3);

function sample(seconds: number, address: number): string {
	return `node 7/7 ${seconds.toFixed(6)}: cpu-clock: ${address.toString(16)} [unknown] (/tmp/perf-7.map)\n`;
}

function recording(name: string, dump: Uint8Array, script: string): string {
	fs.mkdirSync(path.join(folder, name));
	fs.writeFileSync(path.join(folder, name, 'jit-7.dump'), dump);
	fs.writeFileSync(path.join(folder, name, 'perf.script.txt'), script);
	return name;
}

const secondsAsNs = (seconds: number): number => seconds * 1e9;

test('an address that is used again is of the code that lay there at the time', async () => {
	const dump = new DumpWriter({ processId: 7 })
		.load(secondsAsNs(10), 0x7f0000001000, 1, 'JS:^a /x.js:1:1', CODE)
		.load(secondsAsNs(11), 0x7f0000001000, 2, 'JS:*b /x.js:2:1', CODE)
		.move(secondsAsNs(12), 0x7f0000001000, 0x7f0000002000, CODE.length, 2)
		.load(secondsAsNs(12.5), 0x7f0000001000, 3, 'JS:*c /x.js:3:1', CODE).bytes;
	const at = (seconds: number, address: number) => sample(seconds, address + 3);
	const script = [
		at(9, 0x7f0000001000),
		at(10.5, 0x7f0000001000),
		at(11.5, 0x7f0000001000),
		at(11.6, 0x7f0000001000),
		at(11.7, 0x7f0000002000),
		at(12.2, 0x7f0000002000),
		at(13, 0x7f0000001000),
	].join('');
	const { result, problems } = await hot(recording('reused', dump, script));
	expect(result.compilations.map(({ method, compiler, samples, installedSeconds }) => [method, compiler, samples, installedSeconds])).toEqual([
		['b /x.js:2:1', 'turbofan', 2, 1],
		['a /x.js:1:1', 'sparkplug', 1, 0],
		['c /x.js:3:1', 'turbofan', 1, 2.5],
		['b /x.js:2:1', 'turbofan', 1, 2],
	]);
	expect(result.samples.byReason).toEqual({ unknown: 2 });
	expect(problems).toMatchObject([
		{ message: expect.stringContaining('2 samples lie in code before it came'), action: expect.stringContaining('perf record -k mono') },
	]);
});

test('samples of another clock, a cut dump: told, and the rest is there', async () => {
	const whole = new DumpWriter({ processId: 7 })
		.load(secondsAsNs(10), 0x7f0000001000, 1, 'JS:*a /x.js:1:1', CODE)
		.load(secondsAsNs(11), 0x2000, 2, 'b', CODE).bytes;
	const { result, problems } = await hot(recording('cut', whole.subarray(0, whole.length - 3), sample(3, 0x7f0000001000)));
	expect(result.compilations).toMatchObject([{ method: 'a /x.js:1:1', samples: 1 }]);
	expect(problems.map(({ message }) => message)).toEqual([
		expect.stringMatching(/^the last record is cut/),
		expect.stringMatching(/^its clock is not that of .*jit-7\.dump: the times do not meet$/),
	]);
});

test('of several dumps that of the sampled process; --pid where both are', async () => {
	const dump = (processId: number) => new DumpWriter({ processId }).load(secondsAsNs(10), 0x7f0000001000, 1, `JS:*f${processId} /x.js:1:1`, CODE).bytes;
	const name = recording('several', dump(7), sample(11, 0x7f0000001000));
	fs.writeFileSync(path.join(folder, name, 'jit-8.dump'), dump(8));
	expect((await hot(name)).result.compilations).toMatchObject([{ method: 'f7 /x.js:1:1' }]);
	fs.appendFileSync(path.join(folder, name, 'perf.script.txt'), sample(11, 0x7f0000001000).replace('7/7', '8/8'));
	const { stderr, exit } = await runAssay(['hot', name], folder);
	expect(exit).toBe(3);
	expect(stderr).toContain('several jitdumps: several/jit-7.dump (process 7), several/jit-8.dump (process 8)');
	expect((await hot(name, '--pid', '8')).result.compilations).toMatchObject([{ method: 'f8 /x.js:1:1', samples: 1 }]);
	fs.appendFileSync(path.join(folder, name, 'perf.script.txt'), sample(12, 0x7f0000001000).replace('7/7', '8/8'));
	const { result } = await hot(name);
	expect(result.compilations).toMatchObject([{ method: 'f8 /x.js:1:1', samples: 2 }]);
	expect(result.samples).toMatchObject({ total: 3, counted: 2, byReason: { 'other process': 1 } });
});

test('of a script that only starts a native program that program; --pid for the script', async () => {
	const name = recording('launcher', new DumpWriter({ processId: 7 }).load(secondsAsNs(10), 0x7f0000001000, 1, 'JS:*f /x.js:1:1', CODE).bytes, '');
	fs.rmSync(path.join(folder, name, 'perf.script.txt'));
	const at = (pid: number, seconds: number, ip: number): Buffer => samplePiece(ip, pid, pid, secondsAsNs(seconds));
	const records = [
		mmap2(7, 0x40_0000, 0x10_0000, 0, '/usr/bin/node'),
		mmap2(7, 0x7f00_0000_1000, 0x1000, 0, '//anon'),
		mmap2(8, 0x40_0000, 0x10_0000, 0, '/usr/bin/native'),
		...[at(7, 11, 0x7f00_0000_1000), at(7, 12, 0x40_0010), at(8, 13, 0x40_0020), at(8, 14, 0x40_0020), at(8, 15, 0x40_0030)],
	];
	fs.writeFileSync(path.join(folder, name, 'perf.data'), perfDataFile([{ name: 'cpu-clock' }], records));
	const { result } = await hot(name);
	expect(result.samples).toMatchObject({ total: 5, counted: 3, byReason: { 'other process': 2, 'native library': 3 } });
	expect(result.compilations).toEqual([]);
	expect((await hot(name, '--pid', '7')).result).toMatchObject({
		samples: { counted: 2, byReason: { 'other process': 3, 'native library': 1 } },
		compilations: [{ method: 'f /x.js:1:1', samples: 1 }],
	});
});

test('names are hostile text', async () => {
	const dump = new DumpWriter({ processId: 7 })
		.lines(1, 0x7f0000001000, [[0x7f0000001040, 1, 1, '/x\u001b[2J.js']])
		.load(secondsAsNs(10), 0x7f0000001000, 1, 'JS:*\u001b]0;f\u0007\n /x.js:1:1', CODE).bytes;
	const { stdout } = await runAssay(['hot', recording('hostile', dump, sample(11, 0x7f0000001000))], folder);
	expect(stdout).toContain('\\u001b]0;f\\u0007\\u000a /x.js:1:1');
	expect(stdout).toContain('x\\u001b[2J.js:1:1');
});

test('doctor and report miss nothing of a JVM', async () => {
	const doctor = await runAssay(['doctor', 'pako'], recordings);
	expect(doctor.stdout).toBe(`pako   2 files of evidence

  pako/jit-24262.dump.gz     79.0 kB  jitdump                 process 24262, 33 pieces of code, 25 with lines of source
  pako/perf.script.txt.gz    16.9 kB  samples, perf script    1,188 cpu-clock, 1.3 s, 618 in logged code

yes  samples with instructions            618 of 1188 samples (52.0 %) lie in code of a jitdump
yes  code with functions                  a jitdump names 33 pieces, 25 with lines of source
yes  samples' times with stamps of code   the first code came 14375.357 s after CLOCK_MONOTONIC began, which perf record -k mono has too

nothing is missing
`);
	const json = await runAssay(['doctor', 'pako', '--json'], recordings);
	const validate = new Ajv2020({ allErrors: true, strict: false }).compile(
		JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'doctor.json'), 'utf8')),
	);
	expect(validate(JSON.parse(json.stdout)), JSON.stringify(validate.errors)).toBe(true);
	const text = await runAssay(['report', 'pako'], recordings);
	expect(text.stdout).toContain('   evidence: samples ✓  jitdump ✓\n');
	expect(text.stderr).toBe('');
});

test('the library gives it', async () => {
	const result = await report([path.join(recordings, 'pako')]);
	expect(result.evidence.jitdump).toMatchObject({ present: true, records: 33 });
	expect(result.compilations[0]).toMatchObject({ compileId: '2276', samples: 517 });
});

test('a dump without samples says what to record', async () => {
	fs.mkdirSync(path.join(folder, 'alone'));
	fs.writeFileSync(path.join(folder, 'alone', 'jit-1.dump'), readPacked(path.join(recordings, 'pako', 'jit-24262.dump.gz')));
	const { stdout } = await runAssay(['doctor', 'alone'], folder);
	expect(stdout).toContain(
		'missing: samples: nothing says where the time went\n    perf record -k mono -F 999 -e cpu-clock -o perf.data node --perf-prof app.js; perf script',
	);
});
