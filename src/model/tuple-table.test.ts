import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TupleTable } from './tuple-table.js';

const spelled = (table: TupleTable): number[][] => {
	const { data, starts } = table.build();
	return Array.from({ length: table.size }, (_, i) => [...data.subarray(starts[i], starts[i + 1])]);
};

test('each sequence once, numbered in order of first use; parts of an array', () => {
	const table = new TupleTable();
	const source = Int32Array.of(1, 2, 3, 1, 2, -1);
	expect([table.intern(source, 0, 2), table.intern(source, 0, 3), table.intern(source, 3, 5), table.intern(source, 5, 6), table.intern(source, 2, 2)]).toEqual([
		0, 1, 0, 2, 3,
	]);
	expect(spelled(table)).toEqual([[1, 2], [1, 2, 3], [-1], []]);
	expect(new TupleTable().build()).toEqual({ data: new Int32Array(0), starts: new Int32Array(1) });
});

test('as many as there are, as long as they are', () => {
	const table = new TupleTable();
	const tuple = (i: number) => Int32Array.of(i, i >> 3, i % 7);
	const numbers = (): number[] => Array.from({ length: 3000 }, (_, i) => table.intern(tuple(i), 0, 1 + (i % 3)));
	const first = numbers();
	expect(first).toEqual(Array.from({ length: 3000 }, (_, i) => i));
	expect(numbers()).toEqual(first);
	expect(table.size).toBe(3000);
	const long = Int32Array.from({ length: 20_000 }, (_, i) => i);
	expect([table.intern(long, 0, 20_000), table.intern(long, 0, 19_999), table.intern(long, 0, 20_000)]).toEqual([3000, 3001, 3000]);
	expect(spelled(table)[3000]).toEqual([...long]);
});

test('any sequences: equal ones have one number', () => {
	fc.assert(
		fc.property(fc.array(fc.array(fc.integer({ min: -2, max: 2 }), { maxLength: 3 }), { maxLength: 200 }), (tuples) => {
			const table = new TupleTable();
			const known = new Map<string, number>();
			for (const one of tuples) {
				const key = one.join();
				known.set(key, known.get(key) ?? known.size);
				expect(table.intern(Int32Array.from(one), 0, one.length)).toBe(known.get(key));
			}
			expect(spelled(table).map((one) => one.join())).toEqual([...known.keys()]);
		}),
	);
});
