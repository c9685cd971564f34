import { expect, test } from 'vitest';
import { beginEnvelope, endEnvelope } from './envelope.js';
import { collectJson } from './json-collector.js';
import type { JsonSink } from './json-stream.js';
import { TextWriter } from './text-writer.js';

function write(json: JsonSink): void {
	json.field('name', 'a');
	json.beginList('rows');
	json.item({ id: 1 });
	json.item({ id: 2 });
	json.closeTo(json.depth - 1);
	json.beginObject('inner');
	json.field('deep', [1]);
	json.beginList('empty');
	json.closeTo(json.depth - 2);
	json.field('last', null);
}

test('gives the object that the text is of', () => {
	let text = '';
	const writer = new TextWriter((block) => {
		text += block;
	});
	const json = beginEnvelope(writer, '1', 'x');
	write(json);
	endEnvelope(json, writer, []);
	writer.flush();
	expect(collectJson(write)).toEqual(JSON.parse(text).result);
});

test('items can be changed or taken away as they come', () => {
	const seen: unknown[] = [];
	const result = collectJson(write, (list, item) => {
		seen.push([list, item]);
		return (item as { id: number }).id === 1 ? undefined : 'kept';
	});
	expect(result.rows).toEqual(['kept']);
	expect(seen).toEqual([
		['rows', { id: 1 }],
		['rows', { id: 2 }],
	]);
});
