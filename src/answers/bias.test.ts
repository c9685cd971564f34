/** The prediction against a thread-dump sampler, on recordings of known programs: total variation distances within fixed limits. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { samplesOfProfile } from '../../test/profile-stacks.js';
import { methodsOf } from '../bias/method-shares.js';
import { predict } from '../bias/predict.js';
import { memorySource } from '../bytes/source.js';
import { readCollapsed } from '../formats/collapsed-stacks/read.js';
import { openEvidence } from '../recording/evidence.js';
import { totalVariation } from '../statistics/distances.js';
import { openBias } from './bias.js';

const RUNS = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'jvm', 'safepoint');
const TRUTH = JSON.parse(fs.readFileSync(path.join(RUNS, 'truth.json'), 'utf8')) as Record<string, Record<string, { perf: Record<string, number> }>>;

/** What lines may be farther off than methods. */
const LINE_MARGIN = 0.05;

test.each([
	['jdk25-serial', 'S1Inline', 0.03],
	['jdk25-serial', 'S2NoInline', 0.03],
	['jdk25-serial', 'S3Gap', 0.03],
	['jdk25-serial', 'S4Mixed', 0.03],
	['jdk25-serial', 'S5Chain', 0.03],
	['jdk25-serial', 'S6Long', 0.03],
	['jdk25-serial', 'S7Objects', 0.15],
	['strip-jdk17-serial', 'S8Strip', 0.1],
	['strip-jdk25-g1', 'S8Strip', 0.1],
])('%s %s: at most %f by method, and 0.05 more by line', async (run, scenario, limit) => {
	const { unbiased, input } = await openBias(await evidenceOf(run), {
		thread: scenario,
		...windowOf(run, scenario),
	});
	expect(merged(unbiased.byMethod)).toEqual(merged(truthOf(run, scenario)));
	const predicted = predict(input).blame;
	expect(dump(run, scenario, true).size).toBeGreaterThan(0);
	expect(totalVariation(methodsOf(predicted.byMethod), methodsOf(dump(run, scenario, false)))).toBeLessThanOrEqual(limit);
	expect(totalVariation(methodsOf(predicted.byLine), methodsOf(dump(run, scenario, true)))).toBeLessThanOrEqual(limit + LINE_MARGIN);
});

const opened = new Map<string, ReturnType<typeof openEvidence>>();

/** Opened once: what is read of it does not depend on who asks. */
function evidenceOf(run: string): ReturnType<typeof openEvidence> {
	const evidence = opened.get(run) ?? openEvidence([{ filePath: path.join(RUNS, run), name: run }], { details: 'threads' });
	opened.set(run, evidence);
	return evidence;
}

function windowOf(run: string, scenario: string): { from: number; to: number } {
	const windows = JSON.parse(fs.readFileSync(path.join(RUNS, run, 'windows.json'), 'utf8')) as { scenario: string; monoStart: number; monoEnd: number }[];
	const { monoStart, monoEnd } = windows.find((window) => window.scenario === scenario)!;
	return { from: monoStart, to: monoEnd };
}

function dump(run: string, scenario: string, withLines: boolean): Map<string, number> {
	const file = withLines ? 'dump.lines.collapsed' : 'dump.collapsed';
	const result = new Map<string, number>();
	for (const { thread, method, line, samples } of samplesOfProfile(readCollapsed(memorySource(file, fs.readFileSync(path.join(RUNS, run, file)))))) {
		if (thread === scenario) {
			const name = withLines ? `${method}:${line}` : method;
			result.set(name, (result.get(name) ?? 0) + samples);
		}
	}
	return result;
}

function truthOf(run: string, scenario: string): Map<string, number> {
	return new Map(Object.entries(TRUTH[run]?.[scenario]?.perf ?? {}).map(([name, samples]) => [name.replace('&lt;', '<').replace('&gt;', '>'), samples]));
}

/** Kernel, native and unknown code are not told apart in the truth. */
function merged(shares: ReadonlyMap<string, number>): Record<string, number> {
	const result: Record<string, number> = {};
	for (const [name, samples] of [...shares].sort(([a], [b]) => (a < b ? -1 : 1))) {
		const key = name.startsWith('(') ? '(other)' : name;
		result[key] = (result[key] ?? 0) + samples;
	}
	return result;
}
