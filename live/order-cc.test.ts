/** `assay order cc`: clang's own ways of being called, and builds of projects by Make, configure, CMake and Ninja, in parallel, with and without link-time optimization. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asNames, assay, decode, firstExecuted, fixtures, programs, run, tool, withoutStartFiles } from './order-tools.js';

const root = path.resolve(import.meta.dirname, '..');
let folder = '';
let work = '';
let environment: NodeJS.ProcessEnv = {};

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-cc-live-'));
	// As npm installs them: on the path, without the end of their names.
	for (const file of ['assay-cc', 'assay-c++', 'assay-llvm-ar.js', 'assay-llvm-ranlib.js']) {
		fs.symlinkSync(path.join(root, 'bin', file), path.join(folder, path.parse(file).name));
	}
	environment = { ...process.env, PATH: `${folder}:${process.env.PATH}`, ASSAY_CC: tool('clang-22'), ASSAY_CXX: tool('clang++-22') };
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
	work = fs.mkdtempSync(path.join(folder, 'work-'));
});

const at = (name: string): string => path.join(work, name);
const build = (command: string, ...argv: string[]): string => run(command, argv, { cwd: work, env: environment });
const source = (name: string): string => path.join(programs, name);

function ran(program: string, argv: readonly string[] = []): { stdout: string; status: number | null; symbols: string[] } {
	const { stdout, status } = spawnSync(at(program), argv, { encoding: 'utf8', env: { ...process.env, ASSAY_ORDER_FILE: at('x.order') } });
	return { stdout, status, symbols: decode(at('x.order'), at(`${program}.order-map.json`)) };
}

/** The same program by clang alone, under ptrace. */
function truth(argv: readonly string[], ...build: readonly string[]): ReturnType<typeof firstExecuted> {
	run(tool('clang++-22'), [...build, '-no-pie', '-o', at('base')], { cwd: work });
	return firstExecuted(work, { base: at('base'), instrumented: '', map: '', omitted: new Set() }, argv);
}

describe('a program', () => {
	test.each([
		['plain', ['-O2']],
		['not optimized, with debug information', ['-O0', '-g']],
		['ThinLTO', ['-O2', '-flto=thin', `--ld-path=${'LLD'}`]],
		['full LTO', ['-O2', '-flto', `--ld-path=${'LLD'}`]],
	])('%s: prints the same, in the order that ptrace saw', (_, flags) => {
		const all = [...flags.map((flag) => flag.replace('LLD', tool('ld.lld-22'))), '-std=c++17', '-pthread', source('shapes.cpp'), source('shapes-other.cpp')];
		build('assay-c++', ...all, '-no-pie', '-o', 'shapes');
		const expected = truth(['more'], ...all);
		const told = ran('shapes', ['more']);
		expect({ stdout: told.stdout, status: told.status }).toEqual({ stdout: expected.stdout, status: expected.status });
		expect(asNames(told.symbols, expected.names)).toEqual(expected.names);
		expect(fs.readdirSync(work).filter((name) => /\.(?:o|ll|bc)$/.test(name))).toEqual([]);
	});

	test.each([['-flto=thin'], ['-flto'], ['-O1']])('out of a library, object by object: %s', (lto) => {
		for (const name of ['shapes', 'shapes-other']) {
			build('assay-c++', '-O2', '-std=c++17', lto, '-c', source(`${name}.cpp`), '-o', `${name}.o`);
		}
		build(tool('llvm-ar-22'), 'rc', 'libother.a', 'shapes-other.o');
		build('assay-c++', '-O2', lto, `--ld-path=${tool('ld.lld-22')}`, 'shapes.o', '-L.', '-lother', '-pthread', '-o', 'shapes');
		const told = ran('shapes');
		expect(told.status).toBe(2);
		expect(told.symbols).toContain('main');
		expect(told.symbols).toContain('_Z8throwingi');
		const { modules } = JSON.parse(fs.readFileSync(at('shapes.order-map.json'), 'utf8')) as { modules: unknown[] };
		expect(modules).toHaveLength(lto === '-flto' ? 1 : 2);
	});
});

