/** What expressions of DWARF in frame descriptions come to (DWARF 5, section 2.5): those that compilers, the C library and linkers write there. */
import { Cursor, DwarfError } from '../shared/dwarf/cursor.js';

/** The value of a register by DWARF's number; null: it is not known. */
export type RegisterValue = (register: number) => number | null;
/** A word of the stack; null: it was not copied. */
export type WordAt = (address: number) => number | null;

const MOST_STEPS = 256;

/** null: it cannot be told. `first`: what lies on the expression's stack before. */
export function evaluate(expression: Uint8Array, register: RegisterValue, wordAt: WordAt, first: readonly number[] = []): number | null {
	const stack = [...first];
	const cursor = new Cursor(expression, true);
	try {
		for (let step = 0; cursor.at < expression.length; step++) {
			if (step > MOST_STEPS || !execute(cursor, stack, register, wordAt)) {
				return null;
			}
		}
	} catch (error) {
		if (error instanceof DwarfError) {
			return null;
		}
		throw error;
	}
	return stack.at(-1) ?? null;
}

/** False where it ends without a value. */
function execute(cursor: Cursor, stack: number[], register: RegisterValue, wordAt: WordAt): boolean {
	const operation = cursor.u8();
	const push = (value: number | null | undefined): boolean => value != null && Number.isSafeInteger(value) && stack.push(value) > 0;
	if (operation >= 0x30 && operation <= 0x4f) {
		return push(operation - 0x30); // DW_OP_lit
	}
	if (operation >= 0x70 && operation <= 0x8f) {
		const value = register(operation - 0x70); // DW_OP_breg
		const offset = cursor.sleb();
		return push(value === null ? null : value + offset);
	}
	switch (operation) {
		case 0x06: {
			const place = stack.pop(); // DW_OP_deref
			return push(place === undefined ? null : wordAt(place));
		}
		case 0x08: // DW_OP_const1u
			return push(cursor.u8());
		case 0x09: // DW_OP_const1s
			return push((cursor.u8() << 24) >> 24);
		case 0x0a: // DW_OP_const2u
			return push(cursor.u16());
		case 0x0b: // DW_OP_const2s
			return push((cursor.u16() << 16) >> 16);
		case 0x0c: // DW_OP_const4u
			return push(cursor.u32());
		case 0x0d: // DW_OP_const4s
			return push(cursor.u32() | 0);
		case 0x10: // DW_OP_constu
			return push(cursor.uleb());
		case 0x11: // DW_OP_consts
			return push(cursor.sleb());
		case 0x12: // DW_OP_dup
			return push(stack.at(-1));
		case 0x23: {
			const value = stack.pop(); // DW_OP_plus_uconst
			const addend = cursor.uleb();
			return push(value === undefined ? null : value + addend);
		}
		default: {
			const b = stack.pop();
			const a = stack.pop();
			return push(a === undefined || b === undefined ? null : calculated(operation, a, b));
		}
	}
}

/** null: another operation. */
function calculated(operation: number, a: number, b: number): number | null {
	switch (operation) {
		case 0x1a: // DW_OP_and
			return Number(BigInt(a) & BigInt(b));
		case 0x1c: // DW_OP_minus
			return a - b;
		case 0x1e: // DW_OP_mul
			return a * b;
		case 0x21: // DW_OP_or
			return Number(BigInt(a) | BigInt(b));
		case 0x22: // DW_OP_plus
			return a + b;
		case 0x24: // DW_OP_shl
			return a * 2 ** b;
		case 0x25: // DW_OP_shr
			return Math.floor(a / 2 ** b);
		case 0x29: // DW_OP_eq
			return Number(a === b);
		case 0x2a: // DW_OP_ge
			return Number(a >= b);
		case 0x2b: // DW_OP_gt
			return Number(a > b);
		case 0x2c: // DW_OP_le
			return Number(a <= b);
		case 0x2d: // DW_OP_lt
			return Number(a < b);
		case 0x2e: // DW_OP_ne
			return Number(a !== b);
		default:
			return null;
	}
}
