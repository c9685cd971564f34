/** Order traces in a report: on real runs of a program, beside a JVM, with files that only look like traces. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import type { StartupResult } from '../answers/startup-result.js';
import type { PageMain, PageStartup } from '../page/data.js';

const root = path.resolve(import.meta.dirname, '../..');
const fixtures = path.join(root, 'fixtures', 'orderfile');
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-startup-'));
afterAll(() => fs.rmSync(work, { recursive: true }));

const validatorOf = (name: string) =>
	new Ajv2020({ allErrors: true, strict: false }).compile(JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', `${name}.json`), 'utf8')));
const validators = { report: validatorOf('report'), doctor: validatorOf('doctor') };

const NM = path.join(root, 'examples/order/sqlite.nm.gz');
const STARTUP = path.join(root, 'examples/order/startup.gz');
const QUERIES = path.join(root, 'examples/order/queries.gz');
const PROFRAW = path.join(root, 'examples/order/startup.profraw.gz');
const ELF = path.join(fixtures, 'bin/sqlite_base.elf.gz');
const FAULTS = path.join(fixtures, 'perf/base.startup.page-faults.perf-script.txt.gz');
const ORDER = path.join(root, 'examples/order/first-executed.order');

let folders = 0;

/** A folder with copies of files, and files of its own. */
function recording(files: readonly string[], texts: Readonly<Record<string, string | Uint8Array>> = {}): string {
	const folder = path.join(work, `run${++folders}`);
	fs.mkdirSync(folder);
	for (const file of files) {
		fs.copyFileSync(file, path.join(folder, path.basename(file)));
	}
	for (const [name, text] of Object.entries(texts)) {
		fs.writeFileSync(path.join(folder, name), text);
	}
	return path.basename(folder);
}

interface Result {
	readonly evidence: Readonly<Record<string, { present: boolean; files: string[]; records: number }>>;
	readonly startup: StartupResult | null;
	readonly samples: { readonly total: number };
	readonly compilations: readonly unknown[];
	readonly findings: readonly { kind: string; text: string; command: string | null }[];
}

async function report(name: string): Promise<Result & { readonly problems: readonly { file: string; message: string }[] }> {
	const { exit, stdout } = await runAssay(['report', name, '--json', '--no-index'], work);
	expect(exit).toBe(0);
	const { result, problems } = JSON.parse(stdout);
	expect(validators.report(JSON.parse(stdout)) || validators.report.errors).toBe(true);
	return { ...result, problems };
}

async function json(...argv: string[]) {
	const { exit, stdout } = await runAssay([...argv, '--json'], work);
	expect({ argv, exit }).toEqual({ argv, exit: 0 });
	return JSON.parse(stdout).result;
}

/** As `assay order` counts, without the pages. */
function counts(layouts: readonly Record<string, unknown>[]): unknown[] {
	return layouts.map(({ textPages, entryPages, execPages, wholeFunctionPages, windows64k, areaUnderCurve, byTrace }) => ({
		textPages,
		entryPages,
		execPages,
		wholeFunctionPages,
		windows64k,
		areaUnderCurve,
		byTrace: (byTrace as Record<string, unknown>[]).map(({ map: _map, lost: _lost, trace: _trace, ...own }) => own),
	}));
}

test.each([
	['executed instructions', [NM, STARTUP], [STARTUP], '--nm'],
	['two runs', [NM, QUERIES, STARTUP], [QUERIES, STARTUP], '--nm'],
	['an ELF file and a profile', [ELF, PROFRAW], [PROFRAW], '--elf'],
	['three runs of both kinds', [NM, QUERIES, STARTUP, PROFRAW], [QUERIES, STARTUP, PROFRAW], '--nm'],
])('%s: the numbers are those of assay order optimize', async (_, files, traces, option) => {
	const { startup, evidence, findings } = await report(recording(files));
	const optimized = await json('order', 'optimize', ...traces, option, files[0]!, '-o', 'made.order');
	expect(startup?.layouts.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
		expect.stringMatching(/^binary sqlite/),
		'order first execution',
		'order optimized',
	]);
	expect(counts((startup?.layouts ?? []) as unknown as Record<string, unknown>[])).toEqual(counts(optimized.layouts));
	expect(startup?.startUpCode).toEqual(optimized.startUpCode);
	expect(startup?.traces.map(({ functions }) => functions)).toEqual(optimized.traces.map(({ functions }: { functions: number }) => functions));
	expect(new Set(startup?.traces.map(({ name }) => name)).size).toBe(traces.length);
	const functions = optimized.traces.reduce((sum: number, trace: { functions: number }) => sum + trace.functions, 0);
	expect(evidence.orderTraces).toMatchObject({ present: true, records: functions });
	const [finding] = findings;
	const [linked, first, best] = (optimized.layouts as { execPages: number | null; wholeFunctionPages: number; windows64k: number }[]).map(
		({ execPages, wholeFunctionPages, windows64k }) => ({ pages: execPages ?? wholeFunctionPages, windows64k }),
	);
	expect(finding?.kind).toBe('startup');
	expect(finding?.text).toContain(`${traces.length === 1 ? `${functions.toLocaleString('en')} functions` : 'run'} on ${linked?.pages} `);
	expect(finding?.text).toContain(`in order of first execution on ${first?.pages} in ${first?.windows64k}, optimized on ${best?.pages} in ${best?.windows64k}`);
});

