/** Expressions as linkers, compilers and the C library write them, and what cannot be told. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FRAME_POINTER, RETURN_ADDRESS, STACK_POINTER } from '../../model/unwinding.js';
import { evaluate } from './dwarf-expression.js';

const STACK = 0x7ffd_1234_5000;
const CODE = 0x5555_5555_4026;
const registers = new Map([
	[STACK_POINTER, STACK],
	[FRAME_POINTER, STACK + 64],
	[RETURN_ADDRESS, CODE],
]);
const words = new Map([
	[STACK + 160, STACK + 0x400],
	[STACK + 56, 7],
]);
const of = (expression: readonly number[], first: readonly number[] = []): number | null =>
	evaluate(
		Uint8Array.from(expression),
		(register) => registers.get(register) ?? null,
		(address) => words.get(address) ?? null,
		first,
	);

test('a table of linkage: another word lies on the stack from the eleventh byte of an entry on', () => {
	// breg7 8; breg16 0; lit15; and; lit11; ge; lit3; shl; plus
	const linkage = (code: number): number | null => {
		registers.set(RETURN_ADDRESS, code);
		return of([0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22]);
	};
	expect([linkage(0x5555_5555_4026), linkage(0x5555_5555_402a), linkage(0x5555_5555_402b)]).toEqual([STACK + 8, STACK + 8, STACK + 16]);
});

test('what a signal interrupted, an aligned stack', () => {
	expect(of([0x77, 0xa0, 1, 0x06])).toBe(STACK + 0x400);
	// breg6 -8; deref
	expect(of([0x76, 0x78, 0x06])).toBe(7);
	expect(of([0x23, 8], [100])).toBe(108);
});

test('constants and operations', () => {
	expect([of([0x08, 200]), of([0x09, 0x80]), of([0x0a, 1, 2]), of([0x0b, 0xff, 0xff])]).toEqual([200, -128, 513, -1]);
	expect([of([0x0c, 1, 0, 0, 1]), of([0x10, 0x80, 1]), of([0x11, 0x7f])]).toEqual([2 ** 24 + 1, 128, -1]);
	const binary = (operation: number, a: number, b: number): number | null => of([0x30 + a, 0x30 + b, operation]);
	expect([0x1a, 0x1c, 0x1e, 0x21, 0x22, 0x24, 0x25].map((operation) => binary(operation, 12, 2))).toEqual([0, 10, 24, 14, 14, 48, 3]);
	expect([0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e].map((operation) => binary(operation, 3, 3))).toEqual([1, 1, 0, 1, 0, 0]);
	expect(of([0x35, 0x12, 0x22])).toBe(10);
	// A stack is aligned: breg7 0; const1s -16; and
	expect(of([0x77, 24, 0x09, 0xf0, 0x1a])).toBe(STACK + 16);
});

test('what is not there is not guessed', () => {
	for (const expression of [[], [0x73, 0], [0x77, 0, 0x06], [0x06], [0x22], [0x35, 0x22], [0x96], [0x08], [0x23], [0x12]]) {
		expect(of(expression)).toBeNull();
	}
});

test('any bytes end', () => {
	fc.assert(
		fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
			const value = of([...bytes], [5]);
			expect(value === null || Number.isSafeInteger(value)).toBe(true);
		}),
	);
});
