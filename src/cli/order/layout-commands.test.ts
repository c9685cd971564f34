/** `assay order simulate`, `optimize`, `merge`, `lint` and `measure`: JSON by its schema, text that fits, exit statuses, what is wrong use. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import stringWidth from 'string-width';
import { afterAll, describe, expect, test } from 'vitest';
import { elfFile } from '../../../test/elf-file.js';
import { orderJson } from '../../../test/order-json.js';
import { type AssayRun, runAssay } from '../../../test/run-assay.js';

const root = path.resolve(import.meta.dirname, '..', '..', '..');
const recordings = path.join(root, 'fixtures', 'orderfile');
const golden = path.join(root, 'fixtures', 'golden');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-order-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const order = (...argv: string[]): Promise<AssayRun> => runAssay(['order', ...argv], recordings);
const base = ['--nm', 'symtab/base.nm.txt.gz'];
const instructions = ['startup', 'workload_a', 'workload_b'].map((name) => `groundtruth/${name}.exec_insns.txt.gz`);
const lists = ['startup', 'workload_a', 'workload_b'].map((name) => `groundtruth/${name}.firstexec.txt`);

const absolute = (name: string): string => path.join(recordings, name);

const json = <T>(command: string, ...argv: string[]) => orderJson<T>(recordings, command, ...argv);

function fits(text: string, columns: number): void {
	for (const line of text.split('\n')) {
		expect(stringWidth(line), line).toBeLessThanOrEqual(columns);
	}
}

interface Layout {
	readonly name: string;
	readonly textPages: number;
	readonly entryPages: number;
	readonly execPages: number | null;
	readonly wholeFunctionPages: number;
	readonly windows64k: number;
	readonly areaUnderCurve: number;
}
interface SimulateJson {
	readonly layouts: readonly (Layout & {
		readonly byTrace: readonly { readonly map: { readonly pages: string; readonly newPageAt: readonly number[]; readonly touchedAt: readonly number[] } }[];
	})[];
	readonly traces: readonly { readonly functions: number; readonly unplaced: number }[];
}

describe('simulate', () => {
	test('binaries in order, then orders, by the names of their files', async () => {
		const { result, problems, exit } = await json<SimulateJson>(
			'simulate',
			'--elf',
			'bin/sqlite_base.elf.gz',
			'--nm',
			'symtab/random1.nm.txt.gz',
			'symtab/bp_all3.nm.txt.gz',
			'--trace',
			instructions[0]!,
			'--order',
			'orders/orderfile_startup.txt',
			'orders/random1.txt',
		);
		expect([exit, problems]).toEqual([0, []]);
		expect(
			result.layouts.map(({ name, textPages, entryPages, execPages, wholeFunctionPages, windows64k, areaUnderCurve }) =>
				[name, textPages, entryPages, execPages, wholeFunctionPages, windows64k, areaUnderCurve].join(' '),
			),
		).toEqual([
			'sqlite_base 284 100 117 121 18 16040',
			'random1 284 151 175 181 19 27804',
			'bp_all3 284 36 47 50 8 5645',
			'orderfile_startup 284 32 42 44 4 5239',
			'random1 284 151 175 181 19 27804',
		]);
		const [first] = result.layouts;
		const { pages = '', newPageAt = [] } = first?.byTrace[0]?.map ?? {};
		expect([pages.length, pages.replace(/[^2]/g, '').length, newPageAt.length]).toEqual([284, 117, 100]);
		// The pages of the map, by when they were first touched.
		const { touchedAt = [] } = first?.byTrace[0]?.map ?? {};
		expect(touchedAt.map((at) => (at > 0 ? '2' : '0')).join('')).toBe(pages.replaceAll('1', '0'));
	});

	test('--recorded-on adds no layout', async () => {
		const { result } = await json<SimulateJson>(
			'simulate',
			'--nm',
			'symtab/random1.nm.txt.gz',
			'--trace',
			instructions[1]!,
			'--recorded-on',
			'bin/sqlite_base.elf.gz',
		);
		expect(result.layouts.map(({ name, execPages, areaUnderCurve }) => [name, execPages, areaUnderCurve])).toEqual([['random1', 254, 111553]]);
	});

	test('functions only: pages of executed bytes are not known; several traces are added up', async () => {
		const { result } = await json<SimulateJson>('simulate', ...base, '--trace', ...lists);
		expect(result.layouts).toMatchObject([
			{ execPages: null, wholeFunctionPages: 121 + 179 + 209, entryPages: 100 + 146 + 173, areaUnderCurve: 16040 + 67136 + 116724 },
		]);
		expect(result.traces.map(({ functions, unplaced }) => [functions, unplaced])).toEqual([
			[296, 2],
			[709, 2],
			[1015, 2],
		]);
	});

	test('traces of other kinds', async () => {
		for (const [trace, functions] of [
			[['temporal/startup.profraw.gz'], 298],
			[['orderfile/startup.profraw.order.gz', '--map', 'orderfile/sqlite_order19.map.gz'], 291],
			[['orders/temporal_startup.txt'], 298],
		] as const) {
			const { result } = await json<SimulateJson>('simulate', ...base, '--trace', ...trace);
			expect(result.traces[0]?.functions).toBe(functions);
		}
	});

	test.each([80, 200])('text, %d columns', async (columns) => {
		const argv = ['order', 'simulate', ...base, '--trace', instructions[0]!, '--order', 'orders/orderfile_startup.txt', 'orders/random1.txt'];
		const { stdout, stderr } = await runAssay(argv, recordings, { isTerminal: true, columns });
		expect(stderr).toBe('');
		fits(stdout, columns);
		await expect(stdout).toMatchFileSnapshot(path.join(golden, `order-simulate-${columns}-columns.txt`));
	});
});

describe('a position-independent program that was loaded elsewhere', () => {
	const SLIDE = 0x108000;
	const NAMES = ['_start', 'main', 'cold', 'work', 'last'];
	const file = path.join(folder, 'pie');
	const trace = (name: string, addresses: readonly number[], slide: number): string => {
		const at = path.join(folder, name);
		// The loader runs first, then the program, which calls a library.
		const all = [...[0x401ab70, 0x401c060, 0x401c064].map((one) => [one, 3]), ...addresses.map((one) => [one + slide, 4]), [0x48b7060, 5]];
		fs.writeFileSync(at, all.map(([address = 0, size]) => `I  ${address.toString(16).padStart(8, '0')},${size}\n`).join(''));
		return at;
	};
	const RAN = [0x1060, 0x1064, 0x1160, 0x1164, 0x1024, 0x1360, 0x1368];
	fs.writeFileSync(
		file,
		elfFile({
			type: 3,
			entry: 0x1060,
			sections: [
				{ name: '.plt', address: 0x1020, bytes: new Uint8Array(64) },
				{ name: '.text', address: 0x1060, bytes: new Uint8Array(5 * 256).fill(0x90) },
			],
			symbols: NAMES.map((name, i) => ({ name, offset: 256 * i, size: 256, section: 2 })),
		}),
	);

	test.each(['simulate', 'optimize'])('%s: its entry tells where; the counts are those of a trace as linked', async (command) => {
		const given = (name: string) => (command === 'simulate' ? ['--elf', file, '--trace', name] : ['--elf', file, name]);
		const linked = await json<SimulateJson>(command, ...given(trace('run.insns', RAN, 0)));
		const loaded = await json<SimulateJson>(command, ...given(trace('run.insns', RAN, SLIDE)));
		expect(loaded.result.layouts).toEqual(linked.result.layouts);
		expect(linked.result.traces).toMatchObject([{ functions: 3, loaded: { slide: '0x0', by: 'linked' } }]);
		expect(loaded.result.traces).toMatchObject([{ functions: 3, loaded: { slide: '0x108000', by: 'entry' } }]);
		const { stdout } = await order(command, ...given(trace('run.insns', RAN, SLIDE)), ...(command === 'optimize' ? ['-o', path.join(folder, 'o')] : []));
		expect(stdout).toMatch(/run: pie lay 0x108000 above its link, as its entry tells; \d+\.\d % of the trace is in its code/);
	});

	test('decode, merge and lint take it, too', async () => {
		const run = trace('run.insns', RAN, SLIDE);
		const decoded = await order('decode', run, '--elf', file);
		expect(decoded.stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual(['_start', 'main', 'work']);
		expect((await order('decode', run)).stderr).toContain('give the program that was recorded: --elf PROGRAM');
		expect((await order('merge', run, '--elf', file)).stdout).toBe('_start\nmain\nwork\n');
		const listed = path.join(folder, 'listed.order');
		fs.writeFileSync(listed, 'main\nwork\n');
		const { result } = await json<{ coverage: { functions: number; listedFunctions: number }[] }>('lint', listed, '--elf', file, '--trace', run);
		expect(result.coverage).toMatchObject([{ functions: 3, listedFunctions: 2 }]);
	});

	test('lists of functions by address: as decode reads them', async () => {
		const list = path.join(folder, 'functions.txt');
		fs.writeFileSync(list, [0x1060, 0x1160, 0x1360, 0x1460].map((address) => `0x${(address + 0x555555554000).toString(16)}\n`).join(''));
		const { result } = await json<SimulateJson>('simulate', '--elf', file, '--trace', list);
		expect(result.traces).toMatchObject([{ functions: 4, unplaced: 0, loaded: { slide: '0x555555554000', by: 'functions' } }]);
		const decoded = await order('decode', list, '--elf', file);
		expect(decoded.stdout).toContain('_start\nmain\nwork\nlast\n');
		expect((await order('merge', list, '--elf', file)).stdout).toBe('_start\nmain\nwork\nlast\n');
	});

	test('perf script with addresses alone, and with what was mapped', async () => {
		const script = path.join(folder, 'faults.txt');
		const slide = 0x555555554000;
		const fault = (address: number) => `pie page-faults:     ${(address + slide).toString(16)}     ${(address + slide).toString(16)}\n`;
		fs.writeFileSync(
			script,
			`pie 7/7 PERF_RECORD_MMAP2 7/7: [0x555555555000(0x1000) @ 0x1000 fe:00 1 2]: r-xp /tmp/other\n${fault(0x1064)}${fault(0x1160)}${fault(0x1360)}`,
		);
		const { result } = await json<SimulateJson>('simulate', '--elf', file, '--trace', script);
		expect(result.traces).toMatchObject([{ functions: 3 }]);
	});

	test('a memory map beside the trace or in it tells, where its entry did not run', async () => {
		const part = [0x1164, 0x1364, 0x1368];
		const refused = await order('simulate', '--elf', file, '--trace', trace('part.insns', part, SLIDE));
		expect([refused.exit, refused.stderr]).toEqual([3, expect.stringContaining('Put a copy of /proc/PID/maps of the run beside the trace')]);
		const section = fs.readFileSync(file).indexOf(Buffer.alloc(256, 0x90));
		const mapped = 0x1060 - section + SLIDE;
		const map = `${mapped.toString(16)}-${(mapped + 0x2000).toString(16)} r-xp 00000000 fe:00 99 /somewhere/pie\n`;
		fs.writeFileSync(path.join(folder, 'part.insns.maps'), `00400000-00401000 r--p 00000000 00:00 0\n${map}`);
		const beside = await json<SimulateJson>('simulate', '--elf', file, '--trace', trace('part.insns', part, SLIDE));
		expect(beside.result.traces).toMatchObject([{ functions: 2, loaded: { slide: '0x108000', by: 'memory map' } }]);
		const inside = trace('inside.insns', part, SLIDE);
		fs.writeFileSync(inside, `==7== ${map}${fs.readFileSync(inside, 'utf8')}`);
		expect((await json<SimulateJson>('simulate', '--elf', file, '--trace', inside)).result.traces).toMatchObject([{ functions: 2 }]);
	});

	test('a folder with both is a start-up', async () => {
		const at = path.join(folder, 'recorded');
		fs.mkdirSync(at);
		fs.copyFileSync(file, path.join(at, 'pie'));
		fs.copyFileSync(trace('run.insns', [...RAN, 0x1260, 0x1460], SLIDE), path.join(at, 'run.insns'));
		const { result } = JSON.parse((await runAssay(['report', at, '--json'], folder)).stdout) as { result: { startup: { traces: unknown[] } } };
		expect(result.startup.traces).toMatchObject([{ name: 'run', functions: 5 }]);
	});
});

describe('optimize', () => {
	test('what the order is worth, and the order', async () => {
		const file = path.join(folder, 'best.order');
		const { result } = await json<{ layouts: readonly Layout[]; symbols: readonly string[]; fillers: number; method: string }>(
			'optimize',
			...instructions,
			...base,
			'-o',
			file,
		);
		expect(result.layouts.map(({ name }) => name)).toEqual(['base', 'first execution', 'best']);
		const [, united, best] = result.layouts;
		expect([united?.execPages, united?.windows64k]).toEqual([262, 21]);
		expect(best?.execPages).toBeLessThanOrEqual(248);
		expect(best?.windows64k).toBeLessThanOrEqual(21);
		expect(fs.readFileSync(file, 'utf8')).toBe(result.symbols.map((symbol) => `${symbol}\n`).join(''));
		const simulated = await json<SimulateJson>('simulate', ...base, '--trace', ...instructions, '--order', file);
		expect(simulated.result.layouts[1]).toMatchObject({ execPages: best?.execPages, windows64k: best?.windows64k });
	});

	test('the order on standard output; clean for lint', async () => {
		const { stdout, exit } = await order('optimize', lists[0]!, ...base);
		expect(exit).toBe(0);
		const file = path.join(folder, 'out.order');
		fs.writeFileSync(file, stdout);
		const lint = await order('lint', file, ...base);
		expect([lint.exit, lint.stdout.split('\n').at(-2)]).toEqual([0, 'nothing found']);
	});

	test('start-up code that instrumented programs do not list is added; weights by name', async () => {
		const decoded = ['startup', 'workload_a', 'workload_b'].map((name) => `orderfile/${name}.decoded.txt.gz`);
		const { result, problems } = await json<{ startUpCode: readonly string[]; traces: readonly { weight: number }[]; symbols: readonly string[] }>(
			'optimize',
			...decoded,
			...base,
			'--weight',
			'startup=5',
			'--weight',
			`${decoded[1]}=2`,
		);
		expect(result.startUpCode).toEqual(['_start', 'frame_dummy']);
		// The section of frame_dummy goes by the name of its first function.
		expect(result.symbols).toEqual(expect.arrayContaining(['_start', 'deregister_tm_clones']));
		expect(result.traces.map(({ weight }) => weight)).toEqual([5, 2, 1]);
		expect(problems[0]?.message).toContain('local_getline');
	});

	test.each([80, 200])('text, %d columns', async (columns) => {
		const argv = ['order', 'optimize', ...instructions.map(absolute), '--nm', absolute(base[1]!), '-o', 'text.order'];
		const { stdout } = await runAssay(argv, folder, { isTerminal: true, columns });
		fits(stdout, columns);
		await expect(stdout).toMatchFileSnapshot(path.join(golden, `order-optimize-${columns}-columns.txt`));
	});
});

describe('merge', () => {
	test('what most runs have comes first, and where they disagree is said', async () => {
		const { result } = await json<{
			symbols: readonly string[];
			inAll: number;
			scenarios: readonly { functions: number; own: number }[];
			pairs: readonly { tau: number; common: number }[];
			disagreements: readonly { symbol: string; earlyIn: string }[];
		}>('merge', ...lists);
		expect(result.scenarios.map(({ functions, own }) => [functions, own])).toEqual([
			[298, 0],
			[711, 22],
			[1017, 328],
		]);
		expect(result.inAll).toBe(298);
		const startup = new Set(fs.readFileSync(path.join(recordings, lists[0]!), 'utf8').match(/\S+$/gm));
		expect(new Set(result.symbols.slice(0, 298))).toEqual(startup);
		expect(result.pairs.map(({ common, tau }) => [common, tau.toFixed(2)])).toEqual([
			[298, '0.92'],
			[298, '0.92'],
			[689, '0.97'],
		]);
		expect(result.disagreements[0]).toMatchObject({ symbol: 'do_meta_command', earlyIn: 'workload_b' });
	});

	test('instructions need the program', async () => {
		const without = await order('merge', ...instructions);
		expect([without.exit, without.stderr]).toEqual([3, expect.stringContaining('give the program with --elf')]);
		const { result } = await json<{ symbols: readonly string[] }>('merge', ...instructions, ...base);
		expect(result.symbols).toHaveLength(1037);
	});

	test.each([80, 200])('text, %d columns', async (columns) => {
		const argv = ['order', 'merge', ...lists.map(absolute), '--weight', 'startup=3', '-o', 'merged.order'];
		const { stdout } = await runAssay(argv, folder, { isTerminal: true, columns });
		fits(stdout, columns);
		await expect(stdout).toMatchFileSnapshot(path.join(golden, `order-merge-${columns}-columns.txt`));
	});
});

interface LintJson {
	readonly findings: readonly { readonly kind: string; readonly symbol: string | null; readonly message: string }[];
	readonly coverage: readonly { readonly share: number }[];
	readonly found: number;
}

describe('lint', () => {
	/** Two files have a `helper`; `big` and `part` share a section (nops between them); `twin` was folded into `sum`; `gone` is known to debug information. */
	const program = path.join(folder, 'app.elf');
	const code = Buffer.alloc(0x80, 0x90);
	for (const [start, end] of [
		[0x05, 0x10],
		[0x15, 0x20],
		[0x35, 0x40],
		[0x45, 0x50],
		[0x55, 0x60],
	] as const) {
		code.fill(0xcc, start, end);
	}
	fs.writeFileSync(
		program,
		elfFile({
			sections: [
				{ name: '.text', address: 0x401000, bytes: code },
				{ name: '.init', address: 0x401080, bytes: Buffer.alloc(8) },
				{ name: '.debug_str', address: 0, bytes: Buffer.from('gone\0helper\0'), flags: 0 },
			],
			symbols: [
				{ name: 'a.c', offset: 0, type: 4, isLocal: true },
				{ name: 'helper', offset: 0x00, size: 5, isLocal: true },
				{ name: 'b.c', offset: 0, type: 4, isLocal: true },
				{ name: 'helper', offset: 0x10, size: 5, isLocal: true },
				{ name: 'big', offset: 0x20, size: 5 },
				{ name: 'part', offset: 0x30, size: 5 },
				{ name: 'sum', offset: 0x40, size: 5 },
				{ name: 'twin', offset: 0x40, size: 5 },
				{ name: '_ZN1AC1Ev', offset: 0x50, size: 5 },
				{ name: '_ZN1AC2Ev', offset: 0x50, size: 5 },
				{ name: 'copy.llvm.77', offset: 0x60, size: 5 },
				{ name: '_init', offset: 0, size: 0, section: 2 },
			],
		}),
	);
	const orderFile = path.join(folder, 'all.order');
	fs.writeFileSync(orderFile, '# comment\nhelper\nbig\n\n twin \n_ZN1AC1Ev\ncopy\ngone\nnever\n_init\nbig\n');

	test('every kind of finding', async () => {
		const { result, exit } = await json<LintJson>('lint', orderFile, '--elf', program);
		expect(exit).toBe(1);
		expect(result.findings).toEqual([
			{ kind: 'ambiguous', symbol: 'helper', message: '2 functions have this name (a.c, b.c): the linker puts all of them here' },
			{ kind: 'shared-section', symbol: 'big', message: 'lies in one section with part: they move together; compile with -ffunction-sections' },
			{ kind: 'folded', symbol: 'twin', message: 'is the same code as sum: folded, or an alias' },
			{ kind: 'missing', symbol: 'copy', message: 'there is no such function; similar: copy.llvm.77' },
			{ kind: 'inlined', symbol: 'gone', message: 'has no code of its own: it was inlined everywhere, or is not used' },
			{ kind: 'missing', symbol: 'never', message: 'there is no such function' },
			{ kind: 'outside-text', symbol: '_init', message: 'lies in .init: the order of .text does not move it' },
			{ kind: 'repeated', symbol: 'big', message: 'is listed again in line 11: the first place counts' },
		]);
	});

	test('a real order: names of functions that were inlined, and coverage', async () => {
		const { result, exit } = await json<LintJson>('lint', 'orders/temporal_startup.txt', ...base, '--trace', ...instructions.slice(0, 1));
		expect(exit).toBe(1);
		expect(result.findings.map(({ kind }) => kind)).toEqual(Array(13).fill('missing'));
		expect(result.found).toBe(298);
		expect(result.coverage[0]?.share).toBeGreaterThan(0.99);
		const covered = await json<LintJson>('lint', 'orders/orderfile_startup.txt', ...base, '--trace', instructions[2]!, '--min-coverage', '50');
		expect(covered.result.findings).toMatchObject([{ kind: 'missing' }, { kind: 'coverage', symbol: null }]);
	});

	test.each([80, 200])('text, %d columns', async (columns) => {
		const argv = ['order', 'lint', 'orders/temporal_startup.txt', ...base, '--trace', instructions[0]!];
		const { stdout, exit } = await runAssay(argv, recordings, { isTerminal: true, columns });
		expect(exit).toBe(1);
		fits(stdout, columns);
		await expect(stdout).toMatchFileSnapshot(path.join(golden, `order-lint-${columns}-columns.txt`));
	});
});