test('the command of the finding makes the order', async () => {
	const name = recording([ELF], { 'a trace.gz': fs.readFileSync(STARTUP) });
	const { findings } = await report(name);
	expect(findings[0]?.command).toBe(`assay order optimize '${name}/a trace.gz' --elf ${name}/sqlite_base.elf.gz -o app.order`);
});

test('the page has what assay order simulate prints of the same orders', async () => {
	const name = recording([NM, STARTUP]);
	for (const [file, method] of [
		['first execution.order', 'first-execution'],
		['optimized.order', 'pages'],
	] as const) {
		expect((await runAssay(['order', 'optimize', STARTUP, '--nm', NM, '--method', method, '-o', file], work)).exit).toBe(0);
	}
	const simulated = await json('order', 'simulate', '--nm', NM, '--trace', STARTUP, '--order', 'first execution.order', 'optimized.order');
	const { main, startup } = await pageOf(name);
	expect(startup).toEqual(simulated);
	expect(main.sides[0]?.report.startup?.layouts.map(({ name: layout }) => layout)).toEqual(['sqlite', 'first execution', 'optimized']);
	// What somebody simulated with an order of their own counts more.
	const own = await runAssay(['order', 'simulate', '--nm', NM, '--trace', STARTUP, '--order', ORDER, '--json'], work);
	fs.writeFileSync(path.join(work, name, 'own.json'), own.stdout);
	expect((await pageOf(name)).startup).toEqual(JSON.parse(own.stdout).result);
});

async function pageOf(name: string): Promise<{ main: PageMain; startup: PageStartup }> {
	expect((await runAssay(['report', name, '-o', 'page.html'], work)).exit).toBe(0);
	const html = fs.readFileSync(path.join(work, 'page.html'), 'utf8');
	const part = (id: string) => JSON.parse(gunzipSync(Buffer.from(new RegExp(`data-part="${id}">"([^"]*)"`).exec(html)?.[1] ?? '', 'base64')).toString('utf8'));
	return { main: part('main'), startup: part('startup') };
}

test('text: a screen without tables of a JVM, and the section', async () => {
	const name = recording([NM, QUERIES, STARTUP, ORDER]);
	const run = (columns: number, ...argv: string[]) => runAssay(['report', name, ...argv], work, { isTerminal: true, columns });
	for (const columns of [80, 200]) {
		const { stdout } = await run(columns);
		await expect(stdout.replaceAll(name, 'run')).toMatchFileSnapshot(path.join(root, 'fixtures', 'cli', `report-startup-${columns}.txt`));
		expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
	}
	const { stdout } = await run(120, '--section', 'startup');
	const simulated = await runAssay(['order', 'simulate', '--nm', NM, '--trace', QUERIES, '--trace', STARTUP], work, { isTerminal: true, columns: 120 });
	for (const line of simulated.stdout.split('\n').filter((one) => /▓|executed$/.test(one))) {
		expect(stdout).toContain(line);
	}
	const none = await runAssay(['report', 'examples/hot', '--section', 'startup'], root);
	expect(none.stderr).toContain('no trace of first executions lies here with its program');
});

test('beside a JVM its report stays what it is', async () => {
	const hot = path.join(root, 'examples/hot');
	const alone = await report(hot);
	const both = await report(recording([NM, STARTUP, FAULTS, ORDER, ...fs.readdirSync(hot).map((file) => path.join(hot, file))]));
	expect(both.compilations).toEqual(alone.compilations);
	expect(both.samples).toEqual(alone.samples);
	expect(both.findings.map(({ kind }) => kind).sort()).toEqual([...alone.findings.map(({ kind }) => kind), 'startup'].sort());
	expect(alone.startup).toBeNull();
	// Page faults beside a JVM are no trace.
	expect(both.startup?.traces.map(({ name }) => name)).toEqual(['startup']);
});

