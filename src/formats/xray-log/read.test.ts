import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textSource } from '../../../test/recordings.js';
import { tracesOfXray } from '../first-executions.js';
import { isXrayYaml, readXrayYaml } from './read.js';

const LOG = fs.readFileSync(path.resolve(import.meta.dirname, '../../../fixtures/orderfile/xray/basic.yaml'), 'utf8');
const HEAD = LOG.slice(0, LOG.indexOf('  - '));
const record = (name: string, tsc: string, kind = 'function-enter', id = 1): string =>
	`  - { type: 0, func-id: ${id}, function: ${name}, cpu: 0, thread: 7, process: 7, kind: ${kind}, tsc: ${tsc}, data: '' }\n`;
const namesOf = (text: string): (string | null)[] => readXrayYaml(textSource(text)).rows.map(({ symbol }) => symbol);

test('functions by first entry, of all threads', () => {
	expect(isXrayYaml(LOG)).toBe(true);
	const { functions, problems } = tracesOfXray(textSource(LOG), null);
	expect(problems).toEqual([]);
	expect(functions.map(({ symbol }) => symbol)).toEqual(['begin', 'main', 'run', 'deep', 'same']);
});

test('times of 64 bits, threads one after the other, quoted names, entries with an argument', () => {
	const late = '1795475141411902547';
	const early = '1795475141411902546';
	const text = `${HEAD}${record('b', late)}${record('c', '1795475141411902548', 'function-enter-arg')}${record("'f(int, int)'", early)}${record('d', '99999999999', 'function-exit')}${record('b', '99')}...\n`;
	expect(namesOf(text)).toEqual(['b', 'f(int, int)', 'c']);
	expect(namesOf(HEAD + record("'it''s'", early))).toEqual(["it's"]);
	expect(namesOf(HEAD + record('a', early) + record('b', early))).toEqual(['a', 'b']);
});

test('a log without symbols names nothing, and says what to do', () => {
	const { rows, problems } = readXrayYaml(textSource(HEAD + record("'5'", '1', 'function-enter', 5) + record('f', '2')));
	expect(rows.map(({ symbol }) => symbol)).toEqual(['f']);
	expect(problems).toMatchObject([{ severity: 'error', message: 'functions are named by numbers: 1 of its records were left out' }]);
	expect(problems[0]?.action).toContain('-symbolize --no-demangle');
});

test('other lines are told; other texts are no such log', () => {
	expect(readXrayYaml(textSource(`${HEAD}what\n${record('f', '1')}`)).problems).toMatchObject([{ severity: 'warning', line: 9 }]);
	expect(['---\nheader:\n', '', '---\na: b\n', 'main\n'].map(isXrayYaml)).toEqual([false, false, false, false]);
});

test('any lines are read', () => {
	fc.assert(
		fc.property(fc.array(fc.oneof(fc.constantFrom(...LOG.split('\n')), fc.string())), (lines) => {
			expect(readXrayYaml(textSource(lines.join('\n'))).rows.length).toBeLessThanOrEqual(lines.length);
		}),
	);
});
