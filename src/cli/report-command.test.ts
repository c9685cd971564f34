/** One recording, one report: all facets at one compile id, whatever the evidence is packed in. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FIXTURES as fixtures, json } from '../../test/report-json.js';
import { runAssay } from '../../test/run-assay.js';
import type { ReportResult } from '../answers/results.js';
import { memorySource } from '../bytes/source.js';
import { readTar } from '../formats/tar/read.js';
import type { Problem } from '../model/problem.js';

const golden = (name: string): string => path.join(fixtures, 'golden', name);
describe('all facets at one compile id', () => {
	test('C2: log, code, samples, memory, prediction', async () => {
		const { compilations, evidence, findings } = await json('report', 'joined/jdk25-c2');
		expect(compilations[0]).toMatchObject({
			handle: 'c217',
			method: 'Words.checksum',
			compiler: 'c2',
			level: 4,
			evidence: ['logCompilation', 'printCompilation', 'assembly', 'samples', 'compilerMemory'],
		});
		for (const facet of ['samples', 'codeBytes', 'memoryBytes', 'inlinedCalls', 'predictedBiasedPercent', 'installedMs'] as const) {
			expect(compilations[0]?.[facet], facet).toBeGreaterThan(0);
		}
		expect(compilations.filter(({ kind }) => kind === 'native wrapper')).toHaveLength(40);
		expect(
			Object.entries(evidence)
				.filter(([, { present }]) => present)
				.map(([kind]) => kind),
		).toEqual(['logCompilation', 'assembly', 'samples', 'safepoints', 'compilerMemory', 'printCompilation']);
		expect(findings.map(({ kind }) => kind)).toContain('biased');
		expect(findings.every(({ text, evidence: kinds }) => text !== '' && kinds.length > 0)).toBe(true);
	});

	test.each([
		['app.jar 8', 'java -jar app.jar 8'],
		['app.jars 8', 'java app.jars 8'],
		['Words app.jar', 'java Words app.jar'],
	])('the program %s', async (command, shown) => {
		const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-command-'));
		try {
			const log = zlib.gunzipSync(fs.readFileSync(path.join(fixtures, 'joined', 'jdk25-c2', 'hotspot.log.gz'))).toString('latin1');
			expect(log).toContain('\nWords 8\n');
			fs.writeFileSync(path.join(folder, 'hotspot.log'), log.replace('\nWords 8\n', `\n${command}\n`), 'latin1');
			expect((await runAssay(['report', 'hotspot.log'], folder)).stdout.split('\n')[1]).toBe(`   ${shown}`);
		} finally {
			fs.rmSync(folder, { recursive: true });
		}
	});

	test("Graal: its log in the archive and beside it, and its decisions at HotSpot's compile ids", async () => {
		const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-joined-'));
		try {
			fs.cpSync(path.join(fixtures, 'joined', 'graal'), folder, { recursive: true });
			const archive = zlib.gunzipSync(fs.readFileSync(path.join(folder, 'log.tar.gz')));
			fs.mkdirSync(path.join(folder, 'log'));
			fs.writeFileSync(path.join(folder, 'log', '0_16'), archive.subarray(1024, 1024 + 3_879_589));
			const withBoth = await json('report', folder);
			fs.rmSync(path.join(folder, 'log.tar.gz'));
			const unpacked = await json('report', folder);
			const packed = await json('report', 'joined/graal');
			expect(unpacked.compilations).toEqual(packed.compilations);
			expect(withBoth.compilations).toEqual(packed.compilations);
			const graal = packed.compilations.filter(({ evidence }) => evidence.includes('graalLog'));
			expect(graal).toHaveLength(60);
			expect(graal.every((row) => row.compiler === 'jvmci' && row.level === 4 && (row.inlinedCalls ?? -1) >= 0)).toBe(true);
			expect(packed.compilations[0]).toMatchObject({ method: 'Json.string', inlinedCalls: 28, notInlinedCalls: 9 });
			const osr = graal.find(({ compileId }) => compileId === '398%');
			expect(osr === undefined || osr.kind === 'osr').toBe(true);
		} finally {
			fs.rmSync(folder, { recursive: true });
		}
	});
});

describe('profiles of other profilers', () => {
	const jvm = path.join(fixtures, 'jvm');
	let folder = '';
	beforeAll(() => {
		folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-profiles-'));
	});
	afterAll(() => fs.rmSync(folder, { recursive: true }));

	const stacksOf = async (...names: string[]) => (await json('report', ...names)).evidence.stacks;

	test.each([
		['jfr/async-profiler.jfr.gz', 763],
		['jfr/async-profiler.print.json.gz', 763],
		['jfr/async-profiler.traces.txt.gz', 129],
		['jfr/jdk17.jfr.gz', 98],
		['jfr/jdk17.print.txt.gz', 98],
		['jfr/jdk25.jfr.gz', 207],
		['thread-dumps/jdk17-sigquit.txt.gz', 14],
		['thread-dumps/jdk25-dump-to-file.json.gz', 14],
		['thread-dumps/jdk25-thread-info.txt.gz', 40],
		['safepoint/jdk25-stack-g1.txt.gz', 6],
		['safepoint/jdk25-serial/async.flat.txt', 5366],
		['safepoint/strip-jdk17-serial/dump.collapsed', 413],
	])('%s is told by what it holds', async (name, records) => {
		const unnamed = path.join(folder, 'x');
		fs.copyFileSync(path.join(jvm, name), unnamed);
		expect(await stacksOf(unnamed)).toEqual({ present: true, files: [unnamed], records });
	});

	test('output of JMH: its stack profiler, and what the JVM printed between', async () => {
		const file = path.join(folder, 'jmh.txt');
		const printed = zlib.gunzipSync(fs.readFileSync(path.join(jvm, 'compilation', 'jdk25', 'printcompilation.txt.gz'))).subarray(0, 20_000);
		const memory = zlib.gunzipSync(fs.readFileSync(path.join(jvm, 'memstat', 'javac', 'memstat-print-javac.txt.gz'))).subarray(0, 400_000);
		fs.writeFileSync(
			file,
			Buffer.concat([printed, Buffer.from('\n'), memory, zlib.gunzipSync(fs.readFileSync(path.join(jvm, 'safepoint', 'jdk25-stack-g1.txt.gz')))]),
		);
		const { evidence } = await json('report', file);
		expect(evidence.stacks).toEqual({ present: true, files: [file], records: 6 });
		expect(evidence.printCompilation.records).toBeGreaterThan(100);
		expect(evidence.compilerMemory.records).toBeGreaterThan(10);
	});

	test('output of JMH that is long: its reports stand at the end', async () => {
		const file = path.join(folder, 'long.txt');
		const report = zlib.gunzipSync(fs.readFileSync(path.join(jvm, 'safepoint', 'jdk25-stack-g1.txt.gz')));
		fs.writeFileSync(file, Buffer.concat([Buffer.from('# Warmup Iteration   1: 12.345 ns/op\n'.repeat(60_000)), report]));
		expect(await stacksOf(file)).toEqual({ present: true, files: [file], records: 6 });
	});

	test('a recording in whose strings a log stands is no log', async () => {
		const recording = path.join(folder, 'strings');
		fs.mkdirSync(recording);
		const jfr = zlib.gunzipSync(fs.readFileSync(path.join(jvm, 'jfr', 'jdk25.jfr.gz')));
		const log = zlib.gunzipSync(fs.readFileSync(path.join(jvm, 'perfasm', 'jdk17-arraySum', 'perf.script.txt.gz'))).subarray(0, 4000);
		const text = Buffer.from(`\n<hotspot_log version='160 1' process='7' time_ms='1'>\n<task compile_id='1'/>\n${log.toString('latin1')}\n`, 'latin1');
		fs.writeFileSync(path.join(recording, 'rec.jfr'), Buffer.concat([jfr, text]));
		const { evidence } = await json('report', recording);
		expect(
			Object.entries(evidence)
				.filter(([, { present }]) => present)
				.map(([kind, { records }]) => [kind, records]),
		).toEqual([['stacks', 207]]);
		for (const command of ['hot', 'compilations', 'memory']) {
			expect((await runAssay([command, recording], fixtures)).exit, command).toBe(3);
		}
	});

	test('damaged anywhere: a warning, and the rest of the report', async () => {
		const recording = path.join(folder, 'damaged');
		fs.mkdirSync(recording);
		fs.copyFileSync(path.join(jvm, 'compilation', 'jdk25', 'printcompilation.txt.gz'), path.join(recording, 'out.txt.gz'));
		const file = path.join(recording, 'rec.jfr');
		const jfr = zlib.gunzipSync(fs.readFileSync(path.join(jvm, 'jfr', 'jdk25.jfr.gz')));
		const whole = (await json('report', path.join(recording, 'out.txt.gz'))).compilations;
		await fc.assert(
			fc.asyncProperty(fc.integer({ min: 4, max: jfr.length - 1 }), fc.nat(255), async (end, byte) => {
				const damaged = Buffer.from(jfr.subarray(0, end));
				damaged[4 + Math.floor((end - 4) / 2)] = byte;
				fs.writeFileSync(file, damaged);
				const { stdout, exit } = await runAssay(['report', recording, '--json'], fixtures);
				const { result, problems }: { result: ReportResult; problems: Problem[] } = JSON.parse(stdout);
				expect(exit).toBe(0);
				expect(result.compilations).toEqual(whole);
				expect(problems.length).toBeGreaterThan(0);
				expect(problems.every(({ severity }) => severity === 'warning')).toBe(true);
			}),
			{ numRuns: 6 },
		);
	});

	test('beside a prediction of bias: the command that compares them, once', async () => {
		const recording = path.join('jvm', 'safepoint', 'strip-jdk17-serial');
		const { stdout } = await runAssay(['report', recording, '--section', 'bias'], fixtures);
		const command = stdout.trimEnd().split('\n').at(-1)?.trim() ?? '';
		expect(command).toBe(`assay bias ${recording} --against dump=${recording}/dump.collapsed`);
		expect(stdout.split('--against')).toHaveLength(2);
		const compared = await runAssay([...command.split(' ').slice(1), '--rounds', '0'], fixtures);
		expect(compared.exit).toBe(0);
		const alone = ['hotspot.log.gz', 'perf.script.txt.gz'].map((name) => path.join(recording, name));
		expect((await runAssay(['report', ...alone, '--section', 'bias'], fixtures)).stdout).not.toContain('--against');
	});
});

describe('two JVMs in one folder', () => {
	let folder = '';
	beforeAll(() => {
		folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-two-'));
		for (const name of ['hotspot.log.gz', 'perf.script.txt.gz']) {
			fs.copyFileSync(path.join(fixtures, 'joined', 'graal', name), path.join(folder, `graal-${name}`));
			fs.copyFileSync(path.join(fixtures, 'jvm', 'ledger', 'jdk25', name), path.join(folder, `ledger-${name}`));
		}
	});
	afterAll(() => fs.rmSync(folder, { recursive: true }));

	test('are asked for, and told apart by process', async () => {
		const { exit, stderr } = await runAssay(['report', folder], fixtures);
		expect(exit).toBe(3);
		expect(stderr).toContain('processes 1153 (Ledger, 4,464 samples), 14815 (Json, 3,623 samples); say which one is meant');
		expect((await json('report', folder, '--pid', '1153')).compilations).toEqual((await json('report', 'jvm/ledger/jdk25')).compilations);
		expect((await json('report', folder, '--pid', '14815')).samples.total).toBe(3623);
		expect((await runAssay(['report', folder, '--pid', '7'], fixtures)).exit).toBe(3);
	});

	test('or by the folder: nothing in a log of safepoints says whose it is', async () => {
		const two = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-folders-'));
		try {
			fs.cpSync(path.join(fixtures, 'joined', 'graal'), path.join(two, 'a'), { recursive: true });
			fs.cpSync(path.join(fixtures, 'jvm', 'ledger', 'jdk25'), path.join(two, 'b'), { recursive: true });
			const { evidence, recording } = await json('report', two, '--pid', '1153');
			expect(recording.processId).toBe(1153);
			expect(evidence.safepoints.present || evidence.graalLog.present).toBe(false);
			expect((await json('report', two, '--pid', '14815')).evidence.graalLog.records).toBe(60);
		} finally {
			fs.rmSync(two, { recursive: true });
		}
	});

	test('a file that is named besides its folder counts once', async () => {
		const whole = path.join('jvm', 'ledger', 'jdk25');
		const { compilations } = await json('report', whole, path.join(whole, 'hotspot.log.gz'));
		expect(compilations).toEqual((await json('report', whole)).compilations);
	});

	test('or the one that was sampled is meant', async () => {
		fs.rmSync(path.join(folder, 'graal-perf.script.txt.gz'));
		expect((await json('report', folder)).recording.processId).toBe(1153);
	});
});

describe('the screen', () => {
	test.each([
		['report-joined-80.txt', 80, ['joined/jdk25-c2']],
		['report-joined-200.txt', 200, ['joined/jdk25-c2', '--top', '12']],
		['report-joined-graal-80.txt', 80, ['joined/graal', '--origin']],
		['report-memory-80.txt', 80, ['jvm/memstat/stop']],
		['report-without-log-80.txt', 80, ['jvm/perfasm/jdk25-mapGet-skipasm']],
	])('%s', async (name, columns, argv) => {
		const { stdout, exit } = await runAssay(['report', ...argv], fixtures, { isTerminal: true, columns });
		expect(exit).toBe(0);
		for (const line of stdout.split('\n')) {
			expect(stringWidth(line), line).toBeLessThanOrEqual(columns);
		}
		await expect(stdout).toMatchFileSnapshot(golden(name));
	});

	test('shows the numbers of the JSON', async () => {
		const { stdout } = await runAssay(['report', 'joined/jdk25-c2', '--top', '60'], fixtures, { isTerminal: true, columns: 200 });
		const { compilations, findings } = await json('report', 'joined/jdk25-c2');
		for (const row of compilations.filter(({ samples }) => samples > 0)) {
			const line = stdout.split('\n').find((text) => text.startsWith(`${row.handle} `)) ?? '';
			expect(line).toContain(` ${row.percent.toFixed(1)} %`);
			expect(line).toContain(row.inlinedCalls === undefined ? '' : ` ${row.inlinedCalls} of ${row.inlinedCalls + (row.notInlinedCalls ?? 0)}`);
		}
		const words = stdout.replace(/\s+/g, ' ');
		for (const { text } of findings) {
			expect(words).toContain(text);
		}
	});

	test('sections are those of the commands', async () => {
		const { stdout } = await runAssay(['report', 'joined/jdk25-c2', '--section', 'memory', '--section', 'hot', '--section', 'decisions'], fixtures);
		expect(stdout).toContain((await runAssay(['memory', 'joined/jdk25-c2', '--top', '10'], fixtures)).stdout);
		expect(stdout).toContain((await runAssay(['hot', 'joined/jdk25-c2', '--top', '10'], fixtures)).stdout);
		expect(stdout).toContain('├─ inlined java.lang.String.charAt(int) @19');
	});
});

test('names of a hostile program do not disturb the terminal', async () => {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-hostile-'));
	try {
		const log = zlib.gunzipSync(fs.readFileSync(path.join(fixtures, 'joined', 'graal', 'hotspot.log.gz'))).toString();
		fs.writeFileSync(path.join(folder, 'hotspot.log'), log.replaceAll('Json string', 'Ev\u001b[2Jil\u202e&lt;script&gt; st\u0007ring'));
		const { stdout } = await runAssay(['report', folder], fixtures, { isTerminal: true, columns: 80 });
		expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
	} finally {
		fs.rmSync(folder, { recursive: true });
	}
});

test('archives that are damaged anywhere are read as far as they go', () => {
	const whole = zlib.gunzipSync(fs.readFileSync(path.join(fixtures, 'joined', 'graal', 'log.tar.gz'))).subarray(0, 8192);
	expect(readTar(memorySource('a.tar', whole)).members.map(({ path: name }) => name)).toEqual(['log/0_16']);
	fc.assert(
		fc.property(fc.array(fc.tuple(fc.nat(8191), fc.nat(255))), fc.nat(8192), (changes, length) => {
			const bytes = Buffer.from(whole.subarray(0, length));
			for (const [at, value] of changes) {
				if (at < length) {
					bytes[at] = value;
				}
			}
			const { members } = readTar(memorySource('a.tar', bytes));
			expect(members.every(({ source }) => source.sizeBytes <= length)).toBe(true);
		}),
	);
});