test("clang's buffer with its map; page faults by perf", async () => {
	const clang = await report(
		recording([ELF, path.join(fixtures, 'orderfile/sqlite_order19.map.gz'), path.join(fixtures, 'orderfile/startup.profraw.order.gz')]),
	);
	expect(clang.startup?.traces).toMatchObject([{ functions: 291, unplaced: 1 }]);
	expect(clang.findings[0]?.command).toContain(' --map ');
	const faults = await report(recording([ELF, FAULTS]));
	const simulated = await json('order', 'simulate', '--elf', ELF, '--trace', FAULTS);
	expect(counts((faults.startup?.layouts ?? []).slice(0, 1) as unknown as Record<string, unknown>[])).toEqual(counts(simulated.layouts));
	// Another program's map explains nothing.
	const other = recording([ELF, path.join(fixtures, 'clang19/multi19.map'), path.join(fixtures, 'orderfile/startup.profraw.order.gz')]);
	expect((await runAssay(['report', other], work)).exit).toBe(3);
});

test('lists of functions: traces with addresses, or without other traces; orders are left out', async () => {
	const listed = await report(recording([ELF, path.join(fixtures, 'groundtruth/startup.firstexec.txt'), ORDER]));
	expect(listed.startup?.traces).toMatchObject([{ name: 'startup', functions: 296 }]);
	expect(listed.startup?.leftOut).toEqual([{ file: expect.stringMatching(/first-executed\.order$/), why: expect.stringContaining('may be an order') }]);
	const alone = await report(recording([ELF, ORDER]));
	expect(alone.startup?.traces).toMatchObject([{ name: 'first-executed' }]);
	const all = recording([ELF, path.join(fixtures, 'orders/random1.txt')]);
	expect((await runAssay(['report', all], work)).stderr).toContain('holds nothing of a run');
	const prose = recording([NM, STARTUP], { 'notes.txt': 'one\ntwo\nthree\n', 'numbers.txt': '1 2\n3 4\n', 'words.md': '# Title\n\nsome words here\n' });
	expect((await report(prose)).startup?.leftOut).toEqual([]);
});

test('of several programs the one that the traces are of', async () => {
	const { startup } = await report(
		recording([ELF, STARTUP, ...['random1', 'orderfile_startup'].map((link) => path.join(fixtures, 'symtab', `${link}.nm.txt.gz`))]),
	);
	expect(startup?.program?.file).toMatch(/sqlite_base\.elf\.gz$/);
	expect(startup?.leftOut.map(({ file }) => path.basename(file)).sort()).toEqual(['orderfile_startup.nm.txt.gz', 'random1.nm.txt.gz']);
});

test('a trace without its program, and a program without a trace', async () => {
	const trace = recording([PROFRAW]);
	const { startup, evidence, problems } = await report(trace);
	expect(startup).toMatchObject({ program: null, layouts: [], traces: [{ functions: null }] });
	expect(evidence.orderTraces).toMatchObject({ present: true, records: 311 });
	expect(problems.map(({ message }) => message)).toEqual(['is a trace of a program that is not here']);
	expect((await runAssay(['report', trace], work)).stdout).toContain('1 trace of first executions, without the program');
	const stranger = await report(
		recording([PROFRAW], { 'other.nm': '0000000000401000 0000000000000010 T main\n0000000000401010 0000000000000010 T stranger\n' }),
	);
	expect(stranger.startup).toMatchObject({ program: null, traces: [{}] });
	const { exit, stderr } = await runAssay(['report', recording([ELF])], work);
	expect({ exit, stderr }).toMatchObject({ exit: 3, stderr: expect.stringContaining('holds nothing of a run') });
});

