/**
 * `assay order instrument` with real compilers: the SQLite shell, programs of every linkage and shape, clang 15 to 22. Each is built twice from the same IR,
 * plain and instrumented: it has to print the same, and to tell the functions that ptrace saw in the plain one, in that order.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
	asNames,
	assay,
	type BuildOptions,
	type Built,
	buildFromIr,
	decode,
	firstExecuted,
	fixtures,
	programs,
	run,
	tool,
	withoutStartFiles,
} from './order-tools.js';

let folder = '';
beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-instrument-live-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const inside = (name: string): string => path.join(folder, name);

/** IR of the fixtures, unpacked. */
function module(name: string): string {
	const file = inside(`ll/${name}.ll`);
	fs.mkdirSync(path.dirname(file), { recursive: true });
	fs.writeFileSync(file, gunzipSync(fs.readFileSync(path.join(fixtures, 'll', `${name}.ll.gz`))));
	return file;
}

interface Ran {
	readonly stdout: string;
	readonly status: number | null;
	readonly symbols: string[];
}

function runInstrumented(built: Built, argv: readonly string[], input = ''): Ran {
	const dump = `${built.instrumented}.order`;
	fs.rmSync(dump, { force: true });
	const { stdout, stderr, status } = spawnSync(built.instrumented, argv, { encoding: 'utf8', input, env: { ...process.env, ASSAY_ORDER_FILE: dump } });
	expect(stderr).toBe('');
	return { stdout, status, symbols: decode(dump, built.map) };
}

/** Builds, runs, compares with the plain program. */
function check(name: string, modules: readonly string[], options: BuildOptions = {}, argv: readonly string[] = []): { built: Built; ran: Ran } {
	const built = buildFromIr(inside(name), modules, options);
	const truth = firstExecuted(inside(name), built, argv);
	const ran = runInstrumented(built, argv);
	expect({ stdout: ran.stdout, status: ran.status }).toEqual({ stdout: truth.stdout, status: truth.status });
	if (!options.optimize) {
		expect(asNames(ran.symbols, truth.names)).toEqual(truth.names);
	}
	return { built, ran };
}

describe('the SQLite shell, 93 modules', () => {
	let built: Built;
	beforeAll(() => {
		const modules = inside('sqlite');
		fs.mkdirSync(modules);
		run('tar', ['xzf', path.join(fixtures, 'll', 'sqlite3-3.40.1_O2_92modules_plus_shell.ll.tar.gz'), '-C', modules]);
		const files = fs.readdirSync(modules).map((name) => path.join(modules, name));
		expect(files).toHaveLength(93);
		built = buildFromIr(inside('sqlite-built'), files);
	});

	test.each(['startup', 'workload_a', 'workload_b'])('%s: output and order are as they were', (workload) => {
		const input = fs.readFileSync(path.join(fixtures, 'src', `${workload}.sql`), 'utf8');
		const ran = runInstrumented(built, [':memory:'], input);
		expect(ran.stdout).toBe(spawnSync(built.base, [':memory:'], { encoding: 'utf8', input }).stdout);
		expect(ran.symbols).toEqual(withoutStartFiles(fs.readFileSync(path.join(fixtures, 'groundtruth', `${workload}.firstexec.txt`), 'utf8')));
	});

	test('is little larger, and has one buffer', () => {
		const size = (file: string, section: string): number =>
			Number(new RegExp(`^${section.replace('.', '\\.')}\\s+(\\d+)`, 'm').exec(run('size', ['-A', file]))?.[1]);
		expect(size(built.instrumented, '.text') / size(built.base, '.text')).toBeLessThanOrEqual(1.15);
		expect(size(built.instrumented, 'assay_order_buffer')).toBe(1 << 20);
		expect(fs.statSync(built.instrumented).size).toBeLessThanOrEqual((1 << 20) + 1.2 * fs.statSync(built.base).size);
		const symbols = run('nm', [built.instrumented]);
		expect(symbols.match(/__assay_order_buffer$/gm)).toHaveLength(1);
	});

	test('writes nothing without ASSAY_ORDER_FILE', () => {
		const empty = inside('empty');
		fs.mkdirSync(empty);
		run(built.instrumented, [':memory:'], { cwd: empty, input: '.quit\n' });
		expect(fs.readdirSync(empty)).toEqual([]);
	});
});

