import fc from 'fast-check';
import { expect, test } from 'vitest';
import { numberAddresses } from './address-numbers.js';
import { SamplesBuilder } from './samples.js';

const address = fc.oneof(
	fc.bigInt({ min: 0n, max: 20n }),
	fc.bigInt({ min: 0n, max: (1n << 53n) - 1n }),
	fc.bigInt({ min: -(1n << 48n), max: -1n }),
	fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }),
);

test('each address is the number of its double, in order of first appearance', () => {
	fc.assert(
		fc.property(fc.array(address, { maxLength: 3000, size: 'max' }), (list) => {
			const builder = new SamplesBuilder();
			for (const one of list) {
				builder.add(0, one, 0, 0);
			}
			const { of, addresses } = numberAddresses(builder.build());
			expect([...of].map((number) => addresses[number])).toEqual(list.map(Number));
			expect([...addresses]).toEqual([...new Set(list.map(Number))]);
		}),
		{ numRuns: 50 },
	);
});
