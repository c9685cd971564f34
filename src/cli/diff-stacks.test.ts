/** `assay diff` of profiles that have stacks and no compilations. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import type { DiffStacksResult } from '../answers/results.js';

const SCHEMA = path.resolve(import.meta.dirname, '..', '..', 'docs', 'schema', 'diff-stacks.json');
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-diff-stacks-'));
	const write = (name: string, text: string): void => fs.writeFileSync(path.join(folder, name), text);
	write('a.collapsed', 'a.B.main;a.B.f;a.B.f 300\na.B.main;a.B.g 690\na.B.main;(memcpy) 10\n');
	write('b.collapsed', 'a.B.main;a.B.f;a.B.f 500\na.B.main;a.B.g 497\na.B.main;a.B.h 3\n');
	const spans = [{ ph: 'X', name: 'a.B.f', ts: 0, dur: 7, pid: 1, tid: 1 }];
	write('spans.json', JSON.stringify({ traceEvents: spans }));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const diff = (...argv: string[]) => runAssay(['diff', ...argv], folder);

async function result(...argv: string[]): Promise<DiffStacksResult> {
	const { stdout, exit } = await diff(...argv, '--json');
	expect(exit).toBe(0);
	const validate = new Ajv2020({ allErrors: true }).compile(JSON.parse(fs.readFileSync(SCHEMA, 'utf8')));
	expect(validate(JSON.parse(stdout)), JSON.stringify(validate.errors)).toBe(true);
	return JSON.parse(stdout).result;
}

test('shares of methods, own and with what they call; sure changes first', async () => {
	const { a, b, methods } = await result('a.collapsed', 'b.collapsed');
	expect([a.total, b.total, a.unit]).toEqual([1000, 1000, 'samples']);
	expect(methods.map(({ method, ownA, ownB, totalA, totalB, isSure }) => [method, ownA, ownB, totalA, totalB, isSure])).toEqual([
		['a.B.f', 300, 500, 300, 500, true],
		['a.B.g', 690, 497, 690, 497, true],
		['(memcpy)', 10, 0, 10, 0, true],
		['a.B.h', 0, 3, 0, 3, false],
		['a.B.main', 0, 0, 1000, 1000, false],
	]);
	expect(methods[0]).toMatchObject({ points: 20, ownPercentA: 30, ownPercentB: 50 });
	expect(methods[0]?.pointsLow).toBeCloseTo(15.7, 0);
});

test('as text; one method; a profile with itself', async () => {
	const { stdout } = await diff('a.collapsed', 'b.collapsed', '--method', 'B.f');
	expect(stdout).toContain('1000 samples (collapsed stacks) → 1000 samples (collapsed stacks)');
	expect(stdout).toContain(' 30.00 %  50.00 %   +20.00 ±4.');
	expect(stdout).not.toContain('a.B.g');
	expect((await diff('a.collapsed', 'a.collapsed')).stdout).toContain('no share changed');
});

test("async-profiler's .jfr has no compilations: it is such a profile, and what jfr print makes of it the same one", async () => {
	const jfr = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'jvm', 'jfr');
	const { a, b, methods } = await result(path.join(jfr, 'async-profiler.jfr.gz'), path.join(jfr, 'async-profiler.print.json.gz'));
	expect([a.total, b.total, a.what]).toEqual([73, 73, 'CPU time, by async-profiler']);
	expect(methods.filter(({ ownA, ownB }) => ownA !== ownB)).toEqual([]);
	expect(methods.find(({ method }) => method === 'Mixer.divide')).toMatchObject({ ownA: 15, ownB: 15 });
	// One that has compilations is compared by them.
	const recorded = path.join(jfr, '..', 'recorded-compilations', 'changed', 'a', 'rec.jfr.gz');
	const { stderr } = await diff(recorded, path.join(jfr, 'async-profiler.jfr.gz'));
	expect(stderr).toContain('no file holds the compilations of a JVM');
});

test('samples of Node and of a native program: what assay hot counts of each method', async () => {
	const fixtures = path.resolve(import.meta.dirname, '..', '..', 'fixtures');
	const [node, native] = [path.join(fixtures, 'jitdump', 'pako'), path.join(fixtures, 'native', 'framed')];
	for (const recording of [node, native]) {
		const { a, methods } = await result(recording, recording);
		const hot = JSON.parse((await runAssay(['hot', recording, '--by', 'method', '--json'], folder)).stdout).result;
		expect([a.total, a.unit, a.what]).toEqual([hot.samples.counted, 'samples', 'cpu-clock']);
		expect(methods.every(({ ownA, ownB, isSure }) => ownA === ownB && !isSure)).toBe(true);
		expect(methods.reduce((sum, { ownA }) => sum + ownA, 0)).toBe(hot.samples.counted);
		const isOfCode = (name: string): boolean => !name.startsWith('(');
		const rows = hot.by.rows
			.filter(({ name }: { name: string }) => isOfCode(name))
			.map(({ name, samples }: { name: string; samples: number }) => [name, samples]);
		expect(Object.fromEntries(methods.filter(({ method, ownA }) => isOfCode(method) && ownA > 0).map(({ method, ownA }) => [method, ownA]))).toEqual(
			Object.fromEntries(rows),
		);
	}
	const { methods } = await result(native, node);
	expect(methods.find(({ method }) => method.startsWith('longest_match '))).toMatchObject({ ownA: 0, ownB: 525, isSure: true });
});

test('times have no intervals, and samples are no times', async () => {
	const { methods } = await result('spans.json', 'spans.json');
	expect(methods).toMatchObject([{ method: 'a.B.f', ownA: 7000, ownPercentA: 100, pointsLow: null, isSure: false }]);
	const { stderr } = await diff('a.collapsed', 'spans.json');
	expect(stderr).toContain('a.collapsed: counts samples, and spans.json nanoseconds; their shares are compared all the same');
});

test.each([['--fail-on', 'any'], ['--markdown'], ['-o', 'x.html'], ['--all']])('%s %s is of decisions', async (...options) => {
	const { exit, stderr } = await diff('a.collapsed', 'b.collapsed', ...options);
	expect({ exit, stderr }).toEqual({
		exit: 2,
		stderr: expect.stringContaining('is of decisions of compilers; a.collapsed and b.collapsed hold samples or stacks alone'),
	});
});