test.each<[string[], number, string]>([
	[['simulate'], 2, 'a program is missing'],
	[['simulate', ...base], 2, 'what ran is missing'],
	[['simulate', 'x', ...base], 2, 'name "x" with'],
	[['simulate', ...base, '--trace', 'pages/sqlite_layouts.tsv'], 3, 'pages/sqlite_layouts.tsv'],
	[['simulate', '--elf', 'orders/random1.txt', '--trace', lists[0]!], 3, 'is neither an ELF file nor the listing of one'],
	[['simulate', ...base, '--trace', 'no/such'], 3, 'No such file'],
	[['simulate', ...base, '--trace', 'no/such', '--recorded-on', 'no/such'], 3, 'No such file'],
	[['optimize', ...base], 2, 'what ran is missing'],
	[['optimize', lists[0]!], 2, 'the program is missing'],
	[['optimize', lists[0]!, ...base, '--method', 'magic'], 2, '--method takes pages, classes, bp, first-execution'],
	[['optimize', lists[0]!, ...base, '--weight', 'other=2'], 2, 'there is no trace "other"'],
	[['optimize', lists[0]!, ...base, '--weight', 'startup=0'], 2, '--weight takes TRACE=N'],
	[['optimize', lists[0]!, ...base, '-o', 'no/such/folder/x'], 3, 'no/such/folder/x'],
	[['merge'], 2, 'what ran is missing'],
	[['lint', ...base], 2, 'the order file is missing'],
	[['lint', 'orders/random1.txt'], 2, 'the program is missing'],
	[['lint', 'orders/random1.txt', ...base, '--min-coverage', '50'], 2, '--min-coverage needs what ran'],
	[['measure'], 2, 'the command goes after --'],
	[['measure', '--', 'no-such-program'], 3, 'there is no such program'],
])('order %j', async (argv, exit, message) => {
	const run = await order(...argv);
	expect([run.exit, run.stderr]).toEqual([exit, expect.stringContaining(message)]);
});

