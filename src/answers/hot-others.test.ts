/** A program's other JVMs, of which there are samples and no log. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';

const LOG =
	"<?xml version='1.0' encoding='UTF-8'?>\n<hotspot_log version='160 1' process='7' time_ms='1700000000000'>\n" +
	"<nmethod compile_id='1' compiler='c2' level='4' entry='0x0000000000010000' size='256' address='0x000000000000ff00' method='a.B f ()V' stamp='0.5'/>\n";

let folder = '';
beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-others-'));
	fs.writeFileSync(path.join(folder, 'hotspot.log'), LOG);
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

test.each([
	[19, 1, false],
	[8, 2, true],
	[2, 8, true],
])('%i samples of the JVM of the log and %i of another one', async (own, others, isTold) => {
	const line = (processId: number, second: number): string => `java ${processId}/${processId}  ${second}.001: cpu-clock:  7f5c2e7f51a3 f (/lib/libjvm.so)\n`;
	const lines = Array.from({ length: own + others }, (_, i) => line(i < own ? 7 : 8, i + 1));
	fs.writeFileSync(path.join(folder, 'perf.txt'), lines.join(''));
	const { stdout } = await runAssay(['hot', '--json', folder], folder);
	const said = `${others} of ${own + others} samples are of other processes, ${others} of java (8), a JVM of which no log is here`;
	const { problems } = JSON.parse(stdout) as { problems: { message: string }[] };
	expect(problems.some(({ message }) => message === said)).toBe(isTold);
});