test('assay doctor: kinds, counts, and what is missing', async () => {
	const doctor = async (name: string) => {
		const { stdout } = await runAssay(['doctor', name, '--json'], work);
		expect(validators.doctor(JSON.parse(stdout)) || validators.doctor.errors).toBe(true);
		const { recording: found, missing } = JSON.parse(stdout).result;
		return { kinds: found.files.map(({ kind, startup }: { kind: string; startup: unknown }) => [kind, startup]), joins: found.joins, missing };
	};
	const map = path.join(fixtures, 'orderfile/sqlite_order19.map.gz');
	const whole = await doctor(recording([map, NM, STARTUP, PROFRAW]));
	expect(whole.kinds).toEqual([
		['linked-program', { functions: 2892 }],
		['order-map', { functions: 2888 }],
		['executed-instructions', { instructions: 10752 }],
		['order-trace', { functions: 311 }],
	]);
	expect(whole.joins).toEqual([
		{ name: 'startup', what: 'start-up with the program', works: true, why: expect.stringContaining('2 traces with 594 functions on ') },
	]);
	expect(whole.missing).toEqual([]);
	expect((await doctor(recording([STARTUP]))).joins).toMatchObject([{ works: false, why: expect.stringContaining('the program is missing') }]);
	expect((await doctor(recording([ELF]))).joins).toMatchObject([{ works: false, why: expect.stringContaining('a trace is missing') }]);
	const text = await runAssay(['doctor', recording([NM, STARTUP])], work);
	expect(text.stdout).toMatch(/executed instructions +10,752 instructions/);
	expect((await doctor(path.join(root, 'examples/hot'))).joins.map(({ name }: { name: string }) => name)).not.toContain('startup');
});

test('names with markup and control characters are shown as text', async () => {
	const evil = '</script><b>\u001b[2J\u202e';
	const symbol = (n: number): string => `${evil}${n}`.replaceAll(' ', '_');
	const addresses = Array.from({ length: 30 }, (_, n) => (0x401000 + 16 * n).toString(16));
	const nm = addresses.map((address, n) => `${address.padStart(16, '0')} 0000000000000010 T ${symbol(n)}\n`).join('');
	const list = addresses
		.slice(0, 20)
		.map((address, n) => `${n} ${address} ${symbol(n)}\n`)
		.join('');
	const name = recording([], { [`app${evil.replaceAll('/', '')}.nm`]: nm, 'trace.gz': gzipSync(`${list}20 999999 ${evil}gone\n`) });
	// Lists with control characters are none: the reader of lists refuses them.
	expect((await runAssay(['report', name], work)).exit).toBe(3);
	fs.writeFileSync(path.join(work, name, 'trace.gz'), gzipSync(addresses.map((address) => `${address} 4\n`).join('')));
	const { startup } = await report(name);
	expect(startup?.traces).toMatchObject([{ functions: 30 }]);
	for (const argv of [['report'], ['doctor'], ['report', '--section', 'startup', '--origin']]) {
		const { stdout, stderr } = await runAssay([argv[0]!, name, ...argv.slice(1)], work);
		expect(stdout + stderr).not.toMatch(/[\u001b\u202e]/);
		expect(stdout).toContain('\\u202e');
	}
	const { startup: shown } = await pageOf(name);
	expect(shown.layouts).toHaveLength(3);
	expect(fs.readFileSync(path.join(work, 'page.html'), 'utf8')).not.toContain('<b>\u001b');
});

test('a large program is ordered by first execution only, and it is said', async () => {
	const addresses = Array.from({ length: 20_001 }, (_, n) => (0x401000 + 16 * n).toString(16));
	const nm = addresses.map((address, n) => `${address.padStart(16, '0')} 0000000000000010 T f${n}\n`).join('');
	const trace = addresses.filter((_, n) => n % 500 === 0).map((address) => `${address} 4\n`);
	const { startup, problems, findings } = await report(recording([], { 'large.nm': nm, 'run.insns': trace.join('') }));
	expect(startup?.layouts.map(({ name }) => name)).toEqual(['large', 'first execution']);
	expect(problems).toMatchObject([{ message: expect.stringContaining('20001 functions') }]);
	expect(findings[0]?.text).not.toContain('optimized');
});

test('damaged files are told of, and the rest is shown', async () => {
	const whole = gunzipSync(fs.readFileSync(PROFRAW));
	const name = recording([NM, STARTUP], {
		'cut.profraw': whole.subarray(0, whole.length >> 1),
		'empty.profraw': '',
		'cut.elf': gunzipSync(fs.readFileSync(ELF)).subarray(0, 5000),
		'cut.json': '{"format":"assay-order-map","version":1,',
	});
	const { startup, problems } = await report(name);
	expect(startup?.traces).toMatchObject([{ name: 'startup', functions: 296 }]);
	expect(startup?.leftOut.map(({ file }) => path.basename(file)).sort()).toEqual(['cut.elf', 'cut.json', 'cut.profraw']);
	// The cut profile stands among what was left out; each problem once.
	expect(problems.map(({ file, message }) => `${path.basename(file)}: ${message}`)).toEqual([
		'cut.json: the map ends too early',
		'cut.elf: is cut off: its section headers should be at byte 1649008 of 5000',
	]);
});
