import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forEachJsonObject } from './json-objects.js';
import { memorySource } from './source.js';

function objects(text: string, depth: number, chunkBytes: number): { found: unknown[]; cut: number | null } {
	const found: unknown[] = [];
	const cut = forEachJsonObject(memorySource('a', Buffer.from(text)), depth, (object) => found.push(JSON.parse(object)), chunkBytes);
	return { found, cut };
}

test('objects at a depth, whatever is read at a time', () => {
	const text = '{"a": {"b": [{"x": "}]{[\\""}, [ {"no": 1} ], {"ö€": {"y": []}}, 7, {}]}}\n{"a": {"b": [{"z": 1}]}}';
	for (const chunkBytes of [1, 2, 3, 7, 1000]) {
		expect(objects(text, 3, chunkBytes)).toEqual({ found: [{ x: '}]{["' }, { 'ö€': { y: [] } }, {}, { z: 1 }], cut: null });
	}
});

test('an object that is cut', () => {
	expect(objects('[{"a": 1}, {"b": ', 1, 4)).toEqual({ found: [{ a: 1 }], cut: 11 });
});

test('any list of any objects', () => {
	fc.assert(
		fc.property(fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())), fc.integer({ min: 1, max: 50 }), (list, chunkBytes) => {
			const text = JSON.stringify(list);
			expect(JSON.stringify(objects(text, 1, chunkBytes).found)).toBe(text);
		}),
	);
});
