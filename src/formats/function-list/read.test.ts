import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { type FunctionList, isFunctionList, readFunctionList } from './read.js';

const read = (text: string): FunctionList => readFunctionList(memorySource('a.txt', Buffer.from(text)));
const rows = (text: string): (string | number | null)[][] => read(text).rows.map(({ symbol, module, address }) => [symbol, module, address]);

describe('a list of functions', () => {
	test.each<[string, string, (string | number | null)[][]]>([
		[
			'symbols',
			'# a comment\nmain\n\n  _ZN1AC2Ev  \r\n-[Main run:with:]\na.c;helper\n',
			[
				['main', null, null],
				['_ZN1AC2Ev', null, null],
				['-[Main run:with:]', null, null],
				['helper', 'a.c', null],
			],
		],
		[
			'number, address, symbol',
			'0 24e0a0 _start\n1 0x369d88 _init\n2 24e180 frame_dummy\n',
			[
				['_start', null, 0x24e0a0],
				['_init', null, 0x369d88],
				['frame_dummy', null, 0x24e180],
			],
		],
		[
			'address and symbol',
			'0000000000401136 main\n0x401120 T helper\n',
			[
				['main', null, 0x401136],
				['helper', null, 0x401120],
			],
		],
		[
			'addresses',
			'0x55d0c1a2f139\n0x55d0c1a2f100 0x55d0c1a2f150\n',
			[
				[null, null, 0x55d0c1a2f139],
				[null, null, 0x55d0c1a2f100],
			],
		],
		[
			'enter and exit',
			'enter main\nenter 0x401136 f\nexit 0x401136 f\nleave main\n',
			[
				['main', null, null],
				['f', null, 0x401136],
			],
		],
		[
			'E and X',
			'E0x8048384\nE0x8048400\nX0x8048400\nX0x8048384\n',
			[
				[null, null, 0x8048384],
				[null, null, 0x8048400],
			],
		],
		[
			'arrows, and who called',
			'> main 0x7f00\n-> g() from 0x401150\n<- g()\n< main 0x7f00\n',
			[
				['main', null, null],
				['g', null, null],
			],
		],
	])('%s', (_, text, expected) => {
		expect(isFunctionList(text)).toBe(true);
		expect(rows(text)).toEqual(expected);
		expect(read(text).problems).toEqual([]);
	});

	test('functions that are called as words of a trace', () => {
		expect(rows('main\nenter\nexit\nreturn\nbegin\nx\ncall\n').map(([symbol]) => symbol)).toEqual(['main', 'enter', 'exit', 'return', 'begin', 'x', 'call']);
		expect(rows('main\nabcdef\ndeadbeef\nface1\n').map(([symbol]) => symbol)).toEqual(['main', 'abcdef', 'deadbeef', 'face1']);
	});

	test('lines of another form are counted', () => {
		const { rows: found, problems } = read('main\nthis is no symbol\nf\ng\nh\n');
		expect(found).toHaveLength(4);
		expect(problems).toMatchObject([{ line: 2, severity: 'warning' }]);
	});

	test('cut within a line', () => {
		const { rows: found, problems } = read('0 24e0a0 _start\n1 369d88 _init\n2 24e180 frame_d');
		expect(found.map(({ symbol }) => symbol)).toEqual(['_start', '_init']);
		expect(problems).toMatchObject([{ severity: 'error' }]);
		expect(read('main\nf').problems).toEqual([]);
	});

	test('what llvm-profdata order writes is known as a layout', () => {
		expect(read('# Ordered 2 functions\nmain\nf\n').isLayout).toBe(true);
		expect(read('# Ordered by hand\nmain\nf\n').isLayout).toBe(false);
	});

	test('other text is none', () => {
		for (const text of ['', 'A sentence of English prose.\nAnd another one.\n', 'a,b,c\n1,2,3\n', '{"a": 1}\n', 'x\0y\n', '\u0001\u0002\u0003']) {
			expect(isFunctionList(text)).toBe(false);
		}
	});

	test('never throws', () => {
		fc.assert(
			fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom('main', '0 1f f', 'enter g', '# c', '0x1234')), { maxLength: 150 }), (lines) => {
				const text = lines.join('\n');
				isFunctionList(text);
				read(text);
			}),
		);
	});
});

test.each<[string, (string | number | null)[][]]>([
	['enter f 0x10', [['f', null, null]]],
	['enter f called from 0x10', [['f', null, null]]],
	['enter f()', [['f', null, null]]],
	['enter f()x', [['f()x', null, null]]],
	['enter 0x10', [[null, null, 0x10]]],
	['enter 0x10 0x20', [[null, null, 0x10]]],
	['enter 0x10 ??', [[null, null, 0x10]]],
	['enter ??', []],
	['enter', []],
	['enter 0x10 0x2g', []],
	['Entering: f', [['f', null, null]]],
	['exit f', []],
])('%j in a trace with marks', (line, expected) => {
	const before = 'enter a\nexit a\nenter a\nexit a\n';
	expect(rows(`${before}${line}\n`)).toEqual([['a', null, null], ['a', null, null], ...expected]);
});

test('the form is that of three quarters of the first hundred lines', () => {
	const numbered = Array.from({ length: 75 }, (_, i) => `${i} 24e0a0 f${i}\n`).join('');
	const other = 'no symbol here\n';
	expect(isFunctionList(numbered + other.repeat(25))).toBe(true);
	expect(isFunctionList(numbered + other.repeat(26))).toBe(true);
	expect(isFunctionList(`${numbered.slice(numbered.indexOf('\n') + 1)}${other.repeat(26)}`)).toBe(false);
	const { rows: found, problems } = read(`${numbered}${other.repeat(25)}${numbered}`);
	expect([found.length, problems.length]).toEqual([150, 25]);
});

test('what llvm-profdata order writes begins with its head', () => {
	expect(read('# Ordered 1234 functions\nmain\n').isLayout).toBe(true);
	expect(read('main\n# Ordered 2 functions\nf\n').isLayout).toBe(false);
	expect(read('# x # Ordered 2 functions\nf\n').isLayout).toBe(false);
});

test('an open last line of a trace is left out, of a list of symbols it is not', () => {
	expect(read('0x55d0c1a2f139\n0x55d0c1a2')).toMatchObject({
		rows: [{ address: 0x55d0c1a2f139 }],
		problems: [{ severity: 'error', file: 'a.txt', message: 'the list ends within a line', action: expect.stringContaining('last function is left out') }],
	});
	expect(read('0x55d0c1a2f139\n').problems).toEqual([]);
});
