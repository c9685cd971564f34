/** Questions about one run, answered from the code that the JVM printed and from the code that assay's agent wrote: the answers are the same. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readPacked } from '../../test/packed.js';
import { json } from '../../test/report-json.js';
import type { BiasResult, HotspotsResult } from '../answers/results.js';
import { memorySource } from '../bytes/source.js';
import { scanCode } from '../formats/hotspot-code/scan.js';

const recordings = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'agent');
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-agent-'));

afterAll(() => {
	fs.rmSync(temporary, { recursive: true, force: true });
});

/** The run as its log has it, and the same without what was printed, beside the agent's log. */
function bothForms(jdk: string): { printed: string; written: string } {
	const printed = path.join(temporary, jdk, 'printed');
	const written = path.join(temporary, jdk, 'written');
	const log = readPacked(path.join(recordings, jdk, 'hotspot.log.zst'));
	for (const [folder, bytes] of [
		[printed, log],
		[written, withoutText(log)],
	] as const) {
		fs.mkdirSync(folder, { recursive: true });
		fs.copyFileSync(path.join(recordings, jdk, 'perf.script.txt.zst'), path.join(folder, 'perf.script.txt.zst'));
		fs.writeFileSync(path.join(folder, 'hotspot.log'), bytes);
	}
	fs.copyFileSync(path.join(recordings, jdk, 'agent.bin.zst'), path.join(written, 'agent.bin.zst'));
	return { printed, written };
}

function withoutText(log: Buffer): Buffer {
	const ranges: [number, number][] = [];
	for (const { textRanges } of scanCode(memorySource('hotspot.log', log)).code) {
		for (let i = 0; i < textRanges.length; i += 2) {
			ranges.push([textRanges[i]!, textRanges[i + 1]!]);
		}
	}
	const kept: Buffer[] = [];
	let at = 0;
	for (const [from, to] of ranges.sort(([a], [b]) => a - b)) {
		kept.push(log.subarray(at, from));
		at = to;
	}
	return Buffer.concat([...kept, log.subarray(at)]);
}

/** The JVM prints no adapters and no stubs of virtual calls: what lies in them is unknown there, and a stub's here. */
const NOT_PRINTED = ['unknown', 'runtime stub'];

test.each(['jdk17', 'jdk25'])('hot regions of %s', async (jdk) => {
	const { printed, written } = bothForms(jdk);
	const [a, b] = [await json('hot', printed), await json('hot', written)];
	const said = ({ samples, regions, compilations, sources }: HotspotsResult) => ({
		samples: [samples.total, samples.counted],
		sources: sources
			.filter(({ source }) => !NOT_PRINTED.includes(source))
			.map(({ source, samples: count }) => `${source} ${count}`)
			.sort(),
		notPrinted: sources.filter(({ source }) => NOT_PRINTED.includes(source)).reduce((sum, { samples: count }) => sum + count, 0),
		compilations: compilations.map(({ compileId, percent }) => [compileId, percent]),
		regions: regions
			.filter(({ compileId }) => compileId !== null)
			.map(({ method, samples: count, compileId, lines }) => [method, compileId, count, lines.length]),
	});
	expect(said(a).regions.length).toBeGreaterThan(20);
	expect(said(b)).toEqual(said(a));
});

test.each(['jdk17', 'jdk25'])('the predicted bias of %s', async (jdk) => {
	const { printed, written } = bothForms(jdk);
	const [a, b] = [await json('bias', printed), await json('bias', written)];
	const methods = ({ methods: rows }: BiasResult) => rows.filter(({ method }) => !method.startsWith('('));
	const counted = (result: BiasResult): string[] =>
		methods(result)
			.filter(({ unbiasedSamples }) => unbiasedSamples > 0)
			.map(({ method, unbiasedSamples }) => `${method} ${unbiasedSamples}`)
			.sort();
	expect(counted(a).length).toBeGreaterThan(20);
	expect(counted(b)).toEqual(counted(a));
	// Percent of what is known: a little more is with the agent.
	const predicted = new Map<string, number>(methods(a).map(({ method, predictedPercent }) => [method, predictedPercent]));
	const predictedOfAgent = new Map<string, number>(methods(b).map(({ method, predictedPercent }) => [method, predictedPercent]));
	for (const method of new Set([...predicted.keys(), ...predictedOfAgent.keys()])) {
		expect(Math.abs((predictedOfAgent.get(method) ?? 0) - (predicted.get(method) ?? 0)), method).toBeLessThan(1);
	}
	const distances = (result: BiasResult): number[] => result.distances.map(({ totalVariation }) => totalVariation);
	distances(b).forEach((distance, i) => {
		expect(Math.abs(distance - distances(a)[i]!)).toBeLessThan(0.01);
	});
});
