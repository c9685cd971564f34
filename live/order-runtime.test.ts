/**
 * The runtime of instrumented programs: every way to end, threads, fork, SIGKILL, a full buffer, places that cannot be written, dumps of other builds,
 * shared libraries, other compilers and other C standards.
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { assay, programs, run, tool } from './order-tools.js';

const root = path.resolve(import.meta.dirname, '..');
const runtime = path.join(root, 'runtime', 'assay_order.c');
let folder = '';
let work = '';
const inside = (name: string): string => path.join(folder, name);

/** A program of runtime.c: instrumented with these options, linked plainly. */
function build(
	name: string,
	instrument: readonly string[] = [],
	flags: readonly string[] = ['-O2'],
	link: readonly string[] = [],
): { program: string; map: string } {
	const target = inside(name);
	fs.mkdirSync(target, { recursive: true });
	const at = (file: string): string => path.join(target, file);
	run(tool('clang-22'), [...flags, '-S', '-emit-llvm', path.join(programs, 'runtime.c'), '-o', at('runtime.ll')]);
	run(process.execPath, [assay, 'order', 'instrument', at('runtime.ll'), '-o', at('out'), '--map', at('map.json'), ...instrument]);
	run(tool('clang-22'), ['-O2', '-Xclang', '-disable-llvm-passes', '-c', at('out/runtime.ll'), '-o', at('runtime.o')]);
	run('cc', ['-O2', '-c', runtime, '-o', at('assay_order.o')]);
	run('cc', [at('runtime.o'), at('assay_order.o'), ...link, '-o', at('program')]);
	return { program: at('program'), map: at('map.json') };
}

let built: { program: string; map: string };
beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-runtime-live-'));
	built = build('usual');
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
	work = fs.mkdtempSync(path.join(folder, 'work-'));
});

const names = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `f_${100 + from + i}`);

interface Run {
	readonly status: number | null;
	readonly signal: NodeJS.Signals | null;
	readonly stdout: string;
	readonly stderr: string;
	/** What the program left behind. */
	readonly files: string[];
}

function start(argv: readonly string[], environment: Record<string, string> = {}, program = built.program): Run {
	const { status, signal, stdout, stderr } = spawnSync(program, argv, { cwd: work, encoding: 'utf8', env: { ...process.env, ...environment } });
	return { status, signal, stdout, stderr, files: fs.readdirSync(work).sort() };
}

