import { constants } from 'node:buffer';
import { expect, test } from 'vitest';
import { collected, mapped, type Streamed } from '../answers/streamed.js';
import { writeEnvelope } from './envelope.js';
import { writeJsonValue } from './result-json.js';
import { TextWriter } from './text-writer.js';

function written(value: unknown): string {
	let text = '';
	const writer = new TextWriter((block) => {
		text += block;
	});
	writeJsonValue(writer, value);
	writer.flush();
	return text;
}

function* repeated<T>(item: T, count: number): Generator<T> {
	for (let i = 0; i < count; i++) {
		yield item;
	}
}

interface Result {
	readonly name: string;
	readonly rows: { id: number; parts: { text: string; columns: number[] }[] }[];
	readonly missing?: string;
}

const result = (): Streamed<Result> => ({
	name: 'a',
	rows: mapped([1, 2], (id) => ({ id, parts: mapped(['x', 'y'], (text) => ({ text, columns: Array.from({ length: 25_000 }, (_, i) => i * id) })) })),
});
const WHOLE = {
	name: 'a',
	rows: [1, 2].map((id) => ({ id, parts: ['x', 'y'].map((text) => ({ text, columns: Array.from({ length: 25_000 }, (_, i) => i * id) })) })),
};

test('lists in items of lists may be made while they are written, and make the same text', () => {
	expect(written(result())).toBe(JSON.stringify(WHOLE));
	expect(collected(result())).toEqual(WHOLE);
});

test.each([
	[{}],
	[{ a: undefined, b: null, c: [], d: {}, e: [undefined, null, [1, [2]], { f: [] }], g: '\u2028"\ud800' }],
	[{ rows: Array.from({ length: 30_000 }, (_, i) => ({ i, tags: ['a', null, { deep: [i] }] })) }],
	[{ rows: [{ list: Array.from({ length: 12_000 }, (_, i) => ({ i })) }] }],
])('any value is written as the engine writes it', (value) => {
	expect(written(value)).toBe(JSON.stringify(value));
});

test('a result that is longer than any string can be is written', () => {
	const item = { text: 'x'.repeat(1 << 20) };
	const count = Math.ceil(constants.MAX_STRING_LENGTH / item.text.length) + 1;
	let characters = 0;
	let longest = 0;
	const writer = new TextWriter((block) => {
		characters += block.length;
		longest = Math.max(longest, block.length);
	});
	writeEnvelope(writer, '1', 'x', { rows: repeated(item, count) }, []);
	writer.flush();
	const envelope = `{"assay":{"version":"1","schema":1},"command":"x","result":{"rows":[]},"problems":[]}\n`;
	expect(characters).toBe(envelope.length + count * JSON.stringify(item).length + count - 1);
	expect(characters).toBeGreaterThan(512 << 20);
	expect(longest).toBeLessThan(4 << 20);
});
