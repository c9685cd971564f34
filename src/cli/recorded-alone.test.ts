/** A recording of Flight Recorder alone, in the commands that other files have been for. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';

const folder = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'jvm');
const EVENTS = 'jfr-events/jdk25/run.jfr.gz';

async function result(...argv: string[]) {
	const { stdout, stderr, exit } = await runAssay([...argv, '--json'], folder);
	expect(exit, stderr).toBe(0);
	return JSON.parse(stdout).result;
}

test('its safepoints are exported, as many as bias tells', async () => {
	const { stdout, exit } = await runAssay(['export', EVENTS, '--to', 'json', '--table', 'safepoints'], folder);
	expect(exit).toBe(0);
	const { tables } = JSON.parse(stdout).result;
	const { safepoints } = await result('bias', '--ttsp', EVENTS);
	expect(tables.safepoints).toHaveLength(safepoints.length);
	expect(tables.safepoints.length).toBeGreaterThan(3);
});

test('a compilation for on-stack replacement is found with its mark and without, where no other has the number', async () => {
	const ids = async (handle: string): Promise<string[]> =>
		(await result('compilations', EVENTS, handle)).compilations.map(({ compileId }: { compileId: string }) => compileId);
	expect(await ids('c472%')).toEqual(['472%']);
	expect(await ids('c472')).toEqual(['472%']);
	const { stderr, exit } = await runAssay(['compilations', EVENTS, 'c99999'], folder);
	expect([exit, stderr]).toEqual([2, expect.stringContaining('no method or compilation is called c99999')]);
	const decided = await runAssay(['report', EVENTS, 'c472'], folder);
	expect([decided.exit, decided.stdout]).toEqual([0, expect.stringContaining('c472%')]);
});

test('the report names the JVM, its process and command, and how long was recorded', async () => {
	const { recording } = await result('report', EVENTS, '--no-index');
	expect(recording).toMatchObject({ version: expect.stringContaining('(25.'), processId: expect.any(Number), command: expect.stringMatching(/\w/) });
	// jfr summary: the chunk is 1.852 s long.
	expect(recording.seconds).toBeCloseTo(1.852, 2);
});

test('a diff and the decisions of one compilation say what told of them', async () => {
	const recorded = 'recorded-compilations/jdk25/compilations.jfr.gz';
	const { stdout } = await runAssay(['diff', recorded, recorded], folder);
	expect(stdout).toMatch(/Flight Recorder recordings, 1 \+ 1 runs/);
	expect(stdout).not.toMatch(/HotSpot log|flags that differ/);
});

test('the share of the run in which the collector stopped the program is one number, beside a log that goes on longer too', async () => {
	const made = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-collector-'));
	try {
		const lines = [1, 2, 3].map((second) => {
			const times = 'Time since last: 600000000 ns, Reaching safepoint: 1000000 ns, Cleanup: 0 ns, At safepoint: 399000000 ns, Total: 400000000 ns';
			return `[${second}000000000ns][safepoint] Safepoint "G1CollectForAllocation", ${times}\n`;
		});
		fs.writeFileSync(path.join(made, 'safepoint.log'), lines.join(''));
		fs.copyFileSync(path.join(folder, 'recorded-compilations/jdk25/hotspot.log.gz'), path.join(made, 'hotspot.log.gz'));
		const { findings } = await result('report', made, '--no-index');
		const { collector } = await result('bias', '--ttsp', made);
		expect(collector).toEqual({ counted: 'safepoints', count: 3, totalNs: 1.2e9, longestNs: 0.4e9, askedCount: 0, askedNs: 0, percentOfRun: 40 });
		expect(findings.filter(({ kind }: { kind: string }) => kind === 'collector')).toMatchObject([{ text: expect.stringContaining('for 40.0 % of the run') }]);
	} finally {
		fs.rmSync(made, { recursive: true, force: true });
	}
});
