import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parquetReadObjects } from 'hyparquet';
import { Profile } from 'pprof-format';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { samplesOfProfile } from '../../test/profile-stacks.js';
import { runAssay } from '../../test/run-assay.js';
import { memorySource } from '../bytes/source.js';
import { readCollapsed } from '../formats/collapsed-stacks/read.js';
import { readProftoolProfile } from '../formats/proftool-profile/read.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const run = (...argv: string[]): ReturnType<typeof runAssay> => runAssay(['export', ...argv], root);
const golden = (name: string): string => path.join(root, 'fixtures', 'golden', name);
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-export-'));
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

const RECORDINGS = [
	'examples/hot',
	'fixtures/jvm/async-profiler',
	'fixtures/jvm/perfasm/jdk25-mapGet-2events',
	'fixtures/jvm/perfasm/dtrace-jdk25-stringConcatHash',
];

interface HotRow {
	readonly name: string;
	readonly samples: number;
}

/** What `assay hot --by method` counts: all of the JVM's samples, and those of each innermost method; what is none is one row. */
async function hotCounts(recording: string): Promise<{ total: number; methods: Map<string, number> }> {
	const { stdout } = await runAssay(['hot', recording, '--by', 'method', '--json'], root);
	const { result } = JSON.parse(stdout) as { result: { samples: { counted: number }; by: { rows: HotRow[] } } };
	return { total: result.samples.counted, methods: methodsOnly(result.by.rows.map(({ name, samples }) => [name, samples])) };
}

function methodsOnly(rows: Iterable<readonly [string, number]>): Map<string, number> {
	const result = new Map<string, number>();
	for (const [name, samples] of rows) {
		// A row of samples that the profiler alone could name has that behind its name.
		const key = name.startsWith('(') ? '(other)' : name.replace(/ profiler$/, '');
		result.set(key, (result.get(key) ?? 0) + samples);
	}
	return new Map([...result].sort());
}

test.each(RECORDINGS)('%s: every profile format has the counts of assay hot', async (recording) => {
	const hot = await hotCounts(recording);

	const collapsed = samplesOfProfile(readCollapsed(memorySource('x', Buffer.from((await run(recording, '--to', 'collapsed')).stdout))));
	expect(collapsed.reduce((sum, { samples }) => sum + samples, 0)).toBe(hot.total);
	const leaves = methodsOnly(
		(await run(recording, '--to', 'collapsed')).stdout
			.trim()
			.split('\n')
			.map((line) => {
				const [, stack = '', count] = /^(.*) (\d+)$/.exec(line) ?? [];
				return [stack.split(';').at(-1)!, Number(count)] as const;
			}),
	);
	expect(leaves).toEqual(hot.methods);

	const speedscope = JSON.parse((await run(recording, '--to', 'speedscope')).stdout);
	const weights = speedscope.profiles.flatMap((profile: { weights: number[]; samples: number[][] }) => {
		expect(profile.weights).toHaveLength(profile.samples.length);
		return profile.weights;
	});
	expect(speedscope.profiles[0].unit).toBe(recording === 'examples/hot' ? 'nanoseconds' : 'none');
	expect(weights.reduce((sum: number, weight: number) => sum + weight, 0)).toBe(hot.total * (recording === 'examples/hot' ? 1_001_001 : 1));

	const firefox = JSON.parse((await run(recording, '--to', 'firefox')).stdout);
	const { stackTable, frameTable, funcTable, stringArray } = firefox.shared;
	const counts = new Map<string, number>();
	for (const { samples } of firefox.threads) {
		expect(samples.stack).toHaveLength(samples.length);
		expect(samples.time).toHaveLength(samples.length);
		// Those without a stack say that the thread did nothing.
		for (const stack of samples.stack.filter((one: number | null) => one !== null)) {
			const name = stringArray[funcTable.name[frameTable.func[stackTable.frame[stack]]]];
			counts.set(name, (counts.get(name) ?? 0) + 1);
		}
	}
	expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(hot.total);
	expect(methodsOnly(counts)).toEqual(hot.methods);

	const file = path.join(folder, 'x.pb.gz');
	expect((await run(recording, '--to', 'pprof', '-o', file)).exit).toBe(0);
	const profile = Profile.decode(gunzipSync(fs.readFileSync(file)));
	const { strings } = profile.stringTable;
	expect(strings[Number(profile.sampleType[0]?.type)]).toBe('samples');
	const byFunction = new Map<string, number>();
	for (const { locationId, value } of profile.sample) {
		const line = profile.location[Number(locationId[0]) - 1]?.line[0];
		const name = strings[Number(profile.function[Number(line?.functionId) - 1]?.name)] as string;
		byFunction.set(name, (byFunction.get(name) ?? 0) + Number(value[0]));
	}
	expect(methodsOnly(byFunction)).toEqual(hot.methods);
});

