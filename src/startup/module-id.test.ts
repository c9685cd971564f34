import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { moduleIdOf, nameModules } from './module-id.js';

describe('numbers of modules', () => {
	test('are 32 bits, not 0, and made of the name alone', () => {
		fc.assert(
			fc.property(fc.string(), (name) => {
				const id = moduleIdOf(name);
				expect(id).toBe(moduleIdOf(name));
				expect(id > 0 && id <= 0xffff_ffff && Number.isInteger(id)).toBe(true);
			}),
		);
		// Recorded: another number would make maps and objects of two versions of assay disagree.
		expect(moduleIdOf('tsrc/mem1.c')).toBe(1827282611);
		expect(moduleIdOf('größer/\u{1f600}.c')).toBe(315738878);
	});

	test('differ within a build, whatever the names and their order', () => {
		const modules = fc.uniqueArray(fc.record({ source: fc.constantFrom('', 'a.c', 'b.c'), path: fc.string({ minLength: 1 }) }), {
			selector: ({ path }) => path,
		});
		fc.assert(
			fc.property(modules, (list) => {
				const named = nameModules(list);
				expect(new Set(named.map(({ id }) => id)).size).toBe(new Set(named.map(({ name }) => name)).size);
				const reversed = nameModules([...list].reverse()).reverse();
				expect(reversed).toEqual(named);
			}),
		);
	});

	test('of names with the same hash: the first in the order of names keeps it, the later one takes the next', () => {
		const twins = ['m960858.c', 'm1797192.c', 'm1797192.b'];
		expect(twins.map(moduleIdOf)).toEqual([2695760306, 2695760306, expect.not.toSatisfy((id: number) => id === 2695760306)]);
		expect(nameModules(twins.map((source) => ({ source, path: source }))).map(({ id }) => id)).toEqual([2695760307, 2695760306, moduleIdOf('m1797192.b')]);
	});

	test('names: the source alone where no other has the same, else with the path; the path where there is no source', () => {
		const modules = [
			{ source: 'a.c', path: 'x/a.o' },
			{ source: 'b.c', path: 'x/b.o' },
			{ source: 'a.c', path: 'y/a.o' },
			{ source: '', path: 'c.o' },
		];
		expect(nameModules(modules).map(({ name }) => name)).toEqual(['a.c (x/a.o)', 'b.c', 'a.c (y/a.o)', 'c.o']);
	});
});
