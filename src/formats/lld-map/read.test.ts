import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { InputError } from '../../model/problem.js';
import { isLldMap, readLldMap } from './read.js';

const source = (text: string): ReturnType<typeof memorySource> => memorySource('app.map', Buffer.from(text));
const MAP = `             VMA              LMA     Size Align Out     In      Symbol
          202010           202010    220b4    16 .rodata
          202010           202010       30     4         <internal>:(.rodata.cst4)
          24e0a0           24e0a0   11bce7    16 .text
          24e0a0           24e0a0       31    16         /usr/lib/crt1.o:(.text)
          24e0a0           24e0a0       22     1                 _start
          24e0d1           24e0d1        0     1         /usr/lib/crti.o:(.text)
          24e190           24e190      30d    64         build/alter.o:(.text.rename)
          24e190           24e190      30d     1                 rename
          369d88           369d88       17     4 .init
          369d88           369d88       12     4         /usr/lib/crti.o:(.init)
          369d88           369d88        0     1                 _init
`;

test('output sections, input sections, symbols', () => {
	const { table, problems } = readLldMap(source(MAP));
	expect(problems).toEqual([]);
	expect(table.sections.map(({ name, isExecutable }) => [name, isExecutable])).toEqual([
		['.rodata', false],
		['.text', true],
		['.init', true],
	]);
	expect(table.inputSections?.map(({ name, sizeBytes, alignment, section }) => [name, sizeBytes, alignment, section])).toEqual([
		['/usr/lib/crt1.o:(.text)', 0x31, 16, 1],
		['/usr/lib/crti.o:(.text)', 0, 1, 1],
		['build/alter.o:(.text.rename)', 0x30d, 64, 1],
		['/usr/lib/crti.o:(.init)', 0x12, 4, 2],
	]);
	expect(table.symbols.names.map((name, i) => [name, table.symbols.files[i]])).toEqual([
		['_start', '/usr/lib/crt1.o'],
		['rename', 'build/alter.o'],
		['_init', '/usr/lib/crti.o'],
	]);
	expect([isLldMap(MAP), isLldMap('main\n')]).toEqual([true, false]);
});

test('demangled symbols are known by the sections of their functions; of others that is told', () => {
	const line = (address: string, alignment: number, text: string): string =>
		`          ${address}           ${address}       10 ${String(alignment).padStart(5)} ${text}\n`;
	const map = [
		MAP.split('\n', 1)[0]! + '\n' + line('1000', 16, '.text'),
		line('1000', 16, '        a.o:(.text.hot._Z2f1i)') + line('1000', 1, '                f1(int)'),
		line('1010', 1, '        a.o:(.text.split._Z2f1i)') + line('1010', 1, '                f1(int) (.cold)'),
		line('1020', 1, '        a.o:(.text.unlikely._ZN1AD2Ev)') + line('1020', 1, '                A::~A() [clone .cold]'),
		line('1024', 1, '        a.o:(.text.eh._Z2f1i.eh)') + line('1024', 1, '                f1(int) (.eh)'),
		line('1028', 1, '        a.o:(.text.unlikely._Z2f2i.constprop.0)') + line('1028', 1, '                f2(int) (.constprop.0.cold)'),
		line('102c', 1, '        a.o:(.text._ZN1AC2Ev)') + line('102c', 1, '                A::A()') + line('102c', 1, '                A::A()'),
		line('1030', 16, '        lib.a(b.o):(.text)') + line('1030', 1, '                operator new(unsigned long)') + line('1038', 1, '                plain'),
	].join('');
	const { table, problems } = readLldMap(source(map));
	expect(table.symbols.names).toEqual([
		...['_Z2f1i', '_Z2f1i.cold', '_ZN1AD2Ev.cold', '_Z2f1i.eh', '_Z2f2i.constprop.0.cold'],
		...['_ZN1AC2Ev', 'A::A()', 'operator new(unsigned long)', 'plain'],
	]);
	expect(table.symbols.files.map((file) => file === 'a.o')).toEqual([true, true, true, true, true, true, true, false, false]);
	expect(problems).toEqual([
		{
			severity: 'warning',
			file: 'app.map',
			message: '2 symbols are demangled and unknown to orders, which have mangled names',
			action: 'link with -Wl,--no-demangle, or give the program with --elf',
		},
	]);
});

test('any lines are read or refused', () => {
	fc.assert(
		fc.property(fc.array(fc.oneof(fc.constantFrom(...MAP.split('\n')), fc.string())), (lines) => {
			try {
				readLldMap(source(lines.join('\n')));
			} catch (error) {
				expect(error).toBeInstanceOf(InputError);
			}
		}),
	);
});

const TEXT = '          24e0a0           24e0a0   11bce7    16 .text\n';
const OBJECT = '          24e0a0           24e0a0       31     0         a.o:(.text)\n';
const symbol = (name: string): string => `          24e0a0           24e0a0       22     1                 ${name}\n`;

test('lines that are none are told, empty lines and the head are not', () => {
	const head = MAP.slice(0, MAP.indexOf('\n') + 1);
	const { table, problems } = readLldMap(source(`${head}\n${TEXT}hello\n${OBJECT}${symbol('main')}${symbol('x').replace('22', '22222222222222')}`));
	expect(problems.map(({ file, line }) => [file, line])).toEqual([
		['app.map', 4],
		['app.map', 7],
	]);
	expect(table).toMatchObject({ kind: 'lld-map', name: 'app.map', inputSections: [{ alignment: 1 }] });
	expect(readLldMap(source(`${TEXT}${symbol('x').replace('24e0a0', 'ffffffffffffff')}${symbol('main')}`)).problems.map(({ line }) => line)).toEqual([2]);
});

test('symbols of no input section, and of one without a file, are of no file; marks of data in code are no symbols', () => {
	const { table } = readLldMap(
		source(`${TEXT}${symbol('first')}${OBJECT.replace('a.o:', ':')}${symbol('second')}${OBJECT.replace(':(.text)', '')}${symbol('third')}${symbol('$d.1')}`),
	);
	expect(table.symbols.names.map((name, i) => [name, table.symbols.files[i], table.symbols.isLocal[i]])).toEqual([
		['first', null, 0],
		['second', null, 0],
		['third', null, 0],
	]);
});

test('a map without code is refused', () => {
	expect(() => readLldMap(source(TEXT + OBJECT))).toThrow(
		expect.objectContaining({
			problem: { severity: 'error', file: 'app.map', message: 'holds no symbol of code', action: expect.stringContaining('ld.lld -Map') },
		}),
	);
	expect(() => readLldMap(source(`${TEXT.replace('.text', '.text2')}${OBJECT}${symbol('main')}`))).toThrow(InputError);
});
