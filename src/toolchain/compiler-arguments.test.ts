import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeTool } from '../../test/fake-tools.js';
import {
	codegenOptions,
	compileOptions,
	dependencyDefaults,
	isForMachO,
	isTrial,
	parseCompilerArguments,
	responseWords,
	targetOptions,
} from './compiler-arguments.js';

const parse = (text: string, files: Record<string, string> = {}): ReturnType<typeof parseCompilerArguments> =>
	parseCompilerArguments(text.split(' '), (file) => files[file] ?? null);

describe('a command line of clang', () => {
	test.each([
		['-c a.c -o a.o', 'object', 'a.o', ['a.c']],
		['-S a.c', 'assembly', null, ['a.c']],
		['-O2 a.c b.o -lm -oapp', 'link', 'app', ['a.c', 'b.o', '-lm']],
		['-o app -L x -l m -Xlinker -z -include conf.h a.cc', 'link', 'app', ['m', 'a.cc']],
		['-E a.c', 'pass-through', null, ['a.c']],
		['-S -emit-llvm a.c', 'pass-through', null, ['a.c']],
		['-c a.h -o a.gch', 'pass-through', 'a.gch', ['a.h']],
		['-c a.hxx -Xclang -emit-pch', 'pass-through', null, ['a.hxx']],
		['-v', 'pass-through', null, []],
		['--version', 'pass-through', null, []],
		['-x c -c -', 'object', null, ['-']],
	])('%s', (text, mode, output, files) => {
		const line = parse(text);
		expect(line).toMatchObject({ mode, output });
		expect(line.inputs.map(({ file }) => file)).toEqual(files);
	});

	test('tells kinds of inputs, also by -x', () => {
		expect(parse('a.c b.S c.o d.a -x c++ e.txt -x none f.so g.pcm h.F90').inputs.map(({ kind }) => kind)).toEqual([
			'source',
			'assembly',
			'linker',
			'linker',
			'source',
			'linker',
			'source',
			'fortran',
		]);
	});

	test('tells what build systems only try out, before Node starts too', () => {
		const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-trial-')));
		const tools = path.join(folder, 'tools');
		for (const name of ['clang', 'node']) {
			writeTool(tools, name, `#!/bin/sh\necho ${name}\n`);
		}
		const isTold = (where: string, text: string): boolean[] => {
			const workingDirectory = path.join(folder, where);
			fs.mkdirSync(workingDirectory, { recursive: true });
			const env = { PATH: `${tools}:${process.env.PATH}` };
			const printed = execFileSync(path.resolve('bin', 'assay-cc'), text.split(' '), { cwd: workingDirectory, env, encoding: 'utf8' });
			return [isTrial(parse(text), workingDirectory), printed === 'clang\n'];
		};
		for (const text of ['conftest.c', '-c -O2 conftest.c', 'conftest.o -o conftest', '-c conftest2.cpp', '-c ../conftest.c']) {
			expect([text, ...isTold('p', text)]).toEqual([text, true, true]);
		}
		for (const text of ['a.c', 'conftests.c', 'my-conftest.c', '-c x.c -o conftest.o', '-c -MD -MF conftest.d x.c']) {
			expect([text, ...isTold('p', text)]).toEqual([text, false, false]);
		}
		for (const where of ['CMakeFiles/CMakeScratch/TryCompile-a1', 'CMakeFiles/CMakeTmp', 'CMakeFiles/3.25.1/CompilerIdC', 'meson-private/tmp1']) {
			expect([where, ...isTold(where, '-c a.c')]).toEqual([where, true, true]);
		}
		for (const where of ['CMakeFiles', 'CMakeFiles/a.dir', 'CMakeFiles/a/CompilerIdC', 'meson']) {
			expect([where, ...isTold(where, '-c a.c')]).toEqual([where, false, false]);
		}
		fs.rmSync(folder, { recursive: true });
	});

	test('tells what goes beside objects', () => {
		expect(['-g a.c', '-gsplit-dwarf a.c', '-gsplit-dwarf=single a.c', '-gsplit-dwarf -gno-split-dwarf a.c'].map((text) => parse(text).hasSplitDwarf)).toEqual([
			false,
			true,
			false,
			false,
		]);
	});

	test('knows link-time optimization by the last word about it', () => {
		expect(parse('-flto -flto=thin a.o').lto).toBe('thin');
		expect(parse('-flto=thin -fno-lto a.o').lto).toBe('none');
		expect(parse('-flto a.o').lto).toBe('full');
	});

	test('is read from response files, which may name others', () => {
		const line = parse('@one -o x', { one: '-c "a b.c"\n@two', two: "-DX='y z' -I\\ i" });
		expect(line.words).toEqual(['-c', 'a b.c', '-DX=y z', '-I i', '-o', 'x']);
		expect(parse('@missing').words).toEqual(['@missing']);
		expect(responseWords('a "" \'b\\c\' d\\\\e')).toEqual(['a', '', 'b\\c', 'd\\e']);
	});

	test('has options for each step', () => {
		const line = parse(
			'-std=c++20 -O2 -g -DX -Iinc -MD -MFa.d -flto -march=native -mllvm -x1 -Xclang -fno-pch -Wl,-z,now -fPIC -pthread -x c++ a.txt -lm -o app',
		);
		expect(compileOptions(line, line.inputs[0]!).join(' ')).toBe(
			'-std=c++20 -O2 -g -DX -Iinc -MD -MFa.d -flto -march=native -mllvm -x1 -Xclang -fno-pch -fPIC -pthread -x c++ a.txt',
		);
		expect(codegenOptions(line).join(' ')).toBe('-O2 -g -DX -Iinc -march=native -mllvm -x1 -fPIC -pthread');
		expect(targetOptions(parse('-O2 -m32 --target=x -target y -B z -mllvm -q a.c')).join(' ')).toBe('-m32 --target=x -target y -B z');
	});

	test('tells where dependencies would go', () => {
		expect(dependencyDefaults(parse('-c -MD a.c'), 'out/a.o')).toEqual(['-MF', 'out/a.d', '-MQ', 'out/a.o']);
		expect(dependencyDefaults(parse('-c -MMD -MF x.d a.c'), 'a.o')).toEqual(['-MQ', 'a.o']);
		expect(dependencyDefaults(parse('-c -MD -MF x.d -MT t a.c'), 'a.o')).toEqual([]);
		expect(dependencyDefaults(parse('-c a.c'), 'a.o')).toEqual([]);
	});
});

test('Mach-O: the target that is named last, else the machine', () => {
	const isFor = (text: string, platform = 'linux'): boolean => isForMachO(parse(text), platform);
	expect(
		['-target arm64-apple-ios a.c', '--target=x86_64-apple-macos11 a.c', '-target x86_64-linux-gnu --target arm64-apple-tvos a.c'].map((text) => isFor(text)),
	).toEqual([true, true, true]);
	expect([isFor('a.c'), isFor('-Iapple -o -apple a.c'), isFor('a.c', 'darwin'), isFor('--target=aarch64-linux-gnu a.c', 'darwin')]).toEqual([
		false,
		false,
		true,
		false,
	]);
	expect(parse('-framework Foo -exported_symbols_list list.txt a.c').inputs.map(({ file }) => file)).toEqual(['a.c']);
});
