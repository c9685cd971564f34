import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { zipSync } from 'fflate';
import { afterAll, describe, expect, test } from 'vitest';
import { readPacked } from '../../test/packed.js';
import { type AssayRun, runAssay, runAssayOnce } from '../../test/run-assay.js';
import { readPerfasmEvidence } from '../answers/perfasm.js';
import { intelSyntax } from '../disassembly/intel-syntax.js';
import { jmhPerfasm } from '../hot/jmh-perfasm.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const recordings = path.join(root, 'fixtures', 'jvm', 'perfasm');
const golden = path.join(root, 'fixtures', 'golden');
const validate = new Ajv2020({ allErrors: true, strict: false }).compile(JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'hot.json'), 'utf8')));

const hot = (...argv: string[]): Promise<AssayRun> => runAssayOnce(['hot', ...argv], recordings);

interface Row {
	readonly samples: number;
	readonly percent: number;
	readonly low: number;
	readonly high: number;
}
interface HotJson {
	readonly samples: { readonly total: number; readonly counted: number; readonly byReason: Record<string, number> };
	readonly regions: (Row & {
		handle: string;
		compileId: string | null;
		method: string;
		library: string | null;
		lines: (Row & { text: string; analysedPercent: number | null })[];
	})[];
	readonly methods: (Row & { method: string; source: string })[];
	readonly sources: (Row & { source: string })[];
	readonly compilations: (Row & { compileId: string; timeline: number[] })[];
	readonly by?: { readonly rows: Row[] };
	readonly skid: { readonly shifted: boolean };
	readonly threadTime: {
		readonly classes: readonly { class: string; samples: number }[];
		readonly threads: readonly { name: string; samples: number }[];
	} | null;
}

