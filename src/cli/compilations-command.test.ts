import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, test } from 'vitest';
import { fixtureText, JDKS, tableOf } from '../../test/compilation-logs.js';
import { type AssayRun, runAssay, runAssayOnce } from '../../test/run-assay.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const recordings = path.join(root, 'fixtures', 'jvm');
const golden = path.join(root, 'fixtures', 'golden');
const validate = new Ajv2020({ allErrors: true, strict: false }).compile(
	JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'compilations.json'), 'utf8')),
);
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-compilations-'));

afterAll(() => fs.rmSync(temporary, { recursive: true }));

const compilations = (...argv: string[]): Promise<AssayRun> => runAssayOnce(['compilations', ...argv], recordings);

interface CallSite {
	readonly bcis: number[];
	readonly callee: string;
	readonly inlined: boolean;
	readonly intrinsic: boolean;
	readonly reason: string;
	readonly receivers?: { readonly typeName: string }[];
}
interface CompilationsJson {
	readonly summary: {
		readonly compilations: number;
		readonly started: number;
		readonly waiting: number;
		readonly levels: { readonly compiler: string | null; readonly compilations: number; readonly waiting: number }[];
		readonly queues: { readonly compiler: string; readonly longestOf: number[]; readonly longest: number; readonly neverStarted: number }[];
		readonly threads: { readonly compilations: number; readonly busyMs: number }[];
		readonly storms: { readonly method: string; readonly count: number; readonly compileIds: string[] }[];
	};
	readonly methods: { readonly handle: string; readonly method: string; readonly versions: { readonly compileId: string; readonly end: object | null }[] }[];
	readonly compilations: {
		readonly compileId: string;
		readonly method: string;
		readonly level: number | null;
		readonly osrBci?: number;
		readonly installedMs?: number;
		readonly failure?: string;
		readonly reason?: string;
		readonly callSites: CallSite[];
	}[];
	readonly records?: { readonly compileId: string; readonly phases: { readonly name: string }[] }[];
	readonly reasons?: { readonly reason: string; readonly count: number; readonly meaning: string | null; readonly flags: string[] }[];
}

async function json(...argv: string[]): Promise<CompilationsJson> {
	const { stdout, stderr, exit } = await compilations(...argv, '--json');
	expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 });
	const parsed = JSON.parse(stdout);
	expect(validate(parsed), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
	return parsed.result;
}

describe.each(JDKS)('%s', (jdk) => {
	const log = path.join('inlining', jdk, 'logcompilation.xml.gz');

	test('--json has every compilation and every decision of the text', async () => {
		const { compilations: rows, summary } = await json(log);
		const byId = new Map(rows.map((row) => [row.compileId.replace('%', ''), row]));
		const wanted = tableOf(fixtureText('inlining', jdk, 'golden.counts.tsv'));
		expect(rows.filter(({ level }) => level !== 0)).toHaveLength(wanted.length);
		expect(summary.compilations).toBe(wanted.length);
		for (const { compile_id = '', level, osr_bci, method = '', results } of wanted) {
			const row = byId.get(compile_id);
			expect([row?.level, row?.osrBci ?? '-', row?.method, row?.callSites.length].map(String)).toEqual([
				level,
				osr_bci,
				method.split(' ').slice(0, 2).join('.'),
				results,
			]);
		}
		const sites = tableOf(fixtureText('inlining', jdk, 'golden.sites.tsv.gz')).filter(({ result = '' }) => !result.startsWith('late '));
		const printed = new Set(sites.map(({ compile_id, bci_path, result }) => `${compile_id} ${bci_path} ${result}`));
		const ours = new Set(
			rows.flatMap(({ compileId, callSites }) => callSites.map(({ bcis, reason }) => `${compileId.replace('%', '')} ${bcis.join('/')} ${reason}`)),
		);
		expect([...printed].filter((site) => !ours.has(site))).toEqual([]);
		expect([...ours].filter((site) => !printed.has(site))).toEqual([]);
	});

	test('totals add up', async () => {
		const { compilations: rows, summary, methods } = await json(log);
		expect(summary.levels.reduce((sum, level) => sum + level.compilations, 0)).toBe(rows.length);
		expect(summary.threads.reduce((sum, thread) => sum + thread.compilations, 0)).toBe(summary.compilations);
		expect(methods.flatMap(({ versions }) => versions)).toHaveLength(rows.length);
		for (const { longestOf, longest } of summary.queues) {
			expect(Math.max(...longestOf)).toBe(longest);
		}
		expect(rows.filter(({ reason }) => reason !== undefined).length > 0).toBe(jdk === 'jdk25');
	});

	test('reasons are explained, all of them', async () => {
		const { reasons = [] } = await json(log, '--reasons');
		expect(reasons.length).toBeGreaterThan(20);
		expect(reasons.filter(({ meaning }) => meaning === null)).toEqual([]);
		expect(reasons.find(({ reason }) => reason === 'hot method too big')?.flags).toEqual(['FreqInlineSize 325']);
	});
});