test.each(['simulate', 'optimize', 'merge', 'lint', 'measure'])('help of %s fits, and its example runs', async (command) => {
	const { stdout, exit } = await order(command, '--help');
	expect(exit).toBe(0);
	fits(stdout, 80);
	const [, example = ''] = /assay order ((?:[^\n]*\\\n)*[^\n]*)\n\nexit status/.exec(stdout.slice(stdout.indexOf('\nexample'))) ?? [];
	expect(example).toContain(command);
	if (command !== 'measure') {
		const argv = example
			.replace(/\\\n/g, ' ')
			.replace(/-o (\S+)/, `-o ${path.join(folder, 'example.order')}`)
			.split(/\s+/);
		const run = await runAssay(['order', ...argv], root);
		expect([run.exit, run.stderr]).toEqual([command === 'lint' ? 1 : 0, '']);
	}
});

test('an order that names nothing changes nothing', async () => {
	const empty = path.join(folder, 'empty.order');
	fs.writeFileSync(empty, '\n# nothing\n');
	const { result, problems } = await json<SimulateJson>('simulate', ...base, '--trace', instructions[0]!, '--order', empty);
	expect(result.layouts[1]).toMatchObject({ name: 'empty', execPages: 117 });
	expect(problems[0]?.message).toBe('names no symbol');
});

