import { expect, test } from 'vitest';
import { type FileMapping, mappingOf } from './page-faults.js';

const mapping = (file: string, start: number, sizeBytes: number, processId = 1): FileMapping => ({
	processId,
	start,
	sizeBytes,
	fileOffset: 0,
	isExecutable: true,
	file,
});
const MAPPINGS = [mapping('a', 100, 50), mapping('other', 100, 50, 2), mapping('b', 120, 10), mapping('late', 100, 50)];
const fileAt = (address: number, mappingsBefore?: number, processId = 1) =>
	mappingOf(MAPPINGS, { processId, address, isMajor: false, ...(mappingsBefore === undefined ? {} : { mappingsBefore }) })?.file ?? null;

test('what came later lies over what was there, from its start up to its end', () => {
	expect([99, 100, 119, 120, 129, 130, 149, 150].map((address) => fileAt(address, 3))).toEqual([null, 'a', 'a', 'b', 'b', 'a', 'a', null]);
});

test('what was mapped by then alone; all where that is not told', () => {
	expect([fileAt(125, 0), fileAt(125, 1), fileAt(125, 2), fileAt(125, 3), fileAt(125, 4), fileAt(125)]).toEqual([null, 'a', 'a', 'b', 'late', 'late']);
});

test('of its own process', () => {
	expect([fileAt(125, 4, 2), fileAt(125, 1, 2), fileAt(125, 4, 3)]).toEqual(['other', null, null]);
});
