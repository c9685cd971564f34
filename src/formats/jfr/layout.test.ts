/** How values of types are laid out and read, and types that cannot be. */
import { describe, expect, test } from 'vitest';
import { Bytes } from '../../../test/jfr-file.js';
import { JfrCursor } from './cursor.js';
import { layoutOf, readValue, selectionOf, skipValue } from './layout.js';
import type { JfrType } from './metadata.js';

/** Types by name, numbered in their order; a field as `name: type`, with `@` a constant, with `[]` an array. */
function types(declared: Record<string, Record<string, string>>): Map<number, JfrType> {
	const names = Object.keys(declared);
	const field = (name: string, spelled: string) => ({
		name,
		typeId: names.indexOf(spelled.replace(/^@|\[\]$/g, '')),
		isConstant: spelled.startsWith('@'),
		isArray: spelled.endsWith('[]'),
	});
	return new Map(names.map((name, id) => [id, { id, name, fields: Object.entries(declared[name]!).map(([key, spelled]) => field(key, spelled)) }]));
}

const PRIMITIVES = { boolean: {}, byte: {}, short: {}, char: {}, int: {}, long: {}, float: {}, double: {}, 'java.lang.String': {} };

function layout(declared: Record<string, Record<string, string>>, name: string) {
	const all = types({ ...PRIMITIVES, ...declared });
	return layoutOf(all, [...all.values()].find((type) => type.name === name)!);
}

const part = (name: string, kind: string, sizeBytes: number) => ({ name, kind, sizeBytes, elements: [], integers: 0 });

test('primitive fields have their sizes; constants are keys; nested types stand in place of the field', () => {
	const declared = {
		point: { x: 'int', y: 'short' },
		event: { flag: 'boolean', at: 'point', name: 'java.lang.String', ratio: 'double', small: 'float', thread: '@point', count: 'long', path: 'point[]' },
	};
	expect(layout(declared, 'event')).toEqual([
		part('flag', 'byte', 1),
		part('at.x', 'integer', 4),
		part('at.y', 'integer', 2),
		part('name', 'string', 0),
		part('ratio', 'fixed', 8),
		part('small', 'fixed', 4),
		part('thread', 'integer', 8),
		part('count', 'integer', 8),
		{ name: 'path', kind: 'array', sizeBytes: 0, integers: 2, elements: [part('path.x', 'integer', 4), part('path.y', 'integer', 2)] },
	]);
});

test('a type called like a primitive one that has fields is read by its fields', () => {
	expect(layout({ ...PRIMITIVES, int: { low: 'short' }, event: { count: 'int' } }, 'event')).toEqual([part('count.low', 'integer', 2)]);
});

describe('damaged descriptions', () => {
	test('a field of a type that is not there', () => {
		expect(() => layout({ event: { a: 'missing' } }, 'event')).toThrow('the type event has a field of an unknown type -1');
		expect(layout({ event: { a: '@missing' } }, 'event')).toEqual([part('a', 'integer', 8)]);
	});

	test('types that hold themselves, or very many others', () => {
		expect(() => layout({ event: { again: 'event' } }, 'event')).toThrow('the type event holds too many others');
		const wide = Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`f${i}`, 'int']));
		expect(() => layout({ event: wide }, 'event')).toThrow('the type event holds too many others');
		const { f2000: _, ...fewer } = wide;
		expect(layout({ event: fewer }, 'event')).toHaveLength(2000);
	});

	test('an array whose elements have no bytes, of which there could be any number', () => {
		expect(() => layout({ nothing: {}, event: { many: 'nothing[]' } }, 'event')).toThrow('the type event has an array of nothing');
		expect(layout({ nothing: {}, event: { one: 'nothing', a: 'int' } }, 'event')).toEqual([part('a', 'integer', 4)]);
	});
});

describe.each([
	['LEB128', false],
	['fixed sizes', true],
])('values with %s', (_, isFixed) => {
	const declared = {
		point: { x: 'int', y: 'short' },
		event: { flag: 'boolean', ratio: 'double', path: 'point[]', at: 'point', name: 'java.lang.String', key: '@point', total: 'long' },
	};
	const writer = new Bytes(isFixed);
	const value = [
		1,
		Buffer.alloc(8, 0xff),
		[
			[1, 2],
			[300, 400],
		],
		[70_000, 513],
		'a name',
		2n ** 60n + 1n,
		5,
	] as const;
	for (const [i, spelled] of Object.values(declared.event).entries()) {
		writer.value(declared, spelled, value[i]!);
	}
	const bytes = writer.all();
	const cursor = () => new JfrCursor(Buffer.concat([bytes, Buffer.from([0x55])]), !isFixed);

	test('those that are wanted are read, in the order in which they are wanted', () => {
		const at = cursor();
		const wanted = ['name', 'at.y', 'at.x', 'flag', 'key', 'total', 'missing', 'path', 'ratio'];
		expect(readValue(at, selectionOf(layout(declared, 'event'), wanted))).toEqual([
			'a name',
			513,
			70_000,
			1,
			2n ** 60n + 1n,
			5,
			undefined,
			undefined,
			undefined,
		]);
		expect(at.at).toBe(bytes.length);
	});

	test('all can be read over', () => {
		const at = cursor();
		skipValue(at, layout(declared, 'event'));
		expect(at.at).toBe(bytes.length);
	});

	test('one that is cut is damage', () => {
		const cut = new JfrCursor(bytes.subarray(0, -1), !isFixed);
		expect(() => skipValue(cut, layout(declared, 'event'))).toThrow('ends inside a');
	});
});
