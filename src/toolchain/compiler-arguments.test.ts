import { describe, expect, test } from 'vitest';
import { codegenOptions, compileOptions, dependencyDefaults, parseCompilerArguments, responseWords, targetOptions } from './compiler-arguments.js';

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
		expect(parse('a.c b.S c.o d.a -x c++ e.txt -x none f.so').inputs.map(({ kind }) => kind)).toEqual([
			'source',
			'assembly',
			'linker',
			'linker',
			'source',
			'linker',
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
