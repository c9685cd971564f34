/** Classes made byte by byte: each form of an instruction, each end of a damaged file. */
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { isClassFile, readClassBytes, readClassFile } from './read.js';

const u2 = (value: number): number[] => [(value >> 8) & 255, value & 255];
const u4 = (value: number): number[] => [...u2(value >>> 16), ...u2(value)];
const text = (value: string): number[] => [1, ...u2(value.length), ...Buffer.from(value)];

/** 1 `a/B`, 2 the class, 3 `f`, 4 `()V`, 5 `Code`, 6 `Other`. */
const CONSTANTS = [...u2(7), ...text('a/B'), 7, ...u2(1), ...text('f'), ...text('()V'), ...text('Code'), ...text('Other')];
const HEAD = [0xca, 0xfe, 0xba, 0xbe, ...u2(0), ...u2(61)];

const attribute = (name: number, content: readonly number[]): number[] => [...u2(name), ...u4(content.length), ...content];
const codeOf = (bytes: readonly number[]): number[] => attribute(5, [...u2(1), ...u2(1), ...u4(bytes.length), ...bytes, ...u2(0), ...u2(0)]);
const member = (name: number, signature: number, ...attributes: number[][]): number[] => [
	...u2(1),
	...u2(name),
	...u2(signature),
	...u2(attributes.length),
	...attributes.flat(),
];
const classOf = (fields: number[][], methods: number[][], interfaces: number[] = []): Uint8Array =>
	Uint8Array.from([
		...HEAD,
		...CONSTANTS,
		...u2(0x21),
		...u2(2),
		...u2(0),
		...u2(interfaces.length),
		...interfaces.flatMap(u2),
		...u2(fields.length),
		...fields.flat(),
		...u2(methods.length),
		...methods.flat(),
	]);

const read = (...code: number[]) => {
	const { methods, problems } = readClassBytes(classOf([], [member(3, 4, codeOf(code))]), 'B.class');
	expect(problems).toEqual([]);
	return (methods[0]?.code ?? []).map(({ bci, opcode, targets, local, constant }) => [bci, opcode, targets, local, constant]);
};
const NONE = Number.NaN;

test.each<[string, number[], unknown[]]>([
	['nop', [0], [0, 'nop', [], -1, NONE]],
	['iconst_m1', [2], [0, 'iconst_m1', [], -1, -1]],
	['bipush -1', [16, 0xff], [0, 'bipush', [], -1, -1]],
	['bipush 127', [16, 127], [0, 'bipush', [], -1, 127]],
	['bipush -128', [16, 128], [0, 'bipush', [], -1, -128]],
	['sipush -300', [17, 0xfe, 0xd4], [0, 'sipush', [], -1, -300]],
	['sipush 200', [17, 0, 200], [0, 'sipush', [], -1, 200]],
	['ldc', [18, 5], [0, 'ldc', [], -1, NONE]],
	['iload 200', [21, 200], [0, 'iload', [], 200, NONE]],
	['aload_2', [44], [0, 'aload_2', [], 2, NONE]],
	['ret 3', [169, 3], [0, 'ret', [], 3, NONE]],
	['iinc 1 -1', [132, 1, 0xff], [0, 'iinc', [], 1, -1]],
	['wide iinc 300 -2', [196, 132, 1, 44, 0xff, 0xfe], [0, 'iinc', [], 300, -2]],
	['wide lload 300', [196, 22, 1, 44], [0, 'lload', [], 300, NONE]],
	['wide of nothing known', [196, 255, 0, 1], [0, 'nop', [], 1, NONE]],
	['goto -3', [167, 0xff, 0xfd], [0, 'goto', [-3], -1, NONE]],
	['goto_w 65536', [200, 0, 1, 0, 0], [0, 'goto_w', [65536], -1, NONE]],
	['jsr_w -1', [201, 0xff, 0xff, 0xff, 0xff], [0, 'jsr_w', [-1], -1, NONE]],
	['ifnull 9', [198, 0, 9], [0, 'ifnull', [9], -1, NONE]],
	['if_icmpge 300', [162, 1, 44], [0, 'if_icmpge', [300], -1, NONE]],
	['invokevirtual', [182, 0, 1], [0, 'invokevirtual', [], -1, NONE]],
	['invokeinterface', [185, 0, 1, 1, 0], [0, 'invokeinterface', [], -1, NONE]],
	['multianewarray', [197, 0, 1, 2], [0, 'multianewarray', [], -1, NONE]],
])('%s, and the instruction behind it', (_, bytes, expected) => {
	expect(read(...bytes, 177)).toEqual([expected, [bytes.length, 'return', [], -1, NONE]]);
});

