/**
 * `assay order decode` on what real tools record of a fresh program: LLVM's temporal profiles against what llvm-profdata prints, clang 19's own order-file
 * instrumentation against its buffer, uftrace, perf and the hooks of -finstrument-functions against what the program calls.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const assay = path.join(path.resolve(import.meta.dirname, '..'), 'bin', 'assay.js');
const program = (name: string): string => path.join(import.meta.dirname, 'programs', name);
/** Tools and the Debian packages that have them. */
const TOOLS: Record<string, string> = {
	'clang++-22': 'clang-22 and libclang-rt-22-dev',
	'ld.lld-22': 'lld-22',
	'llvm-profdata-22': 'llvm-22',
	'llvm-xray-22': 'llvm-22',
	'clang++-19': 'clang-19 and libclang-rt-19-dev',
	'ld.lld-19': 'lld-19',
	gcc: 'gcc',
	uftrace: 'uftrace',
	perf: 'linux-perf',
};

let folder = '';
beforeAll(() => {
	const missing = Object.keys(TOOLS).filter((tool) => spawnSync('which', [tool]).status !== 0);
	if (missing.length > 0) {
		throw new Error(`these tests need ${missing.join(', ')}: install ${missing.map((tool) => TOOLS[tool]).join(', ')} (apt-get install)`);
	}
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-decode-live-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function run(command: string, argv: readonly string[], env: Record<string, string> = {}): string {
	const { status, stdout, stderr, error } = spawnSync(command, argv, { cwd: folder, encoding: 'utf8', env: { ...process.env, ...env }, maxBuffer: 1 << 28 });
	if (error !== undefined || status !== 0) {
		throw new Error(`${command} ${argv.join(' ')}: ${error?.message ?? `exit ${status}`}\n${stderr}`);
	}
	return stdout;
}

interface Decoded {
	readonly functions: readonly { readonly symbol: string; readonly module: string | null }[];
	readonly traces: readonly { readonly name: string; readonly isComplete: boolean }[];
	readonly sharedNames: readonly { readonly symbol: string; readonly ran: number }[];
}
const decode = (...argv: string[]): Decoded =>
	JSON.parse(execFileSync(process.execPath, [assay, 'order', 'decode', ...argv, '--json'], { cwd: folder, encoding: 'utf8' })).result;
const symbols = (decoded: Decoded): string[] => decoded.functions.map(({ symbol }) => symbol);
const withFiles = ({ functions }: Decoded): string[] => functions.map(({ symbol, module }) => (module === null ? symbol : `${module};${symbol}`));
/** As llvm-profdata prints them, each function once. */
const printed = (profile: string, llvm = '22'): string[] => {
	const text = run(`llvm-profdata-${llvm}`, ['show', '--temporal-profile-traces', profile]);
	return [...new Set([...text.matchAll(/^ {4}(\S.*)$/gm)].map((match) => match[1]!))];
};

const SOURCES = [program('startup-a.cpp'), program('startup-b.cpp')];

describe('temporal profiles', () => {
	test.each<[string, readonly string[]]>([
		['-O0', ['-O0']],
		['-O2', ['-O2']],
		['ThinLTO', ['-O2', '-flto=thin']],
		['full LTO', ['-O2', '-flto']],
		['plain names', ['-O2', '-mllvm', '-enable-name-compression=false']],
		['block coverage', ['-O2', '-mllvm', '-pgo-block-coverage']],
	])('of clang 22, %s', (name, flags) => {
		const base = name.replace(/\W/g, '_');
		run('clang++-22', ['-std=c++20', '-ffunction-sections', ...flags, '-fprofile-generate', '-ftemporal-profile', '-fuse-ld=lld', ...SOURCES, '-o', base]);
		for (const argv of [['x'], ['x', 'y']]) {
			run(path.join(folder, base), argv, { LLVM_PROFILE_FILE: `${base}-${argv.length}.profraw` });
		}
		run('llvm-profdata-22', ['merge', `${base}-1.profraw`, '-o', `${base}-1.profdata`]);
		const wanted = printed(`${base}-1.profdata`);
		expect(wanted.length).toBeGreaterThan(15);
		expect(wanted.filter((symbol) => symbol.endsWith(';_ZL6helperi'))).toHaveLength(2);
		expect(withFiles(decode(`${base}-1.profraw`))).toEqual(wanted);
		expect(withFiles(decode(`${base}-1.profdata`))).toEqual(wanted);
		run('llvm-profdata-22', ['merge', `${base}-1.profraw`, `${base}-2.profraw`, '-o', `${base}.profdata`]);
		run('llvm-profdata-22', ['merge', '--text', `${base}.profdata`, '-o', `${base}.proftext`]);
		fs.writeFileSync(path.join(folder, `${base}.txt`), run('llvm-profdata-22', ['show', '--temporal-profile-traces', `${base}.profdata`]));
		for (const form of ['profdata', 'proftext', 'txt']) {
			expect(withFiles(decode(`${base}.${form}`))).toEqual(printed(`${base}.profdata`));
		}
	});

	test('an order that lld takes', () => {
		const order = execFileSync(process.execPath, [assay, 'order', 'decode', '_O2-1.profraw'], { cwd: folder, encoding: 'utf8' });
		fs.writeFileSync(path.join(folder, 'start.order'), order);
		run('clang++-22', ['-std=c++20', '-O2', '-ffunction-sections', '-fuse-ld=lld', '-Wl,--symbol-ordering-file=start.order', ...SOURCES, '-o', 'ordered']);
		const addresses = new Map(
			run('nm', ['ordered'])
				.split('\n')
				.map((line) => [line.slice(19), Number.parseInt(line.slice(0, 16), 16)] as const),
		);
		const placed = order.split('\n').flatMap((symbol) => addresses.get(symbol) ?? []);
		expect(placed.length).toBeGreaterThan(5);
		expect(placed).toEqual([...placed].sort((a, b) => a - b));
	});
});

test("clang 19's order-file instrumentation", () => {
	const flags = ['-std=c++20', '-O2', '-ffunction-sections', '-forder-file-instrumentation', '-mllvm', '-orderfile-write-mapping=a.map'];
	run('clang++-19', [...flags, '-c', SOURCES[0]!, '-o', 'a.o']);
	run('clang++-19', [...flags, '-c', SOURCES[1]!, '-o', 'b.o']);
	run('clang++-19', ['-x', 'c', '-O2', '-c', program('startup-dump.c'), '-o', 'dump.o']);
	run('clang++-19', ['-forder-file-instrumentation', '-fuse-ld=lld', 'a.o', 'b.o', 'dump.o', '-o', 'order19']);
	run(path.join(folder, 'order19'), ['x'], { LLVM_PROFILE_FILE: 'order19.profraw' });
	const names = new Map(
		fs
			.readFileSync(path.join(folder, 'a.map'), 'utf8')
			.split('\n')
			.map((line) => [BigInt(`0x${line.split(' ')[1] ?? 0}`), line.split(' ')[2]] as const),
	);
	const slots = new BigUint64Array(Uint8Array.from(fs.readFileSync(path.join(folder, 'order19.profraw.order'))).buffer);
	const decoded = decode('order19.profraw.order', '--map', 'a.map');
	expect(symbols(decoded)).toEqual([...new Set([...slots].filter((id) => id !== 0n).map((id) => names.get(id)))]);
	expect(symbols(decoded)).toEqual(expect.arrayContaining(['main', '_Z5otheri', '_Z5scaleIiLi4EET_S0_']));
	expect(decoded.sharedNames).toMatchObject([{ symbol: '_ZL6helperi', ran: 2 }]);
});

test('XRay: its basic log, as llvm-xray converts it', () => {
	const source = path.join(import.meta.dirname, '..', 'fixtures', 'orderfile', 'xray', 'threads.c');
	run('clang-22', ['-O2', '-fxray-instrument', '-fxray-instruction-threshold=1', source, '-o', 'xray', '-pthread']);
	run('./xray', [], {
		XRAY_BASIC_OPTIONS: 'func_duration_threshold_us=0',
		XRAY_OPTIONS: 'patch_premain=true xray_mode=xray-basic xray_logfile_base=xray-log.',
	});
	const [log = ''] = fs.readdirSync(folder).filter((name) => name.startsWith('xray-log.'));
	fs.writeFileSync(path.join(folder, 'xray.yaml'), run('llvm-xray-22', ['convert', '-f', 'yaml', '-symbolize', '--no-demangle', '-instr_map=xray', log]));
	expect(decode('xray.yaml').functions.map(({ symbol }) => symbol)).toEqual(['begin', 'main', 'run', 'deep', 'same']);
});

test('GCC: places of first executions in the profiles of all its files', () => {
	const sources = path.join(import.meta.dirname, '..', 'fixtures', 'orderfile', 'linkmaps');
	const work = path.join(folder, 'gcc');
	fs.mkdirSync(work);
	const flags = ['-O2', '-fno-inline', '-fprofile-generate', '-fprofile-reorder-functions', '-ftest-coverage'];
	const argv = [...flags, ...['start.c', 'other.c', 'classes.cpp'].map((name) => path.join(sources, name)), '-lstdc++', '-o', 'gcc/program'];
	run('gcc', [...argv, '-dumpdir', 'gcc/']);
	spawnSync(path.join(work, 'program'));
	// Which of the two names of a constructor is counted is up to gcc.
	const names = symbols(decode('gcc')).map((name) => name.replace(/([CD])[12]E/, '$1E'));
	expect(names.filter((name) => !/^_GLOBAL|^_Z41/.test(name))).toEqual([
		'_ZN1ACEi',
		'main',
		'twice',
		'same',
		'other',
		'same',
		'inCpp',
		'_ZNK1A3getEv',
		'_ZN12_GLOBAL__N_17unnamedEi',
		'_ZN1ADEv',
	]);
});

test('uftrace: its folder, its dump and its replay', () => {
	run('gcc', ['-pg', '-g', '-O1', program('startup-threads.c'), '-pthread', '-o', 'traced']);
	run('uftrace', ['record', '--no-libcall', '-d', 'recorded', './traced']);
	for (const command of ['dump', 'replay']) {
		fs.writeFileSync(path.join(folder, `${command}.txt`), run('uftrace', [command, '--demangle=no', '-d', 'recorded']));
	}
	const decoded = decode('recorded');
	expect(decoded.traces).toHaveLength(2);
	expect(symbols(decoded)).toEqual(['before', 'main', 'thread', 'work', 'leaf', 'child']);
	const own = (found: Decoded): string[] => symbols(found).filter((symbol) => symbols(decoded).includes(symbol));
	expect(own(decode('dump.txt'))).toEqual(symbols(decoded));
	expect(own(decode('replay.txt'))).toEqual(symbols(decoded));
	expect(symbols(decode('replay.txt', '--elf', 'traced'))).toEqual(symbols(decoded));
});

test('hooks of -finstrument-functions: addresses of a program that lies anywhere', () => {
	run('gcc', ['-O1', '-finstrument-functions', program('startup-threads.c'), program('startup-hooks.c'), '-pthread', '-pie', '-fPIE', '-o', 'hooked']);
	const { stderr } = spawnSync(path.join(folder, 'hooked'), { cwd: folder, encoding: 'utf8' });
	fs.writeFileSync(path.join(folder, 'hooked.txt'), stderr);
	expect(symbols(decode('hooked.txt', '--elf', 'hooked'))).toEqual(['before', 'main', 'thread', 'work', 'leaf', 'child']);
});

test('perf: page faults', () => {
	run('clang++-22', ['-std=c++20', '-O2', ...SOURCES, '-o', 'faulting']);
	run('perf', ['record', '-q', '-e', 'page-faults', '-c', '1', '-d', '-o', 'faults.data', './faulting']);
	for (const [name, fields] of [
		['faults', 'comm,event,addr,ip,sym'],
		['places', 'time,event,addr,ip,sym,symoff,dso'],
	] as const) {
		fs.writeFileSync(path.join(folder, `${name}.txt`), run('perf', ['script', '--no-demangle', '-i', 'faults.data', '-F', fields]));
		// A small program is in memory after its first fault.
		expect(symbols(decode(`${name}.txt`, '--elf', 'faulting'))[0]).toBe('_start');
	}
	const decoded = decode('faults.data', '--elf', 'faulting');
	expect(decoded.traces[0]).toMatchObject({ format: 'perf.data' });
	expect(symbols(decoded)).toEqual(symbols(decode('places.txt', '--elf', 'faulting')));
});

test('perf: samples with stacks, of perf.data and of what perf script prints of it', () => {
	const spin = 'for (volatile long i = 0; i < 100000000; i++);';
	const source = `static void inner(void) { ${spin} }\nvoid outer(void) { inner(); ${spin} }\nint main(void) { ${spin} outer(); return 0; }\n`;
	fs.writeFileSync(path.join(folder, 'stacked.c'), source);
	run('gcc', ['-O0', '-fno-omit-frame-pointer', '-pie', '-fPIE', 'stacked.c', '-o', 'stacked']);
	run('perf', ['record', '-q', '-F', '999', '-g', '-e', 'cpu-clock', '-o', 'stacked.data', './stacked']);
	fs.writeFileSync(path.join(folder, 'stacked.txt'), run('perf', ['script', '--no-demangle', '--show-mmap-events', '-i', 'stacked.data']));
	const decoded = symbols(decode('stacked.data', '--elf', 'stacked'));
	expect(decoded.filter((name) => /^(?:main|outer|inner)$/.test(name))).toEqual(['main', 'outer', 'inner']);
	expect(decoded).toEqual(symbols(decode('stacked.txt', '--elf', 'stacked')));
});
