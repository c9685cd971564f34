import { expect, test } from 'vitest';
import { type FlowColumns, LentColumns } from './flow-columns.js';

function fillWith(value: number): (columns: FlowColumns) => void {
	return ({ address, end, target, flow }) => {
		address.fill(value);
		end.fill(value + 1);
		target.fill(Number.NaN);
		flow.fill(value % 6);
	};
}

test('the columns have the length of the code, and are made once for as long as nobody else borrows them', () => {
	const lent = new LentColumns();
	const [a, b] = [{}, {}];
	let fills = 0;
	const look = (owner: object, length: number, value: number): [number, number | undefined] =>
		lent.lend(
			owner,
			length,
			(columns) => {
				fills++;
				fillWith(value)(columns);
			},
			({ address }) => [address.length, address.at(-1)],
		);
	expect([look(a, 3, 7), look(a, 3, 7), fills]).toEqual([[3, 7], [3, 7], 1]);
	expect([look(b, 100_000, 8), look(a, 3, 7), fills]).toEqual([[100_000, 8], [3, 7], 3]);
});

test('a look at other code during a look leaves the first columns as they are', () => {
	const lent = new LentColumns();
	const [a, b] = [{}, {}];
	lent.lend(a, 4, fillWith(1), (outer) => {
		lent.lend(b, 4, fillWith(2), (inner) => {
			expect([...inner.address, ...inner.end]).toEqual([2, 2, 2, 2, 3, 3, 3, 3]);
			expect(lent.lend(a, 4, fillWith(9), (again) => again)).toBe(outer);
		});
		expect([...outer.address, ...outer.end]).toEqual([1, 1, 1, 1, 2, 2, 2, 2]);
	});
});
