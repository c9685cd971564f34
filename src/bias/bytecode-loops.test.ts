import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readClassBytes } from '../formats/class-file/read.js';
import { bytecodeLoops, loopOfBytecodes, shapeText } from './bytecode-loops.js';

const folder = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'jvm', 'classes');

function loopsOf(file: string, method: string, signature?: string) {
	const { methods } = readClassBytes(fs.readFileSync(path.join(folder, `${file}.class`)), file);
	const found = methods.find((one) => one.method === `${file}.${method}` && (signature === undefined || one.signature === signature));
	if (found === undefined) {
		throw new Error(`${file}.class has no method ${method}`);
	}
	return bytecodeLoops(found);
}

test.each([
	['top', 'top', { type: 'int', step: 2 }],
	['bottom', 'bottom', { type: 'long', step: 1 }],
	['endless', 'none', null],
	['inside', 'inside', null],
])('%s: test at the %s', (method, shape, index) => {
	const loops = loopsOf('Loops', method);
	expect(loops).toHaveLength(1);
	expect(loops[0]).toMatchObject({ test: shape, isInner: false, otherEntries: [] });
	expect(loops[0]?.index).toEqual(index === null ? null : expect.objectContaining(index));
});

test('nested loops have their own indexes', () => {
	const [inner, outer, ...rest] = loopsOf('Loops', 'nested');
	expect(rest).toEqual([]);
	expect(inner).toMatchObject({ isInner: true, index: { type: 'long', step: 1 } });
	expect(outer).toMatchObject({ isInner: false, index: { type: 'int', step: -1 } });
});

test('tests at the bottom: on-stack replacement and the loop around come in at two places', () => {
	const loops = loopsOf('Bottom', 'work');
	const [inner, outer] = loops;
	expect(inner).toMatchObject({ test: 'bottom', isInner: true, index: { type: 'int', step: 1 } });
	expect(inner?.otherEntries).toHaveLength(1);
	expect(outer).toMatchObject({ test: 'bottom', isInner: false });
	if (inner === undefined || outer === undefined) {
		return;
	}
	expect(shapeText(inner, true)).toContain('two ways in');
	expect(shapeText(inner, false)).toBe('tested at the bottom, int index, step +1');
	const both = [...inner.bytecodes.slice(0, 1), ...outer.bytecodes.slice(-2)];
	expect(loopOfBytecodes(loops, both, null)).toBe(outer);
	expect(loopOfBytecodes(loops, both, inner.header)).toBe(inner);
	expect(loopOfBytecodes(loops, inner.bytecodes, null)).toBe(inner);
	expect(loopOfBytecodes(loops, [9999], null)).toBe(null);
});
