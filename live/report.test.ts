/** A folder with every kind of recording at once, as `assay record` leaves it on JDK 25: it opens as one, and the same compile id carries all facets. */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CommandResults, CommandWithResult } from '../test/command-results.js';
import { compileProgram, findJdk } from './jdks.js';

const assay = path.join(path.resolve(import.meta.dirname, '..'), 'bin', 'assay.js');

let folder = '';

beforeAll(() => {
	const jdk = findJdk(25);
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-report-live-'));
	compileProgram(jdk, 'Ledger', folder);
	const { status, stderr } = spawnSync(
		process.execPath,
		[assay, 'record', '-o', 'run1', '--memory', '--jdk', jdk.home, '--', 'java', '-XX:+UseSerialGC', '-Xmn4m', '-cp', '.', 'Ledger', '4000'],
		{ cwd: folder, encoding: 'utf8' },
	);
	expect(status, stderr).toBe(0);
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

function json<C extends CommandWithResult>(command: C, ...argv: string[]): CommandResults[C] {
	const stdout = execFileSync(process.execPath, [assay, ...command.split(' '), ...argv, '--json'], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 });
	return JSON.parse(stdout).result;
}

test('all evidence is there, and one compile id carries all of it', () => {
	const { evidence, compilations, samples, recording, clock } = json('report', 'run1');
	for (const kind of ['logCompilation', 'assembly', 'samples', 'safepoints', 'compilerMemory']) {
		expect(evidence[kind], kind).toMatchObject({ present: true });
	}
	expect(recording).toMatchObject({ command: 'Ledger 4000', codeForm: 'agent' });
	expect(clock.source).toBe('recorded');
	const hottest = compilations[0];
	expect(hottest?.evidence).toEqual(expect.arrayContaining(['logCompilation', 'assembly', 'samples', 'compilerMemory']));
	for (const facet of ['samples', 'percent', 'codeBytes', 'memoryBytes', 'installedMs', 'predictedBiasedPercent']) {
		expect(hottest, facet).toHaveProperty(facet);
	}
	expect(compilations.some(({ kind }) => kind === 'native wrapper')).toBe(true);
	expect(samples.total).toBeGreaterThan(1000);
});

test('the numbers are those of the commands', () => {
	const { compilations, samples } = json('report', 'run1');
	const hot = json('hot', 'run1');
	expect(samples).toMatchObject(hot.samples);
	const rows = new Map(compilations.map((row) => [row.compileId, row]));
	for (const { compileId, samples: count, percent } of hot.compilations) {
		expect(rows.get(compileId)).toMatchObject({ samples: count, percent });
	}
	const byPlainId = new Map(compilations.map((row) => [row.compileId.replace('%', ''), row]));
	for (const { compileId, totalBytes } of json('memory', 'run1').compilations) {
		expect(byPlainId.get(compileId ?? '')?.memoryBytes).toBe(totalBytes);
	}
	expect(new Set(rows.keys())).toEqual(new Set(json('compilations', 'run1').compilations.map(({ compileId }) => compileId)));
});

test('the doctor says that all of it joins', () => {
	const { recording } = json('doctor', 'run1');
	expect(recording.joins.map(({ name, works }) => `${name} ${works}`)).toEqual(
		expect.arrayContaining(['address true', 'method true', 'time true', 'memory true', 'safepoints true']),
	);
});

test('the screen', () => {
	const stdout = execFileSync(process.execPath, [assay, 'report', 'run1'], { cwd: folder, encoding: 'utf8' });
	expect(stdout).toContain('LogCompilation ✓  assembly ✓ (agent)  samples ✓  safepoints ✓  compiler memory ✓');
	expect(stdout).toMatch(/^c\d+%? +[\w.…]+ +C2 .* %/m);
});