describe('children and libraries', () => {
	const flagsOf = (options: readonly string[]): string[] => options.map((option) => (option === 'LLD' ? `--ld-path=${tool('ld.lld-22')}` : option));
	const start = (...argv: string[]): ReturnType<typeof spawnSync> =>
		spawnSync(at('processes'), argv, { encoding: 'utf8', env: { ...process.env, ASSAY_ORDER_FILE: at('x.order') } });
	/** What ran by files of dumps, the program's first. */
	const dumps = (...maps: string[]): string[][] => {
		const files = fs.readdirSync(work).filter((name) => name.startsWith('x.order'));
		return files.sort().map((name) => decode(at(name), ...maps.map((map) => at(map))));
	};

	test.each([
		['clang-19', []],
		['clang-22', []],
		['clang-22', ['-static']],
		['clang-22', ['-flto=thin', 'LLD']],
	])('%s %j: the program has the name that was asked for, its children have their own, also those that end by _exit', (compiler, options) => {
		const env = { ...environment, ASSAY_CC: tool(compiler) };
		run('assay-cc', ['-O2', ...flagsOf(options), source('processes.c'), source('library.c'), '-lm', '-o', 'processes'], { cwd: work, env });
		expect(start()).toMatchObject({ status: 0, stdout: 'child\nstarted\nparent\n', stderr: '' });
		expect(dumps('processes.order-map.json').map((symbols) => symbols.filter((name) => /^(?:main|in[A-Z])/.test(name)))).toEqual([
			['main', 'inParent'],
			['main', 'inChild'],
			['main', 'inStarted'],
		]);
	});

	test.each([
		['clang-19', []],
		['clang-22', []],
		['clang-22', ['-flto', 'LLD']],
	])('%s %j: a signal makes the program and its shared library write', (compiler, options) => {
		const env = { ...environment, ASSAY_CC: tool(compiler) };
		run('assay-cc', ['-O2', ...flagsOf(options), '-shared', '-fPIC', source('library.c'), '-o', 'liblibrary.so'], { cwd: work, env });
		run('assay-cc', ['-O2', ...flagsOf(options), source('processes.c'), '-L.', '-llibrary', '-lm', '-Wl,-rpath,$ORIGIN', '-o', 'processes'], {
			cwd: work,
			env,
		});
		expect(start('signal')).toMatchObject({ signal: 'SIGKILL', stdout: 'child\nstarted\nparent\nkilled\n' });
		expect([...dumps('processes.order-map.json', 'liblibrary.so.order-map.json')[0]!].sort()).toEqual(['fromLibrary', 'inParent', 'infinite', 'main']);
	});
});

