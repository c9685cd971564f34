import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readClassBytes } from '../formats/class-file/read.js';
import type { BytecodeInstruction } from '../model/bytecode.js';
import { constantOf, localOf } from '../model/bytecode.js';
import { bytecodeLoops, loopOfBytecodes, shapeText } from './bytecode-loops.js';

const folder = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'jvm', 'classes');

function loopsOf(file: string, method: string, signature?: string) {
	const { methods } = readClassBytes(fs.readFileSync(path.join(folder, `${file}.class`)), file);
	const found = methods.find((one) => one.method === `${file}.${method}` && (signature === undefined || one.signature === signature));
	if (found === undefined) {
		throw new Error(`${file}.class has no method ${method}`);
	}
	return bytecodeLoops(found);
}

test.each([
	['top', 'top', { type: 'int', step: 2 }],
	['bottom', 'bottom', { type: 'long', step: 1 }],
	['endless', 'none', null],
	['inside', 'inside', null],
])('%s: test at the %s', (method, shape, index) => {
	const loops = loopsOf('Loops', method);
	expect(loops).toHaveLength(1);
	expect(loops[0]).toMatchObject({ test: shape, isInner: false, otherEntries: [] });
	expect(loops[0]?.index).toEqual(index === null ? null : expect.objectContaining(index));
});

test('nested loops have their own indexes', () => {
	const [inner, outer, ...rest] = loopsOf('Loops', 'nested');
	expect(rest).toEqual([]);
	expect(inner).toMatchObject({ isInner: true, index: { type: 'long', step: 1 } });
	expect(outer).toMatchObject({ isInner: false, index: { type: 'int', step: -1 } });
});

test('tests at the bottom: on-stack replacement and the loop around come in at two places', () => {
	const loops = loopsOf('Bottom', 'work');
	const [inner, outer] = loops;
	expect(inner).toMatchObject({ test: 'bottom', isInner: true, index: { type: 'int', step: 1 } });
	expect(inner?.otherEntries).toHaveLength(1);
	expect(outer).toMatchObject({ test: 'bottom', isInner: false });
	if (inner === undefined || outer === undefined) {
		return;
	}
	expect(shapeText(inner, { poll: 'iteration', entersHere: true })).toContain('two ways in');
	expect(shapeText(inner, { poll: 'iteration', entersHere: false })).toBe('tested at the bottom, int index, step +1');
	const both = [...inner.bytecodes.slice(0, 1), ...outer.bytecodes.slice(-2)];
	expect(loopOfBytecodes(loops, both, null)).toBe(outer);
	expect(loopOfBytecodes(loops, both, inner.header)).toBe(inner);
	expect(loopOfBytecodes(loops, inner.bytecodes, null)).toBe(inner);
	expect(loopOfBytecodes(loops, [9999], null)).toBe(null);
});

/** `iload 1`, `if_icmplt 4`: a line each, numbered from 0; jumps name the line that they go to. */
function byHand(...lines: readonly string[]) {
	const code = lines.map((line, bci): BytecodeInstruction => {
		const [opcode = '', ...numbers] = line.split(' ');
		const [first = Number.NaN, second = Number.NaN] = numbers.map(Number);
		const isJump = /^(?:if|goto|jsr)/.test(opcode);
		return {
			bci,
			opcode,
			targets: isJump ? [first] : [],
			local: localOf(opcode, first),
			constant: opcode === 'iinc' ? second : constantOf(opcode, first),
		};
	});
	return bytecodeLoops({ method: 'a.B.f', signature: '()V', code });
}

test('a jump to itself is a loop, a call of a subroutine is none', () => {
	expect(byHand('goto 0')).toMatchObject([{ header: 0, backEdge: 0, test: 'none', bytecodes: [0] }]);
	expect(byHand('nop', 'ret 1', 'jsr 0', 'return')).toEqual([]);
});

test.each([
	['iinc 1 3', 'iload 1', 'iload 2', 'if_icmplt 0', { local: 1, type: 'int', step: 3 }],
	['iinc 1 0', 'iload 1', 'iload 2', 'if_icmplt 0', null],
	['iinc 1 3', 'iload 3', 'iload 2', 'if_icmplt 0', null],
	['iinc 1 3', 'iload 1', 'iload 2', 'if_icmplt 9', null],
] as const)('%s, %s, %s, %s', (step, first, second, jump, index) => {
	const loops = byHand(step, first, second, jump, 'return');
	expect(loops.map((loop) => loop.index)).toEqual(jump.endsWith('9') ? [] : [index]);
});