describe('without LogCompilation, from what the JVM printed', () => {
	test.each(JDKS)('%s: the decisions are those of LogCompilation, where one thread a compiler prints', async (jdk) => {
		const printed = await compilations(path.join('inlining', jdk, 'printinlining.txt.gz'), '--json');
		const { result } = JSON.parse(printed.stdout) as { result: CompilationsJson };
		expect(validate(JSON.parse(printed.stdout)), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
		const logged = await json(path.join('inlining', jdk, 'logcompilation.xml.gz'));
		const ids = (rows: CompilationsJson): Map<string, string> => new Map(rows.compilations.map((row) => [row.compileId, `${row.method} ${row.level}`]));
		const ofLog = ids(logged);
		const common = [...ids(result)].filter(([id]) => ofLog.has(id));
		expect(common.length).toBeGreaterThan(600);
		expect(common.filter(([id, text]) => ofLog.get(id) !== text)).toEqual([]);
		const rows = (json: CompilationsJson): string[] =>
			json.compilations.flatMap(({ compileId, callSites }) =>
				callSites.map(({ bcis, callee, reason }) => `${compileId} ${bcis.join(',')} ${callee} ${reason}`),
			);
		const known = new Set(rows(logged));
		const own = rows(result);
		expect(own.length).toBeGreaterThan(2000);
		// Late inlining is told at another place, and hidden classes by other names.
		expect(own.filter((row) => known.has(row)).length).toBeGreaterThan(0.9 * own.length);
	});

	test('traps are joined from -Xlog:deoptimization by compile id', async () => {
		const deoptimizations = fixtureText('compilation', 'jdk25', 'deopt.log.gz').match(/ cid=/g)?.length ?? 0;
		const { stdout, stderr, exit } = await compilations('compilation/jdk25', '--json', '--deoptimized');
		expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 });
		const { summary } = JSON.parse(stdout).result as { summary: { deoptimizations: { count: number }[] } };
		expect(summary.deoptimizations.reduce((sum, { count }) => sum + count, 0)).toBe(deoptimizations);
	});
});

describe('text', () => {
	test.each([
		['compilations-80-columns', 80, ['inlining/jdk25/logcompilation.xml.gz']],
		['compilations-200-columns', 200, ['inlining/jdk25/logcompilation.xml.gz']],
		['compilations-jdk17', 120, ['compilation/jdk17']],
		['compilations-recorded', 80, ['recorded-compilations/jdk25/compilations.jfr.gz', '--top', '3']],
		['compilations-recorded-method', 80, ['recorded-compilations/jdk17/compilations.jfr.gz', 'm1']],
		['compilations-printed', 80, ['compilation/jdk25', '--top', '3']],
		['compilations-printed-method', 80, ['compilation/jdk25', 'c2862']],
		['compilations-method', 120, ['inlining/jdk25/logcompilation.xml.gz', 'm1']],
		['compilations-compilation', 80, ['inlining/jdk17/logcompilation.xml.gz', 'c480', 'c632']],
		['compilations-reasons', 100, ['inlining/jdk17/logcompilation.xml.gz', '--reasons']],
		['compilations-filtered', 100, ['inlining/jdk17/logcompilation.xml.gz', '--method', 'app.*', '--compiler', 'c2', '--sort', 'versions', '--top', '5']],
	])('%s', async (name, columns, argv) => {
		const { stdout, stderr, exit } = await runAssay(['compilations', ...argv], recordings, { isTerminal: true, columns });
		expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 });
		expect(Math.max(...stdout.split('\n').map((line) => [...line].length))).toBeLessThanOrEqual(columns);
		await expect(stdout).toMatchFileSnapshot(path.join(golden, `${name}.txt`));
	});

	test('a log tells more than a recording of Flight Recorder beside it', async () => {
		const { stdout } = await runAssay(['compilations', 'recorded-compilations/jdk25'], recordings);
		expect(stdout).toContain('374 compilations (8 for on-stack replacement), ');
		expect(stdout).not.toContain('Flight Recorder');
	});

	test('the example of the help runs', async () => {
		const { stdout } = await runAssay(['help', 'compilations'], root);
		const example = /^ {2}assay (compilations .*)$/m.exec(stdout)?.[1]?.split(' ') ?? [];
		const run = await runAssay(example, root);
		expect(run.exit).toBe(0);
		expect(run.stdout).toContain('19 compilations (4 for on-stack replacement)');
		expect(stdout.split('\n').every((line) => line.length <= 90)).toBe(true);
	});

	test('names that would move the cursor are made visible, long ones stay in their column', async () => {
		const evil = '&lt;b&gt;\u001b[2J\u202e';
		write('evil.log', [
			"<hotspot_log version='160 1' process='1' time_ms='1'>",
			`<task_queued compile_id='7' method='A${evil} b${'x'.repeat(300)} ()V' bytes='1' stamp='0.1' comment='${evil}'/>`,
			`<compilation_log thread='2'>\n<start_compile_thread name='C2 ${evil}' thread='2' process='1' stamp='0.1'/>`,
			`<task compile_id='7' method='A${evil} b${'x'.repeat(300)} ()V' bytes='1' stamp='0.2'>`,
			`<klass id='1' name='K${evil}'/>\n<method id='2' holder='1' name='m' return='1'/>\n<parse method='2' uses='1'>`,
			`<bc code='1' bci='1'/>\n<call method='2'/>\n<inline_fail reason='${evil}'/>\n</parse>`,
			`<failure reason='${evil}'/>\n<task_done success='0' nmsize='0' stamp='0.3'/>\n</task>\n</compilation_log>`,
		]);
		for (const argv of [[], ['c7'], ['--reasons']]) {
			const { stdout, exit } = await runAssay(['compilations', 'evil.log', ...argv], temporary, { isTerminal: true, columns: 80 });
			expect(exit).toBe(0);
			expect(stdout).toContain('\\u001b[2J\\u202e');
			expect(stdout).not.toMatch(/[\u001b\u202e]/);
			expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
		}
	});
});

