import { describe, expect, test } from 'vitest';
import { ArgumentError, javaParseDouble, javaParseInt, parseProfdiffArguments } from './profdiff-arguments.js';

describe('numbers as Java reads them', () => {
	test.each([
		['0.5', 0.5],
		[' 5e-1\t', 0.5],
		['.5', 0.5],
		['5.', 5],
		['0x1p-1', 0.5],
		['0x.8p0', 0.5],
		['-0x1.8p1f', -3],
		['0x1.fffffffffffffp1023', Number.MAX_VALUE],
		['0x1p-1074', Number.MIN_VALUE],
		['0x1.00000000000008p0', 1],
		['0x1.00000000000008000001p0', 1 + Number.EPSILON],
		['1d', 1],
		['1F', 1],
		['+1', 1],
		['NaN', Number.NaN],
		['-Infinity', -Infinity],
	])('double %s', (text, value) => {
		expect(javaParseDouble(text)).toBe(value);
	});

	test.each(['', ' ', 'x', '1e', '0x1', '1_0', '1,5', '--1', 'nan', '1 2'])('no double: "%s"', (text) => {
		expect(javaParseDouble(text)).toBeNull();
	});

	test('int', () => {
		expect(['+3', '-0', '007', '2147483647', '-2147483648'].map(javaParseInt)).toEqual([3, -0, 7, 2147483647, -2147483648]);
		expect(['', '+', ' 1', '1.0', '2147483648', '1e3'].map(javaParseInt)).toEqual([null, null, null, null, null, null]);
	});
});

describe('the command line', () => {
	test('options come before the command, the last one wins', () => {
		const args = parseProfdiffArguments(['--hot-max-limit=2', '--long-bci', 'TRUE', '--hot-max-limit', '3', '--json', 'report', 'log', '-x']);
		expect(args).toMatchObject({ json: true, command: { name: 'report' }, positionals: ['log', '-x'], options: { hotMaxLimit: 3, longBci: true } });
	});

	test.each([
		[[], "The argument 'command' is required."],
		[['report', 'log', '--long-bci=true'], "Unknown option '--long-bci=true'"],
		[['--long-bci'], 'No value was provided.'],
		[['--long-bci', 'report', 'log'], 'expected true or false, found "report"'],
		[['--json=true', 'report'], "Unknown option '--json=true'."],
		[['jit-vs-jit', 'a'], "The argument 'proftool_output_1' is required"],
		[['--hot-percentile=2', 'nope'], 'invalid command name: nope'],
		[['--hot-percentile=2', 'help'], 'in the range [0;1]'],
	])('%j', (argv, message) => {
		expect(() => parseProfdiffArguments(argv)).toThrow(ArgumentError);
		expect(() => parseProfdiffArguments(argv)).toThrow(message);
	});
});
