/** Samples of Flight Recorder files in the forms of other tools: as many as jfr print prints, with the same stacks. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Profile } from 'pprof-format';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { memorySource } from '../bytes/source.js';
import { readJfrPrintJson } from '../formats/jfr-print/json.js';

const FOLDER = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'jvm', 'jfr');
const LEDGER = path.resolve(FOLDER, '..', 'recorded-compilations', 'changed', 'a');

let folder = '';
beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-export-jfr-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const exported = async (file: string, ...argv: string[]): Promise<string> => (await runAssay(['export', file, ...argv], FOLDER)).stdout;

/** Stacks of an event with their samples, outermost first; what is no Java method in round brackets. */
function printed(name: string, event: string): Map<string, number> {
	const bytes = gunzipSync(fs.readFileSync(path.join(FOLDER, `${name}.print.json.gz`)));
	const { samples } = readJfrPrintJson(memorySource(name, bytes));
	const { frames, stacks } = samples;
	const counts = new Map<string, number>();
	for (let i = 0; i < samples.length; i++) {
		if (samples.events[samples.event[i]!] === event) {
			const stack = samples.stack[i]!;
			const names = Array.from(stacks.frame.subarray(stacks.starts[stack], stacks.starts[stack + 1]), (frame) => {
				const { name: method, row } = frames.methods[frames.method[frame]!]!;
				return row.startsWith('(') && row !== '(unknown)' ? `(${method})` : row;
			});
			const key = [...names, ...(stacks.isTruncated[stack] === 1 ? ['(truncated)'] : [])].reverse().join(';');
			counts.set(key, (counts.get(key) ?? 0) + 1);
		}
	}
	return counts;
}

function collapsed(text: string): Map<string, number> {
	const lines = text.trim().split('\n');
	return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0);

describe.each([
	['jdk17', 'jdk.ExecutionSample', 97],
	['jdk25', 'jdk.CPUTimeSample', 102],
	['async-profiler', 'jdk.ExecutionSample', 73],
])('%s: %s', (name, event, count) => {
	const file = `${name}.jfr.gz`;

	test('stacks are those that the JDK prints', async () => {
		const expected = printed(name, event);
		expect(sum(expected.values())).toBe(count);
		expect(collapsed(await exported(file, '--to', 'collapsed'))).toEqual(expected);
	});

	test('every form has all samples', async () => {
		const speedscope = JSON.parse(await exported(file, '--to', 'speedscope')) as { profiles: { weights: number[] }[] };
		expect(sum(speedscope.profiles.flatMap(({ weights }) => weights))).toBe(count);
		const firefox = JSON.parse(await exported(file, '--to', 'firefox')) as { threads: { samples: { length: number } }[] };
		expect(sum(firefox.threads.map(({ samples }) => samples.length))).toBe(count);
		const pprof = path.join(folder, `${name}.pb.gz`);
		await exported(file, '--to', 'pprof', '-o', pprof);
		expect(sum(Profile.decode(gunzipSync(fs.readFileSync(pprof))).sample.map(({ value }) => Number(value[0])))).toBe(count);
		const proftool = JSON.parse(await exported(file, '--to', 'proftool')) as { totalPeriod: number; code: { period: number }[] };
		expect([proftool.totalPeriod, sum(proftool.code.map(({ period }) => period))]).toEqual([count, count]);
		const rows = (await exported(file, '--to', 'csv', '--table', 'samples')).trim().split('\n');
		expect(rows).toHaveLength(count + 1);
	});
});

test('another kind of samples where it is asked for; what is not there is said', async () => {
	expect(collapsed(await exported('jdk25.jfr.gz', '--to', 'collapsed', '--event', 'jdk.ExecutionSample'))).toEqual(printed('jdk25', 'jdk.ExecutionSample'));
	const { exit, stderr } = await runAssay(['export', 'jdk25.jfr.gz', '--to', 'collapsed', '--event', 'cycles'], FOLDER);
	expect(exit).toBe(2);
	expect(stderr).toContain('has no event cycles; its events: ');
});

test('a thread, and a part of the time', async () => {
	const all = sum(collapsed(await exported('jdk17.jfr.gz', '--to', 'collapsed')).values());
	const first = await exported('jdk17.jfr.gz', '--to', 'collapsed', '--length', '1000');
	const rest = await exported('jdk17.jfr.gz', '--to', 'collapsed', '--delay', '1000.0001');
	expect(sum(collapsed(first).values()) + sum(collapsed(rest).values())).toBe(all);
	expect(sum(collapsed(first).values())).toBeGreaterThan(10);
	const ofThread = collapsed(await exported('jdk17.jfr.gz', '--to', 'collapsed', '--threads', '--thread', 'mixer'));
	expect([...ofThread.keys()].every((stack) => stack.startsWith('[mixer'))).toBe(true);
});

test('tables of compilations count the samples that the report counts', async () => {
	const { stdout } = await runAssay(['export', 'rec.jfr.gz', '--to', 'csv', '--table', 'compilations'], LEDGER);
	const [head = '', ...rows] = stdout.trim().split('\n');
	const column = head.split(',').indexOf('samples');
	const counts = new Map(rows.map((row) => [row.split(',')[0], Number(row.split(',')[column])]));
	expect(counts.get('c266')).toBe(26);
	expect(sum(counts.values())).toBe(92);
});