describe('programs of the fixtures', () => {
	test.each(['O0', 'O1', 'O2', 'O2g', 'O2named'])('kinds at %s', (level) => {
		const { built, ran } = check(`kinds.${level}`, [module(`kinds.${level}`)]);
		expect(ran.stdout).toBe('ctor\nbig 4\n1119\n');
		expect([...built.omitted].sort()).toEqual(['_Z3naki', 'resolve_me']);
	});

	test('kinds with debug information tells file and line', () => {
		const { built } = check('kinds-g', [module('kinds.O2g')]);
		const { modules } = JSON.parse(fs.readFileSync(built.map, 'utf8')) as { modules: { functions: { symbol: string; file?: string; line?: number }[] }[] };
		expect(modules[0]?.functions.find(({ symbol }) => symbol === '_Z6tail_bi')).toMatchObject({ file: 'kinds.cpp', line: 27 });
	});

	test.each(['O0', 'O1', 'O2'])('coro at %s', (level) => {
		expect(check(`coro.${level}`, [module(`coro.${level}`)]).ran.stdout).toBe('14\n');
	});

	test('coro before it is split', () => {
		const { ran } = check('coro.presplit', [module('coro.presplit')], { flags: ['-O1'], optimize: true });
		expect(ran.stdout).toBe('14\n');
		expect(ran.symbols.slice(0, 2)).toEqual(['main', '_Z5counti']);
	});

	test.each(['O0', 'O1', 'O2', 'thinlto'])('multi at %s: three functions called helper', (level) => {
		const { built, ran } = check(
			`multi.${level}`,
			['a', 'b', 'c'].map((one) => module(`multi_${one}.${level}`)),
		);
		expect(ran.stdout).toBe('250\n');
		const told = JSON.parse(run(process.execPath, [assay, 'order', 'decode', `${built.instrumented}.order`, '--map', built.map, '--json'])) as {
			result: { functions: { symbol: string; module: string }[] };
		};
		const helpers = told.result.functions.filter(({ symbol }) => symbol === 'helper').map((one) => one.module);
		expect(helpers).toEqual(['multi_c.c', 'multi_a.c', 'multi_b.c']);
	});

	test('six modules of ninja are accepted', () => {
		const modules = inside('ninja');
		fs.mkdirSync(modules);
		run('tar', ['xzf', path.join(fixtures, 'll', 'ninja_6modules_O2.ll.tar.gz'), '-C', modules]);
		const files = fs.readdirSync(modules, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ll'));
		expect(files).toHaveLength(6);
		run(process.execPath, [
			assay,
			'order',
			'instrument',
			...files.map((name) => path.join(modules, name)),
			'-o',
			inside('ninja-out'),
			'--map',
			inside('ninja.json'),
		]);
		for (const file of fs.readdirSync(inside('ninja-out'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ll'))) {
			run(tool('opt-22'), ['-passes=verify', '-disable-output', inside(`ninja-out/${file}`)]);
		}
	});
});

describe('a C++ program with exceptions, thunks, templates, thread-locals, computed gotos', () => {
	const compile = (clang: string, flags: readonly string[]): string[] =>
		['shapes', 'shapes-other'].map((name) => {
			const file = inside(`shapes${clang}${flags.join('')}/${name}.ll`);
			fs.mkdirSync(path.dirname(file), { recursive: true });
			run(tool(clang), ['-std=c++17', '-w', ...flags, '-S', '-emit-llvm', path.join(programs, `${name}.cpp`), '-o', file]);
			return file;
		});

	test.each([
		['clang++-22', ['-O0']],
		['clang++-22', ['-O1']],
		['clang++-22', ['-O2', '-g']],
		['clang++-22', ['-O3']],
		['clang++-22', ['-Os', '-fno-discard-value-names']],
		['clang++-22', ['-O2', '-fPIC', '-Xclang', '-emit-llvm-uselists']],
		['clang++-19', ['-O0']],
		['clang++-19', ['-O2', '-g']],
		['clang++-16', ['-O0']],
		['clang++-16', ['-O2', '-g']],
		['clang++-15', ['-O0']],
		['clang++-15', ['-O2']],
		['clang++-15', ['-O3', '-g']],
	])('%s %j', (clang, flags) => {
		const modules = compile(clang, flags);
		const level = [flags[0]!, ...flags.filter((flag) => flag === '-fPIC')];
		const { ran } = check(
			`built${clang}${flags.join('')}`,
			modules,
			{ clang: clang.replace('++', ''), flags: level, verify: clang.endsWith('22'), link: ['-pthread'] },
			['more'],
		);
		expect(ran.symbols).toContain('_ZN6GlobalD2Ev');
	});

	test.each([['--bitmap', 'bit'], ['--ring'], ['--buffer-entries', '1000'], ['--buffer-entries', '300000']])('with %s %s', (...instrument) => {
		check(`options${instrument.join('')}`, compile('clang++-22', ['-O2']), { link: ['-pthread'], instrument });
	});

	test('with few functions chosen', () => {
		const built = buildFromIr(inside('chosen'), compile('clang++-22', ['-O2']), { link: ['-pthread'], instrument: ['--only', '*helper*', '--only', 'main'] });
		expect(runInstrumented(built, []).symbols).toEqual(['main', '_ZL6helperi']);
	});
});
