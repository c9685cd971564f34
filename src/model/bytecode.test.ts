import { expect, test } from 'vitest';
import { constantOf, localOf } from './bytecode.js';

test('locals of loads and stores, in the name or as operand', () => {
	const short = ['iload_0', 'istore_1', 'lload_2', 'fstore_3', 'dload_1', 'astore_0'];
	expect(short.map((opcode) => localOf(opcode, 9))).toEqual([0, 1, 2, 3, 1, 0]);
	expect(['iload', 'lstore', 'fload', 'dstore', 'aload', 'iinc', 'ret'].map((opcode) => localOf(opcode, 9))).toEqual(Array(7).fill(9));
	const none = ['iload_4', 'iaload', 'aastore', 'return', 'ireturn', 'goto', 'xiload_1', 'iload_12', 'xiload', 'iincx', ''];
	expect(none.map((opcode) => localOf(opcode, 9))).toEqual(none.map(() => -1));
});

test('constants that instructions push', () => {
	const all = ['iconst_m1', 'iconst_0', 'iconst_5', 'lconst_1', 'bipush', 'sipush'];
	expect(all.map((opcode) => constantOf(opcode, 77))).toEqual([-1, 0, 5, 1, 77, 77]);
	const none = ['iconst_6', 'fconst_1', 'ldc', 'xiconst_1', 'iconst_11', 'aconst_null'];
	expect(none.map((opcode) => constantOf(opcode, 77))).toEqual(none.map(() => Number.NaN));
});
