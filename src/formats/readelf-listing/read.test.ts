import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { InputError } from '../../model/problem.js';
import { isReadelfListing, readReadelfListing } from './read.js';

const file = path.resolve(import.meta.dirname, '..', '..', '..', 'fixtures', 'orderfile', 'symtab', 'base.readelf.txt.gz');
const listing = gunzipSync(fs.readFileSync(file)).toString();
const source = (text: string): ReturnType<typeof memorySource> => memorySource('app.readelf', Buffer.from(text));

test('sections and symbols', () => {
	const { table, problems } = readReadelfListing(source(listing));
	expect(problems).toEqual([]);
	expect(table.isRelocatable).toBe(false);
	expect(table.sections[14]).toEqual({ name: '.text', address: 0x24e0a0, sizeBytes: 0x11bce7, alignment: 16, isExecutable: true, fileOffset: 0x4d0a0 });
	const { names, addresses, sizes, files } = table.symbols;
	const at = names.indexOf('vdbeMemClear');
	expect([names.length, addresses[at], sizes[at], files[at]]).toEqual([2894, 0x34ca30, 54, 'vdbemem.c']);
});

test('told from other text; without symbols it is refused', () => {
	expect(isReadelfListing(listing.slice(0, 2000))).toBe(true);
	expect(isReadelfListing('main\n')).toBe(false);
	expect(() => readReadelfListing(source(listing.slice(0, 3000)))).toThrow(InputError);
});

test('any lines are read or refused', () => {
	const lines = listing.split('\n');
	fc.assert(
		fc.property(
			fc.array(
				fc.oneof(
					fc.nat(lines.length - 1).map((i) => lines[i]!),
					fc.string(),
				),
				{ maxLength: 60 },
			),
			fc.nat(40),
			(chosen, cut) => {
				try {
					readReadelfListing(source(`${lines.slice(0, 40).join('\n')}\nSymbol table '.symtab' contains 9 entries:\n${chosen.join('\n').slice(cut)}`));
				} catch (error) {
					expect(error).toBeInstanceOf(InputError);
				}
			},
		),
	);
});
