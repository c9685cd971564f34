import { expect, test } from 'vitest';
import { memorySource, readRange } from './source.js';

const source = memorySource('five', Uint8Array.of(1, 2, 3, 4, 5));

test('bytes in memory: up to as many as are asked for, from a position on', () => {
	const target = new Uint8Array(6);
	expect([source.name, source.sizeBytes, source.read(target, 1, 3, 1)]).toEqual(['five', 5, 3]);
	expect([...target]).toEqual([0, 2, 3, 4, 0, 0]);
	expect([source.read(target, 0, 9, 4), source.read(target, 0, 1, 5), source.read(target, 0, 1, 9)]).toEqual([1, 0, 0]);
	expect([...target]).toEqual([5, 2, 3, 4, 0, 0]);
	expect(source.close()).toBeUndefined();
});

test('a range, or as much of it as there is; sources that give little at a time', () => {
	expect([readRange(source, 1, 4), readRange(source, 3, 99), readRange(source, 0, 5)].map((bytes) => [...bytes])).toEqual([
		[2, 3, 4],
		[4, 5],
		[1, 2, 3, 4, 5],
	]);
	expect([readRange(source, 5, 9), readRange(source, 3, 3), readRange(source, 4, 2)].map(({ length }) => length)).toEqual([0, 0, 0]);
	const slow = {
		...source,
		read: (target: Uint8Array, at: number, length: number, position: number) => source.read(target, at, Math.min(length, 2), position),
	};
	expect([...readRange(slow, 0, 5)]).toEqual([1, 2, 3, 4, 5]);
	// Less than it said.
	expect([...readRange({ ...slow, sizeBytes: 9 }, 2, 9)]).toEqual([3, 4, 5]);
});
