import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { InputError } from '../../model/problem.js';
import { isGcda, readGcda, readGcno } from './read.js';

const folder = path.resolve(import.meta.dirname, '../../../fixtures/orderfile/gcov');
const bytesOf = (name: string): Buffer => fs.readFileSync(path.join(folder, name));
const source = (bytes: Buffer): ReturnType<typeof memorySource> => memorySource('a.gcda', bytes);
const DUMP = fs.readFileSync(path.join(folder, 'dump.txt'), 'utf8');

test.each(['start', 'other', 'classes'])('%s: what gcov-dump says', (name) => {
	const own = DUMP.split('\n').filter((line) => line.startsWith(`${name}.gcda`));
	const idents = own.flatMap((line) => /FUNCTION ident=(\d+)/.exec(line)?.[1] ?? []).map(Number);
	const places = own.flatMap((line, i) => (line.includes('time_profiler') ? [Number(/: (\d+) $/.exec(own[i + 1]!)?.[1])] : []));
	const { functions, stamp } = readGcda(source(bytesOf(`${name}.gcda`)));
	expect(functions).toEqual(idents.map((ident, i) => ({ ident, place: places[i] })));
	expect(stamp).toBe(Number(/stamp (\d+)/.exec(own.join('\n'))?.[1]));
	const notes = [...DUMP.matchAll(new RegExp(`^${name}\\.gcno:.*FUNCTION ident=(\\d+), .* \`(.*?)' (?:\\(artificial\\) )?(.*?):(\\d+):`, 'gm'))];
	const read = readGcno(source(bytesOf(`${name}.gcno`)));
	expect(read.functions).toEqual(notes.map(([, ident, symbol, file, line]) => ({ ident: Number(ident), symbol, file, line: Number(line) })));
	expect(read.functions.length).toBeGreaterThan(1);
	expect(read.stamp).toBe(stamp);
	expect(isGcda(bytesOf(`${name}.gcda`).toString('latin1'))).toBe(true);
});

test('numbers of the other byte order', () => {
	const bytes = bytesOf('start.gcda');
	const swapped = Buffer.alloc(bytes.length);
	// All of it is words, and counters are two of these.
	for (let at = 0; at + 4 <= bytes.length; at += 4) {
		swapped.writeUInt32BE(bytes.readUInt32LE(at), at);
	}
	const places = (file: Buffer) => readGcda(source(file)).functions.map(({ ident }) => ident);
	expect(places(swapped)).toEqual(places(bytes));
});

test('other files, those of GCC 11 and those that are cut are refused', () => {
	expect(() => readGcda(source(bytesOf('start.gcno')))).toThrow('is no .gcda file of GCC');
	const old = Buffer.from(bytesOf('start.gcda'));
	old.write('*11B', 4, 'latin1');
	expect(() => readGcda(source(old))).toThrow('was written by a GCC before 12');
	expect(() => readGcda(source(bytesOf('start.gcda').subarray(0, 60)))).toThrow('is cut');
});

test('damaged files are read or refused', () => {
	for (const [name, read] of [
		['classes.gcda', readGcda],
		['classes.gcno', readGcno],
	] as const) {
		const whole = bytesOf(name);
		fc.assert(
			fc.property(fc.nat(whole.length), fc.nat(whole.length - 1), fc.nat(255), (end, at, value) => {
				const bytes = Buffer.from(whole);
				bytes[at] = value;
				try {
					read(source(bytes.subarray(0, end)));
				} catch (error) {
					expect(error).toBeInstanceOf(InputError);
				}
			}),
		);
	}
});
