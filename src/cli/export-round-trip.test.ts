/** What assay exports and reads back: the same samples in the same stacks, from every form that has stacks. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';

const ROOT = path.resolve(import.meta.dirname, '..', '..');
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-round-trip-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Sorted lines. Addresses of hidden classes are spelt in one way when they are read. */
async function collapsed(recording: string, ...argv: string[]): Promise<string[]> {
	const { stdout, exit } = await runAssay(['export', recording, '--to', 'collapsed', ...argv], ROOT);
	expect(exit).toBe(0);
	return stdout.replaceAll('.0x', '/0x').trim().split('\n').sort();
}

describe.each(['examples/hot', 'fixtures/jvm/jfr/jdk17.jfr.gz', 'fixtures/jvm/jfr/async-profiler.jfr.gz', 'fixtures/jvm/async-profiler/cpu.collapsed.gz'])(
	'%s',
	(recording) => {
		test.each(['collapsed', 'speedscope', 'pprof', 'firefox', 'otlp'])('%s', async (format) => {
			const threads = format === 'collapsed' ? ['--threads'] : [];
			const file = path.join(folder, `${path.basename(recording)}.${format}`);
			const { exit } = await runAssay(['export', recording, '--to', format, '-o', file, ...threads], ROOT);
			expect(exit).toBe(0);
			expect(await collapsed(file)).toEqual(await collapsed(recording));
			expect(await collapsed(file, '--threads')).toEqual(await collapsed(recording, '--threads'));
		});
	},
);
