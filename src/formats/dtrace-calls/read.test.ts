import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textSource } from '../../../test/recordings.js';
import { tracesOfDtrace } from '../first-executions.js';
import { isDtraceCalls, readDtraceCalls } from './read.js';

const fixture = (name: string): string => fs.readFileSync(path.resolve(import.meta.dirname, '../../../fixtures/orderfile/dtrace', name), 'utf8');
const COLUMNS = 'CPU     ID                    FUNCTION:NAME\n';
const FLOW = 'CPU FUNCTION                                 \n';
const namesOf = (text: string): (string | null)[] => readDtraceCalls(textSource(text)).rows.map(({ symbol }) => symbol);

test.each(['flow.txt', 'columns.txt'])('functions by first entry: %s', (name) => {
	expect(isDtraceCalls(fixture(name))).toBe(true);
	const { functions, problems } = tracesOfDtrace(textSource(fixture(name)), null);
	expect(problems).toEqual([]);
	expect(functions.map(({ symbol }) => symbol)).toEqual(['main', 'parse', 'next_token', '-[Printer print:to:]']);
});

test('names with colons and brackets, probes that are no entries, what the script prints', () => {
	expect(namesOf(`${COLUMNS}  0  1  A::f:entry x:entry\n  0  2  g:return\n  0  3  h:12\n 12  4 f(int, int):entry \n`)).toEqual(['A::f', 'f(int, int)']);
	expect(namesOf(`${FLOW}  0  -> f(int, int)           7\n  0  -> g 12\n  0   | h:entry \n`)).toEqual(['f(int, int)', 'g']);
});

test('several processors are told: their lines are not by time', () => {
	expect(readDtraceCalls(textSource(`${FLOW}  0  -> f\n  1  -> g\n`)).problems).toMatchObject([{ message: expect.stringContaining('2 processors') }]);
	expect(readDtraceCalls(textSource(`${FLOW}  0  -> f\n  1  => g\n`)).problems).toEqual([]);
});

test('other lines are told; other texts are none of dtrace', () => {
	expect(readDtraceCalls(textSource(`${FLOW}what\n  0  -> f\n`)).problems).toMatchObject([{ severity: 'warning', line: 2 }]);
	expect(['', 'main\n', `something\n${FLOW}`, 'CPU usage\n'].map(isDtraceCalls)).toEqual([false, false, false, false]);
});

test('never throws, whatever is cut or changed', () => {
	fc.assert(
		fc.property(fc.constantFrom('flow.txt', 'columns.txt'), fc.nat(900), fc.string(), (name, at, more) => {
			const text = fixture(name);
			readDtraceCalls(textSource(text.slice(0, at) + more + text.slice(at + 3)));
		}),
	);
});
