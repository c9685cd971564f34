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

	test('are told apart where the hash is the same', () => {
		// Found by search.
		const seen = new Map<number, string>();
		let pair: [string, string] | null = null;
		for (let i = 0; pair === null; i++) {
			const name = `m${i}.c`;
			const other = seen.get(moduleIdOf(name));
			pair = other === undefined ? null : [other, name];
			seen.set(moduleIdOf(name), name);
		}
		const [first, second] = nameModules(pair.map((source) => ({ source, path: source })));
		expect(second?.id).not.toBe(first?.id);
	}, 60_000);
});
