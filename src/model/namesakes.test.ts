import { describe, expect, test } from 'vitest';
import { type NamedCompilation, namesakesOf } from './namesakes.js';

const of = (compileId: string, bytecodeBytes: number | null, more: Partial<NamedCompilation> = {}): NamedCompilation => ({
	compileId,
	method: 'Stage1.next',
	signature: '()V',
	bytecodeBytes,
	...more,
});

describe('without an agent', () => {
	const told = (...compilations: NamedCompilation[]) => namesakesOf(compilations, new Map());

	test('one method has no namesake, however often it was compiled', () => {
		expect(told(of('1', 154), of('2', 154), of('3%', 154))).toEqual([null, null, null]);
	});

	test('bytecode of another length is another method; what does not tell is that before', () => {
		expect(told(of('1', 154), of('2', 249), of('3', null), of('4', 154))).toEqual(['154 bytes', '249 bytes', '249 bytes', '154 bytes']);
		expect(told(of('1', null), of('2', 249), of('3', 154))).toEqual(['249 bytes', '249 bytes', '154 bytes']);
	});

	test('overloads are told apart by their signatures alone', () => {
		expect(told(of('1', 154), of('2', 249, { signature: '(I)V' }), of('3', 154))).toEqual([null, null, null]);
	});

	test('nothing is said where no signature is', () => {
		expect(told(of('1', 154, { signature: null }), of('2', 249, { signature: null }))).toEqual([null, null]);
	});
});

describe('with an agent', () => {
	const ranks = new Map([
		['1', 2],
		['2', 1],
		['5', 2],
	]);

	test('classes of the same bytecode are told apart; on-stack replacement is of the same method', () => {
		expect(namesakesOf([of('1', 154), of('2', 154), of('5%', 154)], ranks)).toEqual(['class 2', 'class 1', 'class 2']);
	});

	test('what was not installed is of the class with that length, or of the one before', () => {
		expect(namesakesOf([of('1', 154), of('2', 249), of('3', 154), of('4', 300)], ranks)).toEqual(['class 2', 'class 1', 'class 2', 'class 2']);
		expect(namesakesOf([of('2', 154), of('1', 154), of('3', 154)], ranks)).toEqual(['class 1', 'class 2', 'class 2']);
	});

	test('a method of one class that was redefined is one', () => {
		expect(namesakesOf([of('1', 154), of('5', 160)], ranks)).toEqual([null, null]);
	});

	test('of a class whose name others have, a method that only it had compiled has no namesake', () => {
		expect(namesakesOf([of('1', 154), of('5', 154)], ranks)).toEqual([null, null]);
	});
});
