import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PropertyValue, propertyIdentity, propertyText } from './property.js';

const VALUES: [PropertyValue, string][] = [
	[null, 'null'],
	[true, 'true'],
	['text', 'text'],
	[1, '1'],
	[12345678901, '12345678901'],
	[9007199254740993n, '9007199254740993'],
	[{ double: 1 }, '1.0'],
	[[1, 2, 'z'], '[1, 2, z]'],
	[[], '[]'],
	[[[{ double: 0.5 }], []], '[[0.5], []]'],
	[new Map<string, PropertyValue>([['n', 1]]), 'map(size=1, {(n,1)})'],
	[
		new Map<string, PropertyValue>([
			['a', [1]],
			['b', null],
		]),
		'map(size=2, {(a,[1]), (b,null)})',
	],
];

test.each(VALUES.map(([value, text]) => ({ value, text })))('a value prints as $text', ({ value, text }) => {
	expect(propertyText(value)).toBe(text);
});

test('values are the same exactly if Java says so', () => {
	const same = (a: PropertyValue, b: PropertyValue): boolean => propertyIdentity(a) === propertyIdentity(b);
	expect(same(1, 1)).toBe(true);
	expect(same(1, { double: 1 })).toBe(false);
	expect(same('1', 1)).toBe(false);
	expect(same({ double: 0 }, { double: -0 })).toBe(false);
	expect(same(['a', 'b'], ['a', 'b'])).toBe(true);
	expect(same(['a,b'], ['a', 'b'])).toBe(false);
	expect(same(null, 'null')).toBe(false);
	const object = new Map([['n', 1]]);
	expect(same(object, object)).toBe(false);
});

test('texts of strings that look like other values do not collide', () => {
	fc.assert(
		fc.property(fc.array(fc.string()), fc.array(fc.string()), (a, b) => {
			expect(propertyIdentity(a) === propertyIdentity(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
		}),
	);
});

test('lists nest as deep as they like', () => {
	let value: PropertyValue = [];
	for (let i = 0; i < 100_000; i++) {
		value = [value];
	}
	expect(propertyText(value).length).toBe(200_002);
});