describe('the same build in two folders', () => {
	const builds: (readonly [string, (folder: string) => void, readonly string[]])[] = [
		['objects, by relative and by absolute path', (at) => objects(at), ['relative.o', 'absolute.o']],
		['with debug information and -ffile-prefix-map', (at) => objects(at, '-g', `-ffile-prefix-map=${at}=.`), ['absolute.o']],
		['a program', (at) => program(at), ['program', 'program.order-map.json']],
		['with ThinLTO', (at) => program(at, '-flto=thin', `--ld-path=${tool('ld.lld-22')}`), ['program', 'program.order-map.json']],
		['with full LTO', (at) => program(at, '-flto', `--ld-path=${tool('ld.lld-22')}`), ['program', 'program.order-map.json']],
	];
	const compile = (at: string, ...argv: string[]): string => run('assay-cc', ['-O2', ...argv], { cwd: at, env: environment });
	const objects = (at: string, ...flags: string[]): void => {
		compile(at, ...flags, '-c', path.join('src', 'processes.c'), '-o', 'relative.o');
		compile(at, ...flags, '-c', path.join(at, 'src', 'processes.c'), '-o', 'absolute.o');
	};
	const program = (at: string, ...flags: string[]): void => {
		compile(at, ...flags, path.join('src', 'processes.c'), path.join(at, 'src', 'library.c'), '-lm', '-o', 'program');
	};

	test.each(builds)('%s: the same bytes', (_, make, outputs) => {
		const folders = ['first', path.join('second', 'deeper')].map((name) => at(name));
		for (const one of folders) {
			fs.mkdirSync(path.join(one, 'src'), { recursive: true });
			for (const name of ['processes.c', 'library.c']) {
				fs.copyFileSync(source(name), path.join(one, 'src', name));
			}
			make(one);
		}
		for (const output of outputs) {
			const [first = '', second = ''] = folders.map((one) => fs.readFileSync(path.join(one, output), 'latin1'));
			expect(first === second && first !== '', output).toBe(true);
		}
	});

	test('one source compiled twice, differently, to objects that are renamed', () => {
		fs.writeFileSync(at('f.c'), '#define JOIN(a, b) a##b\n#define NAME(a, b) JOIN(a, b)\nint NAME(f, NUMBER)(void) { return NUMBER; }\n');
		fs.writeFileSync(at('m.c'), 'int f1(void);\nint f2(void);\nint main(void) { return f1() + f2(); }\n');
		for (const number of [1, 2]) {
			compile(work, `-DNUMBER=${number}`, '-c', 'f.c', '-o', 'f.o');
			fs.renameSync(at('f.o'), at(`f${number}.o`));
		}
		compile(work, 'm.c', 'f1.o', 'f2.o', '-o', 'both');
		expect(ran('both')).toMatchObject({ status: 3, symbols: ['main', 'f1', 'f2'] });
	});
});