test('stacks of examples/hot', async () => {
	const { stdout } = await run('examples/hot', '--to', 'collapsed', '--threads');
	await expect(stdout).toMatchFileSnapshot(golden('export-collapsed.txt'));
});

test('time and thread are kept', async () => {
	const { stdout } = await run('examples/hot', '--to', 'json', '--table', 'samples');
	const { samples } = JSON.parse(stdout).result.tables;
	expect(samples).toHaveLength(2126);
	expect(samples[800]).toEqual({
		timeSeconds: expect.closeTo(0.776, 2),
		thread: 'java',
		threadId: 23193,
		event: 'cpu-clock',
		period: null,
		kind: 'method',
		method: 'HotLoop.areas',
		line: 39,
		bci: 21,
		library: null,
		address: '0x7f29c3ec93fd',
		compileId: '23',
		compiledMethod: 'HotLoop.areas',
		compiler: 'c2',
		level: 4,
		depth: 1,
		stack: 'HotLoop.areas',
	});
});

test('inlined methods are lines of one location in pprof, and frames with one address and symbol in firefox', async () => {
	const recording = 'fixtures/jvm/perfasm/jdk25-mapGet';
	const file = path.join(folder, 'inlined.pb.gz');
	await run(recording, '--to', 'pprof', '--output', file);
	const profile = Profile.decode(gunzipSync(fs.readFileSync(file)));
	const name = (id: number | bigint | undefined): string => profile.stringTable.strings[Number(profile.function[Number(id) - 1]?.name)] as string;
	const chains = profile.location.map(({ line }) => line.map(({ functionId }) => name(functionId)).join(' < '));
	expect(chains.some((chain) => chain.startsWith('java.util.HashMap.getNode < java.util.HashMap.get < '))).toBe(true);

	const { shared, libs } = JSON.parse((await run(recording, '--to', 'firefox')).stdout);
	const { frameTable, nativeSymbols, stringArray } = shared;
	const deep = frameTable.inlineDepth.findIndex((depth: number) => depth === 2);
	expect(deep).toBeGreaterThan(0);
	const symbol = frameTable.nativeSymbol[deep];
	expect(libs[nativeSymbols.libIndex[symbol]].name).toBe('JIT');
	expect(stringArray[nativeSymbols.name[symbol]]).toMatch(/ \[c\d+%? c[12] level [1-4]\]$/);
	expect(frameTable.address[deep]).toBeGreaterThanOrEqual(nativeSymbols.address[symbol]);
	expect(frameTable.address[deep]).toBeLessThan(nativeSymbols.address[symbol] + nativeSymbols.functionSize[symbol]);
});

test('samples by compilation, as proftool writes them', async () => {
	const { stdout, exit } = await run('examples/hot', '--to', 'proftool');
	expect(exit).toBe(0);
	const written = JSON.parse(stdout);
	expect(written.code[0]).toEqual({ compileId: '18', name: '18: HotLoop.divide(int, int)', level: 4, period: 1799 * 1_001_001 });
	expect(
		written.code.some(({ compileId, name }: { compileId: string | null; name: string }) => compileId === '12%' && name === '12%: HotLoop.divide(int, int)'),
	).toBe(true);
	const profile = readProftoolProfile(memorySource('profile', Buffer.from(stdout)));
	expect(profile).toMatchObject({ kind: 'JIT', executionId: '23190', totalPeriod: 2126 * 1_001_001 });
	expect(profile.entries.reduce((sum, { period }) => sum + period, 0)).toBe(profile.totalPeriod);
});

