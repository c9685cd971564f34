/** A map with one value changed: refused with the place and what is expected there, never a TypeError. */
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { combineHashes, type OrderMap } from '../../model/order-map.js';
import { InputError } from '../../model/problem.js';
import { isOrderMap, readOrderMap } from './read.js';
import { writeOrderMap } from './write.js';

const HASH = '00000000000000ff';
const MAP: OrderMap = {
	buildId: combineHashes([HASH]),
	bufferEntries: 0,
	isRing: true,
	modules: [
		{
			id: 1,
			name: 'a',
			source: 'a.c',
			hash: HASH,
			functions: [{ symbol: 'main', linkage: 'external', comdat: 'c', file: 'a.c', line: 0 }],
			omitted: [{ symbol: 'nak', reason: 'naked' }],
		},
	],
};

type Json = Record<string, unknown>;

function written(): Json {
	let all = '';
	writeOrderMap(MAP, (piece) => {
		all += piece;
	});
	return JSON.parse(all);
}

/** The map with the value at a path replaced; undefined takes it out. */
function changed(path: string, value: unknown): string {
	const map = written();
	const keys = path.split('.');
	const last = keys.pop()!;
	const at = keys.reduce<unknown>((one, key) => (one as Json)[key], map) as Json;
	if (value === undefined) {
		delete at[last];
	} else {
		at[last] = value;
	}
	return JSON.stringify(map);
}

const read = (json: string): OrderMap => readOrderMap(memorySource('a.map.json', Buffer.from(json)));

/** The message of the refusal; null where the map is read. */
function refusal(json: string): string | null {
	try {
		read(json);
		return null;
	} catch (error) {
		expect(error).toBeInstanceOf(InputError);
		const { problem } = error as InputError;
		expect('offsetBytes' in problem).toBe(problem.offsetBytes !== undefined);
		return problem.message;
	}
}

test('the whole one is read', () => {
	expect(read(JSON.stringify(written()))).toEqual(MAP);
});

describe('refused', () => {
	const F = 'modules.0.functions.0';
	test.each([
		['format', 'x', /"format"/],
		['version', '1', /version 1,/],
		['version', null, /version unknown,/],
		['version', undefined, /version unknown,/],
		['modules', {}, /"modules" is expected to be a list/],
		['bufferEntries', -1, /"bufferEntries" and "ring"/],
		['bufferEntries', 1.5, /"bufferEntries" and "ring"/],
		['ring', 1, /"bufferEntries" and "ring"/],
		['buildId', HASH.replace('ff', 'fe'), /"buildId"/],
		['modules.0', null, /modules\[0\]: "id"/],
		['modules.0.id', 0, /modules\[0\]: "id"/],
		['modules.0.id', 2 ** 32, /modules\[0\]: "id"/],
		['modules.0.id', 1.5, /modules\[0\]: "id"/],
		['modules.0.id', 'x', /modules\[0\]: "id"/],
		['modules.0.id', undefined, /modules\[0\]: "id"/],
		['modules.0.name', 1, /"name" and "source"/],
		['modules.0.source', 1, /"name" and "source"/],
		['modules.0.hash', 7, /"hash"/],
		['modules.0.hash', `${HASH}0`, /"hash"/],
		['modules.0.hash', `0${HASH}`, /"hash"/],
		['modules.0.hash', HASH.toUpperCase(), /"hash"/],
		['modules.0.functions', {}, /"functions" is expected to be a list/],
		['modules.0.omitted', {}, /"omitted" is expected to be a list/],
		[F, null, /functions\[0\]: "id" is expected to be 0/],
		[`${F}.id`, 1, /functions\[0\]: "id" is expected to be 0/],
		[`${F}.symbol`, '', /"symbol" is expected to be a text/],
		[`${F}.symbol`, 5, /"symbol" is expected to be a text/],
		[`${F}.linkage`, 'other', /"linkage"/],
		[`${F}.comdat`, 5, /"comdat" and "file"/],
		[`${F}.file`, 5, /"comdat" and "file"/],
		[`${F}.line`, -1, /"line"/],
		[`${F}.line`, 'x', /"line"/],
		['modules.0.omitted.0', null, /omitted\[0\]: "symbol" and "reason"/],
		['modules.0.omitted.0.symbol', 5, /omitted\[0\]: "symbol" and "reason"/],
		['modules.0.omitted.0.reason', 'other', /omitted\[0\]: "symbol" and "reason"/],
	])('%s: %j', (path, value, message) => {
		expect(refusal(changed(path, value))).toMatch(message);
	});

	test('what is no map at all', () => {
		expect(refusal('[]')).toMatch(/"format"/);
		expect(refusal('7')).toMatch(/"format"/);
		expect(refusal('{"format" "x"}')).toMatch(/not JSON/);
		expect(refusal('{"format":')).toMatch(/ends too early/);
	});
});

test('at the limits it is read', () => {
	expect(refusal(changed('modules.0.id', 2 ** 32 - 1))).toBeNull();
	expect(refusal(changed('modules.0.omitted', undefined))).toBeNull();
	for (const key of ['comdat', 'file', 'line']) {
		expect(read(changed(`modules.0.functions.0.${key}`, undefined)).modules[0]!.functions[0]).toMatchObject({ [key]: null });
	}
});

test('told by its first bytes', () => {
	expect(isOrderMap(' \n{ "format" : "assay-order-map"')).toBe(true);
	expect([isOrderMap('x{"format":"assay-order-map"'), isOrderMap('{"version":1,"format":"assay-order-map"'), isOrderMap('{"format":"other"')]).toEqual([
		false,
		false,
		false,
	]);
});
