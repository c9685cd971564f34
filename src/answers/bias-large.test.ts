/** More compilations than are followed: the coldest keep their samples, everywhere, and that is said. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentLog, jvmRecord, loadRecord, methodRecord } from '../../test/agent-log.js';
import { json } from '../../test/report-json.js';
import { runAssay } from '../../test/run-assay.js';

const HOT = 1000;
const COLD = 25;
const START = 0x7f0000001000;
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bias-large-'));
	// inc %eax; test %eax,(%r10), a poll; ret
	const code = [0xff, 0xc0, 0x41, 0x85, 0x02, 0xc3];
	const loads = Array.from({ length: HOT + COLD }, (_, i) => {
		const method = i < HOT ? 0 : 1;
		const described = [2, 5].map((offset) => ({ offset, frames: [[method, 2] as const] }));
		return loadRecord({ start: START + 64 * i, method, compileId: i + 1, code, relocations: [0xa002], described, monotonicNs: 1_000_000_000 });
	});
	const methods = [methodRecord(), methodRecord({ number: 1, name: 'cold' })];
	fs.writeFileSync(path.join(folder, 'agent.bin'), agentLog([jvmRecord(), ...methods, ...loads]));
	const lines: string[] = [];
	for (let i = 0; i < HOT + COLD; i++) {
		for (let n = 0; n < (i < HOT ? 3 : 2); n++) {
			lines.push(`java  4711/4712  ${(6 + lines.length / 1000).toFixed(9)}: cpu-clock:  ${(START + 64 * i).toString(16)} [unknown] (/tmp/perf-4711.map)`);
		}
	}
	fs.writeFileSync(path.join(folder, 'perf.txt'), `${lines.join('\n')}\n`);
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

test('bias and report leave the samples of cold code where they are', async () => {
	const { stderr } = await runAssay(['bias', folder, '--rounds', '5'], folder);
	const total = 3 * HOT + 2 * COLD;
	const said = `${((100 * 2 * COLD) / total).toFixed(1)} % of the samples are in ${COLD} compilations with 2 samples or fewer each`;
	expect(stderr).toContain(said);
	const bias = await json('bias', folder, '--rounds', '5');
	expect(bias.samples).toBe(total);
	const share = (100 * 2 * COLD) / total;
	const cold = bias.methods.find(({ method }) => method === 'a.b.Main.cold')!;
	expect(cold).toMatchObject({ unbiasedSamples: 2 * COLD, unbiasedPercent: expect.closeTo(share, 3), predictedPercent: expect.closeTo(share, 3) });
	expect(cold.predictedInterval?.low).toBeLessThan(share);
	expect(cold.predictedInterval?.high).toBeGreaterThan(share);
	expect((await runAssay(['report', folder, '--no-index'], folder)).stderr).toContain(said);
});
