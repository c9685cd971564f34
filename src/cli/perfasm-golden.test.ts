/** `assay perfasm` against the reports that JMH 1.37 itself printed of the same recordings. */
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { firstDifference } from '../../test/first-difference.js';
import { runAssay } from '../../test/run-assay.js';
import { memorySource } from '../bytes/source.js';
import { readXctraceTable } from '../formats/xctrace/read.js';
import { countSamples } from '../hot/jmh-perfasm.js';

const FIXTURES = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'jvm', 'perfasm');

interface Case {
	readonly name: string;
	readonly files: readonly string[];
	readonly options: readonly string[];
	/** Where JMH was not told otherwise it took the window of the measurement: meta.json has it. */
	readonly hasOwnWindow?: boolean;
}

const PERF = ['hotspot.log.zst', 'perf.script.txt.gz'];

const CASES: readonly Case[] = [
	{ name: 'jdk17-arraySum', files: PERF, options: [] },
	{ name: 'jdk17-nanoTime', files: PERF, options: [] },
	{ name: 'jdk17-uncountedCollatz', files: PERF, options: [] },
	{ name: 'jdk17-virtualDispatch-intel', files: PERF, options: ['--mergeMethods', '--showCounts', 'raw'] },
	{ name: 'jdk25-arraySum', files: PERF, options: [] },
	{ name: 'jdk25-arraySum-nohsdis', files: PERF, options: ['--skipInterpreter', '--skipVMStubs'] },
	{
		name: 'jdk25-arraySum-window',
		files: PERF,
		options: ['--delay', '4500', '--length', '700', '--drawInterJumps=true', '--drawIntraJumps', 'false'],
		hasOwnWindow: true,
	},
	{ name: 'jdk25-mapGet', files: PERF, options: ['--mergeMethods', 'false'] },
	{ name: 'jdk25-mapGet-2events', files: PERF, options: ['--events', 'cpu-clock,task-clock', '--hotThreshold', '0.05'] },
	{ name: 'jdk25-mapGet-skipasm', files: ['perf.script.txt.gz'], options: ['--skipAsm'] },
	{ name: 'jdk25-nativeHeavy', files: PERF, options: [] },
	{ name: 'dtrace-jdk25-stringConcatHash', files: ['dtrace.txt.gz', 'hotspot.log.zst'], options: ['--hotThreshold', '0.05'] },
];

test.each(CASES)('$name', async ({ name, files, options, hasOwnWindow }) => {
	const folder = path.join(FIXTURES, name);
	const { skipMs, lenMs } = JSON.parse(fs.readFileSync(path.join(folder, 'meta.json'), 'utf8')) as { skipMs: number; lenMs: number };
	const window = hasOwnWindow ? [] : ['--delay', String(skipMs), '--length', String(lenMs)];
	const run = await runAssay(['perfasm', ...files, ...options, ...window], folder);
	const golden = fs.readFileSync(path.join(folder, 'golden.perfasm.txt'), 'utf8');
	expect(firstDifference(comparable(run.stdout), comparable(golden))).toBeNull();
	expect(run.exit).toBe(0);
});

/** What JMH 1.37 prints of the same recordings with other options. */
const VARIANTS = JSON.parse(fs.readFileSync(path.join(FIXTURES, 'variants', 'cases.json'), 'utf8')) as {
	readonly recording: string;
	readonly skipAsm: boolean;
	readonly options: string;
	readonly golden: string;
}[];

test.each(VARIANTS)('$recording $options', async ({ recording, skipAsm, options, golden }) => {
	const files = skipAsm ? ['perf.script.txt.gz'] : PERF;
	const run = await runAssay(['perfasm', ...options.split(' '), ...files], path.join(FIXTURES, recording));
	const expected = fs.readFileSync(path.join(FIXTURES, 'variants', golden), 'utf8');
	expect(firstDifference(comparable(run.stdout), comparable(expected))).toBeNull();
});

/** From the first line to the last table: after it come warnings in other words, and what JMH saved where. */
function comparable(report: string): string {
	return report.slice(0, report.lastIndexOf('<totals>'));
}

/** The window of the measurement, which this recording's meta file gives in nanoseconds, counted by address. */
test('the window of an xctrace table and the counts in it', () => {
	const folder = path.join(FIXTURES, 'xctrace-derived-jdk25-mapGet');
	const expected = JSON.parse(fs.readFileSync(path.join(folder, 'expected-addresses.json'), 'utf8')) as {
		skipNs: number;
		lenNs: number;
		samplesInWindow: number;
		addressCounts: Record<string, number>;
	};
	const bytes = zlib.gunzipSync(fs.readFileSync(path.join(folder, 'xctrace-table.xml.gz')));
	const { samples, problems } = readXctraceTable(memorySource('table', bytes));
	const window = { rule: 'xctrace' as const, delayMs: expected.skipNs / 1e6, lengthMs: expected.lenNs / 1e6, processId: null };
	const { counts } = countSamples(samples, window, samples.events);
	const found = Object.fromEntries([...(counts.get('sampled_pc') ?? [])].map(([address, count]) => [`0x${address.toString(16)}`, count]));
	expect(found).toEqual(expected.addressCounts);
	expect(Object.values(found).reduce((total, count) => total + count, 0)).toBe(expected.samplesInWindow);
	expect(problems).toEqual([]);
});

test('xctrace samples with the log of the JVM', async () => {
	const table = path.join('..', 'xctrace-derived-jdk25-mapGet', 'xctrace-table.xml.gz');
	const run = await runAssay(['perfasm', table, 'hotspot.log.zst', '--delay', '6267', '--length', '3044'], path.join(FIXTURES, 'jdk25-mapGet'));
	expect(run.stderr).toBe('');
	expect(run.stdout).toContain(' Column 1: sampled_pc (2892 events)\n');
	expect(run.stdout).toMatch(/^c2, level 4, ref\.bench\.jmh_generated\.Benches_mapGet_jmhTest::mapGet_avgt_jmhStub, version 5, compile id 601 $/m);
});
