import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { InputError } from '../../model/problem.js';
import { isInstructionList, readInstructionList } from './read.js';

const source = (text: string): ReturnType<typeof memorySource> => memorySource('run', Buffer.from(text));
const list = (text: string): [number, number][] => {
	const { addresses, sizes } = readInstructionList(source(text)).instructions;
	return Array.from(addresses, (address, i) => [address, sizes[i]!]);
};

test('address and size a line, each once', () => {
	expect(list('24e0a0 2\r\n# comment\n\n0x24e0a2 3\n24e0a0 2\n')).toEqual([
		[0x24e0a0, 2],
		[0x24e0a2, 3],
	]);
});

test('what lackey prints', () => {
	const text =
		'==9137== Lackey, an example Valgrind tool\n==9137== \nI  0401ab70,3\n S 1fff000738,8\n L 1fff000738,8\nI  0401ab73,5\n M 0401ab73,5\nI  0401ab70,3\n';
	expect(isInstructionList(text)).toBe(true);
	expect(list(text)).toEqual([
		[0x401ab70, 3],
		[0x401ab73, 5],
	]);
});

test('other lines are problems; nothing at all is refused', () => {
	const { problems } = readInstructionList(source('24e0a0 2\nmain\n24e0a0 x\nffffffffffffffff 2\n'));
	expect(problems.map(({ line }) => line)).toEqual([2, 3, 4]);
	expect(() => readInstructionList(source('# nothing\n'))).toThrow(InputError);
	expect([isInstructionList('main\nf\n'), isInstructionList('0 24e0a0 _start\n'), isInstructionList(''), isInstructionList('24e0a0 2')]).toEqual([
		false,
		false,
		false,
		true,
	]);
});

test('any text is read or refused', () => {
	fc.assert(
		fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom('24e0a0 2', 'I  0401ab70,3', ' S 1f,8', 'I  ', '24e0a0', '0x 2'))), (lines) => {
			try {
				readInstructionList(source(lines.join('\n')));
			} catch (error) {
				expect(error).toBeInstanceOf(InputError);
			}
		}),
	);
});

const MAP_LINE = '555555555000-555555556000 r-xp 00001000 fe:00 9977920                    /tmp/app';

test('where the program was loaded, among the lines or behind marks; what valgrind says itself', () => {
	const text = `24e0a0 2\n${MAP_LINE}\n# ${MAP_LINE}\n==12== ${MAP_LINE}\n==12== done\n--12-- done\n=12 done\n-x\n555555555000-x\n${MAP_LINE.replace('/tmp/app', '')}\n`;
	const { mappings, problems } = readInstructionList(source(text));
	expect(mappings).toEqual(
		[0, 1, 2].map(() => ({
			processId: 0,
			start: 0x555555555000,
			sizeBytes: 0x1000,
			fileOffset: 0x1000,
			isExecutable: true,
			isWritable: false,
			file: '/tmp/app',
		})),
	);
	expect(problems.map(({ line }) => line)).toEqual([7, 8, 9]);
});

test.each<[string, [number, number][]]>([
	['0 1', [[0, 1]]],
	['09af 255', [[0x9af, 255]]],
	['0x9 15', [[9, 15]]],
	['1x9 15', []],
	['10,4', [[0x10, 4]]],
	['I  10,4', [[0x10, 4]]],
	['10 0', []],
	['10 256', []],
	['10 1.5', []],
	['10 -1', []],
	['10;4', []],
	['1G 4', []],
	['1` 4', []],
	['1g 4', []],
	['1/ 4', []],
	['1: 4', []],
	[' 1', []],
	['1fffffffffffff 4', [[2 ** 53 - 1, 4]]],
	['20000000000000 4', []],
])('the line %j', (line, expected) => {
	expect(list(`aaaa 3\n${line}\n`)).toEqual([[0xaaaa, 3], ...expected]);
	expect(readInstructionList(source(`aaaa 3\n${line}\n`)).problems).toHaveLength(expected.length === 0 ? 1 : 0);
});

test('which text is such a list', () => {
	const lackey = 'I  0401ab70,3\n L 1fff000738,8\n';
	for (const text of [
		'# comment\n24e0a0 2\n24e0',
		`${MAP_LINE}\n24e0a0 2\n`,
		'0x24e0a0 123\r\n',
		lackey.repeat(9),
		`${lackey.repeat(9)}other\n`,
		`--1-- x\n${lackey}`,
	]) {
		expect(isInstructionList(text)).toBe(true);
	}
	for (const text of ['24e0a0 2\nmain #\n', 'main\n24e0a0 2', '24e0a0 1234\n', `${lackey}other\n`, '==1== x\n', '# 1 2\n']) {
		expect(isInstructionList(text)).toBe(false);
	}
});

test('a list without instructions says what is expected', () => {
	expect(() => readInstructionList(source('main\n'))).toThrow(
		expect.objectContaining({
			problem: { severity: 'error', file: 'run', message: 'holds no executed instruction', action: expect.stringContaining('an address and a size') },
		}),
	);
});