test('a long counts by addition and subtraction of a constant, once', () => {
	const long = (...body: string[]) => byHand(...body, 'lload 1', 'lload 3', 'lcmp', 'iflt 0', 'return')[0]?.index ?? null;
	expect(long('lload 1', 'lconst_1', 'ladd', 'lstore 1')).toEqual({ local: 1, type: 'long', step: 1 });
	expect(long('lload 1', 'lconst_1', 'lsub', 'lstore 1')).toEqual({ local: 1, type: 'long', step: -1 });
	expect(long('lload 1', 'lload 5', 'ladd', 'lstore 1')).toBeNull();
	expect(long('lload 3', 'lconst_1', 'ladd', 'lstore 1')).toBeNull();
	expect(long('lload 1', 'lconst_1', 'lmul', 'lstore 1')).toBeNull();
	expect(long('lload 1', 'lconst_1', 'ladd', 'lstore 1', 'lload 7', 'lstore 1')).toBeNull();
	expect(byHand('iload 1', 'iconst_2', 'isub', 'istore 1', 'iload 1', 'ifge 0', 'return')[0]?.index).toEqual({ local: 1, type: 'int', step: -2 });
});

test.each(['istore 4', 'iinc 4 1', 'putfield', 'putstatic', 'goto 2'])('behind %s a test is not at the top', (between) => {
	expect(byHand('iload 1', between, 'ifeq 4', 'goto 0', 'return')[0]?.test).toBe('inside');
	expect(byHand('iload 1', 'getfield', 'ifeq 4', 'goto 0', 'return')[0]?.test).toBe('top');
});

test.each(['athrow', 'ireturn', 'return', 'tableswitch', 'lookupswitch', 'goto_w', 'ret 1'])('%s does not go on', (end) => {
	// What stands behind it is reached by nothing, and leads back: a part of no loop but its own.
	expect(byHand('nop', end, 'iload 1', 'ifne 2', 'return')).toMatchObject([{ bytecodes: [2, 3] }]);
	expect(byHand('iload 1', 'ifne 3', end, 'ifne 0', 'return')[0]?.bytecodes).toEqual([0, 1, 3]);
});

test('of several jumps back the last counts; the innermost loop with most of the bytecodes is meant', () => {
	const [loop] = byHand('iload 1', 'ifeq 0', 'iload 2', 'ifeq 0', 'return');
	expect(loop).toMatchObject({ header: 0, backEdge: 3, bytecodes: [0, 1, 2, 3], test: 'bottom' });
	const loops = byHand('nop', 'iload 1', 'ifne 1', 'iload 2', 'ifne 0', 'return');
	expect(loops.map(({ header, backEdge, isInner }) => [header, backEdge, isInner])).toEqual([
		[1, 2, true],
		[0, 4, false],
	]);
	const [inner, outer] = loops;
	expect(loopOfBytecodes(loops, [1, 2], null)).toBe(inner);
	expect(loopOfBytecodes(loops, [1, 2, 3], null)).toBe(outer);
	expect(loopOfBytecodes(loops, [1, 9], null)).toBe(inner);
	expect(loopOfBytecodes(loops, [1, 9, 9], null)).toBeNull();
	expect(loopOfBytecodes(loops, [], null)).toBeNull();
});

test('in words', () => {
	const loop = byHand('iinc 1 -2', 'iload 1', 'ifne 0', 'return')[0]!;
	const polls = { poll: 'iteration', entersHere: true } as const;
	expect(shapeText(loop, polls)).toBe('tested at the bottom, int index, step -2');
	const entered = { ...loop, otherEntries: [1] };
	expect(shapeText(entered, { ...polls, entersHere: false })).toBe('tested at the bottom, int index, step -2');
	expect(shapeText(entered, null)).toBe('tested at the bottom, int index, step -2');
	expect(shapeText(entered, polls)).toMatch(/enters at the body, not at the test$/);
	expect(shapeText({ ...entered, isInner: true }, polls)).toMatch(/two ways in, which C2 does not count$/);
	// What is said of the entry goes with what the code shows.
	expect(shapeText({ ...entered, isInner: true }, { ...polls, poll: 'none' })).toMatch(/the only way in that this code has: .* C2 counts the loop$/);
	const top = { ...loop, test: 'top' } as const;
	expect(shapeText(top, polls)).toMatch(/enters at the test, which stays before the step/);
	expect(shapeText(top, { ...polls, poll: 'strip' })).toMatch(/C2 moved it behind the step and counts the loop$/);
	expect(shapeText({ ...loop, test: 'none', index: null }, null)).toBe('without a test, no index with a constant step');
});
