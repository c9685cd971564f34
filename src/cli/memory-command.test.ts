/** `assay memory` over the recorded outputs: JSON that adds up, text that fits, comparisons, budgets, events, wrong use. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, test } from 'vitest';
import { type AssayRun, runAssay } from '../../test/run-assay.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const recordings = path.join(root, 'fixtures', 'jvm', 'memstat');
const golden = path.join(root, 'fixtures', 'golden');
const validate = new Ajv2020({ allErrors: true, strict: false }).compile(JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'memory.json'), 'utf8')));

const memory = (...argv: string[]): Promise<AssayRun> => runAssay(['memory', ...argv], recordings);
const terminal = (columns: number, ...argv: string[]): Promise<AssayRun> => runAssay(['memory', ...argv], recordings, { isTerminal: true, columns });

interface Phase {
	readonly name: string;
	readonly totalBytes: number;
	readonly byArena: Record<string, number>;
}
interface Compilation extends Omit<Phase, 'name'> {
	readonly handle: string;
	readonly compileId: string | null;
	readonly compiler: string;
	readonly method: string;
	readonly signature: string | null;
	readonly nodes: number | null;
	readonly result: string | null;
	readonly limitBytes?: number;
	readonly hitLimit: boolean;
	readonly seconds: number | null;
	readonly phases: readonly Phase[];
	readonly timeline: readonly { readonly bytes: number; readonly deltaBytes: number; readonly depth: number; readonly continued: boolean }[];
}
interface MemoryJson {
	readonly atOnce?: { readonly bytes: number; readonly handles: readonly string[] };
	readonly byPhase?: readonly { readonly phase: string | null; readonly bytes: number }[];
	readonly compilations: readonly Compilation[];
	readonly tasks: readonly { readonly handle: string; readonly osrBci: number | null; readonly skipped: string | null }[];
	readonly advice: readonly { readonly kind: string; readonly flag: string | null }[];
	readonly replay?: { readonly events: number; readonly malformed: Record<string, number> };
	readonly changes: readonly {
		readonly method: string;
		readonly kind: string;
		readonly deltaBytes: number;
		readonly noise: boolean | null;
		readonly cells: readonly unknown[];
	}[];
	readonly unchanged: number;
}

function parse({ stdout }: AssayRun): { result: MemoryJson; problems: readonly { readonly message: string }[] } {
	const parsed = JSON.parse(stdout);
	expect(validate(parsed), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
	return parsed;
}

async function json(...argv: string[]): Promise<MemoryJson> {
	const run = await memory(...argv, '--json');
	expect({ exit: run.exit, stderr: run.stderr }).toEqual({ exit: 0, stderr: '' });
	const { result, problems } = parse(run);
	expect(problems).toEqual([]);
	return result;
}

const sum = (values: Record<string, number>): number => Object.values(values).reduce((a, b) => a + b, 0);

describe.each([
	['huge/memstat-print.txt.gz', 10],
	['huge/memstat-print-c1only.txt', 6],
	['huge/collect-print-at-exit.txt', 10],
	['jcmd/default.txt', 64],
	['jcmd/verbose-minsize8M.txt.gz', 64],
	['stop/stop-20M.txt.gz', 11],
	['stop/jcmd-memlimit-legend.txt', 23],
	['crash/hs_err_memlimit.log', 5],
	['events/events.ndjson.gz', 14],
])('%s', (file, count) => {
	test('as JSON is as the schema says and adds up', async () => {
		const { compilations } = await json(file);
		expect(compilations).toHaveLength(count);
		for (const { byArena, totalBytes, phases, handle, compileId } of compilations) {
			expect(handle).toBe(`c${compileId}`);
			expect(sum(byArena)).toBe(totalBytes);
			expect(phases.length === 0 || phases.reduce((all, phase) => all + phase.totalBytes, 0) === totalBytes).toBe(true);
			expect(phases.every((phase) => sum(phase.byArena) === phase.totalBytes)).toBe(true);
		}
	});
});

test('a table and verbose blocks of one process are put together', async () => {
	const { compilations } = await json('stop/jcmd-memlimit-legend.txt', 'stop/jcmd-memlimit-verbose.txt.gz');
	// Two files are two outputs; asked for in one, as of a process, they are one.
	expect(compilations).toHaveLength(46);
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-memory-'));
	const both = ['stop/jcmd-memlimit-legend.txt', 'stop/jcmd-memlimit-verbose.txt.gz'].map((file) => {
		const bytes = fs.readFileSync(path.join(recordings, file));
		return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
	});
	fs.writeFileSync(path.join(folder, 'both.txt'), both.join(''));
	const merged = await json(path.join(folder, 'both.txt'));
	fs.rmSync(folder, { recursive: true });
	expect(merged.compilations).toHaveLength(23);
	expect(merged.compilations.find(({ handle }) => handle === 'c18')).toMatchObject({
		method: 'Huge.big',
		signature: '([I[I)I',
		compiler: 'c2',
		totalBytes: 11374640,
		nodes: 5722,
		result: 'oom',
		limitBytes: 9437184,
		hitLimit: true,
		seconds: 0.152,
	});
	expect(merged.compilations.find(({ handle }) => handle === 'c18')?.phases.length).toBeGreaterThan(3);
	expect(merged.compilations.find(({ handle }) => handle === 'c26')).toMatchObject({ limitBytes: 9437184, hitLimit: false });
	expect('limitBytes' in (merged.compilations.find(({ handle }) => handle === 'c15') ?? {})).toBe(false);
});

test('limits, on-stack replacement and what was skipped come from the lines around', async () => {
	const { compilations, tasks } = await json('stop/stop-20M.txt.gz');
	expect(compilations.filter(({ hitLimit }) => hitLimit).map(({ handle, limitBytes, result }) => [handle, limitBytes, result])).toEqual([
		['c17', 20971520, 'ok'],
		['c18', 20971520, 'oom'],
	]);
	expect(tasks.find(({ handle }) => handle === 'c17')).toMatchObject({ osrBci: 4100, skipped: null });
	expect(tasks.find(({ handle }) => handle === 'c18')).toMatchObject({ osrBci: null, skipped: expect.stringContaining('hit memory limit') });
	const [offending, ...others] = (await json('crash/hs_err_memlimit.log')).compilations;
	expect(offending).toMatchObject({ handle: 'c17', compiler: 'c2', totalBytes: 23704824, hitLimit: true, limitBytes: 20971520, result: null });
	expect(others.map(({ compiler }) => compiler)).toEqual(['c1', 'c1', 'c1', 'c1']);
});

test('the advice stops this compilation and not the cheaper ones of its method', async () => {
	const { advice } = await json('huge/memstat-print.txt.gz');
	expect(advice.map(({ kind }) => kind)).toEqual(['peak', 'temporary-peak', 'recompiled', 'limit', 'reproduce']);
	const [, megabytes] = /^'-XX:CompileCommand=memlimit,Huge\.big\(\[I\[I\)I,(\d+)M~stop'$/.exec(advice.find(({ kind }) => kind === 'limit')?.flag ?? '') ?? [];
	expect(Number(megabytes) * 1048576).toBeGreaterThanOrEqual(23737552);
	expect(Number(megabytes) * 1048576).toBeLessThan(46723864);
});

describe('text', () => {
	test.each([
		['memory-overview-80.txt', 80, ['huge/memstat-print.txt.gz']],
		['memory-overview-200.txt', 200, ['stop/jcmd-memlimit-legend.txt']],
		['memory-compilation-80.txt', 80, ['huge/memstat-print.txt.gz', '--compilation', 'c18']],
		['memory-compilation-200.txt', 200, ['crash/hs_err_memlimit.log', 'c17', '--all']],
		['memory-c1-80.txt', 80, ['huge/memstat-print.txt.gz', 'c13']],
		['memory-lost-entries-80.txt', 80, ['jcmd/verbose-minsize8M.txt.gz', '--compilation', '9301']],
		['memory-events-80.txt', 80, ['events/events.ndjson.gz', '--top', '5']],
		['memory-compare-80.txt', 80, ['huge/memstat-print.txt.gz', '--compare', 'stop/stop-20M.txt.gz']],
		['memory-compare-200.txt', 200, ['events/events.ndjson.gz', '--compare', 'huge/memstat-print.txt.gz']],
	])('%s', async (file, columns, argv) => {
		const { stdout, exit } = await terminal(columns, ...argv);
		expect(exit).toBe(0);
		const wide = stdout.split('\n').filter((line) => [...line].length > columns && !line.includes('-XX:'));
		expect(wide).toEqual([]);
		await expect(stdout).toMatchFileSnapshot(path.join(golden, file));
	});

	test('the example of the help runs', async () => {
		const { stdout, exit } = await runAssay(['memory', 'examples/memory'], root);
		expect(exit).toBe(0);
		await expect(stdout).toMatchFileSnapshot(path.join(golden, 'memory-example.txt'));
		expect((await memory('--help')).stdout).toContain('assay memory examples/memory');
	});
});

describe('a comparison', () => {
	test('of a file with itself changes nothing', async () => {
		const result = await json('huge/memstat-print.txt.gz', '--compare', 'huge/memstat-print.txt.gz');
		expect([result.changes, result.unchanged]).toEqual([[], 8]);
	});

	test('tells what changed, appeared and vanished, and noise from change with repeats', async () => {
		const argv = ['huge/memstat-print.txt.gz', '--compare', 'huge/memstat-print-c1only.txt'];
		const plain = await json(...argv);
		expect(plain.changes[0]).toMatchObject({ method: 'Huge.big', kind: 'vanished', deltaBytes: -46723864, noise: null });
		expect(new Set(plain.changes.map(({ kind }) => kind))).toEqual(new Set(['changed', 'appeared', 'vanished']));
		const twice = (option: string, file: string): string[] => [option, file, option, file];
		const repeated = await json(...argv, ...twice('--repeat-a', 'huge/memstat-print.txt.gz'), ...twice('--repeat-b', 'huge/memstat-print-c1only.txt'));
		expect(repeated.changes.every(({ noise }) => noise === false)).toBe(true);
		// The same runs, shuffled among the sides: nothing of it is a change.
		const shuffled = await json(...argv, '--repeat-a', 'huge/memstat-print-c1only.txt');
		expect(shuffled.changes.every(({ noise }) => noise === true)).toBe(true);
		const text = await memory(...argv, '--repeat-a', 'huge/memstat-print-c1only.txt');
		expect(text.stdout).toContain('noise (--show-noise)');
	});
});

describe('a budget', () => {
	test.each([
		['64M', 0, 'Within the budget'],
		['20M', 1, 'Over the budget of 20.00M: 2'],
		['46723864', 0, 'Within the budget'],
		['46723863', 1, 'Over the budget'],
	])('of %s exits %i', async (size, status, text) => {
		const { exit, stdout } = await memory('huge/memstat-print.txt.gz', '--budget', size);
		expect([exit, stdout.includes(text)]).toEqual([status, true]);
	});
});

test('CSV has a row a compilation, and text that a spreadsheet would run is made harmless', async () => {
	const { stdout } = await memory('huge/memstat-print.txt.gz', '--csv');
	const rows = stdout.split('\r\n');
	expect(rows[0]).toBe(
		'handle,compileId,compiler,level,osrBci,method,signature,totalBytes,ra,cienv,node,comp,type,states,reglive,regsplit,superword,ha,other,nodes,result,limitBytes,hitLimit,seconds,thread',
	);
	expect(rows.find((row) => row.startsWith('c18,'))).toBe(
		'c18,18,c2,,,Huge.big,([I[I)I,46723864,29608720,753096,5269768,10753776,295576,42928,0,0,0,0,0,,ok,,false,,',
	);
	expect(rows).toHaveLength(12);
	const phases = (await memory('huge/memstat-print.txt.gz', '--csv', 'c18')).stdout.split('\r\n');
	expect(phases.find((row) => row.startsWith('c18,output,'))).toMatch(/^c18,output,\d+,/);
	const changes = (await memory('huge/memstat-print.txt.gz', '--csv', '--compare', 'huge/memstat-print-c1only.txt')).stdout;
	expect(changes).toContain('d1,Huge.big,([I[I)I,c2,vanished,46723864,0,-46723864,1,0,,');
});

describe('events', () => {
	const stream = gunzipSync(fs.readFileSync(path.join(recordings, 'events', 'events.ndjson.gz')));
	async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
		for (let start = 0; start < bytes.length; start += size) {
			yield bytes.subarray(start, start + size);
		}
	}

	test('from standard input give the same as from a file', async () => {
		const live = await runAssay(['memory', '--events', '-', '--json'], recordings, { input: pieces(stream, 100_003) });
		const file = await memory('--events', 'events/events.ndjson.gz', '--json');
		expect(parse(live)).toEqual(parse(file));
		expect(parse(file).result.compilations).toHaveLength(14);
		expect(parse(file).result.replay?.events).toBe(23_982);
	});

	test('with a limit say what it would have done', async () => {
		const stopped = await json('--events', 'events/events.ndjson.gz', '--limit', '20M');
		expect(stopped.compilations.filter(({ hitLimit }) => hitLimit).map(({ handle, result }) => [handle, result])).toEqual([
			['c8', 'oom'],
			['c9', 'oom'],
		]);
		const crashed = await json('--events', 'events/events.ndjson.gz', '--limit', '20M~crash');
		expect(crashed.compilations.at(-1)).toMatchObject({ handle: 'c8', result: null });
		expect(crashed.replay).toMatchObject({ crashed: true });
	});

	test('that are none are unusable', async () => {
		const run = await runAssay(['memory', '--events', '-'], recordings, { input: pieces(Buffer.from('hello\n'), 3) });
		expect({ exit: run.exit, stderr: run.stderr }).toMatchObject({ exit: 3, stderr: expect.stringContaining('holds no event of a compiler') });
	});
});

describe('hostile and unusable input', () => {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-memory-'));
	afterAll(() => fs.rmSync(folder, { recursive: true }));
	fs.writeFileSync(
		path.join(folder, 'hostile.txt'),
		'c1 (7) (ok) Arena usage =\x1b[31mT::f\x1b[2J(([I)I): Total Usage: 98184 [r\x1b[1ma 98184]\nc2 (9) (ok) Arena usage T::f(()V): Total Usage: 10 \n    --- Arena Usage\n        Phase  Total  __proto__\n        a\x1b[7m  10  10\n' +
			'    --- Allocation timelime by phase ---\n        Phase seq. number  Bytes  Nodes\n        >0   (out\x1b[2Jside)   10 (+10)   3 (+3) \n    ---\n',
	);
	fs.writeFileSync(path.join(folder, 'other.txt'), 'hello\n');
	fs.writeFileSync(path.join(folder, 'disabled.txt'), '17:\nCompilation memory statistics disabled.\n');
	const run = (...argv: string[]): Promise<AssayRun> => runAssay(['memory', ...argv], folder, { isTerminal: true, columns: 100 });

	test('names reach no terminal as they are', async () => {
		for (const argv of [[], ['c9'], ['--compare', 'hostile.txt']]) {
			const { stdout, stderr, exit } = await run('hostile.txt', ...argv);
			expect(exit).toBe(0);
			expect(stdout + stderr).not.toContain('\x1b');
		}
		const { stdout } = await run('hostile.txt', '--json');
		expect(JSON.parse(stdout).result.compilations[1].byArena).toEqual(JSON.parse('{"__proto__": 10}'));
		expect((await run('hostile.txt', '--csv')).stdout).toContain("'=");
	});

	test.each([
		[[], 2, 'an output of a JVM, a recording or a process is expected'],
		[['other.txt'], 3, 'other.txt: holds no statistic of the memory of compilers'],
		[['disabled.txt'], 3, 'the JVM says: Compilation memory statistics disabled'],
		[['missing.txt'], 3, 'missing.txt: cannot be read (No such file or directory)'],
		[['4194304999'], 3, 'process 4194304999: does not exist'],
		[['--watch', 'x'], 2, '--watch takes a process id, not "x"'],
		[['hostile.txt', '--watch', '1'], 2, '"hostile.txt" and --watch do not go together'],
		[['hostile.txt', 'c99'], 2, 'no compilation is called c99'],
		[['hostile.txt', '--compilation', 'x'], 2, 'no compilation is called x'],
		[['hostile.txt', '--budget', '64MB'], 2, '--budget takes a size such as 64M, 512K or 1G, not "64MB"'],
		[['--events', 'hostile.txt', '--limit', '20M~burn'], 2, '--limit takes a size such as 64M, 64M~stop or 64M~crash, not "20M~burn"'],
		[['--events', '-'], 3, 'standard input: is not there'],
		[['hostile.txt', '--json', '--csv'], 2, '--json and --csv do not go together'],
		[['hostile.txt', '--repeat-a', 'hostile.txt'], 2, '--repeat-a goes with --compare'],
		[['hostile.txt', '--compare', 'hostile.txt', '--compilation', 'c7'], 2, '--compare and --compilation do not go together'],
		[['hostile.txt', '--compare', 'hostile.txt', ...Array.from({ length: 8 }, () => ['--repeat-b', 'hostile.txt']).flat()], 2, 'at most 8 runs of a side'],
		[['hostile.txt', '--top', '0'], 2, '--top takes a whole number from 1 on'],
	])('%j', async (argv, status, message) => {
		const { stderr, exit } = await run(...(argv as string[]));
		expect({ exit, stderr }).toMatchObject({ exit: status, stderr: expect.stringContaining(message as string) });
	});

	test('a JSON result is whole also without an input', async () => {
		expect(parse(await run('other.txt', '--json')).problems).toHaveLength(1);
	});
});

test('a recording of Flight Recorder has the peak of each compilation, and what ran at once', async () => {
	const events = path.join(root, 'fixtures', 'jvm', 'jfr-events');
	const run = await runAssay(['memory', 'jdk25/run.jfr.gz'], events);
	expect(run.exit).toBe(0);
	expect(run.stdout).toContain('29 compilations, 5.09M at their peaks together, c2 5 (1.69M), c1 24 (3.40M)');
	expect(run.stdout).toMatch(/^ {2}at most 0\.56M at 0\.792 s: c473$/m);
	const { result } = parse(await runAssay(['memory', 'jdk25/run.jfr.gz', '--json'], events));
	expect(result.atOnce?.handles).toEqual(['c473']);
	expect(result.atOnce?.bytes).toBe(result.compilations.find(({ handle }) => handle === 'c473')?.totalBytes);
	expect(result.byPhase).toBeUndefined();
	// Nobody counted it.
	expect((await runAssay(['memory', 'jdk17/run.jfr.gz'], events)).exit).toBe(3);
});

test('beside what the JVM printed of the same run nothing counts twice, and phases sum to the peaks', async () => {
	const events = path.join(root, 'fixtures', 'jvm', 'jfr-events');
	const totals = async (
		...names: string[]
	): Promise<{ readonly totalBytes: number; readonly byPhase: readonly { readonly bytes: number }[]; readonly atOnce?: unknown }> =>
		JSON.parse((await runAssay(['memory', ...names, '--json'], events)).stdout).result;
	const alone = await totals('jdk25/memory.txt.gz');
	const both = await totals('jdk25/memory.txt.gz', 'jdk25/run.jfr.gz');
	expect(both.totalBytes).toBe(alone.totalBytes);
	expect(alone.byPhase.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(alone.totalBytes);
	expect(alone.atOnce).toBeUndefined();
	expect(both.atOnce).toBeDefined();
});

test("the JVM's own count of its compilers stands beside the statistics, and alone is no statistic", async () => {
	const { stdout } = await memory('jcmd/default.txt', 'jcmd/nmt.txt', '--json');
	expect(validate(JSON.parse(stdout)), JSON.stringify(validate.errors)).toBe(true);
	expect(JSON.parse(stdout).result.nativeMemory).toMatchObject([{ file: 'jcmd/nmt.txt', line: 3, committedBytes: 1549 * 1024, arenaPeakBytes: 30305 * 1024 }]);
	const text = (await memory('jcmd/default.txt', 'jcmd/nmt.txt')).stdout;
	expect(text).toContain(
		'What the JVM itself counts for its compilers (Native Memory Tracking)\n  1.51M of the 1218.09M committed (0.1 %), arenas 0.19M (6), at most 29.59M together; jcmd/nmt.txt, line 3\n',
	);
	expect((await memory('jcmd/default.txt', '--json')).stdout).not.toContain('nativeMemory');
	expect(await memory('jcmd/nmt.txt')).toMatchObject({
		exit: 3,
		stderr: expect.stringContaining(
			"holds no statistic of the memory of compilers, only Native Memory Tracking's summary (compilers 1.51M, arenas up to 29.59M)",
		),
	});
});

test('tables by phase that were pasted alone are compilations without a name', async () => {
	const lines = gunzipSync(fs.readFileSync(path.join(recordings, 'stop', 'stop-20M.txt.gz')))
		.toString()
		.split('\n');
	const title = lines.findIndex((line) => line.includes('Arena Usage by Arena Type'));
	const table = lines.slice(
		title,
		lines.findIndex((line, i) => i > title && line.includes('Allocation timel')),
	);
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-pasted-'));
	fs.writeFileSync(path.join(folder, 'mail.txt'), ['A. wrote:', ...table.map((line) => `> ${line}`), '', 'And:', ...table, ''].join('\n'));
	const { stdout } = await runAssay(['memory', 'mail.txt', '--json'], folder);
	const text = (await runAssay(['memory', 'mail.txt'], folder)).stdout;
	fs.rmSync(folder, { recursive: true });
	expect(validate(JSON.parse(stdout)), JSON.stringify(validate.errors)).toBe(true);
	const { compilations, byPhase } = JSON.parse(stdout).result as MemoryJson;
	expect(compilations).toMatchObject([{ handle: 'm1', compileId: null, compiler: 'c2', method: '(unknown)', signature: null }, { handle: 'm2' }]);
	expect(compilations[1]).toEqual({ ...compilations[0], handle: 'm2' });
	expect(byPhase?.[0]).toEqual({ phase: 'output', bytes: 2 * (compilations[0]?.phases.find(({ name }) => name === 'output')?.totalBytes ?? 0) });
	expect(text).toContain('(unknown)\n');
	expect(text).not.toMatch(/×2|compiled 2 times|Compiled more than once|-XX:/);
});
