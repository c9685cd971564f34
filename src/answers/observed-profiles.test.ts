import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const recordings = path.join(root, 'fixtures', 'jvm');
const isValid = new Ajv2020({ allowUnionTypes: true }).compile(JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'bias.json'), 'utf8')));
const truth = JSON.parse(fs.readFileSync(path.join(recordings, 'safepoint', 'truth.json'), 'utf8')) as Record<
	string,
	Record<string, { readonly jfr: Record<string, number> }>
>;

interface Profile {
	readonly name: string;
	readonly event: string;
	readonly samples: number | null;
	readonly leftOut: { readonly otherThreads: number; readonly otherTimes: number; readonly waiting: number };
	readonly clock: { readonly source: string; readonly uncertaintySeconds: number } | null;
}

interface Output {
	readonly result: {
		readonly profiles: readonly Profile[];
		readonly methods: readonly { readonly method: string; readonly observed: Record<string, number> }[];
		readonly lines: readonly { readonly line: string; readonly observed: Record<string, number> }[];
		readonly distances: readonly { readonly a: string; readonly b: string; readonly expectedFromSampling: number | null }[];
	};
	readonly problems: readonly { readonly message: string }[];
}

async function bias(...argv: string[]): Promise<Output> {
	const { stdout, exit } = await runAssay(['bias', ...argv, '--rounds', '0', '--json'], recordings);
	const output = JSON.parse(stdout);
	expect(isValid(output), JSON.stringify(isValid.errors)).toBe(true);
	expect(exit).toBe(0);
	return output;
}

function sharesOf(rows: readonly { readonly observed: Record<string, number> }[], name: string, key: (row: never) => string): Map<string, number> {
	return new Map(rows.flatMap((row) => ((row.observed[name] ?? 0) > 0 ? [[key(row as never), row.observed[name]!]] : [])));
}

test.each([
	['jdk25-serial', 'S1Inline'],
	['jdk25-serial', 'S6Long'],
	['strip-jdk17-serial', 'S8Strip'],
])('%s %s: Flight Recorder, of the thread and time of the scenario', async (run, scenario) => {
	const folder = `safepoint/${run}`;
	const windows = JSON.parse(fs.readFileSync(path.join(recordings, folder, 'windows.json'), 'utf8')) as {
		scenario: string;
		monoStart: number;
		monoEnd: number;
	}[];
	const { monoStart, monoEnd } = windows.find((window) => window.scenario === scenario)!;
	const { result } = await bias(folder, '--thread', scenario, '--from', `${monoStart}`, '--to', `${monoEnd}`, '--against', `jfr=${folder}/rec.jfr.gz`);
	const expected = Object.entries(truth[run]?.[scenario]?.jfr ?? {});
	const total = expected.reduce((sum, [, count]) => sum + count, 0);
	expect(result.profiles).toMatchObject([{ name: 'jfr', event: 'jdk.ExecutionSample', clock: { source: 'jvm-start' } }]);
	const [jfr] = result.profiles as [Profile];
	// The JVM's start on the samples' clock is known to some milliseconds, and a sample may lie that near to an end of the window.
	expect(Math.abs((jfr.samples ?? 0) - total)).toBeLessThanOrEqual(2);
	expect(jfr.leftOut.otherTimes).toBeGreaterThan(0);
	const shares = sharesOf(result.methods, 'jfr', ({ method }: { method: string }) => method);
	expect([...shares.keys()].sort()).toEqual(expected.map(([method]) => method).sort());
	for (const [method, count] of expected) {
		expect(shares.get(method)).toBeCloseTo((100 * count) / total, 0);
	}
	const lines = sharesOf(result.lines, 'jfr', ({ line }: { line: string }) => line);
	expect([...lines.values()].reduce((sum, percent) => sum + percent, 0)).toBeCloseTo(100, 1);
});

const RUN = 'safepoint/strip-jdk25-g1';

test('a file with two kinds of samples gives two profiles; a kind can be chosen', async () => {
	const { result } = await bias(RUN, '--against', 'jfr=jfr/jdk25.jfr.gz', '--against', 'only=jfr/jdk25.jfr.gz:cpu');
	expect(result.profiles.map(({ name, event }) => [name, event])).toEqual([
		['jfr', 'jdk.ExecutionSample'],
		['jfr:cpu', 'jdk.CPUTimeSample'],
		['only', 'jdk.CPUTimeSample'],
	]);
	const [execution, cpu, only] = result.profiles as [Profile, Profile, Profile];
	expect(execution.samples).toBe(105);
	expect(cpu.samples).toBe(102);
	expect({ ...only, name: '' }).toEqual({ ...cpu, name: '' });
	expect(sharesOf(result.methods, 'jfr:cpu', ({ method }: { method: string }) => method).get('Mixer.divide')).toBeGreaterThan(20);
});

