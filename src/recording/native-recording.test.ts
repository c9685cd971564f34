/** A recording of a native program (fixtures/native): from perf.data, its executable and its remarks to what the commands say. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { openReport } from '../answers/report.js';
import type { HotspotsResult } from '../answers/results.js';
import { openEvidence } from './evidence.js';

test('functions, chains of inlining, and the remark of each inlined call', async () => {
	const evidence = await openEvidence([{ filePath: 'fixtures/native/demo', name: 'demo' }]);
	try {
		const report = await openReport(evidence);
		expect(report.problems).toEqual([]);
		expect(report.hot?.methods.slice(0, 2).map(({ method, source }) => [method, source])).toEqual([
			['main', 'clang'],
			['sum', 'clang'],
		]);
		expect(report.evidence.remarks).toEqual({ present: true, files: ['demo/demo.opt.yaml'], records: 43 });
		expect(report.remarkMatch).toEqual({ inlined: 181, found: 181, untold: 0, lineless: 0, remarks: 41 });
		expect(report.findings.map(({ kind, place }) => [kind, place?.line])).toEqual([
			['not-inlined', 39],
			['not-vectorized', 18],
			['not-vectorized', 26],
			['not-hoisted', 26],
		]);
	} finally {
		evidence.close();
	}
});

test("nothing is said of polls of its loops: they are a JVM's", async () => {
	const { stdout } = await runAssay(['hot', 'fixtures/native/demo', '--json', '--code'], '.');
	const { regions, code } = JSON.parse(stdout).result as HotspotsResult;
	const loops = [...regions.flatMap(({ loop }) => loop ?? []), ...(code ?? []).flatMap((one) => one.loops)];
	expect(loops.length).toBeGreaterThan(3);
	expect(new Set(loops.map(({ hasPoll }) => hasPoll))).toEqual(new Set([null]));
});

test('a function that is no longer inlined is the first line of the difference, with the reasons of both sides', async () => {
	const { stdout } = await runAssay(['diff', 'fixtures/native/demo', 'fixtures/native/grown'], '.');
	expect(stdout).toMatch(/\n d1 .*\* inlined → direct {2}hash_all at demo\.c:38 in main\n/);
	expect(stdout).toContain('A: inlined: cost=-15005, threshold=225\n');
	expect(stdout).toContain('B: never inline: noinline function attribute\n');
	expect(stdout).toContain('└─ * inlined → direct  hash_all demo.c:38 ');
	expect(stdout).not.toMatch(/ @\d/);
	const json = await runAssay(['diff', 'fixtures/native/demo', 'fixtures/native/grown', '--json'], '.');
	expect(JSON.parse(json.stdout).result.changes[0].where.at(-1)).toMatchObject({ method: 'hash_all', bci: 9, source: { a: 'demo.c:38', b: 'demo.c:38' } });
	const same = await runAssay(['diff', 'fixtures/native/demo', 'fixtures/native/demo'], '.');
	expect(same.stdout).toContain('\n0 decisions changed');
});

test('a loop that is no longer vectorized is the first line, before what other passes made of it and why', async () => {
	const { stdout } = await runAssay(['diff', 'fixtures/native/vectorized', 'fixtures/native/dependent'], '.');
	expect(stdout).toMatch(/\n d1 .*- Vectorized +v\.c:\d+ in scale\n/);
	expect(stdout).toMatch(/- loop-vectorize Vectorized .*\n +\+ licm Hoisted .*\n(?:.*\n)*? +\+ loop-vectorize analysis UnsafeDep/);
});

test('with a trace of a start-up: its pages, and what was inlined into its functions and why', async () => {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-startup-'));
	try {
		fs.writeFileSync(path.join(folder, 'demo.order'), 'main\nsum\n');
		const { stdout } = await runAssay(['report', '--json', 'fixtures/native/demo', path.join(folder, 'demo.order')], '.');
		const { findings } = JSON.parse(stdout).result as { findings: { kind: string; text: string; command: string }[] };
		expect(findings.find(({ kind }) => kind === 'startup')?.text).toMatch(/^start-up runs 2 functions on \d of \d text pages/);
		// By llvm-symbolizer's chains and objdump's sizes: 72 bytes of main, none of sum.
		expect(findings.find(({ kind }) => kind === 'startup-inlining')).toMatchObject({
			text: expect.stringMatching(
				/^72 of the 405 bytes of the 2 functions that start-up runs were inlined; most in c4 main, 72 of 337: hash_all \(72\) at demo\.c:38: inlined: cost=-15005, threshold=225$/,
			),
			command: expect.stringContaining('assay report'),
		});
	} finally {
		fs.rmSync(folder, { recursive: true });
	}
});

describe('doctor names the flag for what is missing', () => {
	const missing = async (...files: readonly string[]): Promise<string[]> => {
		const { stdout } = await runAssay(['doctor', '--json', ...files.map((name) => `fixtures/native/${name}`)], '.');
		return (JSON.parse(stdout).result.missing as { what: string; remedy: string }[]).map(({ what, remedy }) => `${what}: ${remedy}`);
	};

	test('remarks', async () => {
		const files = ['perf.data.gz', 'demo.fc0f4f149bdb.elf'].map((name) => `fixtures/native/demo/${name}`);
		const { stdout } = await runAssay(['doctor', ...files], '.');
		expect(stdout).toContain('-fsave-optimization-record');
		expect(stdout).toContain('293 of 294 samples lie in the code of 1 executables');
		expect(await missing('demo')).toEqual([]);
	});

	test('the executable; nothing of a JVM', async () => {
		expect((await missing('demo/perf.data.gz'))[0]).toBe('executable: give demo too, as it was when it was sampled');
		const { stdout, stderr } = await runAssay(['report', 'fixtures/native/demo/perf.data.gz'], '.');
		expect(stdout).toContain('evidence: samples ✓  → assay doctor\n');
		const doctor = await runAssay(['doctor', 'fixtures/native/demo/perf.data.gz'], '.');
		expect(`${stdout}${stderr}${doctor.stdout}`).not.toMatch(/JVM|JDK|Java|safepoint/);
	});

	test('debug information and frame pointers', async () => {
		expect(await missing('omitted')).toEqual([
			expect.stringMatching(/^remarks: /),
			expect.stringMatching(/^debug information: compile demo with -g, or -gmlt/),
			expect.stringMatching(/^callers: compile with -fno-omit-frame-pointer \(rustc: -Cforce-frame-pointers\), or record with perf record --call-graph dwarf/),
		]);
		expect(await missing('framed')).toEqual([expect.stringMatching(/^remarks: /)]);
	});
});

describe('callers without frame pointers, of stacks that perf copied', () => {
	test('of a function that two call, three times and once', async () => {
		const { stdout } = await runAssay(['hot', 'fixtures/native/calls', '--json'], '.');
		const { regions } = JSON.parse(stdout).result as HotspotsResult;
		const callers = regions.find(({ method }) => method === 'work')?.callers;
		expect(callers).toEqual({
			samples: 221,
			rows: [
				{ method: 'thrice', bci: -1, line: 21, compileId: expect.stringMatching(/^\d+$/), samples: 162 },
				// Inlined into deep().
				{ method: 'once', bci: -1, line: 26, compileId: expect.stringMatching(/^\d+$/), samples: 59 },
			],
		});
		expect((await runAssay(['hot', 'fixtures/native/calls'], '.')).stdout).toContain(
			"called from 73 % thrice:21, c9; 27 % once:26, c4 (the stacks of 221 of the code's 221 samples tell)",
		);
	});

	test('whole stacks, with what was inlined', async () => {
		const { stdout } = await runAssay(['export', 'fixtures/native/calls', '--to', 'collapsed'], '.');
		const own = stdout.split('\n').flatMap((line) => line.match(/;main;.*;work \d+$/) ?? []);
		expect(own).toEqual([';main;deep;deep;deep;deep;deep;deep;once;work 59', ';main;thrice;work 162']);
		const doctor = await runAssay(['doctor', 'fixtures/native/calls', '--json'], '.');
		expect(JSON.parse(doctor.stdout).result.missing.map(({ what }: { what: string }) => what)).not.toContain('callers');
	});

	test('functions that only called are none of those that the report counts', async () => {
		const { stdout } = await runAssay(['report', 'fixtures/native/calls', '--json'], '.');
		const { compilations } = JSON.parse(stdout).result as { compilations: { method: string }[] };
		expect(compilations.map(({ method }) => method)).toEqual(expect.arrayContaining(['work', 'clear']));
		expect(compilations.map(({ method }) => method)).not.toContain('thrice');
	});
});
