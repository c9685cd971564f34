/** Names in constant pools, whole and damaged. */
import { expect, test } from 'vitest';
import { ConstantPool } from './constant-pool.js';

const text = (value: string): number[] => [1, 0, value.length, ...Buffer.from(value)];

/** 1 a long (and 2), 3 `hashCode`, 4 `()I`, 5 its NameAndType, 6 a method, 7 `java/lang/Object`, 8 the class. */
const BYTES = Uint8Array.from([
	...[5, 0, 0, 0, 0, 0, 0, 0, 9],
	...text('hashCode'),
	...text('()I'),
	...[12, 0, 3, 0, 4],
	...[10, 0, 8, 0, 5],
	...text('java/lang/Object'),
	...[7, 0, 7],
]);

test('names of members and classes; longs take two places', () => {
	const pool = new ConstantPool(BYTES, 0, 9);
	expect([pool.memberName(6), pool.className(8), pool.utf8(4)]).toEqual(['hashCode', 'java/lang/Object', '()I']);
	expect([pool.unread, pool.end]).toEqual([null, BYTES.length]);
	// What is of another kind, or not there.
	expect([pool.memberName(8), pool.className(6), pool.utf8(1), pool.utf8(2), pool.memberName(99)]).toEqual([null, null, null, null, null]);
});

test('what is cut or unknown ends it, and what came before is known', () => {
	for (let length = 0; length < BYTES.length; length++) {
		const pool = new ConstantPool(BYTES.subarray(0, length), 0, 9);
		expect(pool.unread).not.toBeNull();
		expect(pool.end).toBeLessThanOrEqual(length);
	}
	const damaged = new ConstantPool(Uint8Array.from([...text('a'), 99]), 0, 3);
	expect([damaged.utf8(1), damaged.unread]).toEqual(['a', { index: 2, tag: 99 }]);
});

test('doubles take two places too; the tag of what is cut is not unknown', () => {
	const pool = new ConstantPool(Uint8Array.from([6, 0, 0, 0, 0, 0, 0, 0, 9, ...text('a')]), 0, 4);
	expect([pool.unread, pool.utf8(2), pool.utf8(3)]).toEqual([null, null, 'a']);
	expect(new ConstantPool(Uint8Array.from([5, 0, 0, 0]), 0, 3).unread).toEqual({ index: 1, tag: Number.NaN });
	expect(new ConstantPool(new Uint8Array(0), 0, 2).unread).toEqual({ index: 1, tag: Number.NaN });
	expect(new ConstantPool(Uint8Array.of(7, 7, ...text('a')), 2, 2)).toMatchObject({ end: 6, unread: null });
});

test('lengths and numbers of more than one byte', () => {
	const long = 'x'.repeat(300);
	const bytes = Uint8Array.from([1, 1, 44, ...Buffer.from(long), 7, 0, 1]);
	const pool = new ConstantPool(bytes, 0, 3);
	expect([pool.utf8(1), pool.className(2), pool.end]).toEqual([long, long, 306]);
});