test('what is counted was begun, as often as the log has tasks, or is still queued', async () => {
	const { summary } = await json('compilation/jdk17');
	const tasks = fixtureText('compilation', 'jdk17', 'logcompilation.xml.zst').match(/^<task /gm)?.length ?? 0;
	expect([summary.started, summary.waiting]).toEqual([tasks, summary.compilations - tasks]);
	expect(summary.levels.map(({ compiler, waiting }) => [compiler, waiting])).toEqual([
		['c1', 0],
		['c1', 0],
		['c1', 0],
		['c2', summary.waiting],
		[null, 0],
	]);
	expect(summary.waiting).toBeGreaterThan(100);
	// Of the same compilations the queues tell how many there are.
	expect(summary.queues.reduce((sum, { neverStarted }) => sum + neverStarted, 0)).toBe(summary.waiting);
});

test('handles choose compilations; so do filters', async () => {
	const log = path.join('inlining', 'jdk17', 'logcompilation.xml.gz');
	const { compilations: rows, records = [] } = await json(log, 'c481%', 'c2');
	expect(rows.map(({ compileId }) => compileId)).toEqual(['481%', '2']);
	expect(records[0]?.phases.map(({ name }) => name)).toContain('buildIR');
	const ids = async (...argv: string[]): Promise<CompilationsJson['compilations']> => (await json(log, ...argv)).compilations;
	expect((await ids('--osr')).every(({ compileId, osrBci }) => compileId.endsWith('%') && osrBci !== undefined)).toBe(true);
	expect((await ids('--level', '4', '--method', 'app.Mix.*')).every(({ level, method }) => level === 4 && method.startsWith('app.Mix.'))).toBe(true);
	expect(await ids('--failed')).toEqual([]);
	expect((await ids('--deoptimized')).length).toBeGreaterThan(0);
	const failed = await json('inlining/jdk17/failed-tasks.xml.gz', '--failed');
	expect(failed.compilations).toHaveLength(7);
});

test('storms of deoptimizations', async () => {
	const hit = (ms: number, id = 7): string =>
		`<uncommon_trap thread='1' reason='class_check' action='none' compile_id='${id}' stamp='${ms / 1000}'>\n<jvms bci='3' method='A b ()V'/>\n</uncommon_trap>`;
	const queued = (id: number): string => `<task_queued compile_id='${id}' method='A c ()V' bytes='1' stamp='0.1'/>`;
	write('storm.log', [
		"<hotspot_log version='160 1' process='1' time_ms='1'>",
		queued(7),
		queued(8),
		...Array.from({ length: 12 }, (_, i) => hit(1000 + 50 * i)),
		...Array.from({ length: 3 }, (_, i) => hit(1700 + i, 8)),
		...Array.from({ length: 9 }, (_, i) => hit(9000 + i)),
		...Array.from({ length: 30 }, (_, i) => hit(20_000 + 200 * i)),
	]);
	const { stdout } = await runAssay(['compilations', 'storm.log', '--json'], temporary);
	expect(JSON.parse(stdout).result.summary.storms).toEqual([
		{ method: 'A.b', reason: 'class_check', count: 15, fromMs: 1000, toMs: 1702, compileIds: ['7', '8'] },
	]);
});

