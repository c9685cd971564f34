/** What a report says of bias is what `assay bias` says, on recorded runs. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { biasOverview } from '../bias/bias-overview.js';
import { biasReport } from '../bias/bias-report.js';
import { isMethod } from '../bias/method-shares.js';
import { openEvidence } from '../recording/evidence.js';
import { openBias } from './bias.js';
import { biasOfReport } from './report.js';

const FIXTURES = path.resolve(import.meta.dirname, '..', '..', 'fixtures');

test.each(['joined/jdk25-c2', 'jvm/safepoint/jdk25-serial', 'jvm/safepoint/strip-jdk25-g1'])('%s', async (run) => {
	const evidence = await openEvidence([{ filePath: path.join(FIXTURES, run), name: run }]);
	const { input, unbiased, counted } = await openBias(evidence, biasOfReport());
	const overview = biasOverview(input, unbiased, counted)!;
	const report = biasReport(input, unbiased, counted, new Map(), 0);
	const shares = (rows: readonly { method: string; unbiasedPercent: number; predictedPercent: number }[]) =>
		rows
			.map(({ method, unbiasedPercent, predictedPercent }) => [method, unbiasedPercent.toFixed(6), predictedPercent.toFixed(6)].join(' '))
			.sort((a, b) => (a < b ? -1 : 1));
	expect(shares(overview.methods)).toEqual(shares(report.methods.filter(({ method }) => isMethod(method))));
	const distance = report.distances.find(({ a, b }) => a === 'unbiased' && b === 'predicted')!;
	expect(overview.distance.totalVariation).toBeCloseTo(distance.totalVariation, 9);
	expect(overview.distance.expectedFromSampling).toBeCloseTo(distance.expectedFromSampling ?? Number.NaN, 9);
	expect(overview.unknownPercent).toBeCloseTo(report.unknownPercent, 9);
	const polls = (loops: typeof overview.loops) => loops.map(({ code, poll }) => `${code.compileId} ${poll}`).sort((a, b) => (a < b ? -1 : 1));
	expect(overview.loops.length).toBeGreaterThan(0);
	expect(polls(overview.loops)).toEqual(polls(report.loops.map(({ told }) => told())));
	expect(overview.whole().methods).toEqual(report.methods);
	evidence.close();
});
