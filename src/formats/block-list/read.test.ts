import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { isBlockList, readBlockList } from './read.js';
import { blockListText } from './write.js';

const read = (text: string) => readBlockList(memorySource('list', Buffer.from(text)));
const hash = fc.stringMatching(/^[0-9a-f]{8}$/);
const written = fc.record({
	compilers: fc.uniqueArray(fc.constantFrom('clang version 22.1.8 (1~deb12u1)', 'clang version 19', 'x'), { maxLength: 3 }),
	functions: fc.array(
		fc.record({
			names: fc.uniqueArray(fc.stringMatching(/^[\w.$]{1,12}$/), { minLength: 1, maxLength: 3 }),
			blocks: fc.uniqueArray(fc.nat(9999), { minLength: 1, maxLength: 9 }),
			stamp: fc.record({ blocks: fc.nat(99999), shape: hash, code: hash }),
		}),
		{ maxLength: 5 },
	),
});

test('what is written is read', () => {
	fc.assert(
		fc.property(written, (list) => {
			const text = blockListText(list);
			const { list: found, problems } = read(text);
			expect(isBlockList(text)).toBe(true);
			expect(problems).toEqual([]);
			expect({ ...found, functions: found.functions.map(({ line: _, ...one }) => one) }).toEqual(list);
		}),
	);
});

test('lists of others: several clusters, cloned blocks, modules, profiles', () => {
	const { list, problems } = read('v1\nm a.c\nf helper\np 1 3\nc 0 3.1 4\nc 2 4\ng 0:1,1:2\n@x\nf other alias\nc 0\n');
	expect(list).toEqual({
		compilers: [],
		functions: [
			{ names: ['helper'], blocks: [0, 3, 4, 2], stamp: null, line: 3 },
			{ names: ['other', 'alias'], blocks: [0], stamp: null, line: 9 },
		],
	});
	expect(problems).toEqual([]);
	expect(read('v1\nf a\nc 0 x\nwhat\n').problems).toHaveLength(2);
});

test('orders of symbols are none', () => {
	expect(['main\nf\n', '', '# v1\n', 'v10\n', '# a\n\nv1\n', 'v1'].map(isBlockList)).toEqual([false, false, false, false, true, true]);
});

test('any text', () => {
	fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => read(text).list.functions.length >= 0));
});
