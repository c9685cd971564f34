import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isUsual, read, readPlainly } from '../../../test/perf-lines.js';
import { SamplesBuilder } from '../../model/samples.js';
import { SampleLineReader } from './sample-line.js';

const USUAL = [
	'  692.107938: cpu-clock:      55b13b0b8687 file_isdir (/usr/bin/bash)',
	'  692.109271: cpu-clock:  ffffffff822018b1 _raw_spin_unlock_irq ([kernel.kallsyms])',
	'692.107938123: cycles:      7f9c1fef2926 [unknown] (/tmp/perf-11636.map)',
	'java 2764/2770 [001] 6046.157274:    1000000 cpu-clock:u:      5653c0de f+0x1 (/app/bin)',
	'C2 CompilerThre  2764  6046.2: cycles:ppp:      5653c0df [unknown] ([unknown])',
	'S1Inline 27644/27683  1283.233250: cpu-clock: 7f01 a::b(int, char) const+0x1f (/usr/lib/x y/lib.so)',
	'pool-1: 3: a.b: 7 27644/27683 [012] 1283.233250: 1 cpu/event=0x3c/: 7f01 f (/a)',
	'größer 1/2 1.5: cpu-clock: 7f01 größer (/ü)',
	'comm 1.5: cpu-clock: 7f01 f (/a)',
	'tool-2.5b 7/8 1.5: cpu-clock: 7f01 f (/a)',
	'5: 2.5: cycles: 7f01 f (/a)',
	'7 1.5: cycles: 7f01 f (/a)',
	'worker12 7 1.5: cpu-clock: 7f01 f (/a)',
	'java\t7/8\t1.5: \t250000 \tcycles: \t7f01\tf (/a)',
	'1.5: 9876543210 cycles: 7f01X (/a)',
	'123456789/1 99999999.9999999: cycles: 0 f:',
	'.5: cycles: f',
];

test.each(USUAL)('a usual line: %s', (line) => {
	expect(isUsual(line)).toBe(true);
	expect(read(Buffer.from(line))).toEqual(readPlainly(Buffer.from(line)));
});

test.each([
	['without a time', 'java 7/8 cycles: 7f01 f (/a)'],
	['a time without a fraction', '15: cycles: 7f01 f (/a)'],
	['a time that ends in its dot', '5.: cycles: 7f01 f (/a)'],
	['two dots in the time', '1.2.3: cycles: 7f01 f (/a)'],
	['more digits than a double holds', '1.1234567890123456: cycles: 7f01 f (/a)'],
	['no digits in the brackets', 'java 7/8 [] 1.5: cycles: 7f01 f (/a)'],
	['nothing that opens the brackets', 'java 7/8 001] 1.5: cycles: 7f01 f (/a)'],
	['other brackets', 'java 7/8 (001] 1.5: cycles: 7f01 f (/a)'],
	['a processor alone that nothing opens', '001] 1.5: cycles: 7f01 f (/a)'],
	['a processor alone', '[001] 1.5: cycles: 7f01 f (/a)'],
	['a process below zero', 'x -1 1.5: cycles: 7f01 f (/a)'],
	['a process below zero with a thread', 'x -1/7 1.5: cycles: 7f01 f (/a)'],
	['a process of eleven digits', 'x 12345678901/2 1.5: cycles: 7f01 f (/a)'],
	['a blank beyond ASCII before the time', 'x 7/8\u00a0 1.5: cycles: 7f01 f (/a)'],
	['no event', '1.5: : 7f01 f (/a)'],
	['an event that nothing ends', '1.5: cycles 7f01 f (/a)'],
	['the address in the next line', 'java 7/8 1.5: cycles:'],
	['the address in the next line, behind a blank', 'java 7/8 1.5: cycles: '],
	['no address', '1.5: cycles: x'],
	['an address of seventeen digits', '1.5: cycles: 12345678123456781 f (/a)'],
])('an unusual line is left to the plain way: %s', (_what, line) => {
	expect(isUsual(line)).toBe(false);
	expect(read(Buffer.from(line))).toEqual(readPlainly(Buffer.from(line)));
});