test('threads in native code and threads that sleep are left out and counted', async () => {
	const jfr = await bias(RUN, '--against', 'jfr=jfr/jdk17.jfr.gz', '--against', 'native=jfr/jdk17.jfr.gz:native');
	expect(jfr.result.profiles.map(({ name, samples }) => [name, samples])).toEqual([
		['jfr', 97],
		['native', 1],
	]);
	expect(jfr.problems.map(({ message }) => message).join('\n')).toContain('jdk.NativeMethodSample');
	const { result } = await bias(RUN, '--thread', 'm*', '--against', 'ap=jfr/async-profiler.jfr.gz');
	const [cpu, wall] = result.profiles as [Profile, Profile];
	expect([cpu.event, wall.event]).toEqual(['jdk.ExecutionSample', 'profiler.WallClockSample']);
	expect(wall.leftOut.otherThreads).toBeGreaterThan(wall.samples ?? 0);
	expect(result.methods.find(({ method }) => method === 'Mixer.divide')?.observed.ap).toBeGreaterThan(15);
});

test('the forms of jfr print say the same as the file', async () => {
	const { result } = await bias(
		RUN,
		...['jfr.gz', 'print.json.gz', 'print.txt.gz'].flatMap((end) => ['--against', `${end.slice(0, -3)}=jfr/jdk25.${end}:execution`]),
	);
	const [own, json, text] = ['jfr', 'print.json', 'print.txt'].map((name) => sharesOf(result.lines, name, ({ line }: { line: string }) => line));
	if (own === undefined || text === undefined) {
		throw new Error('shares are missing');
	}
	expect(own.size).toBeGreaterThan(3);
	expect(json).toEqual(own);
	// jfr print leaves frames of lambda forms out: their callers are blamed.
	const isHidden = (line: string): boolean => line.includes('LambdaForm');
	expect([...text.keys()].filter((line) => !own.has(line) && line !== 'Mixer.map:33')).toEqual([]);
	for (const [line, percent] of own) {
		expect(isHidden(line) ? undefined : percent).toBe(text.get(line));
	}
});

test('times that cannot be laid on the clock of the samples', async () => {
	const { problems, result } = await bias(RUN, '--from', '1983', '--against', 'json=jfr/jdk17.print.json.gz');
	expect(problems.map(({ message }) => message).join('\n')).toContain('nothing tells how');
	expect(result.profiles[0]).toMatchObject({ samples: 97, clock: null });
});

test('wrong kinds', async () => {
	const cpu = await runAssay(['bias', RUN, '--against', 'a=jfr/jdk17.jfr.gz:cpu'], recordings);
	expect(cpu).toMatchObject({ exit: 3, stderr: expect.stringContaining('execution (jdk.ExecutionSample)') });
});

test('thread dumps: runnable threads count, the others are counted apart', async () => {
	const { result } = await bias(
		RUN,
		'--thread',
		'm*',
		'--against',
		'jstack=thread-dumps/jdk17-jstack.txt.gz',
		'--against',
		'file=thread-dumps/jdk25-dump-to-file.json.gz',
	);
	expect(result.profiles.map(({ name, samples, leftOut }) => [name, samples, leftOut.waiting])).toEqual([
		['jstack', 4, 2],
		['file', 2, 1],
	]);
	expect(result.methods.find(({ method }) => method === 'Mixer.divide')?.observed).toEqual({ jstack: 50, file: 50 });
});

test('JMH -prof stack: a profile for each benchmark, shares only', async () => {
	const file = 'safepoint/jdk25-stack-lines-serial.txt.gz';
	const { result } = await bias(RUN, '--against', `jmh=${file}`, '--against', `one=${file}:inlined`);
	expect(result.profiles.map(({ name, event, samples }) => [name, event, samples])).toEqual([
		['jmh', 'ref.bench.BiasBench.gapThenCheapCall', null],
		['jmh:inlined', 'ref.bench.BiasBench.inlined', null],
		['jmh:notInlined', 'ref.bench.BiasBench.notInlined', null],
		['one', 'ref.bench.BiasBench.inlined', null],
	]);
	expect(result.distances.find(({ a, b }) => a === 'unbiased' && b === 'jmh')?.expectedFromSampling).toBeNull();
	expect(result.methods.find(({ method }) => method === 'ref.bench.BiasBench.gapThenCheapCall')?.observed.jmh).toBeGreaterThan(90);
});

test('text of async-profiler', async () => {
	const { result } = await bias(
		RUN,
		...['--thread', 'mixer', '--against', 'flat=safepoint/jdk25-serial/async.flat.txt', '--against', 'traces=jfr/async-profiler.traces.txt.gz'],
	);
	expect(result.methods.find(({ method }) => method === 'S3Gap.kernel')?.observed.flat).toBeGreaterThan(15);
	expect(result.methods.find(({ method }) => method === 'Mixer.divide')?.observed.traces).toBeGreaterThan(30);
});