describe('called as clang is', () => {
	test('dependencies, assembly, preprocessing, standard input, response files, questions', () => {
		fs.writeFileSync(at('a.h'), 'int f(int);\n');
		fs.writeFileSync(at('a.c'), '#include "a.h"\nint f(int x) { return x + VALUE; }\n');
		fs.writeFileSync(at('b.S'), '.globl g\n#define RESULT 7\ng:\n\tmov $RESULT, %eax\n\tret\n.section .note.GNU-stack,"",@progbits\n');
		fs.writeFileSync(at('m.c'), '#include "a.h"\nint g(void);\nint main(void) { return f(1) + g(); }\n');
		build('assay-cc', '-DVALUE=2', '-MD', '-MP', '-c', 'a.c');
		expect(fs.readFileSync(at('a.d'), 'utf8')).toMatch(/^a\.o: a\.c a\.h\n/);
		build('assay-cc', '-DVALUE=2', '-MMD', '-MF', 'deps', '-c', 'a.c', '-o', 'sub.o');
		expect(fs.readFileSync(at('deps'), 'utf8')).toMatch(/^sub\.o: a\.c a\.h\n/);
		build('assay-cc', '-DVALUE=2', '-O1', '-S', 'a.c');
		expect(fs.readFileSync(at('a.s'), 'utf8')).toContain('__assay_order_module');
		expect(build('assay-cc', '-DVALUE=2', '-E', 'a.c')).toContain('return x + 2;');
		expect(build('assay-cc', '--version')).toContain('clang version 22');
		expect(run('assay-cc', ['-x', 'c', '-', '-c', '-o', 'stdin.o'], { cwd: work, env: environment, input: 'int h;\n' })).toBe('');
		fs.writeFileSync(at('all.rsp'), '-O1 "-DVALUE=2" a.c\nb.S m.c -o program');
		build('assay-cc', '@all.rsp');
		expect(ran('program')).toMatchObject({ status: 10, symbols: ['main', 'f'] });
		build('assay-cc', '-r', 'a.o', 'sub.o', '-o', 'both.o', '-Wl,-z,muldefs');
		expect(fs.existsSync(at('both.o.order-map.json'))).toBe(false);
	});

	test('faults are those of clang, and nothing is left in the temporary folder', () => {
		fs.writeFileSync(at('wrong.c'), 'int f(void) { return ; }\n#warning careful\n');
		const wrong = spawnSync('assay-cc', ['-c', 'wrong.c'], { cwd: work, encoding: 'utf8', env: { ...environment, TMPDIR: work } });
		const plain = spawnSync(tool('clang-22'), ['-c', 'wrong.c'], { cwd: work, encoding: 'utf8' });
		expect({ status: wrong.status, stderr: wrong.stderr }).toEqual({ status: plain.status, stderr: plain.stderr });
		expect(spawnSync('assay-cc', ['missing.o', '-o', 'x'], { cwd: work, env: { ...environment, TMPDIR: work } }).status).toBe(1);
		expect(fs.readdirSync(work)).toEqual(['wrong.c']);
		const gcc = spawnSync('assay-cc', ['-c', 'wrong.c'], { cwd: work, encoding: 'utf8', env: { ...environment, ASSAY_CC: 'gcc' } });
		expect(gcc.status).not.toBe(0);
		fs.writeFileSync(at('right.c'), 'int right;\n');
		expect(spawnSync('assay-cc', ['-c', 'right.c'], { cwd: work, encoding: 'utf8', env: { ...environment, ASSAY_CC: 'gcc' } }).stderr).toBe(
			'assay order cc: gcc: does not write LLVM IR; a clang is needed, 15 to 22: name one with ASSAY_CC and ASSAY_CXX, or behind --\n',
		);
		const none = spawnSync(process.execPath, [assay, 'order', 'cc', '--', 'no-such-clang', '-c', 'wrong.c'], { cwd: work, encoding: 'utf8' });
		expect(none).toMatchObject({ status: 127, stderr: 'assay order cc: no-such-clang cannot be run (ENOENT)\n' });
	});

	test.each(['clang-19', 'clang-22'])('%s: debug information beside the objects is where clang puts it, and is found', (compiler) => {
		fs.mkdirSync(at('out'));
		for (const name of ['processes.c', 'library.c']) {
			fs.copyFileSync(source(name), at(name));
		}
		const flags = ['-g', '-gsplit-dwarf', '-O1', 'processes.c', 'library.c', '-lm'];
		run(tool(compiler), [...flags, '-o', 'out/app'], { cwd: work });
		const said = (): (string | undefined)[] =>
			[...run(tool('llvm-dwarfdump-22'), ['out/app'], { cwd: work }).matchAll(/DW_AT_dwo_name\s+\("(.*)"\)/g)].map(([, name]) => name);
		const plain = [fs.readdirSync(at('out')).sort(), said()];
		expect(plain[1]).toEqual(['out/app-processes.dwo', 'out/app-library.dwo']);
		fs.rmSync(at('out'), { recursive: true });
		fs.mkdirSync(at('out'));
		run('assay-cc', [...flags, '-o', 'out/app'], { cwd: work, env: { ...environment, ASSAY_CC: tool(compiler) } });
		expect([fs.readdirSync(at('out')).filter((name) => !name.endsWith('.json')), said()]).toEqual(plain);
		// What lies there under the name of such an object is the user's.
		fs.writeFileSync(at('out/app-library.o'), 'mine');
		run('assay-cc', [...flags, '-o', 'out/app'], { cwd: work, env: { ...environment, ASSAY_CC: tool(compiler) } });
		expect(fs.readFileSync(at('out/app-library.o'), 'utf8')).toBe('mine');
		expect(fs.readdirSync(work).sort()).toEqual(['library.c', 'out', 'processes.c']);
	});

	test.each(['clang++-19', 'clang++-22'])('%s: a module of C++20, precompiled first and compiled then, logs its functions', (compiler) => {
		fs.writeFileSync(at('M.cppm'), 'export module M;\nexport int twice(int x) { return x * 2; }\n');
		fs.writeFileSync(at('use.cpp'), 'import M;\nint main() { return twice(4); }\n');
		const env = { ...environment, ASSAY_CXX: tool(compiler) };
		for (const line of ['--precompile M.cppm -o M.pcm', 'M.pcm -c -o M.o', '-fmodule-file=M=M.pcm use.cpp M.o -o use']) {
			run('assay-c++', ['-std=c++20', ...line.split(' ')], { cwd: work, env });
		}
		const told = ran('use');
		expect([told.status, told.symbols.slice(-2)]).toEqual([8, ['main', '_ZW1M5twicei']]);
	});

	test('what configure and CMake only try out is compiled by clang as it is', () => {
		fs.writeFileSync(at('conftest.c'), 'int main(void) { return 0; }\n');
		const trial = path.join(work, 'CMakeFiles', 'CMakeScratch', 'TryCompile-1');
		fs.mkdirSync(trial, { recursive: true });
		fs.copyFileSync(at('conftest.c'), path.join(trial, 'a.c'));
		const objects = (cwd: string, name: string): Set<string> =>
			new Set(
				[['assay-cc'], [process.execPath, assay, 'order', 'cc', '--', tool('clang-22')], [tool('clang-22')]].map(([command = '', ...words]) => {
					run(command, [...words, '-O1', '-c', name, '-o', 'x.o'], { cwd, env: environment });
					return fs.readFileSync(path.join(cwd, 'x.o'), 'latin1');
				}),
			);
		expect([objects(work, 'conftest.c').size, objects(trial, 'a.c').size]).toEqual([1, 1]);
		const unset = { ...environment, ASSAY_CC: '' };
		expect(run('assay-cc', ['--version', 'conftest.c'], { cwd: work, env: unset })).toBe(run('assay-cc', ['--version'], { cwd: work, env: unset }));
	});

	test('what logs nothing is told: Fortran', () => {
		fs.writeFileSync(at('f.f90'), 'subroutine f\nend\n');
		expect(spawnSync('assay-cc', ['-c', 'f.f90'], { cwd: work, encoding: 'utf8', env: environment }).stderr).toMatch(
			/^assay order cc: f\.f90 is Fortran, which is compiled as it is: its functions log nothing\n/,
		);
	});

	test('with options of our own', () => {
		fs.writeFileSync(at('m.c'), 'static int __attribute__((noinline)) f(int x) { return x + 2; }\nint main(int c, char **v) { return f(c); }\n');
		run(process.execPath, [assay, 'order', 'cc', '--skip', 'f', '--buffer-entries', '5', '--map', 'here.json', '--', tool('clang-22'), '-O1', 'm.c'], {
			cwd: work,
		});
		expect(JSON.parse(fs.readFileSync(at('here.json'), 'utf8'))).toMatchObject({
			bufferEntries: 5,
			modules: [{ omitted: [{ symbol: 'f', reason: 'skipped' }] }],
		});
		run('assay-cc', ['-O1', 'm.c', '-o', 'm'], { cwd: work, env: { ...environment, ASSAY_ORDER_CC_OPTIONS: "--only 'ma*'" } });
		expect(ran('m').symbols).toEqual(['main']);
	});
});

