import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import type { ReadTraces } from '../../model/function-trace.js';
import { InputError } from '../../model/problem.js';
import { isTextProfile, readTextProfile } from './read-text.js';
import { isTemporalTracesText, readTemporalTracesText } from './read-traces-text.js';

const PROFILE = `# IR level Instrumentation Flag
:ir
:temporal_prof_traces
# Num Temporal Profile Traces:
2
# Temporal Profile Trace Stream Size:
2
# Weight:
1
main,a.c;helper,_ZN1AC2Ev,
# Weight:
3
main

main
# Func Hash:
12
# Num Counters:
1
# Counter Values:
7
`;
const PRINTED = `Instrumentation level: IR  entry_first = 0  instrument_loop_entries = 0
Total functions: 4
Temporal Profile Traces (samples=2 seen=9):
  Temporal Profile Trace 0 (weight=1 count=3):
    main
    a.c;helper
    _ZN1AC2Ev
  Temporal Profile Trace 1 (weight=3 count=1):
    main
`;

const source = (text: string) => memorySource('p', Buffer.from(text));
const traces = ({ functions, traces: read }: ReadTraces): unknown[] =>
	read.map(({ weight, order }) => [weight, [...order].map((position) => `${functions[position]?.module ?? ''};${functions[position]?.symbol}`)]);
const EXPECTED = [
	[1, [';main', 'a.c;helper', ';_ZN1AC2Ev']],
	[3, [';main']],
];

describe.each([
	['a profile as text', PROFILE, isTextProfile, readTextProfile],
	['what llvm-profdata show prints', PRINTED, isTemporalTracesText, readTemporalTracesText],
])('%s', (_, text, isOne, read) => {
	test('traces', () => {
		expect(isOne(text)).toBe(true);
		expect(read(source(text)).problems).toEqual([]);
		expect(traces(read(source(text)))).toEqual(EXPECTED);
		expect(traces(read(source(text.replaceAll('\n', '\r\n'))))).toEqual(EXPECTED);
	});

	test('other text is none', () => {
		for (const other of ['', 'main\nf\n', '0 24e0a0 _start\n', ':sample\n']) {
			expect(isOne(other)).toBe(false);
		}
	});

	test('cut: told, or the same', () => {
		fc.assert(
			fc.property(fc.nat(text.length), (length) => {
				try {
					const result = read(source(text.slice(0, length)));
					if (result.problems.length === 0) {
						expect(traces(result)).toEqual(EXPECTED);
					}
				} catch (error) {
					expect(error).toBeInstanceOf(InputError);
				}
			}),
		);
	});
});

test('blank lines and comments stand anywhere', () => {
	const more = PROFILE.split('\n').flatMap((line) => (line.startsWith('#') ? [line] : ['', '  ', '# more', line]));
	expect(isTextProfile(`\n \n# comment\n${PROFILE}`)).toBe(true);
	expect(traces(readTextProfile(source(more.join('\n'))))).toEqual(EXPECTED);
});

test('what traces are called', () => {
	const names = (text: string): string[] => readTextProfile(source(text)).traces.map(({ name }) => name);
	expect(names(PROFILE)).toEqual(['p trace 0', 'p trace 1']);
	expect(names(':ir\n:temporal_prof_traces\n1\n1\n1\nmain\n')).toEqual(['p']);
	expect(readTemporalTracesText(source(PRINTED)).traces.map(({ name }) => name)).toEqual(['p trace 0', 'p trace 1']);
});

test('what llvm-profdata prints is told by its first line, or by the traces', () => {
	expect(isTemporalTracesText('Instrumentation level: IR  entry_first = 0\n')).toBe(true);
	expect(isTemporalTracesText('Instrumentation level:\n')).toBe(false);
	expect(isTemporalTracesText(' Temporal Profile Traces (samples=2 seen=9):\n')).toBe(false);
	expect(isTemporalTracesText('x\nTemporal Profile Traces (samples=2 seen=9):\n')).toBe(true);
});

test('what is missing of a printed trace is told', () => {
	const problemsOf = (text: string): unknown[] => readTemporalTracesText(source(text)).problems.map(({ line, message }) => [line, message]);
	const lines = PRINTED.split('\n');
	expect(problemsOf(PRINTED.replace('    a.c;helper\n', ''))).toEqual([[4, 'the trace has 2 functions, its first line says 3']]);
	expect(problemsOf([...lines.slice(0, 5), 'something else', ...lines.slice(5)].join('\n'))).toEqual([
		[6, 'expected a function of the trace, after four blanks'],
		[4, 'the trace has 1 functions, its first line says 3'],
		[1, 'there are 1 traces, the first line says 2'],
	]);
	expect(problemsOf(`${PRINTED}\nsomething else\n`)).toEqual([]);
	expect(problemsOf(PRINTED.trimEnd())).toEqual([
		[9, 'the text ends within a line'],
		[8, 'the trace has 0 functions, its first line says 1'],
	]);
});

test('without traces', () => {
	expect(() => readTextProfile(source(':ir\nmain\n1\n1\n1\n'))).toThrow(/no temporal traces/);
	expect(() => readTextProfile(source(':ir\n:temporal_prof_traces\nx\n'))).toThrow(/expected a number, found "x"/);
	expect(readTemporalTracesText(source('Instrumentation level: IR\nTotal functions: 4\n')).problems).toMatchObject([
		{ severity: 'error', message: expect.stringContaining('no traces') },
	]);
	expect(readTemporalTracesText(source(PRINTED.replace('count=3', 'count=4'))).problems).toMatchObject([{ severity: 'error', line: 4 }]);
	expect(readTemporalTracesText(source(PRINTED.replace('    a.c;helper', '    '))).problems).toMatchObject([
		{ message: '1 functions of the trace have no name' },
	]);
});
