import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { InputError } from '../../model/problem.js';
import { isNmListing, readNmListing } from './read.js';

const source = (text: string): ReturnType<typeof memorySource> => memorySource('app.nm', Buffer.from(text));
/** As LLVM 22 prints it; GNU nm leaves the size of _start out. */
const LISTING = `                                  w __gmon_start__
                                  U access
0000000000202010 0000000000000010 r table
000000000024e0a0 0000000000000000 T _start
000000000024e0d0 0000000000000001 t $x.3
000000000024e190 000000000000030d T operator new(unsigned long)
000000000024e4a0 0000000000000066 W inline_one
000000000024e510 t helper
000000000036f370 0000000000000000 W data_start
000000000036f378 0000000000000008 V weak_data
`;

test('code with and without sizes, local and weak', () => {
	const { table, problems } = readNmListing(source(LISTING));
	expect(problems).toEqual([]);
	const { names, addresses, sizes, isLocal } = table.symbols;
	expect(names.map((name, i) => [name, addresses[i], sizes[i], isLocal[i]])).toEqual([
		['_start', 0x24e0a0, 0, 0],
		['operator new(unsigned long)', 0x24e190, 0x30d, 0],
		['inline_one', 0x24e4a0, 0x66, 0],
		['helper', 0x24e510, 0, 1],
	]);
});

test('without sizes it is said; other lines are problems', () => {
	const { problems } = readNmListing(source('0000000000401000 T main\nhello there\n'));
	expect(problems.map(({ message, line }) => [message.slice(0, 30), line])).toEqual([
		['expected a line of nm -n --pri', 2],
		['tells no sizes', undefined],
	]);
	expect(() => readNmListing(source('                 U puts\n'))).toThrow(InputError);
});

test('told from other text', () => {
	expect(isNmListing(LISTING)).toBe(true);
	expect(isNmListing(`app:\n\n${LISTING}`)).toBe(true);
	expect(isNmListing('24e0a0 2\n24e0a2 3\n')).toBe(false);
	expect(isNmListing('main\nf\n')).toBe(false);
	expect(isNmListing('')).toBe(false);
});

test('any text is read or refused', () => {
	const line = fc.oneof(fc.string(), fc.constantFrom(...LISTING.split('\n')));
	fc.assert(
		fc.property(fc.array(line), (lines) => {
			try {
				const { names, addresses } = readNmListing(source(lines.join('\n'))).table.symbols;
				expect(names).toHaveLength(addresses.length);
			} catch (error) {
				expect(error).toBeInstanceOf(InputError);
			}
		}),
	);
});

test('the table says where it comes from; weak symbols without size are no code', () => {
	const { table, problems } = readNmListing(source('0000000000401000 w undefined_weak\n0000000000401000 0000000000000010 w weak\n0000000000401010 T main\n'));
	expect(table).toMatchObject({ kind: 'nm', name: 'app.nm', sections: [], machine: null, inputSections: null });
	expect(table.symbols.names).toEqual(['weak', 'main']);
	expect([...table.symbols.sections]).toEqual([-1, -1]);
	expect(problems).toEqual([]);
	expect(() => readNmListing(source('0000000000401000 D data\n'))).toThrow(
		expect.objectContaining({ problem: { severity: 'error', file: 'app.nm', message: 'holds no symbol of code', action: expect.stringContaining('nm -n') } }),
	);
});

test('a line that was cut at the end of the head does not count, any other does', () => {
	expect(isNmListing(`${LISTING}hello`)).toBe(true);
	expect(isNmListing(`${LISTING}hello\n`)).toBe(false);
	expect(isNmListing('0000000000401000 T main')).toBe(true);
	expect(isNmListing('0000000000401000 T main\r\n')).toBe(true);
	expect(isNmListing('\n\n')).toBe(false);
});
