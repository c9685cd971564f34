import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import type { MethodBytecode } from '../../model/bytecode.js';
import { isJavap, readJavap } from '../javap/read.js';
import { isClassFile, readClassBytes, readClassFile } from './read.js';

const folder = path.resolve(import.meta.dirname, '..', '..', '..', 'fixtures', 'jvm', 'classes');
const bytesOf = (name: string): Buffer => fs.readFileSync(path.join(folder, name));

/** Cases of a switch stand in another order in the text. */
function comparable(methods: readonly MethodBytecode[]): unknown {
	return methods.map(({ method, signature, code }) => ({
		method,
		signature,
		code: code.map(({ bci, opcode, targets, local, constant }) => [bci, opcode, [...new Set(targets)].sort((a, b) => a - b), local, constant]),
	}));
}

test.each(['Loops', 'Bottom'])('%s: a class file says what javap prints of it', (name) => {
	const { methods, problems } = readClassFile(memorySource(name, bytesOf(`${name}.class`)));
	const printed = readJavap(memorySource(name, bytesOf(`${name}.javap.txt`)));
	expect(problems).toEqual([]);
	expect(methods.length).toBeGreaterThan(0);
	expect(comparable(methods)).toEqual(comparable(printed.methods));
});

test('names, overloads and instructions of odd lengths', () => {
	const { methods } = readClassBytes(bytesOf('Loops.class'), 'Loops');
	expect(methods.filter(({ method }) => method === 'Loops.overloaded').map(({ signature }) => signature)).toEqual(['(I)I', '(J)I']);
	const odd = methods.find(({ method }) => method === 'Loops.odd')?.code ?? [];
	expect(odd.find(({ opcode, constant }) => opcode === 'iinc' && constant === 1000)?.local).toBe(2);
	expect(odd.filter(({ opcode }) => opcode.endsWith('switch')).map(({ targets }) => targets.length)).toEqual([4, 3, 3]);
	expect(methods.some(({ method }) => method === 'Loops.<init>')).toBe(true);
});

test('told apart by their content', () => {
	expect(isClassFile(bytesOf('Loops.class'))).toBe(true);
	expect(isClassFile(bytesOf('Loops.javap.txt'))).toBe(false);
	expect(isJavap(bytesOf('Loops.javap.txt').toString())).toBe(true);
	expect(isJavap('class A {\n int x;\n}\n')).toBe(false);
});

test('damaged: what can be read is, and the rest is told', () => {
	const whole = bytesOf('Loops.class');
	const { methods, problems } = readClassBytes(whole.subarray(0, whole.length - 300), 'Loops');
	expect(methods.length).toBeGreaterThan(3);
	expect(problems).toMatchObject([{ severity: 'warning', file: 'Loops', message: expect.stringContaining('ends early') }]);
	fc.assert(
		fc.property(
			fc.integer({ min: 0, max: whole.length - 1 }),
			fc.integer({ min: 0, max: 255 }),
			fc.integer({ min: 0, max: whole.length }),
			(at, value, length) => {
				const bytes = Buffer.from(whole.subarray(0, length));
				if (at < bytes.length) {
					bytes[at] = value;
				}
				expect(readClassBytes(bytes, 'x').methods.length).toBeLessThan(100);
			},
		),
	);
	const text = bytesOf('Loops.javap.txt').toString();
	fc.assert(
		fc.property(fc.integer({ min: 0, max: text.length }), fc.string({ maxLength: 20 }), (at, inserted) => {
			const changed = Buffer.from(text.slice(0, at) + inserted + text.slice(at));
			expect(readJavap(memorySource('x', changed)).methods.length).toBeLessThan(100);
		}),
	);
});
