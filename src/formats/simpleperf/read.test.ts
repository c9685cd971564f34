import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textSource } from '../../../test/recordings.js';
import { tracesOfSimpleperf } from '../first-executions.js';
import { isSimpleperfSamples, readSimpleperfSamples } from './read.js';

const TEXT = fs.readFileSync(path.resolve(import.meta.dirname, '../../../fixtures/orderfile/simpleperf/report-sample.txt'), 'utf8');
const sample = (time: string, address: string, symbol: string, file = '/a'): string =>
	`sample:\n  event_type: cpu-cycles\n  time: ${time}\n  vaddr_in_file: ${address}\n  file: ${file}\n  symbol: ${symbol}\n`;
const rowsOf = (text: string) => readSimpleperfSamples(textSource(text)).rows;

test('callers before what they call, nothing of the kernel', () => {
	expect(isSimpleperfSamples(TEXT)).toBe(true);
	const { rows, problems } = readSimpleperfSamples(textSource(TEXT));
	expect(problems).toEqual([]);
	expect(rows.map(({ symbol, address }) => `${symbol} ${address?.toString(16)}`)).toEqual([
		'__libc_init 4c8a0',
		'main 1810',
		'parse 1734',
		'parse 1740',
		'next_token 1620',
	]);
	expect(tracesOfSimpleperf(textSource(TEXT), null).functions.map(({ symbol }) => symbol)).toEqual(['__libc_init', 'main', 'parse', 'next_token']);
});

test('samples by time, of 64 bits; names that are not known', () => {
	const text = sample('18446744073709551615', '20', 'c') + sample('9', '10', 'a') + sample('18446744073709551614', '18', 'unknown', 'unknown');
	expect(rowsOf(text)).toEqual([
		{ symbol: 'a', module: '/a', address: 16 },
		{ symbol: null, module: null, address: 24 },
		{ symbol: 'c', module: '/a', address: 32 },
	]);
});

test('lost samples and other lines are told; other texts are none of simpleperf', () => {
	const text = `${sample('1', '10', 'a')}what\n${sample('2', 'x', 'b')}lost_situation:\n  sample_count: 2\n  lost_count: 31\n`;
	expect(readSimpleperfSamples(textSource(text)).problems).toMatchObject([
		{ line: 7 },
		{ line: 11 },
		{ message: expect.stringContaining('31 samples were lost') },
	]);
	expect(['', 'sample:\n', 'sample:\n  time: 1\n', 'main\nsample:\n  vaddr_in_file: 1\n'].map(isSimpleperfSamples)).toEqual([false, false, false, false]);
});

test('never throws, whatever is cut or changed', () => {
	fc.assert(
		fc.property(fc.nat(1200), fc.string(), (at, more) => {
			readSimpleperfSamples(textSource(TEXT.slice(0, at) + more + TEXT.slice(at + 3)));
		}),
	);
});
