/** A recording of a native program (fixtures/native): from perf.data, its executable and its remarks to what the commands say. */
import { expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { openReport } from '../answers/report.js';
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
		expect(report.remarkMatch).toEqual({ inlined: 181, found: 181, untold: 0, remarks: 41 });
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

test('a function that is no longer inlined is the first line of the difference, with the reasons of both sides', async () => {
	const { stdout } = await runAssay(['diff', 'fixtures/native/demo', 'fixtures/native/grown'], '.');
	expect(stdout).toMatch(/\n d1 .*\* inlined → direct {2}hash_all in main\n/);
	expect(stdout).toContain('A: inlined: cost=-15005, threshold=225\n');
	expect(stdout).toContain('B: never inline: noinline function attribute\n');
	const same = await runAssay(['diff', 'fixtures/native/demo', 'fixtures/native/demo'], '.');
	expect(same.stdout).toContain('\n0 decisions changed');
});

test('a loop that is no longer vectorized is the first line, before what other passes made of it and why', async () => {
	const { stdout } = await runAssay(['diff', 'fixtures/native/vectorized', 'fixtures/native/dependent'], '.');
	expect(stdout).toMatch(/\n d1 .*- Vectorized +@0 in scale\n/);
	expect(stdout).toMatch(/- loop-vectorize Vectorized .*\n +\+ licm Hoisted .*\n(?:.*\n)*? +\+ loop-vectorize analysis UnsafeDep/);
});

test('doctor names the flag that is missing', async () => {
	const files = ['perf.data.gz', 'demo.fc0f4f149bdb.elf'].map((name) => `fixtures/native/demo/${name}`);
	const { stdout } = await runAssay(['doctor', ...files], '.');
	expect(stdout).toContain('-fsave-optimization-record');
	expect(stdout).toContain('293 of 294 samples lie in the code of 1 executables');
});
