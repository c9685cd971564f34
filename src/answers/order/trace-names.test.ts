/** What traces are called. */
import { expect, test } from 'vitest';
import { shortName, withUniqueNames } from './trace-names.js';

const named = (...traces: readonly [file: string, number: string][]): string[] =>
	withUniqueNames(
		traces.map(([name, number]) => ({ file: { name }, trace: { name: `${shortName(name)}${number}`, weight: 1, instructions: null, functions: null } })),
	).map(({ trace }) => trace.name);

test('a file is called what it is called up to the first dot', () => {
	expect(['a/b.order.gz', '-', '.hidden', 'plain'].map(shortName)).toEqual(['b', 'stdin', '.hidden', 'plain']);
	expect(named(['x/a.order', ''], ['x/b.order', ''])).toEqual(['a', 'b']);
});

test('files that are called alike by the whole, then by path', () => {
	expect(named(['o.1', ''], ['o.2', ''], ['p', ''])).toEqual(['o.1', 'o.2', 'p']);
	expect(named(['m/o.1', ''], ['n/o.1', ''], ['n/o.2', ''])).toEqual(['m/o.1', 'n/o.1', 'o.2']);
});

test('several traces of a file keep their numbers', () => {
	expect(named(['a.profdata', ' 0'], ['a.profdata', ' 1'])).toEqual(['a 0', 'a 1']);
	expect(named(['m/a.1', ' 0'], ['m/a.1', ' 1'], ['n/a.1', ' 0'])).toEqual(['m/a.1 0', 'a 1', 'n/a.1 0']);
});