async function json(...argv: string[]): Promise<HotJson> {
	const { stdout, exit } = await hot(...argv, '--json');
	expect(exit).toBe(0);
	const parsed = JSON.parse(stdout);
	expect(validate(parsed), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
	return parsed.result;
}

const sum = (rows: readonly { readonly samples: number }[]): number => rows.reduce((total, { samples }) => total + samples, 0);
const NOT_COUNTED = ["before the JVM's start", 'outside the window', 'other process', 'other event', 'other thread'];

const withLog = fs.readdirSync(recordings).filter((name) => fs.existsSync(path.join(recordings, name, 'hotspot.log.zst')));

describe.each(withLog)('%s', (name) => {
	test('every sample is in a compilation or has a reason; regions, methods and kinds add up', async () => {
		const result = await json(name);
		const { total, counted, byReason } = result.samples;
		expect(sum(result.compilations) + Object.values(byReason).reduce((a, b) => a + b, 0)).toBe(total);
		expect(sum(result.regions.filter(({ compileId }) => compileId !== null))).toBe(sum(result.compilations));
		expect(total - NOT_COUNTED.reduce((left, reason) => left + (byReason[reason] ?? 0), 0)).toBe(counted);
		for (const rows of [result.regions, result.methods, result.sources]) {
			expect(sum(rows)).toBe(counted);
			expect(rows.every(({ low, percent, high }) => low <= percent && percent <= high)).toBe(true);
		}
		for (const { lines, samples } of result.regions) {
			expect(lines.length === 0 ? samples : sum(lines)).toBe(samples);
		}
		expect(result.compilations.every(({ timeline, samples }) => timeline.reduce((a, b) => a + b, 0) === samples)).toBe(true);
	});

	test('differs from JMH in the same window by what it lists', async () => {
		const folder = path.join(recordings, name);
		const meta = JSON.parse(fs.readFileSync(path.join(folder, 'meta.json'), 'utf8'));
		const window = name.endsWith('-window') ? { delayMs: 4500, lengthMs: 700 } : { delayMs: meta.skipMs as number, lengthMs: meta.lenMs as number };
		const files = fs.readdirSync(folder).filter((file) => /^(?:hotspot\.log|perf\.script\.txt|dtrace\.txt)\.(?:gz|zst)$/.test(file));
		const evidence = await readPerfasmEvidence(files.map((file) => ({ filePath: path.join(folder, file), name: file })));
		const isDTrace = evidence.format === 'dtrace';
		const options = {
			hotThreshold: 0.1,
			top: 20,
			tooBigThreshold: 1000,
			printMargin: 10,
			mergeMargin: 32,
			mergeMethods: false,
			drawIntraJumps: true,
			drawInterJumps: false,
		};
		const jmh = jmhPerfasm(
			evidence.samples,
			evidence.assembly,
			{ rule: isDTrace ? 'dtrace' : 'perf', ...window, processId: isDTrace ? (evidence.assembly?.processId ?? null) : null },
			{ ...options, events: evidence.samples.events.slice(0, 1) },
		);
		const ours = await json(name, '--delay', String(window.delayMs), '--length', String(window.lengthMs));
		const { counted, byReason } = ours.samples;
		if (isDTrace) {
			// JMH cuts times to whole milliseconds, and starts at the first sample of the process.
			expect(Math.abs(jmh.totals[0]! - counted)).toBeLessThan(10);
			return;
		}
		// JMH counts the first sample whatever its time, and all processes.
		expect(jmh.totals[0]).toBe(counted + 1 + (byReason['other process'] ?? 0) + (byReason["before the JVM's start"] ?? 0));
		const bySource = (rows: readonly { source: string; samples: number }[], source: string): number => rows.find((row) => row.source === source)?.samples ?? 0;
		const theirs = jmh.sources.map(({ source, counts }) => ({ source, samples: counts[0]! }));
		for (const source of ['c1, level 1', 'c1, level 2', 'c1, level 3', 'c2, level 4']) {
			expect(bySource(ours.sources, source)).toBe(bySource(theirs, source));
		}
	});
});

test('machine code and the text of hsdis have the same hottest instructions', async () => {
	const texts = async (name: string): Promise<string[]> =>
		((await json(name)).regions[0]?.lines ?? []).map(({ text }) => text.replace(/0x0*([0-9a-f]{9,})/, 'address'));
	const disassembled = await texts('jdk25-arraySum-nohsdis');
	expect(disassembled).toEqual(await texts('jdk25-arraySum'));
	expect(disassembled).toContain('add 0x10(%r14,%rcx,4),%edx');
});

test('--syntax intel is the same with other texts: in tables, listings, JSON and comparisons', async () => {
	const name = 'jdk25-arraySum';
	const [att, intel] = [await json(name, '--code'), await json(name, '--code', '--syntax', 'intel')];
	const texts = ({ regions }: HotJson): string[] => (regions[0]?.lines ?? []).map(({ text }) => text);
	expect(texts(intel)).toEqual(texts(att).map(intelSyntax));
	expect(texts(intel)).toContain('add edx,DWORD PTR [r14+rcx*4+0x10]');
	const withoutTexts = (result: HotJson): string => JSON.stringify(result, (key, value) => (key === 'text' ? '' : value));
	expect(withoutTexts(intel)).toBe(withoutTexts(att));
	expect(await json(name, '--syntax', 'att')).toEqual(await json(name));
	for (const argv of [[name], [name, '--by', 'instruction'], [name, '--compare', 'jdk25-arraySum-nohsdis']]) {
		const { stdout, exit } = await hot(...argv, '--syntax', 'intel');
		expect([exit, stdout.includes('DWORD PTR ['), /%[er][a-d]x|\(%/.test(stdout)]).toEqual([0, true, false]);
	}
	const { stdout } = await runAssayOnce(['report', name, '--section', 'hot', '--syntax', 'intel', '--no-index'], recordings);
	expect(stdout).toContain('add edx,DWORD PTR [r14+rcx*4+0x10]');
});

test('every fold adds up to what is counted, with skid moved and not', async () => {
	for (const kind of ['instruction', 'line', 'bytecode', 'method', 'region', 'library']) {
		for (const skid of ['on', 'off']) {
			const { by, samples } = await json('jdk25-mapGet', '--by', kind, '--skid', skid);
			expect(sum(by?.rows ?? [])).toBe(samples.counted);
		}
	}
});

test('the analysed column has the same total as the seen one', async () => {
	const { regions, samples, skid } = await json('jdk17-uncountedCollatz', '--skid', 'on');
	expect(skid.shifted).toBe(true);
	const inCode = regions.filter(({ lines }) => lines.length > 0);
	const analysed = inCode.reduce((total, { lines }) => total + lines.reduce((a, { analysedPercent }) => a + (analysedPercent ?? 0), 0), 0);
	expect(analysed).toBeCloseTo((100 * sum(inCode)) / samples.counted, 0);
});

test.each([
	['hot-machine-code.txt', ['jdk25-arraySum-nohsdis']],
	['hot-collatz-skid-intervals.txt', ['jdk17-uncountedCollatz', '--skid', 'on', '--intervals', '--margin', '2', '--top', '5']],
	['hot-dtrace.txt', ['dtrace-jdk25-stringConcatHash', '--threshold', '0.2', '--top', '6']],
	['hot-intel-gap.txt', ['jdk17-virtualDispatch-intel', '--gap', '32', '--threshold', '0.05', '--top', '10']],
	['hot-by-line.txt', ['jdk25-mapGet', '--by', 'line']],
	['hot-native.txt', ['jdk25-nativeHeavy', '--top', '12']],
	['hot-compare.txt', ['jdk17-arraySum', '--compare', 'jdk25-arraySum', '--top', '8']],
])('%s', async (file, argv) => {
	const { stdout, exit } = await hot(...argv);
	expect(exit).toBe(0);
	await expect(stdout).toMatchFileSnapshot(path.join(golden, file));
});

test('fits 80 columns of a terminal', async () => {
	const { stdout } = await runAssay(['hot', 'jdk25-mapGet'], recordings, { isTerminal: true, columns: 80 });
	await expect(stdout).toMatchFileSnapshot(path.join(golden, 'hot-80-columns.txt'));
});

test('a comparison as JSON', async () => {
	const { stdout } = await hot('jdk17-arraySum', '--compare', 'jdk25-arraySum', '--json');
	const parsed = JSON.parse(stdout);
	expect(validate(parsed), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
	expect(parsed.result.pairs.length).toBeGreaterThan(20);
});

test('the window of a note beside the recording is taken, and options go before it', async () => {
	expect((await json('jdk25-mapGet')).samples.counted).toBe(2975);
	expect((await json('jdk25-mapGet', '--delay', '0')).samples.byReason['outside the window']).toBeUndefined();
});

test("JMH's result folder: its saved log gives what the JVM's gives", async () => {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-jmh-'));
	try {
		const source = path.join(recordings, 'jdk25-arraySum-nohsdis');
		const log = readPacked(path.join(source, 'hotspot.log.zst')).toString();
		// saveLog=true leaves out blank lines and puts a column of 10 characters before the others.
		const lines = log.split('\n').filter((line) => line.trim() !== '');
		fs.writeFileSync(path.join(folder, 'bench.log'), lines.map((line, i) => `${i % 7 === 3 ? '   0.04%  ' : '          '}${line}`).join('\n'));
		fs.copyFileSync(path.join(source, 'perf.script.txt.gz'), path.join(folder, 'bench.perf'));
		const saved = await json(folder);
		const own = await json(path.join(source, 'hotspot.log.zst'), path.join(source, 'perf.script.txt.gz'));
		expect(saved.regions).toEqual(own.regions);
		expect(saved.samples).toEqual(own.samples);
	} finally {
		fs.rmSync(folder, { recursive: true });
	}
});

test('lines of sources from a folder and from an archive', async () => {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-sources-'));
	try {
		const text = `${'\n'.repeat(576)}        first = tab[hash];\n`;
		fs.mkdirSync(path.join(folder, 'java.base', 'java', 'util'), { recursive: true });
		fs.writeFileSync(path.join(folder, 'java.base', 'java', 'util', 'HashMap.java'), text);
		fs.writeFileSync(path.join(folder, 'src.zip'), zipSync({ 'java.base/java/util/HashMap.java': new TextEncoder().encode(text) }));
		for (const sources of [folder, path.join(folder, 'src.zip')]) {
			expect((await hot('jdk25-mapGet', '--by', 'line', '--sources', sources)).stdout).toContain('java.util.HashMap.getNode:577  first = tab[hash];');
		}
		expect(await hot('jdk25-mapGet', '--sources', path.join(folder, 'missing'))).toMatchObject({
			exit: 3,
			stderr: expect.stringContaining('is neither a folder nor an archive'),
		});
	} finally {
		fs.rmSync(folder, { recursive: true });
	}
});

describe('lambdas are called otherwise in each run', () => {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-lambda-'));
	afterAll(() => fs.rmSync(folder, { recursive: true }));
	const example = path.join(root, 'examples', 'hot');

	/** The example, its class called otherwise. */
	function renamed(name: string, holder: string): void {
		fs.mkdirSync(path.join(folder, name));
		fs.copyFileSync(path.join(example, 'perf.script.txt.gz'), path.join(folder, name, 'perf.script.txt.gz'));
		const log = readPacked(path.join(example, 'hotspot.log.gz')).toString();
		fs.writeFileSync(
			path.join(folder, name, 'hotspot.log'),
			log.replaceAll(/HotLoop(?!\$)/g, () => holder),
		);
	}

	test.each([
		['HotLoop$$Lambda$12/0x0000000800c03000', 'HotLoop$$Lambda$13/0x0000000800c04200'],
		['HotLoop$$Lambda/0x00007f6cac00a210', 'HotLoop$$Lambda/0x000000003b047678'],
		['HotLoop$$Lambda$12/0x0000000800c03000', 'HotLoop$$Lambda/0x000000003b047678'],
		['HotLoop$$Lambda$14/1234567890', 'HotLoop$$Lambda$15/987654321'],
		['java.lang.invoke.LambdaForm$MH/0x0000000800c03000', 'java.lang.invoke.LambdaForm$MH/0x0000000800c04400'],
	])('%s and %s are the same code', async (a, b) => {
		const [nameA, nameB] = [a.replaceAll('/', '_'), `${b.replaceAll('/', '_')} again`];
		renamed(nameA, a);
		renamed(nameB, b);
		const { stdout, exit } = await runAssay(['hot', nameA, '--compare', nameB, '--json'], folder);
		fs.rmSync(path.join(folder, nameA), { recursive: true });
		fs.rmSync(path.join(folder, nameB), { recursive: true });
		expect(exit).toBe(0);
		const { pairs } = JSON.parse(stdout).result as {
			pairs: { a: { handle: string } | null; b: { handle: string } | null; difference: { points: number } }[];
		};
		expect(pairs.find((pair) => pair.a?.handle === 'r1')).toMatchObject({ b: { handle: 'r1' }, difference: { points: 0 } });
		expect(pairs.filter((pair) => pair.a === null || pair.b === null)).toEqual([]);
	});
});

describe('hostile and unusable input', () => {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-hot-'));
	afterAll(() => fs.rmSync(folder, { recursive: true }));
	fs.writeFileSync(
		path.join(folder, 'perf.txt'),
		'  1.000: cpu-clock:  7f0000001000 [unknown] (/tmp/perf-1.map)\n  1.001: cpu-clock:  7f0000001004 [unknown] (/tmp/perf-1.map)\n  1.002: cpu-clock:  ffffffff00000000 k\x1b[31m ([kernel])\n',
	);
	fs.copyFileSync(path.join(folder, 'perf.txt'), path.join(folder, 'perf-2.txt'));
	fs.writeFileSync(
		path.join(folder, 'log.txt'),
		"<hotspot_log version='160 1' process='1' time_ms='1'>\n<nmethod compile_id='1' compiler='c2' level='4' entry='0x00007f0000001000' size='16' method='a.B\x1b[31m m ()V' stamp='0.001'/>\n" +
			'<print_nmethod>\nCompiled method (c2) 1    1       4       a.B\x1b[31m::m (5 bytes)\n main code      [0x00007f0000001000,0x00007f0000001008] = 8\n' +
			'  0x00007f0000001000:   nop\n  0x00007f0000001004:   ret    ; \x1b[2J\n</print_nmethod>\n',
	);
	fs.writeFileSync(path.join(folder, 'other.txt'), 'hello\n');
	const run = (...argv: string[]): Promise<AssayRun> => runAssay(['hot', ...argv], folder, { isTerminal: true });

	test('names reach no terminal as they are', async () => {
		const { stdout, exit } = await run('perf.txt', 'log.txt');
		expect(exit).toBe(0);
		expect(stdout).not.toContain('\x1b');
		expect(stdout).toContain('a.B\\u001b[31m.m');
	});

	test.each([
		[[], 2, 'a recording is expected'],
		[['log.txt'], 3, 'log.txt: samples are missing'],
		[['other.txt', 'perf.txt'], 3, 'other.txt: holds neither samples'],
		[['missing.txt'], 3, 'missing.txt: cannot be read (No such file or directory)'],
		[['perf.txt', 'perf-2.txt'], 3, 'several files hold samples'],
		[['perf.txt', '--by', 'colour'], 2, '--by takes one of instruction, line, bytecode, method, region, library, class, thread, not "colour"'],
		[['perf.txt', '--skid', 'maybe'], 2, '--skid takes auto, on or off, not "maybe"'],
		[['perf.txt', '--syntax', 'nasm'], 2, '--syntax takes att or intel, not "nasm"'],
		[['perf.txt', '--threshold', '2'], 2, '--threshold takes a number from 0 to 1, not "2"'],
		[['perf.txt', '--event', 'cycles'], 2, 'has no event cycles; its events: cpu-clock'],
		[['perf.txt', 'log.txt', 'r99'], 2, 'no region, method or compilation with samples is called r99'],
	])('%j', async (argv, status, message) => {
		const { stderr, exit } = await run(...(argv as string[]));
		expect({ exit, stderr }).toMatchObject({ exit: status, stderr: expect.stringContaining(message as string) });
	});

	test.each([
		['c1', "compiler='c1' level='3'", true],
		// As with -Xint: what a JVM that compiles nothing has for native methods is no code of another run.
		['a wrapper', "compile_kind='c2n' compiler='' level='0'", false],
	])('where no sample lies in the code of the log, %s', async (_, made, warned) => {
		const nmethod = `<nmethod compile_id='1' ${made} entry='0x00007f2000001000' size='544' address='0x00007f2000001008' insts_offset='248' method='a.B m ()V' stamp='0.001'/>`;
		fs.writeFileSync(
			path.join(folder, 'elsewhere.txt'),
			`<?xml version='1.0'?>\n<hotspot_log version='160 1' process='1' time_ms='1'>\n${nmethod}\n</hotspot_log>\n`,
		);
		const { stderr, exit } = await run('perf.txt', 'elsewhere.txt');
		expect(exit).toBe(0);
		expect(stderr.includes('no sample lies in the code of this log')).toBe(warned);
	});

	test.each([
		['7f0000001000 [unknown] (/tmp/perf-1.map)', 'the code of the JVM'],
		['7f0000001000 memcpy (/usr/lib/libjvm.so)', 'the code of the JVM'],
		['7f0000001000 main (/opt/bin/node)', 'the code that Node made'],
		['7f0000001000 zend (/usr/lib/libphp8.so)', 'the code of 50.0 % of the samples, which the program made while it ran'],
		['7f0000001000 [unknown] (/usr/lib/libphp8.so)\n  1.002: cpu-clock:  7f0000001000 JIT$$f (/tmp/perf-1.map)', 'the code of 33.3 %'],
	])('whose code is missing, %s', async (line, missing) => {
		fs.writeFileSync(path.join(folder, 'alone.txt'), `  1.000: cpu-clock:  ${line}\n  1.001: cpu-clock:  55e330000000 [unknown] (/dev/zero (deleted))\n`);
		const { stderr } = await run('alone.txt');
		expect(stderr).toContain(`no file holds ${missing}`);
	});

	test('--help says what it is for', async () => {
		expect(await run('--help')).toMatchObject({ exit: 0, stdout: expect.stringContaining('usage: assay hot RECORDING') });
	});
});

describe('parts of a recording', () => {
	const own = path.join(root, 'examples');
	const of = async (...argv: string[]): Promise<HotJson> => JSON.parse((await runAssay(['hot', 'hot', ...argv, '--json'], own)).stdout).result;

	test('by the name of a method, or the end of it, or a pattern', async () => {
		const all = (await of()).regions;
		const handles = (regions: HotJson['regions']) => regions.map(({ handle }) => handle);
		const expected = handles(all.filter(({ method }) => method === 'HotLoop.divide'));
		expect(expected.length).toBeGreaterThan(1);
		for (const name of ['HotLoop.divide', 'divide', 'HotLoop.div*']) {
			expect(handles((await of(name)).regions), name).toEqual(expected);
		}
		expect(await runAssay(['hot', 'hot', 'nobody'], own)).toMatchObject({ exit: 2, stderr: expect.stringContaining('is called nobody') });
		expect(await runAssay(['hot', 'hot', 'perf2.txt'], own)).toMatchObject({ exit: 3, stderr: expect.stringContaining('perf2.txt') });
	});

	test('by class of thread and by name: the parts add up to the whole, and the rest is told', async () => {
		const whole = await of();
		const classes = whole.threadTime?.classes ?? [];
		expect(classes.reduce((sum, { samples }) => sum + samples, 0)).toBe(whole.samples.counted);
		for (const { class: one, samples } of classes) {
			const part = await of('--class', one);
			expect([part.samples.counted, part.samples.byReason['other thread']]).toEqual([samples, whole.samples.counted - samples]);
		}
		const threads = (whole.threadTime?.threads ?? []).filter(({ name }) => name.startsWith('C2'));
		expect((await of('--thread', 'C2 CompilerThread0')).samples.counted).toBe(threads.reduce((sum, { samples }) => sum + samples, 0));
		expect((await of('--by', 'class')).by?.rows.map(({ samples }) => samples)).toEqual(classes.map(({ samples }) => samples));
		expect(await runAssay(['hot', 'hot', '--class', 'x'], own)).toMatchObject({ exit: 2 });
	});
});