test('a timeline of compilations, each compiler thread a track', async () => {
	const { stdout } = await run('examples/hot', '--to', 'chrome-trace');
	interface TraceEvent {
		readonly ph: string;
		readonly name: string;
		readonly cat?: string;
		readonly tid: number;
		readonly ts?: number;
		readonly dur?: number;
		readonly args?: Record<string, unknown>;
	}
	const events = JSON.parse(stdout).traceEvents as TraceEvent[];
	const compilations = JSON.parse((await runAssay(['compilations', 'examples/hot', '--json'], root)).stdout).result.compilations;
	const spans = events.filter(({ ph, cat }) => ph === 'X' && cat !== 'safepoint');
	expect(spans).toHaveLength(compilations.length);
	const [one] = compilations.filter(({ compileId }: { compileId: string }) => compileId === '18');
	const span = spans.find(({ args }) => args?.compileId === '18');
	expect(span).toMatchObject({ name: 'c18 HotLoop.divide', cat: 'c2', tid: one.threadId, ts: one.startedMs * 1000, dur: (one.doneMs - one.startedMs) * 1000 });
	expect(events.find(({ ph, tid, name }) => ph === 'M' && name === 'thread_name' && tid === one.threadId)?.args?.name).toMatch(/^C2 CompilerThread/);
	expect(events.filter(({ ph }) => ph === 'b')).toHaveLength(events.filter(({ ph }) => ph === 'e').length);
	expect(events.filter(({ name }) => name.endsWith(': made not entrant'))).toHaveLength(
		compilations.filter(({ notEntrantMs }: { notEntrantMs?: number }) => notEntrantMs !== undefined).length,
	);
	const counters = events.filter(({ ph }) => ph === 'C').flatMap(({ args }) => Object.values(args ?? {}) as number[]);
	expect(counters.reduce((sum, count) => sum + count, 0)).toBe(2126);
});

test('safepoints and deoptimizations on the timeline', async () => {
	const { stdout, stderr } = await run('fixtures/jvm/safepoint/ttsp-sampled/jdk25-stall', '--to', 'chrome-trace');
	expect(stderr).toBe('');
	const events = JSON.parse(stdout).traceEvents as { ph: string; cat?: string; name: string; args: Record<string, number> }[];
	const table = JSON.parse((await run('fixtures/jvm/safepoint/ttsp-sampled/jdk25-stall', '--to', 'json', '--table', 'safepoints')).stdout).result.tables
		.safepoints;
	const safepoints = events.filter(({ ph, cat, name }) => ph === 'X' && cat === 'safepoint' && name !== 'reaching');
	expect(safepoints.map(({ args }) => args.totalNs)).toEqual(table.map(({ totalNs }: { totalNs: number }) => totalNs));
	expect(events.some(({ ph, name }) => ph === 'X' && name === 'reaching')).toBe(true);
});

test('findings are those of the report, with their methods', async () => {
	const recording = 'fixtures/jvm/safepoint/ttsp-sampled/jdk25-stall';
	const { stdout, exit } = await run(recording, '--to', 'sarif');
	expect(exit).toBe(0);
	const [{ results }] = JSON.parse(stdout).runs;
	const { findings } = JSON.parse((await runAssay(['report', recording, '--json', '--no-index'], root)).stdout).result;
	const told = results.map(
		({ ruleId, message, locations }: { ruleId: string; message: { text: string }; locations?: { logicalLocations: { fullyQualifiedName: string }[] }[] }) => [
			ruleId,
			message.text.split('\n')[0],
			locations?.[0]?.logicalLocations[0]?.fullyQualifiedName ?? null,
		],
	);
	expect(findings.length).toBeGreaterThan(0);
	expect(told).toEqual(
		expect.arrayContaining(
			findings.map(({ kind, text, place }: { kind: string; text: string; place: { method: string } | null }) => [kind, text, place?.method ?? null]),
		),
	);
});

test('regions as CSV', async () => {
	const { stdout } = await run('examples/hot', '--to', 'csv', '--table', 'regions');
	await expect(stdout.split('\r\n').slice(0, 6).join('\n')).toMatchFileSnapshot(golden('export-regions.csv'));
});

test('a folder of tables; Parquet, CSV and JSON hold the same', async () => {
	const recording = 'fixtures/jvm/ledger/jdk25';
	const { stdout } = await run(recording, '--to', 'json');
	const { tables } = JSON.parse(stdout).result;
	for (const format of ['parquet', 'csv']) {
		const { exit, stderr } = await run(recording, '--to', format, '-o', `${folder}/${format}/`);
		expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringContaining('the recording holds nothing of') });
		expect(fs.readdirSync(path.join(folder, format)).sort()).toEqual(
			Object.keys(tables)
				.map((name) => `${name}.${format}`)
				.sort(),
		);
	}
	expect(tables.inlining.length).toBeGreaterThan(100);
	for (const [name, rows] of Object.entries(tables)) {
		const bytes = fs.readFileSync(path.join(folder, 'parquet', `${name}.parquet`));
		const read = await parquetReadObjects({ file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer });
		const plain = read.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, typeof value === 'bigint' ? Number(value) : value])));
		expect(plain).toEqual(rows);
		const lines = fs.readFileSync(path.join(folder, 'csv', `${name}.csv`), 'utf8').split('\r\n');
		expect(lines).toHaveLength((rows as unknown[]).length + 2);
	}
});

