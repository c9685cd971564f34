/** Recordings with the tops of stacks: what is predicted, and whom stubs work for, against the program's own dumps of its stack and its source. */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { openEvidence } from '../recording/evidence.js';
import { openBias } from './bias.js';
import type { BiasResult, HotspotsResult, ReportResult } from './results.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const WHOLE = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

async function json<T>(...argv: readonly string[]): Promise<T> {
	return JSON.parse((await runAssay([...argv, '--json'], root)).stdout).result;
}

describe.each(['jdk17', 'jdk25'])('%s', (jdk) => {
	const folder = `fixtures/agent/callers/${jdk}`;

	test('the prediction is what dumps of the stack showed, within chance', async () => {
		const { distances } = await json<BiasResult>('bias', folder, '--thread', 'java', '--against', `dump=${folder}/dump.collapsed`);
		const distance = distances.find(({ a, b }) => a === 'predicted' && b === 'dump');
		expect(distance?.totalVariation).toBeLessThan(1.5 * (distance?.expectedFromSampling ?? 0));
	});

	test('nearly all samples of compiled code tell their caller: of two that call as often the one with a hundred times the work', async () => {
		const evidence = await openEvidence([{ filePath: path.join(root, folder), name: folder }], { details: 'threads' });
		const { callers, sampled } = (await openBias(evidence, WHOLE)).input;
		evidence.close();
		const shared = sampled.filter(({ method }) => method.code.name === 'Callers.shared');
		const seen = shared.flatMap(({ method }) => callers?.get(method) ?? []);
		const by = (name: string): number => seen.reduce((sum, { method, count }) => sum + (method.code.name === name ? count : 0), 0);
		const all = shared.reduce((sum, { counts }) => sum + counts.reduce((part, count) => part + count, 0), 0);
		expect((by('Callers.often') + by('Callers.seldom')) / all).toBeGreaterThan(0.9);
		expect(by('Callers.often') / by('Callers.seldom')).toBeGreaterThan(30);
	});

	test('each stub works for the method that calls it', async () => {
		const { regions } = await json<HotspotsResult>('hot', folder);
		const of = (name: RegExp) => regions.find(({ method, callers }) => name.test(method) && callers !== undefined)?.callers;
		const share = (callers: ReturnType<typeof of>, name: string): number =>
			(callers?.rows ?? []).reduce((sum, { method, samples }) => sum + (method === name ? samples : 0), 0) / (callers?.samples ?? 0);
		expect(share(of(/arraycopy/), 'Callers.moved')).toBeGreaterThan(0.95);
		expect(share(of(/itable stub/), 'Callers.areas')).toBeGreaterThan(0.95);
	});

	test('a call that brought hardly any of the time of what it calls is no finding', async () => {
		const { findings } = await json<ReportResult>('report', folder);
		expect(findings.filter(({ kind, place }) => kind === 'not-inlined' && place?.method === 'Callers.seldom')).toEqual([]);
		expect(findings.find(({ kind, place }) => kind === 'not-inlined' && place?.method === 'Callers.areas')?.text).toMatch(/100 % of them called from here/);
	});

	test('the rows of hot and a finding say so', async () => {
		expect((await runAssay(['hot', folder], root)).stdout).toMatch(/itable stub .* runtime stub, for Callers\.areas 9\d %/);
		expect((await runAssay(['hot', folder, '--width', '80'], root)).stdout).not.toContain(', for Callers');
		expect((await runAssay(['report', folder, '--no-index'], root)).stdout.replace(/\s+/g, ' ')).toMatch(
			/[89]\.\d % of all samples are in stubs that copy memory \(jbyte_\w+\), [89]\d % of that for c\d+: Callers\.moved \(line 75\)/,
		);
	});
});