function decode(file: string, map = built.map): { status: number | null; symbols: string[]; stderr: string } {
	const { status, stdout, stderr } = spawnSync(process.execPath, [assay, 'order', 'decode', path.resolve(work, file), '--map', map], { encoding: 'utf8' });
	return { status, symbols: stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#')), stderr };
}

const FILE = { ASSAY_ORDER_FILE: 'x.order' };

describe('a dump is written', () => {
	test.each([
		['exit', 4],
		['quick', 4],
		['folder', 4],
	])('%s: at the end, where it was asked for when the program began', (mode, status) => {
		expect(start([mode], FILE)).toEqual({ status, signal: null, stdout: '', stderr: '', files: ['x.order'] });
		expect(decode('x.order')).toEqual({ status: 0, symbols: names(0, 3), stderr: '' });
	});

	test('nowhere without ASSAY_ORDER_FILE', () => {
		expect(start(['all'])).toEqual({ status: 4, signal: null, stdout: '', stderr: '', files: [] });
		expect(start(['request'])).toMatchObject({ status: 4, stdout: '-1\n', files: [] });
	});

	test('on request', () => {
		expect(start(['request'], FILE)).toEqual({ status: 4, signal: null, stdout: '0\n', stderr: '', files: ['x.order'] });
		expect(decode('x.order').symbols).toEqual(names(0, 3));
	});

	test('after some milliseconds, and then not at the end', () => {
		expect(start(['sleep'], { ...FILE, ASSAY_ORDER_DUMP_AFTER_MS: '100' })).toMatchObject({ status: 4, stderr: '', files: ['x.order'] });
		expect(decode('x.order').symbols).toEqual(names(0, 3));
		start(['exit'], { ...FILE, ASSAY_ORDER_DUMP_AFTER_MS: '60000' });
		expect(decode('x.order').symbols).toEqual(names(0, 3));
		expect(start(['sleep'], { ...FILE, ASSAY_ORDER_DUMP_AFTER_MS: 'soon' }).stderr).toMatch(
			/ASSAY_ORDER_DUMP_AFTER_MS is expected to be a number of milliseconds/,
		);
		expect(decode('x.order').symbols).toEqual(names(0, 5));
	});

	test.each([
		['SIGUSR1', {}, 4, null],
		['SIGUSR2', { ASSAY_ORDER_SIGNAL: 'USR2' }, 4, null],
		['SIGTERM', { ASSAY_ORDER_SIGNAL: 'USR1,SIGTERM' }, null, 'SIGTERM'],
	])('on %s', async (signal, environment, status, endedBy) => {
		const child = spawn(built.program, ['wait'], { cwd: work, env: { ...process.env, ...FILE, ...environment } });
		await new Promise((resolve) => child.stdout.once('data', resolve));
		const ended = new Promise((resolve) => child.once('exit', (code, by) => resolve([code, by])));
		child.kill(signal as NodeJS.Signals);
		await expect.poll(() => fs.existsSync(path.join(work, 'x.order'))).toBe(true);
		if (endedBy === null) {
			child.stdin.end('\n');
		}
		expect(await ended).toEqual([status, endedBy]);
		expect(decode('x.order').symbols).toEqual(names(0, 3));
	});

	test('by a program that root started and that gave up its rights and its view of files, where everyone may write into the folder', () => {
		const closed = path.join(work, 'closed');
		const open = path.join(closed, 'open');
		fs.mkdirSync(open, { recursive: true });
		fs.chmodSync(open, 0o1777);
		fs.chmodSync(closed, 0o700);
		const dump = path.join('closed', 'open', 'x.order');
		expect(start(['rights'], { ASSAY_ORDER_FILE: dump })).toMatchObject({ status: 4, stderr: '' });
		expect(fs.readdirSync(open)).toEqual(['x.order']);
		expect(decode(dump).symbols).toEqual(names(0, 3));
		fs.chmodSync(open, 0o755);
		fs.rmSync(path.join(open, 'x.order'));
		expect(start(['rights'], { ASSAY_ORDER_FILE: dump })).toMatchObject({
			status: 4,
			stderr: expect.stringMatching(/the order dump was not written to .*: permission denied/),
		});
	});

	test('by a program that closes what it did not open', () => {
		expect(start(['close'], FILE)).toEqual({ status: 4, signal: null, stdout: '', stderr: '', files: ['x.order'] });
		expect(decode('x.order').symbols).toEqual(names(0, 3));
	});

	test('with the process and the time in its name', () => {
		const { files } = start(['exit'], { ASSAY_ORDER_FILE: 'a-%p-%t-100%%.order' });
		expect(files).toEqual([expect.stringMatching(/^a-\d+-\d{10}-100%\.order$/)]);
	});
});

describe('processes and threads', () => {
	test('eight threads: each function once', () => {
		for (let i = 0; i < 5; i++) {
			expect(start(['threads'], FILE)).toMatchObject({ status: 4, stderr: '' });
			const { symbols } = decode('x.order');
			expect(symbols.slice(0, 3)).toEqual(names(0, 3));
			expect([...symbols].sort()).toEqual([...names(0, 100), ...names(100, 400)].sort());
		}
	});

	test('after fork each process has a file', () => {
		expect(start(['fork'], FILE).files).toEqual(['x.order', expect.stringMatching(/^x\.order\.\d+$/)]);
		const [parent = '', child = ''] = fs.readdirSync(work).sort();
		expect(decode(parent).symbols).toEqual([...names(0, 3), ...names(20, 22)]);
		expect(decode(child).symbols).toEqual([...names(0, 3), ...names(10, 13)]);
	});

	test('after fork with %p too', () => {
		expect(start(['fork'], { ASSAY_ORDER_FILE: '%p.order' }).files).toEqual([expect.stringMatching(/^\d+\.order$/), expect.stringMatching(/^\d+\.order$/)]);
	});

	test('a program that it starts has a file of its own', () => {
		const { stderr, files } = start(['run', `${built.program} all`], FILE);
		expect(stderr).toBe('');
		expect(files).toEqual(['x.order', expect.stringMatching(/^x\.order\.\d+$/)]);
		expect(decode('x.order').symbols.length).toBeLessThan(20);
		expect(decode(files[1]!).symbols).toHaveLength(400);
	});

	test('another program that writes the same file meanwhile is not overwritten', () => {
		const { stderr, files } = start(['run', `env -u ASSAY_ORDER_STARTED ${built.program} all`], FILE);
		expect(stderr).toMatch(/another process wrote the order dump meanwhile, this one is .*x\.order\.\d+/);
		expect(files).toHaveLength(2);
		expect(decode('x.order').symbols).toHaveLength(400);
	});
});

describe('killed', () => {
	const BACKED = { ...FILE, ASSAY_ORDER_FILE_BACKED: '1' };

	test('by SIGKILL: nothing without the file-backed mode, everything with it', () => {
		expect(start(['kill'], FILE)).toMatchObject({ signal: 'SIGKILL', files: [] });
		expect(start(['kill'], BACKED)).toMatchObject({ signal: 'SIGKILL', stderr: '', files: ['x.order'] });
		expect(decode('x.order')).toMatchObject({ status: 0, symbols: names(0, 6) });
	});

	test('or ended at once', () => {
		expect(start(['at-once'], FILE)).toMatchObject({ status: 4, files: [] });
		expect(start(['at-once'], BACKED)).toMatchObject({ status: 4, files: ['x.order'] });
		expect(decode('x.order').symbols).toEqual(names(0, 3));
	});

	test('parent and child: a file each', () => {
		const { files } = start(['fork-kill'], BACKED);
		expect(files).toEqual(['x.order', expect.stringMatching(/^x\.order\.\d+$/)]);
		expect(decode(files[0]!).symbols).toEqual([...names(0, 3), ...names(20, 22)]);
		expect(decode(files[1]!).symbols).toEqual([...names(0, 3), ...names(10, 13)]);
	});

	test('not at all: the file is as it would be without', () => {
		start(['all'], BACKED);
		expect(fs.statSync(path.join(work, 'x.order')).size).toBe(128 + 16 + 400 * 8);
		expect(decode('x.order').symbols).toEqual([...names(0, 100), ...names(100, 400)]);
	});

	test('with threads', () => {
		start(['threads'], BACKED);
		expect(decode('x.order').symbols).toHaveLength(400);
	});
});

describe('the buffer', () => {
	test('that is full keeps the first, and says what is lost', () => {
		const small = build('small', ['--buffer-entries', '64']);
		start(['all'], FILE, small.program);
		const { symbols, stderr } = decode('x.order', small.map);
		expect(symbols).toEqual(names(0, 64));
		expect(stderr).toMatch(/holds 64 entries and 400 were logged/);
	});

	test('that is a ring keeps the last', () => {
		const ring = build('ring', ['--buffer-entries', '64', '--ring', '--bitmap', 'bit']);
		start(['all'], FILE, ring.program);
		const { symbols, stderr } = decode('x.order', ring.map);
		expect(symbols).toEqual(names(336, 400));
		expect(stderr).toMatch(/holds 64 entries and 400 were logged: the first 336 are lost/);
		start(['threads'], { ...FILE, ASSAY_ORDER_FILE_BACKED: '1' }, ring.program);
		// Threads that run a function first at the same time log it each: what is kept may hold some of them twice.
		const threads = decode('x.order', ring.map);
		const logged = Number(/holds 64 entries and (\d+) were logged/.exec(threads.stderr)?.[1]);
		expect(logged).toBeGreaterThanOrEqual(400);
		expect(new Set(threads.symbols).size).toBe(threads.symbols.length);
		expect(threads.symbols.length).toBeLessThanOrEqual(64);
		expect(threads.symbols.length).toBeGreaterThanOrEqual(64 - (logged - 400));
	});

	test('may be larger than the runtime has it', () => {
		const large = build('large', ['--buffer-entries', '200000']);
		start(['kill'], { ...FILE, ASSAY_ORDER_FILE_BACKED: '1' }, large.program);
		expect(decode('x.order', large.map).symbols).toEqual(names(0, 6));
	});
});

describe('what goes wrong', () => {
	test.each([
		['missing/x.order', /the order dump was not written to .*missing\/x\.order: no such folder/],
		['/dev/null/x.order', /not written to \/dev\/null\/x\.order: a part of the path is not a folder/],
		['.', /not written to .*: /],
	])('%s cannot be written: a message, and the program ends as it would', (file, message) => {
		for (const environment of [{}, { ASSAY_ORDER_FILE_BACKED: '1' }]) {
			const ended = start(['exit'], { ASSAY_ORDER_FILE: file, ...environment });
			expect(ended).toMatchObject({ status: 4, stdout: '' });
			expect(ended.stderr).toMatch(Object.keys(environment).length === 0 ? message : /order dump/);
		}
	});

	test('a dump of another build is refused', () => {
		const other = build('other', ['--skip', 'f_399']);
		start(['exit'], FILE);
		const refused = decode('x.order', other.map);
		expect(refused).toMatchObject({ symbols: [], status: 3 });
		expect(refused.stderr).toMatch(/another build/);
	});

	test('a signal that is not known', () => {
		expect(start(['exit'], { ...FILE, ASSAY_ORDER_SIGNAL: 'WINCHESTER' }).stderr).toMatch(/ASSAY_ORDER_SIGNAL has a signal that is not known/);
	});
});

const STRICT = ['-std=c11', '-pedantic-errors', '-Wall', '-Wextra', '-Werror', '-O2'];

describe('builds', () => {
	test.each([['gcc'], ['clang-22'], ['clang-15']])('the runtime is C11 for %s', (compiler) => {
		for (const flags of [STRICT, [...STRICT, '-DASSAY_ORDER_LIBRARY'], ['-O0'], ['-O2', '-fPIC', '-m64']]) {
			run(tool(compiler), [...flags, '-c', runtime, '-o', path.join(work, 'assay_order.o')]);
		}
	});

	test('a static program, one that is not position-independent, and a garbage-collected one', () => {
		for (const link of [['-static'], ['-no-pie'], ['-Wl,--gc-sections'], [`-B${path.dirname(tool('ld.lld-22'))}`]]) {
			const one = build(`link${link.join('').replaceAll('/', '')}`, [], ['-O2', '-ffunction-sections'], link);
			start(['exit'], FILE, one.program);
			expect(decode('x.order', one.map).symbols).toEqual(names(0, 3));
		}
	});

	test('an executable and a shared library: a dump each, in one file', () => {
		const at = (name: string): string => path.join(work, name);
		fs.writeFileSync(at('lib.c'), 'int inLibrary(int x) { return x + 1; }\n');
		fs.writeFileSync(at('main.c'), 'int inLibrary(int);\nint main(void) { return inLibrary(3); }\n');
		const cc = (...argv: string[]): string => run(process.execPath, [assay, 'order', 'cc', '--', tool('clang-22'), ...argv], { cwd: work });
		cc('-O1', '-fPIC', '-shared', 'lib.c', '-o', 'libx.so');
		cc('-O1', 'main.c', '-L.', '-lx', '-Wl,-rpath,$ORIGIN', '-o', 'main');
		expect(start([], FILE, at('main'))).toMatchObject({ status: 4, stderr: '' });
		expect(decode('x.order', at('main.order-map.json')).symbols).toEqual(['main']);
		expect(decode('x.order', at('libx.so.order-map.json')).symbols).toEqual(['inLibrary']);
	});

	test('a shared library refers to nothing that ends a process, as the build of PostgreSQL asks, and is written at quick_exit all the same', () => {
		const at = (name: string): string => path.join(work, name);
		fs.writeFileSync(at('lib.c'), 'int inLibrary(int x) { return x + 1; }\n');
		fs.writeFileSync(at('main.c'), '#include <stdlib.h>\nint inLibrary(int);\nint main(void) { quick_exit(inLibrary(3)); }\n');
		run(process.execPath, [assay, 'order', 'cc', '--', tool('clang-22'), '-O1', '-fPIC', '-shared', 'lib.c', '-o', 'libx.so'], { cwd: work });
		run(tool('clang-22'), ['-O1', 'main.c', '-L.', '-lx', '-Wl,-rpath,$ORIGIN', '-o', 'main'], { cwd: work });
		expect(run('nm', ['-A', '-u', at('libx.so')])).not.toMatch(/exit/);
		expect(start([], FILE, at('main'))).toMatchObject({ status: 4, stderr: '' });
		expect(decode('x.order', at('libx.so.order-map.json')).symbols).toEqual(['inLibrary']);
	});
});