test.each(USUAL)('only the bytes of the line count, not those around it: %s', (line) => {
	const sampleOf = (before: string, behind: string) => {
		const builder = new SamplesBuilder();
		const start = Buffer.byteLength(before);
		const isTaken = new SampleLineReader(builder).take(Buffer.from(before + line + behind), start, start + Buffer.byteLength(line));
		return { isTaken, samples: builder.build() };
	};
	const alone = sampleOf('', '');
	for (const around of ['7', 'a', '.', ' ', '\t', '-', '/', '[', ']', ': ', '1.5: ']) {
		expect(sampleOf(around, around)).toEqual(alone);
	}
	// A line that is cut is the same whatever stood behind it.
	for (let length = 0; length < line.length; length++) {
		expect(isUsual(line.slice(0, length))).toBe(
			new SampleLineReader(new SamplesBuilder()).take(Buffer.from(line), 0, Buffer.byteLength(line.slice(0, length))),
		);
	}
});

const part = fc.oneof(
	fc.constantFrom(' ', '  ', '\t', ': ', ':', '.', '[001]', '[', ']', '(', ')', '/', '5.: ', '.5: ', '7: ', '\u00a0', '\r', 'ü', '#', '+0x1f'),
	fc.constantFrom('java', 'C2 CompilerThre', '2764/2770', '692.107938:', '1.2.3: ', '1000000 ', 'cpu-clock: ', 'cycles:u: ', '7f01 ', ' f (/a)'),
	fc.constantFrom('ffffffff822018b1', 'ffffffff822018b12', '12345678901234567.5: ', '12345678901/2 ', '2/12345678901 '),
	fc.stringMatching(/^[0-9a-f]{1,17}$/),
);
const head = fc.record({
	comm: fc.constantFrom('', 'java ', 'C2 CompilerThre ', 'a: b ', '1: 2.x ', 'ü ', 'a.5: '),
	process: fc.constantFrom('', '7 ', '7/8 ', '7/8 [001] ', '7/8/9 ', '[001] ', '7] ', '7/8[3]', '7/8\u00a0'),
	time: fc.constantFrom('1.5: ', '692.107938: ', '692.107938123: ', '123456789012.123456789: ', '5: ', '1.5:', '1..5: '),
	period: fc.constantFrom('', '   250000 ', '7\t', '7: '),
	event: fc.constantFrom('cycles: ', 'cycles:u: ', 'a:b:c: ', ': ', 'cycles:', 'cycles:  '),
	rest: fc.constantFrom('', '7f01', ' 7f01 f (/a)', 'ffffffff822018b1 g+0x1 ([k])', '7f01  f (/a)', 'x', ' 12345678123456781 f', '7f01 \ufffd'),
});
const line = fc.oneof(
	{ weight: 2, arbitrary: head.map((parts) => Object.values(parts).join('')) },
	fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
	fc.constantFrom('', '\t    7f8a f+0x1 (/a)', '# comment', 'java 7/8 1.5:     250000 cpu-clock: '),
);

test('both ways of reading give the same samples and the same problems', () => {
	fc.assert(
		fc.property(fc.array(line, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'), (lines, lineEnd) => {
			const bytes = Buffer.from(lines.join(lineEnd));
			expect(read(bytes)).toEqual(readPlainly(bytes));
		}),
		{ numRuns: 1000 },
	);
});

test('a thread of more digits than a number of the system has', () => {
	for (const line of ['2764/27701000000 .5: c: 10 f', '2764/27701 .5: c: 10 f', '4294967296 1.5: c: 10 f', '2147483647/1 1.5: c: 10 f']) {
		expect(read(Buffer.from(line))).toEqual(readPlainly(Buffer.from(line)));
	}
	expect([...read(Buffer.from('4294967296 1.5: c: 10 f\n2147483647/1 1.5: c: 10 f\n')).samples.processId]).toEqual([-1, 2147483647]);
});

test('bytes that are no UTF-8', () => {
	const bytes = Buffer.concat([Buffer.from('a'), Buffer.from([0xc3, 0xff]), Buffer.from(' 7 1.5: c: 10 f'), Buffer.from([0xe2, 0x28]), Buffer.from(' (/a)\n')]);
	expect(read(bytes)).toEqual(readPlainly(bytes));
	expect(read(bytes).samples.length).toBe(1);
});
