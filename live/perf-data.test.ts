/** perf.data against what `perf script` prints of it, sample by sample, of programs that are recorded here and now; and a recorder that is killed. */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memorySource } from '../src/bytes/source.js';
import { type PerfData, readPerfData } from '../src/formats/perf-data/read.js';
import { readPerfScript } from '../src/formats/perf-script/read.js';
import { isUnnamedFunction, type NativeSymbol, type NativeSymbols } from '../src/model/native-symbols.js';
import { machineSymbols } from '../src/recording/machine-symbols.js';
import { zstdStreams } from '../src/recording/zstd-stream.js';
import { linesOfSamples } from '../test/sample-lines.js';
import { compileProgram, findJdk } from './jdks.js';
import { perfText } from './perf-text.js';

const FIELDS = 'comm,pid,tid,time,period,event,ip,sym,dso';
const assay = path.resolve(import.meta.dirname, '..', 'bin', 'assay.js');
const openZstd = await zstdStreams();
const all = await machineSymbols();
/** perf has no names for functions of stripped files. */
const symbols: NativeSymbols = {
	symbolsOf(library) {
		const own = all.symbolsOf(library);
		const find = (address: number): NativeSymbol | null => {
			const symbol = own?.find(address) ?? null;
			return symbol === null || isUnnamedFunction(symbol.name) ? null : symbol;
		};
		return own === null ? null : { find };
	},
};
const jdk = findJdk(25);
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-perf-data-'));
	compileProgram(jdk, 'HotLoop', folder);
	fs.writeFileSync(
		path.join(folder, 'work.sh'),
		'openssl speed -seconds 1 -bytes 1024 sha256 >/dev/null 2>&1\nhead -c 9000000 /dev/zero | gzip | gunzip | wc -c\n',
	);
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

const read = (file: string): PerfData => readPerfData(memorySource('perf.data', fs.readFileSync(file)), 'all', { symbols, openZstd });
const SHELL = ['sh', 'work.sh'];

describe('the samples that perf script prints', () => {
	test.each<[string, readonly string[], readonly string[]]>([
		['plain', ['-e', 'cpu-clock'], SHELL],
		['stacks', ['-e', 'cpu-clock', '-g'], SHELL],
		['compressed', ['-e', 'cpu-clock', '-F', '20000', '-g', '-z'], SHELL],
		['two events', ['-e', 'cpu-clock,task-clock:u'], SHELL],
		[
			'without children',
			['-e', 'cpu-clock', '--no-inherit'],
			['openssl', 'enc', '-aes-128-cbc', '-pbkdf2', '-iter', '2000000', '-k', 'x', '-in', '/dev/null', '-out', '/dev/null'],
		],
		['build ids by the kernel', ['-e', 'task-clock', '--buildid-mmap'], SHELL],
		['all processes', ['-e', 'cpu-clock', '-a'], SHELL],
		['with other fields', ['-e', 'cpu-clock', '-d', '-W'], SHELL],
		['java', ['-e', 'cpu-clock', '-g'], [jdk.java, '-cp', '.', 'HotLoop', '1500']],
	])('%s', (name, options, command) => {
		const file = path.join(folder, `${name.replaceAll(' ', '-')}.data`);
		const { stderr } = spawnSync('perf', ['record', '-k', 'CLOCK_MONOTONIC', '-F', '999', ...options, '-o', file, '--', ...command], {
			cwd: folder,
			encoding: 'utf8',
		});
		const native = read(file);
		const text = readPerfScript(memorySource('perf.txt', Buffer.from(perfText(file, FIELDS, true))), 'all');
		expect(text.samples.length, stderr).toBeGreaterThan(300);
		expect(linesOfSamples(native, false)).toEqual(linesOfSamples(text, false));
		// Other programs that run here may have names that demanglers spell in two ways.
		const printed = linesOfSamples(text);
		const differing = linesOfSamples(native).flatMap((line, i) => (line === printed[i] ? [] : [[line, printed[i]]]));
		expect(1 - differing.length / printed.length, JSON.stringify(differing.slice(0, 3))).toBeGreaterThan(name === 'all processes' ? 0.99 : 0.999);
	});
});

test('perf that is killed leaves what it had written', async () => {
	const file = path.join(folder, 'killed.data');
	const program = ['openssl', 'speed', '-seconds', '30', '-bytes', '1024', 'sha256'];
	const perf = spawn('perf', ['record', '-e', 'cpu-clock', '-F', '9999', '-m', '8', '-o', file, '--', ...program], { stdio: 'ignore', detached: true });
	await expect.poll(() => (fs.existsSync(file) ? fs.statSync(file).size : 0), { timeout: 25_000, interval: 50 }).toBeGreaterThan(100_000);
	const closed = new Promise((resolve) => perf.once('close', resolve));
	perf.kill('SIGKILL');
	await closed;
	// The program has lost who waits for it.
	process.kill(-(perf.pid ?? Number.NaN), 'SIGKILL');
	const { samples, problems } = read(file);
	expect(samples.length).toBeGreaterThan(300);
	expect(problems[0]?.message).toContain('was not completed');
});

test('assay that is killed: perf goes on and completes its file when the program ends', async () => {
	const recorder = spawn(process.execPath, [assay, 'record', '-o', 'killed', '--', jdk.java, '-cp', '.', 'HotLoop', '5000'], {
		cwd: folder,
		stdio: 'ignore',
		detached: true,
	});
	const data = path.join(folder, 'killed', 'perf.data');
	const sizes: number[] = [];
	while (sizes.length < 6) {
		await new Promise((resolve) => setTimeout(resolve, 600));
		if (fs.existsSync(data) && fs.statSync(data).size > 0) {
			sizes.push(fs.statSync(data).size);
		}
	}
	// What the kernel holds is fetched twice a second.
	expect(new Set(sizes).size).toBeGreaterThan(4);
	recorder.kill('SIGKILL');
	await expect.poll(() => read(data).problems.length, { timeout: 60_000, interval: 500 }).toBe(0);
	const { samples } = read(data);
	expect(samples.timeSeconds.at(-1)! - samples.timeSeconds[0]!).toBeGreaterThan(4.5);
});