test('compiler memory as a table', async () => {
	const { stdout, exit } = await run('examples/memory', '--to', 'json');
	expect(exit).toBe(0);
	const { memory, arenas } = JSON.parse(stdout).result.tables as {
		memory: { handle: string; totalBytes: number }[];
		arenas: { handle: string; bytes: number }[];
	};
	const { result } = JSON.parse((await runAssay(['memory', 'examples/memory', '--json'], root)).stdout);
	expect(memory.map(({ totalBytes }) => totalBytes)).toEqual(result.compilations.map(({ totalBytes }: { totalBytes: number }) => totalBytes));
	for (const { handle, totalBytes } of memory) {
		expect(arenas.filter((row) => row.handle === handle).reduce((sum, { bytes }) => sum + bytes, 0)).toBe(totalBytes);
	}
});

test('bytes on standard output, but not on a terminal', async () => {
	const pieces: Uint8Array[] = [];
	const io = { outBytes: (bytes: Uint8Array): void => void pieces.push(bytes) };
	expect((await runAssay(['export', 'examples/hot', '--to', 'pprof'], root, io)).exit).toBe(0);
	expect(Profile.decode(gunzipSync(Buffer.concat(pieces))).sample.length).toBeGreaterThan(10);
	const { exit, stderr } = await runAssay(['export', 'examples/hot', '--to', 'pprof'], root, { ...io, isTerminal: true });
	expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringContaining('-o FILE') });
});

test.each([
	[['examples/hot'], 2, '--to FORMAT is missing: collapsed, speedscope'],
	[['examples/hot', '--to', 'flame'], 2, 'not "flame"'],
	[['--to', 'proftool'], 2, 'a recording is expected'],
	[['examples/hot', '--to', 'csv'], 2, '--table NAME, or all of them with -o FOLDER/'],
	[['examples/hot', '--to', 'csv', '--table', 'heat'], 2, '--table takes one of compilations'],
	[['examples/hot', '--to', 'pprof', '--table', 'samples'], 2, '--table is for json, csv and parquet'],
	[['examples/hot', '--to', 'speedscope', '-o', 'docs/'], 2, 'speedscope is one file'],
	[['examples/hot', '--to', 'csv', '--table', 'safepoints'], 3, 'holds nothing of the table safepoints'],
	[['examples/memory', '--to', 'chrome-trace'], 3, 'holds neither compilations nor safepoints'],
	[['README.md', '--to', 'proftool'], 3, 'README.md: samples are missing'],
	[['examples/hot', '--to', 'proftool', '--output', 'no/such/folder/x'], 3, 'cannot be written'],
	[['--help'], 0, ''],
])('%j', async (argv, status, message) => {
	const { stderr, exit } = await run(...(argv as string[]));
	expect({ exit, stderr }).toMatchObject({ exit: status, stderr: expect.stringContaining(message as string) });
});

test('JSON is as its schema says, and docs/export.md explains every column', async () => {
	const docs = path.join(root, 'docs');
	const validate = new Ajv2020({ allErrors: true }).compile(JSON.parse(fs.readFileSync(path.join(docs, 'schema', 'export.json'), 'utf8')));
	const text = fs.readFileSync(path.join(docs, 'export.md'), 'utf8');
	const seen = new Set<string>();
	for (const recording of ['examples/hot', 'examples/memory', 'fixtures/jvm/safepoint/ttsp-sampled/jdk25-stall', 'fixtures/jvm/ledger/jdk25']) {
		const written = JSON.parse((await run(recording, '--to', 'json')).stdout);
		expect(validate(written), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
		for (const [table, rows] of Object.entries(written.result.tables as Record<string, object[]>)) {
			seen.add(table);
			const section = text.slice(text.indexOf(`**${table}**`));
			const body = section.slice(0, section.indexOf('\n**', 5) >>> 0);
			for (const column of Object.keys(rows[0] ?? {})) {
				expect(body, `${table}.${column}`).toContain(`\`${column}\``);
			}
		}
	}
	expect([...seen].sort()).toEqual(['arenas', 'compilations', 'inlining', 'memory', 'regions', 'safepoints', 'samples']);
});