test('jumps are counted from their instruction', () => {
	expect(read(0, 0, 167, 0xff, 0xfe)).toEqual([
		[0, 'nop', [], -1, NONE],
		[1, 'nop', [], -1, NONE],
		[2, 'goto', [0], -1, NONE],
	]);
});

test.each([0, 1, 2, 3])('switches behind %d bytes are filled up to four', (before) => {
	const nops = Array<number>(before).fill(0);
	const padding = Array<number>((3 - before) & 3).fill(0);
	const table = read(...nops, 170, ...padding, ...u4(40), ...u4(-1), ...u4(1), ...u4(50), ...u4(60), ...u4(-before), 177);
	expect(table.slice(before)).toEqual([
		[before, 'tableswitch', [before + 40, before + 50, before + 60, 0], -1, NONE],
		[before + 1 + padding.length + 24, 'return', [], -1, NONE],
	]);
	const lookup = read(...nops, 171, ...padding, ...u4(40), ...u4(2), ...u4(-5), ...u4(50), ...u4(7), ...u4(60), 177);
	expect(lookup.slice(before)).toEqual([
		[before, 'lookupswitch', [before + 40, before + 50, before + 60], -1, NONE],
		[before + 1 + padding.length + 24, 'return', [], -1, NONE],
	]);
});

test('an unknown instruction ends the code', () => {
	expect(read(0, 254, 0)).toEqual([[0, 'nop', [], -1, NONE]]);
});

test('methods with code only; fields are passed over', () => {
	const other = attribute(6, [1, 2, 3]);
	const bytes = classOf(
		[member(3, 4, codeOf([177])), member(3, 4, other)],
		[member(3, 4), member(3, 4, other), member(99, 4, codeOf([177])), member(3, 99, codeOf([177])), member(3, 4, other, codeOf([177]), other)],
		[2, 2],
	);
	const { methods, problems } = readClassFile(memorySource('B.class', bytes));
	expect(methods).toEqual([{ method: 'a.B.f', signature: '()V', code: [{ bci: 0, opcode: 'return', targets: [], local: -1, constant: NONE }] }]);
	expect(problems).toEqual([]);
});

test('cut at any byte: what stands before is read, and where it ends is told', () => {
	const bytes = classOf([], [member(3, 4, codeOf([0])), member(3, 4, codeOf([177]))]);
	expect(readClassBytes(bytes, 'B.class').methods).toHaveLength(2);
	for (let length = 0; length < bytes.length; length++) {
		const { methods, problems } = readClassBytes(bytes.subarray(0, length), 'B.class');
		const action = `${methods.length} methods were read`;
		expect(problems).toEqual([{ severity: 'warning', file: 'B.class', message: expect.stringMatching(/^the file ends early \(at byte \d+\)$/), action }]);
		expect(methods.length).toBeLessThan(2);
	}
	expect(readClassBytes(bytes.subarray(0, bytes.length - 1), 'B.class').methods).toHaveLength(1);
});

test('what is no class file, and a constant of an unknown kind', () => {
	expect(readClassBytes(Uint8Array.of(0xca, 0xfe, 0xba, 0xbf), 'x').problems).toMatchObject([
		{ message: 'is no class file (at byte 4)', action: '0 methods were read' },
	]);
	const unknown = Uint8Array.from([...HEAD, ...u2(3), ...text('a'), 99]);
	expect(readClassBytes(unknown, 'x').problems).toMatchObject([{ message: 'constant 2 has the unknown tag 99 (at byte 14)' }]);
});

test('told by its magic number and a version of Java', () => {
	const head = (high: number, low: number): Uint8Array => Uint8Array.of(0xca, 0xfe, 0xba, 0xbe, 0, 0, high, low, 0, 1);
	expect([isClassFile(head(0, 45)), isClassFile(head(0, 44)), isClassFile(head(1, 0)), isClassFile(head(0, 61).subarray(0, 9))]).toEqual([
		true,
		false,
		true,
		false,
	]);
	expect(isClassFile(Uint8Array.of(0xca, 0xfe, 0xba, 0xbf, 0, 0, 0, 61, 0, 1))).toBe(false);
});
