/** Whom work is for, of real JVMs: a program that dumps its own stack, as profilers at safepoints do, beside what is predicted from perf's samples with the tops of stacks. */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BiasResult, HotspotsResult } from '../src/answers/results.js';
import { compileProgram, findJdk } from './jdks.js';

const assay = path.join(path.resolve(import.meta.dirname, '..'), 'bin', 'assay.js');
const KEPT = ['shared', 'often', 'seldom', 'moved', 'areas'];
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-callers-'));
	compileProgram(findJdk(17), 'Callers', folder);
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

test.each([
	[17, 'Serial'],
	[17, 'G1'],
	[25, 'Serial'],
	[25, 'G1'],
] satisfies [17 | 25, string][])('JDK %i, %s', (major, collector) => {
	const name = `${major}${collector}`;
	const flags = [`-XX:+Use${collector}GC`, '-XX:CompileCommand=quiet', ...KEPT.map((method) => `-XX:CompileCommand=dontinline,Callers::${method}`)];
	const program = ['java', ...flags, '-cp', '.', 'Callers', '20000', `${name}.collapsed`];
	const { status, stderr } = spawnSync(process.execPath, [assay, 'record', '-o', name, '--jdk', findJdk(major).home, '--', ...program], {
		cwd: folder,
		encoding: 'utf8',
	});
	expect([status, stderr]).toEqual([0, expect.stringContaining('samples of')]);
	const json = <T>(...argv: readonly string[]): T =>
		JSON.parse(execFileSync(process.execPath, [assay, ...argv, '--json'], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 })).result;
	const { distances } = json<BiasResult>('bias', name, '--thread', 'java', '--against', `dump=${name}.collapsed`);
	expect(distances.find(({ a, b }) => a === 'predicted' && b === 'dump')?.totalVariation, JSON.stringify(distances)).toBeLessThan(0.15);
	const { regions } = json<HotspotsResult>('hot', name);
	const shares = [/arraycopy/, /itable stub/].map((pattern) => {
		const callers = regions.find(({ method, callers: seen }) => pattern.test(method) && seen !== undefined)?.callers;
		const [first] = callers?.rows ?? [];
		return [first?.method, (first?.samples ?? 0) / (callers?.samples ?? 1) > 0.8];
	});
	expect(shares).toEqual([
		['Callers.moved', true],
		['Callers.areas', true],
	]);
});
