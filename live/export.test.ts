/** What `assay export` writes, opened by the programs that it is written for, and their totals beside those of `assay hot`. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compileProgram, findJdk, type LiveJdk } from './jdks.js';
import { installFromGo, installFromNpm, installFromPypi } from './packages.js';

const assayScript = path.resolve(import.meta.dirname, '..', 'bin', 'assay.js');
const PROFILER_CLI = '@firefox-devtools/profiler-cli@0.10.0';
const SPEEDSCOPE = 'speedscope@1.25.0';
const SARIF_TYPES = '@types/sarif@2.1.7';
const OTLP_PROTO = 'opentelemetry-proto==1.45.2';
const DUCKDB = '@duckdb/node-api@1.5.6-r.1';
const PPROF = 'github.com/google/pprof@v0.0.0-20260906184651-6331bc6350fe';

let folder = '';
let jdk: LiveJdk;
/** By the name of the recording: counted samples, and those of each innermost method; in round brackets what is none. */
const hot = new Map<string, { total: number; methods: Map<string, number> }>();

function run(command: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): string {
	return execFileSync(command, args, {
		cwd: folder,
		encoding: 'utf8',
		maxBuffer: 1 << 28,
		stdio: ['ignore', 'pipe', 'pipe'],
		env: { ...process.env, ...environment },
	});
}

const assay = (...args: string[]): string => run(process.execPath, [assayScript, ...args]);

function countsOf(recording: string): { total: number; methods: Map<string, number> } {
	let counts = hot.get(recording);
	if (counts === undefined) {
		const { result } = JSON.parse(assay('hot', recording, '--by', 'method', '--json')) as {
			result: { samples: { counted: number }; by: { rows: { name: string; samples: number }[] } };
		};
		const methods = new Map(result.by.rows.filter(({ name }) => !name.startsWith('(')).map(({ name, samples }) => [name.replace(/ profiler$/, ''), samples]));
		counts = { total: result.samples.counted, methods };
		hot.set(recording, counts);
	}
	return counts;
}

beforeAll(() => {
	jdk = findJdk(25);
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-export-live-'));
	compileProgram(jdk, 'HotLoop', folder);
	compileProgram(jdk, 'Ledger', folder);
	assay('record', '-o', 'ledger', '--jdk', jdk.home, '--', 'java', '-cp', '.', 'Ledger');
	recordStacks();
});

/** As `assay record` does, with the callers of each sample and its period. */
function recordStacks(): void {
	const output = path.join(folder, 'stacks');
	fs.mkdirSync(output);
	const flags = ['-XX:+UnlockDiagnosticVMOptions', '-XX:+LogCompilation', `-XX:LogFile=${output}/hotspot.log`, '-XX:-DisplayVMOutput', '-XX:+PrintAssembly'];
	const more = ['-XX:+DebugNonSafepoints', '-XX:+PreserveFramePointer', '-XX:+PrintInterpreter', '-XX:+PrintStubCode'];
	const data = path.join(folder, 'perf.data');
	run('perf', [
		'record',
		'-q',
		'-g',
		'-k',
		'CLOCK_MONOTONIC',
		'-F',
		'999',
		'-e',
		'cpu-clock',
		'-o',
		data,
		jdk.java,
		...flags,
		...more,
		'-cp',
		'.',
		'HotLoop',
		'1500',
	]);
	const text = run('perf', ['script', '-i', data, '--fields', 'comm,pid,tid,time,period,event,ip,sym,dso']);
	fs.writeFileSync(path.join(output, 'perf.script.txt'), text);
}

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