describe('builds', () => {
	test('the SQLite shell by make, two at a time: as plain clang builds it', () => {
		fs.mkdirSync(at('ll'));
		build('tar', 'xzf', path.join(fixtures, 'll', 'sqlite3-3.40.1_O2_92modules_plus_shell.ll.tar.gz'), '-C', 'll');
		fs.writeFileSync(
			at('Makefile'),
			'OBJECTS = $(patsubst ll/%.ll,%.o,$(wildcard ll/*.ll))\nsqlite3: $(OBJECTS)\n\t$(CC) $(LDFLAGS) $^ -lm -o $@\n%.o: ll/%.ll\n\t$(CC) $(CFLAGS) -c $< -o $@\n',
		);
		build('make', '-s', '-j2', 'CC=assay-cc', 'CFLAGS=-O0 -w -ffunction-sections');
		const input = fs.readFileSync(path.join(fixtures, 'src', 'startup.sql'), 'utf8');
		run(at('sqlite3'), [':memory:'], { input, env: { ...process.env, ASSAY_ORDER_FILE: at('x.order') } });
		// At -O0 nothing is inlined that was not before.
		expect(decode(at('x.order'), at('sqlite3.order-map.json'))).toEqual(
			withoutStartFiles(fs.readFileSync(path.join(fixtures, 'groundtruth', 'startup.firstexec.txt'), 'utf8')),
		);
	});

	test.each([
		['Ninja', ''],
		['Unix Makefiles', ''],
		['Ninja', '-flto=thin'],
		['Ninja', '-flto'],
	])('CMake with %s %s', (generator, lto) => {
		build(
			tool('cmake'),
			'-G',
			generator,
			'-DCMAKE_BUILD_TYPE=Release',
			'-DCMAKE_C_COMPILER=assay-cc',
			'-DCMAKE_CXX_COMPILER=assay-c++',
			`-DCMAKE_AR=${tool('llvm-ar-22')}`,
			`-DCMAKE_RANLIB=${tool('llvm-ranlib-22')}`,
			`-DCMAKE_CXX_FLAGS=${lto}`,
			`-DCMAKE_EXE_LINKER_FLAGS=${lto === '' ? '' : `--ld-path=${tool('ld.lld-22')}`}`,
			source('project'),
		);
		build(tool('cmake'), '--build', '.', '-j', '3');
		const told = ran('shapes');
		expect(told.status).toBe(2);
		expect(told.symbols[0]).toBe('_ZL5earlyv');
		expect(told.symbols).toContain('_ZN6GlobalC2Ev');
		expect(ran('two')).toMatchObject({ stdout: '42\n', status: 0, symbols: ['main'] });
	});

	test('CMake finds that link-time optimization works, and the archiver for it', () => {
		fs.mkdirSync(at('source'));
		fs.writeFileSync(
			at('source/CMakeLists.txt'),
			[
				'cmake_minimum_required(VERSION 3.20)',
				'project(ipo C CXX)',
				'include(CheckIPOSupported)',
				'check_ipo_supported(LANGUAGES C CXX)',
				'add_library(other STATIC other.c)',
				'add_executable(app app.c)',
				'target_link_libraries(app other)',
				'set_property(TARGET app other PROPERTY INTERPROCEDURAL_OPTIMIZATION TRUE)',
			].join('\n'),
		);
		fs.writeFileSync(at('source/other.c'), '__attribute__((noinline)) int other(int x) { return x + 40; }\n');
		fs.writeFileSync(at('source/app.c'), 'int other(int);\nint main(int argc, char **argv) { return other(argc); }\n');
		build(tool('cmake'), '-DCMAKE_C_COMPILER=assay-cc', '-DCMAKE_CXX_COMPILER=assay-c++', at('source'));
		build(tool('cmake'), '--build', '.');
		expect(ran('app')).toMatchObject({ status: 41, symbols: ['main', 'other'] });
	});

	test('configure and make', () => {
		for (const name of ['configure.ac', 'Makefile.in', 'one.c', 'two.c']) {
			fs.copyFileSync(source(`project/${name}`), at(name));
		}
		build(tool('autoconf'));
		const said = build('./configure', 'CC=assay-cc', 'CXX=assay-c++');
		expect(said).toMatch(/whether the C compiler works\.\.\. yes/);
		expect(said).toMatch(/suffix of executables\.\.\. *\n/);
		expect(said).toMatch(/suffix of object files\.\.\. o\n/);
		expect(said).toMatch(/size of long\.\.\. 8/);
		build('make', '-s', '-j3');
		expect(ran('two')).toMatchObject({ stdout: '42\n', symbols: ['main', 'one'] });
		expect(fs.readdirSync(work).filter((name) => /^(?:conftest|a\.)/.test(name))).toEqual([]);
		fs.rmSync(at('two.order-map.json'));
		expect(decode(at('x.order'), at('two'))).toEqual(['main', 'one']);
	});
});
