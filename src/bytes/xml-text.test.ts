import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameHash } from './name-hash.js';
import { attributeOf, unescapeXml } from './xml-text.js';

test('five escapes, nothing else', () => {
	expect(unescapeXml('&lt;init&gt; &amp;lt; &apos;&quot; &nbsp; & &lt')).toBe(`<init> &lt; '" &nbsp; & &lt`);
	expect(unescapeXml('plain')).toBe('plain');
});

test('an attribute of an element, unescaped; undefined where there is none', () => {
	const element = "<task compile_id='12' method='a.B &lt;init&gt; ()V' xml:base='x' a-b='' id='1'/>";
	expect(['compile_id', 'method', 'xml:base', 'a-b', 'id', 'd', 'compile', 'task', 'x'].map((name) => attributeOf(element, name))).toEqual([
		...['12', 'a.B <init> ()V', 'x', '', '1'],
		...new Array<undefined>(4).fill(undefined),
	]);
	expect(attributeOf(`<task x="1"y='2'>`, 'y')).toBeUndefined();
	expect(attributeOf("<task x='1' y='2", 'y')).toBeUndefined();
});

test('attributes of any element are those that were written', () => {
	const name = fc.stringMatching(/^[\w:-]{1,6}$/);
	const value = fc.array(fc.constantFrom(' ', '=', 'a', 'a=', 'Z9', '&lt;', '&apos;', 'é', '<', '/>')).map((parts) => parts.join(''));
	fc.assert(
		fc.property(fc.uniqueArray(fc.tuple(name, value), { selector: ([own]) => own }), name, (attributes, other) => {
			const element = `<a${attributes.map(([own, text]) => ` ${own}='${text}'`).join('')}/>`;
			for (const [own, text] of attributes) {
				expect(attributeOf(element, own)).toBe(unescapeXml(text));
			}
			expect(attributeOf(element, other) === undefined).toBe(!attributes.some(([own]) => own === other));
		}),
	);
});

test("names in LLVM's profiles: the first eight bytes of their MD5", () => {
	// `printf main | md5sum` begins with fad58de7366495db.
	expect(nameHash(Buffer.from('main')).toString(16)).toBe('db956436e78dd5fa');
});
