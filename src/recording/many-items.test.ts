/** Files with more items than a call can have arguments. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { append } from '../model/append.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-many-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const MANY = 140_000;

test('items are added, however many', () => {
	const list = [1];
	append(
		list,
		Array.from({ length: 300_000 }, (_, i) => i),
	);
	expect(list).toHaveLength(300_001);
	expect(list.at(-1)).toBe(299_999);
});

test('140,000 compilations of PrintCompilation, 140,000 pieces of a perf map', async () => {
	const lines = Array.from({ length: MANY }, (_, i) => `    ${100 + i}  ${i + 1}       3       app.Main::m${i} (8 bytes)`);
	fs.writeFileSync(path.join(folder, 'compilation.txt'), `${lines.join('\n')}\n`);
	const { result } = JSON.parse((await runAssay(['report', 'compilation.txt', '--no-index', '--json', '--top', '1'], folder)).stdout);
	expect(result.evidence.printCompilation.records).toBe(MANY);
	const map = Array.from({ length: MANY }, (_, i) => `${(0x7f0000000000 + 64 * i).toString(16)} 40 m${i}`);
	fs.writeFileSync(path.join(folder, 'perf-7.map'), `${map.join('\n')}\n`);
	const samples = [0, MANY - 1].map((i) => `node 7/7 1${i % 9}.000000: cpu-clock: ${(0x7f0000000000 + 64 * i + 4).toString(16)} [unknown] (/tmp/perf-7.map)`);
	fs.writeFileSync(path.join(folder, 'samples.txt'), `${samples.join('\n')}\n`);
	const hot = JSON.parse((await runAssay(['hot', 'samples.txt', 'perf-7.map', '--json'], folder)).stdout);
	expect(hot.result.regions.map(({ method }: { method: string }) => method).sort()).toEqual(['m0', `m${MANY - 1}`]);
});
