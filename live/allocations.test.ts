/** What sampled code allocates, estimated from the samples of a program whose bytes are known by arithmetic, on JDK 17 and 25, under two collectors. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileProgram, findJdk, type LiveJdk } from './jdks.js';

const assay = path.resolve(import.meta.dirname, '..', 'bin', 'assay.js');

describe.each([17, 25])('on JDK %i', (major) => {
	let folder = '';
	let jdk: LiveJdk;

	beforeAll(() => {
		jdk = findJdk(major);
		folder = fs.mkdtempSync(path.join(os.tmpdir(), `assay-allocations-${major}-`));
		compileProgram(jdk, 'Allocator', folder);
	});

	afterAll(() => {
		fs.rmSync(folder, { recursive: true, force: true });
	});

	test.each(['UseSerialGC', 'UseG1GC'])('-XX:+%s: the places that allocate, and about how much', (collector) => {
		const run = (...args: string[]): string =>
			execFileSync(process.execPath, [assay, ...args], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });
		run('record', '-o', collector, '--jdk', jdk.home, '--', 'java', `-XX:+${collector}`, '-Xmn64m', '-cp', '.', 'Allocator', '4000');
		const { compilations, allocations } = JSON.parse(run('report', collector, '--json')).result as {
			readonly compilations: readonly { readonly method: string }[];
			readonly allocations: readonly { readonly method: string; readonly percent: number }[];
		};
		expect(compilations[0]?.method).toBe('Allocator.spin');
		const share = (method: string): number => allocations.reduce((sum, row) => sum + (row.method === method ? row.percent : 0), 0);
		// 3 * 24 of 3 * 24 + 80 bytes are 47.4 %; how often either is made is known within a factor of two.
		expect(share('Allocator.nodes')).toBeGreaterThan(18);
		expect(share('Allocator.nodes')).toBeLessThan(79);
		expect(share('Allocator.nodes') + share('Allocator.arrays')).toBeGreaterThan(90);
		expect(run('report', collector, '--section', 'allocations')).toContain('What sampled code allocates');
	});
});
