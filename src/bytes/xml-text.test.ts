import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameHash } from './name-hash.js';
import { attributesOf, unescapeXml } from './xml-text.js';

test('five escapes, nothing else', () => {
	expect(unescapeXml('&lt;init&gt; &amp;lt; &apos;&quot; &nbsp; & &lt')).toBe(`<init> &lt; '" &nbsp; & &lt`);
	expect(unescapeXml('plain')).toBe('plain');
});

test('attributes of an element, unescaped; of equal ones the last', () => {
	expect([...attributesOf("<task compile_id='12' method='a.B &lt;init&gt; ()V' xml:base='x' a-b='' id='1' id='2'/>")]).toEqual([
		['compile_id', '12'],
		['method', 'a.B <init> ()V'],
		['xml:base', 'x'],
		['a-b', ''],
		['id', '2'],
	]);
	expect([...attributesOf(`<task x="1"y='2'>`)]).toEqual([]);
});

test('attributes of any text are those that the expression finds', () => {
	const byExpression = (text: string): string[][] => [
		...new Map([...text.matchAll(/ ([\w:-]+)='([^']*)'/g)].map(([, key = '', value = '']) => [key, unescapeXml(value)])),
	];
	fc.assert(
		fc.property(fc.array(fc.constantFrom(' ', "='", "'", '=', 'a', 'Z9', ':', '-', '_', '&lt;', 'é', '<', '/')), (parts) => {
			const text = parts.join('');
			expect([...attributesOf(text)]).toEqual(byExpression(text));
		}),
		{ numRuns: 2000 },
	);
});

test("names in LLVM's profiles: the first eight bytes of their MD5", () => {
	// `printf main | md5sum` begins with fad58de7366495db.
	expect(nameHash(Buffer.from('main')).toString(16)).toBe('db956436e78dd5fa');
});