test('the files of a JVM that was killed are read from its folder; of two JVMs one has to be chosen', async () => {
	const text = fixtureText('inlining', 'jdk25', 'logcompilation.xml.gz');
	const folder = fs.mkdtempSync(path.join(temporary, 'killed-'));
	fs.writeFileSync(path.join(folder, 'app.log'), text.slice(0, text.indexOf('<compilation_log')));
	for (const [, thread, inside = ''] of text.matchAll(/<compilation_log thread='(\d+)'>\n([\s\S]*?)<\/compilation_log>/g)) {
		fs.writeFileSync(path.join(folder, `hs_c${thread}_pid11847.log`), inside);
	}
	fs.writeFileSync(path.join(folder, 'other.txt'), 'nothing');
	const whole = await json('inlining/jdk25/logcompilation.xml.gz');
	const parts = await runAssay(['compilations', path.basename(folder), '--json'], temporary);
	const { result, problems } = JSON.parse(parts.stdout);
	expect(problems).toEqual([]);
	expect(result.compilations).toEqual(whole.compilations);
	expect(result.recording.files).toHaveLength(3);

	fs.writeFileSync(path.join(folder, 'second.log'), fixtureText('inlining', 'jdk17', 'logcompilation.xml.gz'));
	const both = await runAssay(['compilations', path.basename(folder)], temporary);
	expect(both.exit).toBe(3);
	expect(both.stderr).toContain(
		'the files are of several JVMs: process 11847 (747 compilations), process 11652 (748 compilations); say which one is meant: --pid',
	);
	const chosen = await runAssay(['compilations', path.basename(folder), '--pid', '11652'], temporary);
	expect(chosen.stdout).toContain('process 11652');
});

test('wrong use and unusable input', async () => {
	const log = path.join('inlining', 'jdk17', 'logcompilation.xml.gz');
	for (const [argv, message] of [
		[[], 'a recording is expected'],
		[[log, '--level', '7'], '--level takes a number from 0 to 4, not "7"'],
		[[log, '--compiler', 'graal'], '--compiler takes c1, c2 or jvmci'],
		[[log, '--sort', 'name'], '--sort takes one of time, size, versions, deoptimizations'],
		[[log, 'c99999'], 'no method or compilation is called c99999'],
	] as const) {
		const { stderr, exit } = await compilations(...argv);
		expect([exit, stderr.includes(message)]).toEqual([2, true]);
	}
	const absent = await compilations('absent.log');
	expect([absent.exit, absent.stderr]).toEqual([3, expect.stringContaining('No such file')]);
	const other = await compilations('inlining/README.md', '--json');
	expect(other.exit).toBe(3);
	expect(validate(JSON.parse(other.stdout))).toBe(true);
	expect(other.stderr).toContain('-XX:+LogCompilation');
});

function write(name: string, lines: readonly string[]): void {
	fs.writeFileSync(path.join(temporary, name), `${lines.join('\n')}\n`);
}

describe('Graal', () => {
	const joined = path.join(root, 'fixtures', 'joined', 'graal');

	test('its calls stand where those of C2 do, as many as its own log has', async () => {
		const ran = await compilations(joined, '--json');
		expect(ran.stderr).toBe('');
		const { result }: { result: CompilationsJson } = JSON.parse(ran.stdout);
		expect(validate(JSON.parse(ran.stdout)), JSON.stringify(validate.errors)).toBe(true);
		const own = JSON.parse((await runAssayOnce(['report', joined, '--json', '--no-index'], root)).stdout).result.compilations;
		const counts = new Map<string, number>();
		for (const { compileId, compiler, inlinedCalls, notInlinedCalls } of own) {
			if (compiler === 'jvmci' && inlinedCalls !== undefined) {
				counts.set(compileId, inlinedCalls + notInlinedCalls);
			}
		}
		expect(counts.size).toBeGreaterThan(50);
		expect([...counts.values()].reduce((a, b) => a + b)).toBe(977);
		for (const { compileId, callSites } of result.compilations.filter((one) => counts.has(one.compileId))) {
			expect(callSites, compileId).toHaveLength(counts.get(compileId)!);
		}
		expect((await compilations(joined)).stdout).toContain('and the code of Graal itself where it is Java;');
		expect((await compilations(joined, 'c1413')).stdout).toMatch(/\n {6}\+ @ \d+ {2}java\.lang\.StringBuilder\.append\(/);
	});

	test('without it nothing is said of them, and where they are to be had', async () => {
		const log = path.join(joined, 'hotspot.log.gz');
		const text = (await compilations(log, 'c1413')).stdout;
		expect(text).toContain('its calls are not told: Graal writes them into a log of its own, -Djdk.graal.OptimizationLog=Directory');
		expect(text).not.toContain('no calls');
	});
});
