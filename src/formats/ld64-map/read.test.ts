import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { InputError } from '../../model/problem.js';
import { isLd64Map, readLd64Map } from './read.js';

const source = (text: string): ReturnType<typeof memorySource> => memorySource('app.map', Buffer.from(text));
const folder = path.resolve(import.meta.dirname, '../../../fixtures/orderfile/linkmaps');
const MAP = `# Path: app
# Arch: arm64
# Object files:
[  0] linker synthesized
[  1] /build/a.o
[ 12] /build/libx.a(dir/b.o)
[ 13] liby.a[4](c.o)
# Sections:
# Address\tSize    \tSegment\tSection
0x100004000\t0x00000100\t__TEXT\t__text
0x100004100\t0x00000018\t__TEXT\t__stubs
0x100008000\t0x00000010\t__DATA\t__data
# Symbols:
# Address\tSize    \tFile  Name
0x100004000\t0x00000014\t[  1] _main
0x100004014\t0x00000000\t[ 12] _same
0x100004014\t0x0000000C\t[ 12] ltmp0
0x100004020\t0x00000010\t[  1] -[Foo bar: with:]
0x100004040\t0x00000010\t[ 13] _same
0x100004100\t0x0000000C\t[  0] _puts
0x100008000\t0x00000010\t[  1] _data
# Dead Stripped Symbols:
#        \tSize    \tFile  Name
<<dead>> \t0x00000008\t[  1] _unused
`;

test('functions with their objects, each by its own name and by that with its object', () => {
	const { table, problems } = readLd64Map(source(MAP));
	expect(problems).toEqual([]);
	expect(table).toMatchObject({ kind: 'ld64-map', machine: 'AARCH64', machOArchitecture: 'arm64', entry: 0x100004000 });
	const { names, addresses, sizes, isLocal, files } = table.symbols;
	expect(names.map((name, i) => [name, addresses[i]! - 0x100004000, sizes[i], isLocal[i], files[i]])).toEqual([
		['_main', 0, 0x14, 0, 'a.o'],
		['a.o:_main', 0, 0x14, 1, 'a.o'],
		['_same', 0x14, 0xc, 1, 'libx.a(b.o)'],
		['libx.a(b.o):_same', 0x14, 0xc, 1, 'libx.a(b.o)'],
		['-[Foo bar: with:]', 0x20, 0x10, 0, 'a.o'],
		['a.o:-[Foo bar: with:]', 0x20, 0x10, 1, 'a.o'],
		['_same', 0x40, 0x10, 1, 'liby.a(c.o)'],
		['liby.a(c.o):_same', 0x40, 0x10, 1, 'liby.a(c.o)'],
		['_puts', 0x100, 0xc, 0, 'linker synthesized'],
	]);
	expect(table.inputSections?.map(({ address, sizeBytes, alignment, section }) => [address - 0x100004000, sizeBytes, alignment, section])).toEqual([
		[0, 0x14, 4, 0],
		[0x14, 0xc, 4, 0],
		[0x20, 0x10, 4, 0],
		// The gap shows that it wants more than 16.
		[0x40, 0x10, 32, 0],
	]);
});

test('of programs for Intel parts are aligned to 16, or to what their addresses allow', () => {
	const text = MAP.replace('arm64', 'x86_64').replace('0x100004014\t0x00000000', '0x100004014\t0x0000000C');
	const { table } = readLd64Map(source(text));
	expect(table.inputSections?.map(({ alignment }) => alignment)).toEqual([16, 4, 16, 32]);
	expect(table.machine).toBe('X86_64');
});

test.each(['arm64', 'x86_64'])('what ld64.lld writes: %s', (architecture) => {
	const text = fs.readFileSync(path.join(folder, `ld64-${architecture}.map`), 'utf8');
	const { table, problems } = readLd64Map(source(text));
	expect(isLd64Map(text)).toBe(true);
	expect(problems).toEqual([]);
	expect(table.machOArchitecture).toBe(architecture);
	expect(table.symbols.names).toEqual(expect.arrayContaining(['_main', 'start.o:_rare', '__ZN12_GLOBAL__N_17unnamedEi', 'libother.a(other.o):_other']));
	// What was stripped is listed, too.
	expect(text).toContain('_twice');
	expect(table.symbols.names).not.toContain('_twice');
});

test('lines that are none are told; a map without code is refused', () => {
	const { problems } = readLd64Map(source(MAP.replace('0x100004020\t0x00000010\t[  1] -[Foo bar: with:]', 'what')));
	expect(problems).toMatchObject([{ severity: 'warning', line: 18 }]);
	expect(() => readLd64Map(source(MAP.replaceAll('__TEXT', '__DATA')))).toThrow('holds no symbol of code');
	expect([isLd64Map(MAP), isLd64Map('# Path: app\n'), isLd64Map('')]).toEqual([true, false, false]);
});

test('any lines are read or refused', () => {
	fc.assert(
		fc.property(fc.array(fc.oneof(fc.constantFrom(...MAP.split('\n')), fc.string())), (lines) => {
			try {
				readLd64Map(source(lines.join('\n')));
			} catch (error) {
				expect(error).toBeInstanceOf(InputError);
			}
		}),
	);
});
