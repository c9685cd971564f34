/** Elements and names of HotSpot's log, one at a time. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Element } from '../shared/hotspot/element.js';
import { parameterName, parametersOf, typeName } from './type-names.js';

function elementOf(line: string): Element {
	const element = new Element();
	const bytes = Buffer.from(`xx${line}yy'`);
	element.read(bytes, 2, 2 + Buffer.byteLength(line));
	return element;
}

describe('attributes', () => {
	test('in any order, any number of times', () => {
		const element = elementOf("<call method='12' name='a &lt;b&gt;' count='-3' empty=''/>");
		expect([element.text('name'), element.word('name'), element.word('name')]).toEqual(['a <b>', 'a <b>', 'a <b>']);
		expect([element.integer('method'), element.integer('count'), element.integer('none'), element.integer('name')]).toEqual([12, -3, -1, -1]);
		expect([element.integerOrNull('count'), element.integerOrNull('empty'), element.integerOrNull('none')]).toEqual([-3, null, null]);
		expect(['method', 'empty', 'none', 'cou', 'counts'].map((name) => element.has(name))).toEqual([true, true, false, false, false]);
		expect([element.is('method', '12'), element.is('method', '1'), element.is('method', '123'), element.is('none', '')]).toEqual([true, false, false, false]);
		expect(element.isWhole()).toBe(true);
	});

	test.each([
		['0.143', 143],
		['12.5', 12_500],
		['0,07', 70],
		['3', 3000],
		['0.0004', 0],
		['0.0006', 1],
		['1.2.3', null],
		['-1.0', null],
		['1e3', null],
		['', null],
	])('%j seconds', (text, ms) => {
		expect(elementOf(`<a stamp='${text}'/>`).milliseconds('stamp')).toBe(ms);
	});

	test.each([
		['1.5', 1.5],
		[' 7 ', 7],
		['', null],
		['x', null],
		['Infinity', null],
	])('%j as a number', (text, value) => {
		expect(elementOf(`<a n='${text}'/>`).number('n')).toBe(value);
	});

	test.each(["<a b='1' c='2", "<a b='1' c='2<d e='3'/>", "<a b='1' c=2/>", "<a b='1' <c d='2'/>", "<a b='1' c<'2'/>"])('%s is cut', (line) => {
		const element = elementOf(line);
		expect([element.isWhole(), element.integer('b'), element.has('c')]).toEqual([false, 1, false]);
	});

	test('minus alone is no number, nor is one with letters', () => {
		expect(['-', '1x', '/', ':', '09'].map((text) => elementOf(`<a n='${text}'/>`).integerOrNull('n'))).toEqual([null, null, null, null, 9]);
	});

	test('sixty-four of one element are read', () => {
		const element = elementOf(`<a ${Array.from({ length: 70 }, (_, i) => `n${i}='${i}'`).join(' ')}/>`);
		expect([element.integer('n63'), element.integer('n64'), element.isWhole()]).toEqual([63, -1, true]);
	});

	test('any values are what was written', () => {
		fc.assert(
			fc.property(fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,6}$/), fc.stringMatching(/^[ -%(-;?-~]*$/)), { maxLength: 8 }), (given) => {
				const element = elementOf(`<e${given.map(([name, value]) => ` ${name}='${value.replaceAll('&', '&amp;')}'`).join('')}/>`);
				expect(element.isWhole()).toBe(true);
				for (const [name] of given) {
					expect(element.text(name)).toBe(given.find(([other]) => other === name)?.[1]);
					expect(element.word(name)).toBe(element.text(name));
				}
			}),
		);
	});
});

test.each([
	['java.lang.String', 'java.lang.String', 'String'],
	['[B', 'byte[]', 'byte[]'],
	['[[J', 'long[][]', 'long[][]'],
	['[Ljava.lang.String;', 'java.lang.String[]', 'String[]'],
	['[Ljava/lang/String;', 'java.lang.String[]', 'String[]'],
	['[LX', 'LX[]', 'LX[]'],
	['[X;', 'X;[]', 'X;[]'],
	['int', 'int', 'int'],
])('the type %s', (logged, java, short) => {
	expect([typeName(logged), parameterName(logged)]).toEqual([java, short]);
});

test('more dimensions than Java has are not written out', () => {
	expect(typeName(`${'['.repeat(300)}I`)).toBe(`int${'[]'.repeat(255)}`);
});

test.each([
	['()V', '()'],
	['(Ljava/lang/String;[IZ)Z', '(String, int[], boolean)'],
	['([[Ljava/util/Map$Entry;BCDFS)V', '(Map$Entry[][], byte, char, double, float, short)'],
	['no descriptor', '()'],
	['I)V', '()'],
	['(I', '()'],
	['(XIQ)V', '(int)'],
	['(ILjava/lang/Byte)V', '(int)'],
])('parameters of %s', (descriptor, parameters) => {
	expect(parametersOf(descriptor)).toBe(parameters);
});