test('callers are those of the stack, what was inlined between them', () => {
	const lines = assay('export', 'stacks', '--to', 'collapsed').trim().split('\n');
	const stacks = lines.map((line) => {
		const [, frames = '', count] = /^(.*) (\d+)$/.exec(line) ?? [];
		return { frames: frames.split(';'), count: Number(count) };
	});
	const { total, methods } = countsOf('stacks');
	expect(stacks.reduce((sum, { count }) => sum + count, 0)).toBe(total);
	const inDivide = stacks.filter(({ frames }) => frames.at(-1) === 'HotLoop.divide');
	const divided = inDivide.reduce((sum, { count }) => sum + count, 0);
	expect(divided).toBe(methods.get('HotLoop.divide'));
	expect(divided).toBeGreaterThan(total / 2);
	// main runs in the interpreter, below what the JVM calls Java through.
	const below = inDivide.filter(({ frames }) => frames.includes('(StubRoutines::call_stub)') && frames.at(-2) === '(interpreter)');
	expect(below.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(0.9 * divided);
	expect(inDivide.some(({ frames }) => frames[0] === '(start_thread)' || frames[0]?.includes('clone'))).toBe(true);
});

test.each(['stacks', 'ledger'])('pprof: %s', (recording) => {
	const pprof = path.join(folder, 'pprof');
	if (!fs.existsSync(pprof)) {
		installFromGo(folder, PPROF);
	}
	const file = `${recording}.pb.gz`;
	assay('export', recording, '--to', 'pprof', '-o', file);
	const top = run(pprof, ['-top', '-nodecount=100000', '-nodefraction=0', '-edgefraction=0', '-sample_index=samples', file]);
	const { total, methods } = countsOf(recording);
	expect(Number(/Total samples = (\d+)/.exec(top)?.[1] ?? /of (\d+) total/.exec(top)?.[1])).toBe(total);
	const flat = new Map<string, number>();
	for (const [, samples, name = ''] of top.matchAll(/^ +(\d+) +[\d.]+% +[\d.]+% +\d+ +[\d.]+% +(.*?)(?: \(inline\)| \(partial-inline\))?$/gm)) {
		flat.set(name, (flat.get(name) ?? 0) + Number(samples));
	}
	for (const [method, samples] of methods) {
		expect(flat.get(method), method).toBe(samples);
	}
	const seconds = run(pprof, ['-top', '-sample_index=cpu', '-unit=ns', file]);
	expect(seconds).toMatch(/^Type: cpu$/m);
	expect(run(pprof, ['-traces', '-sample_index=samples', file])).toMatch(/thread: +\S/);
	if (recording === 'stacks') {
		const sources = path.resolve(import.meta.dirname, 'programs');
		const listed = run(pprof, ['-list=^HotLoop.divide$', `-source_path=${sources}`, '-sample_index=samples', file]);
		expect(listed).toMatch(new RegExp(` ${methods.get('HotLoop.divide')} +\\d+ \\(flat, cum\\)`));
		expect(listed).toMatch(/^ +\d+ +\d+ +\d+:.*sum \+=/m);
	} else {
		// assay record leaves perf.data, which tells what was mapped.
		expect(run(pprof, ['-raw', file])).toMatch(/^\d+: 0x\w+\/0x\w+\/0x\w+ \S+libjvm\.so [0-9a-f]{16,}/m);
	}
});

test.each(['stacks', 'ledger'])('OTLP profiles: %s', (recording) => {
	const python = path.join(folder, 'python', 'bin', 'python');
	if (!fs.existsSync(python)) {
		installFromPypi(folder, [OTLP_PROTO]);
	}
	assay('export', recording, '--to', 'otlp', '-o', `${recording}.otlp`);
	const script = `import json, sys
from opentelemetry.proto.profiles.v1development import profiles_pb2
data = profiles_pb2.ProfilesData()
data.ParseFromString(open(sys.argv[1], 'rb').read())
d = data.dictionary
for table in (d.mapping_table, d.location_table, d.function_table, d.link_table, d.attribute_table, d.stack_table):
    assert table[0].ByteSize() == 0
answer = {}
for profile in data.resource_profiles[0].scope_profiles[0].profiles:
    counts = {}
    for sample in profile.samples:
        times = sample.timestamps_unix_nano
        assert len(times) in (0, len(sample.values))
        assert all(profile.time_unix_nano <= time < profile.time_unix_nano + profile.duration_nano for time in times)
        location = d.location_table[d.stack_table[sample.stack_index].location_indices[0]]
        mapping = d.mapping_table[location.mapping_index]
        assert location.address == 0 or mapping.memory_start <= location.address < mapping.memory_limit
        name = d.string_table[d.function_table[location.lines[0].function_index].name_strindex]
        counts[name] = counts.get(name, 0) + sum(sample.values)
    answer[d.string_table[profile.sample_type.type_strindex]] = counts
print(json.dumps(answer))
`;
	const { samples, cpu } = JSON.parse(run(python, ['-c', script, `${recording}.otlp`])) as Record<string, Record<string, number>>;
	const { total, methods } = countsOf(recording);
	const sum = (counts: Record<string, number> = {}): number => Object.values(counts).reduce((all, count) => all + count, 0);
	expect(sum(samples)).toBe(total);
	for (const [method, count] of methods) {
		expect(samples?.[method], method).toBe(count);
	}
	expect(Math.abs(sum(cpu) / total - 1_001_001)).toBeLessThan(recording === 'ledger' ? 1 : 2e5);
});

test('SARIF is of the types that its schema is published as', () => {
	const modules = installed(SARIF_TYPES);
	const text = assay('export', 'stacks', '--to', 'sarif');
	expect((JSON.parse(text) as { runs: { results: unknown[] }[] }).runs[0]?.results.length).toBeGreaterThan(0);
	const file = path.join(modules, '..', 'log.ts');
	const check = (log: string): string => {
		fs.writeFileSync(file, `import type { Log } from 'sarif';\nexport const log: Log = ${log};\n`);
		const tsc = path.resolve(import.meta.dirname, '..', 'node_modules', 'typescript', 'bin', 'tsc');
		try {
			return run(process.execPath, [tsc, '--noEmit', '--strict', '--skipLibCheck', '--types', 'sarif', '--typeRoots', path.join(modules, '@types'), file]);
		} catch (error) {
			return String((error as { stdout?: unknown }).stdout);
		}
	};
	expect(check(text)).toBe('');
	expect(check(text.replace('"ruleId"', '"rule"'))).toContain('error TS');
});

test.each(['collapsed', 'speedscope', 'pprof', 'firefox', 'otlp'])('%s is read back: the same samples by method', (format) => {
	const file = `back.${format}`;
	assay('export', 'stacks', '--to', format, '-o', file);
	const linesOf = (recording: string): string[] => assay('export', recording, '--to', 'collapsed').trim().split('\n').sort();
	expect(linesOf(file)).toEqual(linesOf('stacks'));
});

/** It gives up when its own server takes more than half a second to start, and says that one may try again. */
function loadProfile(load: () => string): void {
	for (let left = 4; ; left--) {
		try {
			load();
			return;
		} catch (error) {
			if (left === 0 || !String(error).includes('daemon did not become ready')) {
				throw error;
			}
		}
	}
}

test.each(['stacks', 'ledger'])('Firefox Profiler: %s', (recording) => {
	const modules = installed(PROFILER_CLI);
	const file = path.join(folder, `${recording}.firefox.json`);
	assay('export', recording, '--to', 'firefox', '-o', file);
	const environment = { PROFILER_CLI_SESSION_DIR: fs.mkdtempSync(path.join(folder, 'session-')), PROFILER_CLI_NO_SYMBOLICATE: '1' };
	const cli = (...args: string[]): string =>
		run(process.execPath, [path.join(modules, '@firefox-devtools', 'profiler-cli', 'dist', 'profiler-cli.js'), ...args], environment);
	loadProfile(() => cli('load', file));
	try {
		const { threads } = JSON.parse(cli('thread', 'list', '--json')) as { threads: { threadHandle: string; tid: number }[] };
		const self = new Map<string, number>();
		for (const { threadHandle } of threads) {
			const answer = JSON.parse(cli('thread', 'functions', '--thread', threadHandle, '--include-idle', '--limit', '0', '--json')) as {
				functions: { name: string; selfSamples: number }[];
			};
			for (const { name, selfSamples } of answer.functions) {
				self.set(name, (self.get(name) ?? 0) + selfSamples);
			}
		}
		const { total, methods } = countsOf(recording);
		expect([...self.values()].reduce((sum, samples) => sum + samples, 0)).toBe(total);
		for (const [method, samples] of methods) {
			expect(self.get(method), method).toBe(samples);
		}
	} finally {
		cli('stop', '--all');
	}
});

test.each(['stacks', 'ledger'])('speedscope: %s', (recording) => {
	const release = path.join(installed(SPEEDSCOPE), 'speedscope', 'dist', 'release');
	const text = assay('export', recording, '--to', 'speedscope');
	const profile = JSON.parse(text) as { profiles: { name: string; weights: number[] }[] };
	const schema = JSON.parse(fs.readFileSync(path.join(release, 'file-format-schema.json'), 'utf8'));
	const ajv = new Ajv({ strict: false });
	expect(ajv.validate(schema, profile), ajv.errorsText()).toBe(true);
	const { total } = countsOf(recording);
	const weight = profile.profiles.reduce((sum, { weights }) => sum + weights.reduce((a, b) => a + b, 0), 0);
	expect(Math.abs(weight / total - 1_001_001)).toBeLessThan(recording === 'ledger' ? 1e-3 : 2e5);
	const shown = shownBySpeedscope(release, `${recording}.speedscope.json`, text);
	for (const { name } of profile.profiles) {
		expect(shown).toContain(name);
	}
	const [hottest = ''] = [...countsOf(recording).methods].sort((a, b) => b[1] - a[1])[0] ?? [];
	expect(shown).toContain(hottest);
});

test('a trace of compilations: speedscope opens it too, and every event is as the format has it', () => {
	const text = assay('export', 'ledger', '--to', 'chrome-trace');
	const events = (JSON.parse(text) as { traceEvents: Record<string, unknown>[] }).traceEvents;
	const open = new Map<string, number>();
	for (const { ph, name, pid, tid, ts, dur, id, cat, s, args } of events) {
		expect(typeof name).toBe('string');
		expect([typeof pid, typeof tid]).toEqual(['number', 'number']);
		expect(['M', 'X', 'b', 'e', 'i', 'C']).toContain(ph);
		if (ph !== 'M') {
			expect(Number.isFinite(ts)).toBe(true);
		}
		if (ph === 'X') {
			expect(dur).toBeGreaterThanOrEqual(0);
		}
		if (ph === 'b' || ph === 'e') {
			const key = `${cat} ${id} ${name}`;
			open.set(key, (open.get(key) ?? 0) + (ph === 'b' ? 1 : -1));
		}
		if (ph === 'i') {
			expect(['t', 'p', 'g']).toContain(s);
		}
		if (ph === 'C') {
			expect(Object.values(args as object).every((value) => typeof value === 'number')).toBe(true);
		}
	}
	expect([...open.values()].every((count) => count === 0)).toBe(true);
	const { compilations } = (
		JSON.parse(assay('compilations', 'ledger', '--json')) as { result: { compilations: { compileId: string; startedMs?: number; installedMs?: number }[] } }
	).result;
	// What still waits for a compiler when the JVM ends has only waited.
	const begun = compilations.filter(({ startedMs, installedMs }) => (startedMs ?? installedMs) !== undefined);
	expect(events.filter(({ ph, cat }) => ph === 'X' && cat !== 'safepoint')).toHaveLength(begun.length);
	const queued = new Set(events.filter(({ ph, cat }) => ph === 'b' && cat === 'queued').map(({ id }) => id));
	expect(compilations.filter((compilation) => !begun.includes(compilation)).every(({ compileId }) => queued.has(compileId))).toBe(true);
	expect(events.some(({ cat }) => cat === 'safepoint')).toBe(true);
	const release = path.join(installed(SPEEDSCOPE), 'speedscope', 'dist', 'release');
	expect(shownBySpeedscope(release, 'trace.json', text)).toMatch(/C2 CompilerThread0/);
});

test('DuckDB reads the tables, Parquet and CSV', () => {
	const modules = installed(DUCKDB);
	assay('export', 'ledger', '--to', 'parquet', '-o', 'parquet/');
	assay('export', 'ledger', '--to', 'csv', '-o', 'csv/');
	const names = fs.readdirSync(path.join(folder, 'parquet')).map((name) => name.replace('.parquet', ''));
	expect(names).toEqual(expect.arrayContaining(['compilations', 'inlining', 'samples', 'regions', 'safepoints']));
	const queries = [
		"select method, count(*)::int as n from 'parquet/samples.parquet' where kind = 'method' group by 1",
		"select sum(samples)::int as n from 'parquet/regions.parquet'",
		...names.flatMap((name) => [`select count(*)::int as n from 'parquet/${name}.parquet'`, `select count(*)::int as n from read_csv('csv/${name}.csv')`]),
		"select count(*)::int as n from 'parquet/inlining.parquet' i join 'parquet/compilations.parquet' c using (compileId)",
	];
	const script = `const { DuckDBInstance } = require(${JSON.stringify(path.join(modules, '@duckdb', 'node-api'))});
(async () => {
	const connection = await (await DuckDBInstance.create()).connect();
	const answers = [];
	for (const query of ${JSON.stringify(queries)}) answers.push((await connection.runAndReadAll(query)).getRowObjects());
	console.log(JSON.stringify(answers));
})();`;
	const [methods, regions, ...counts] = JSON.parse(run(process.execPath, ['-e', script])) as { method: string; n: number }[][];
	const expected = countsOf('ledger');
	expect(new Map(methods?.map(({ method, n }) => [method, n]))).toEqual(new Map([...expected.methods].filter(([, samples]) => samples > 0)));
	expect(regions?.[0]?.n).toBe(expected.total);
	const joined = counts.pop();
	for (let i = 0; i < counts.length; i += 2) {
		expect(counts[i], names[i / 2]).toEqual(counts[i + 1]);
	}
	expect(joined).toEqual(counts[2 * names.indexOf('inlining')]);
});

const installedPackages = new Map<string, string>();

function installed(name: string): string {
	let modules = installedPackages.get(name);
	if (modules === undefined) {
		modules = installFromNpm(fs.mkdtempSync(path.join(folder, 'npm-')), [name]);
		installedPackages.set(name, modules);
	}
	return modules;
}

/** The text of speedscope's own page with the file opened in it, as Chromium shows it. */
function shownBySpeedscope(release: string, name: string, text: string): string {
	const script = path.join(folder, `${name}.js`);
	fs.writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(name)}, ${JSON.stringify(Buffer.from(text).toString('base64'))})`);
	const page = `file://${release}/index.html#localProfilePath=${script}&view=sandwich`;
	const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--allow-file-access-from-files', '--virtual-time-budget=20000', '--window-size=1400,900'];
	try {
		return run('chromium', [...flags, `--user-data-dir=${folder}/chromium`, '--dump-dom', page])
			.replace(/<[^>]*>/g, '\n')
			.replaceAll('&gt;', '>')
			.replaceAll('&lt;', '<')
			.replaceAll('&amp;', '&');
	} catch (error) {
		throw new Error(`Chromium is missing or failed: this test shows speedscope's page in it (${(error as Error).message.slice(0, 300)})`);
	}
}