test('listings cut off in the middle are read as far as they go', async () => {
	const text = gunzipSync(fs.readFileSync(path.join(recordings, 'symtab', 'base.nm.txt.gz'))).toString();
	const cut = path.join(folder, 'cut.nm');
	fs.writeFileSync(cut, text.slice(0, 60_000));
	const { result } = await json<SimulateJson>('simulate', '--nm', cut, '--trace', instructions[0]!);
	expect(result.traces[0]?.unplaced).toBeGreaterThan(0);
});

describe('a Mach-O program by the map of its link', () => {
	const map = ['--nm', 'linkmaps/ld64-arm64.map'];
	const file = (name: string, text: string): string => {
		fs.writeFileSync(path.join(folder, name), text);
		return path.join(folder, name);
	};
	// As LLVM's profiles name functions: without the underscore.
	const trace = file('names.txt', 'main\nother\nrare\n_Z9not_therei\n');

	test('simulate counts pages of 16 KiB for arm64, of 4 KiB for Intel', async () => {
		const { result } = await json<{ layouts: { textPages: number; byTrace: { map: { pageBytes: number } }[] }[]; traces: { functions: number }[] }>(
			'simulate',
			...map,
			'--trace',
			trace,
		);
		expect(result.layouts[0]?.byTrace[0]?.map.pageBytes).toBe(16_384);
		expect(result.traces[0]?.functions).toBe(3);
		const intel = await order('simulate', '--nm', 'linkmaps/ld64-x86_64.map', '--trace', trace);
		expect(intel.stdout).toContain('a cell is 4 KiB');
		expect((await order('simulate', ...map, '--trace', trace)).stdout).toContain('a cell is 16 KiB');
	});

	test('optimize and merge name functions as the linker does, and add no start-up code of ELF', async () => {
		expect((await order('optimize', trace, ...map)).stdout).toBe('_main\n_other\n_rare\n');
		expect((await order('merge', trace, ...map)).stdout).toBe('_main\n_other\n_rare\n');
	});

	test('lint knows object files and architectures', async () => {
		const good = file('good.order', 'arm64:libother.a(other.o):_other # first\nx86_64:_gone\nstart.o:_rare\n_main\n');
		expect(await order('lint', good, ...map)).toMatchObject({ exit: 0, stdout: expect.stringContaining('3 symbols, 3 of functions, 3 sections placed') });
		const bad = file('bad.order', 'other.o:_other\nmain\n_printf\n');
		const { result } = await json<{ findings: { kind: string; symbol: string }[] }>('lint', bad, ...map);
		expect(result.findings.map(({ kind, symbol }) => `${kind} ${symbol}`)).toEqual(['missing other.o:_other', 'missing main', 'outside-text _printf']);
	});
});
