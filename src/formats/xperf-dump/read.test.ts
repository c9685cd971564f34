/** Samples in the text that xperf makes of a trace of Windows. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { isXperfDump, readXperfDump } from './read.js';

const HEADER = `BeginHeader
        SysCallExit,  TimeStamp,     Process Name ( PID),   ThreadID,     Status
     SampledProfile,  TimeStamp,     Process Name ( PID),   ThreadID,           PrgrmCtr, CPU, ThreadStartImage!Function,            Image!Function, Count, SampledProfile type
EndHeader
`;
const TEXT = `${HEADER}        SysCallExit,      36700,        java.exe (1234),       4848, 0x00000000
     SampledProfile,      36765,        java.exe (1234),       4848, 0x00007ffb1c2d3e4f,   1,        ntdll.dll!RtlUserThreadStart,     jvm.dll!Node<int,0>::find,     1, Unbatched
     SampledProfile,      37765,        java.exe (1234),       4848, 0x000001f2a0b01c20,   1,        jvm.dll!thread_native_entry<a,b>,     Unknown!0x000001f2a0b01c20,     1, Unbatched
     SampledProfile,      38000,          System (   4),        100, 0xfffff80312345678,   0,        ntoskrnl.exe!0xfffff80312340000,     ntoskrnl.exe!0xfffff80312345678,     1, Unbatched
     SampledProfileNmi,   38001,          System (   4),        100, 0xfffff80312345678,   0,        a!b,     c!d,     1
     SampledProfile,      cut
`;
const read = (text: string) => readXperfDump(memorySource('xperf.txt', Buffer.from(text)));

test('samples of all processes; functions whose names hold commas', () => {
	const { samples, problems } = read(TEXT);
	expect([...samples.processId]).toEqual([1234, 1234, 4]);
	expect([...samples.address]).toEqual([0x7ffb1c2d3e4fn, 0x1f2a0b01c20n, -0x7fcedcba988n]);
	expect([...samples.timeSeconds]).toEqual([0.036765, 0.037765, 0.038]);
	expect([...samples.place].map((place) => samples.places[place])).toEqual([
		{ symbol: 'Node<int,0>::find', library: 'jvm.dll' },
		{ symbol: null, library: null },
		{ symbol: null, library: 'ntoskrnl.exe' },
	]);
	expect(samples.events).toEqual(['SampledProfile']);
	expect(problems).toMatchObject([{ file: 'xperf.txt', line: 10 }]);
});

test('it is told by its columns, and by a sample', () => {
	expect(isXperfDump(TEXT)).toBe(true);
	expect(isXperfDump(TEXT.slice(HEADER.length))).toBe(true);
	expect(isXperfDump('SampledProfile, of something else\n')).toBe(false);
	expect(isXperfDump('  692.107938: cpu-clock:      55b1 f (/bin/x)\n')).toBe(false);
});

test('cut anywhere, and anything at all', () => {
	const whole = read(TEXT).samples.length;
	for (let length = 0; length < TEXT.length; length += 7) {
		expect(read(TEXT.slice(0, length)).samples.length).toBeLessThanOrEqual(whole);
	}
	fc.assert(
		fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom('     SampledProfile,', ' 1,', ' (1),', ' 0x10,', 'a!b,'))), (parts) => {
			const text = parts.join('');
			isXperfDump(text);
			read(text);
		}),
	);
});

/** A sample whose columns are given. */
const row = ({ tag = 'SampledProfile', time = '100', process = 'java.exe (1234)', address = '0x10', place = 'a.dll!f' }) =>
	read(`     ${tag},  ${time},   ${process},  48, ${address},   1,  a!b,     ${place},     1, Unbatched\n`);

test.each([
	['jvm.dll', { symbol: null, library: 'jvm.dll' }],
	['jvm.dll!', { symbol: null, library: 'jvm.dll' }],
	['!f', { symbol: null, library: null }],
	['unknown!f', { symbol: null, library: null }],
	['"Unknown"!f', { symbol: null, library: null }],
	['unknown.dll!f', { symbol: 'f', library: 'unknown.dll' }],
	['notunknown!f', { symbol: 'f', library: 'notunknown' }],
	['a.dll!0X1F', { symbol: null, library: 'a.dll' }],
	['a.dll!0x1fg', { symbol: '0x1fg', library: 'a.dll' }],
	['a.dll!f0x1f', { symbol: 'f0x1f', library: 'a.dll' }],
	['a.dll!operator!', { symbol: 'operator!', library: 'a.dll' }],
])('the sampled function %s', (place, expected) => {
	const { samples, problems } = row({ place });
	expect(samples.places[samples.place[0]!]).toEqual(expected);
	expect(problems).toEqual([]);
});

test.each([
	{ time: '1x' },
	{ time: 'x1' },
	{ process: 'java.exe' },
	{ process: 'java.exe (12) x' },
	{ process: '(x)' },
	{ address: '10' },
	{ address: '0x10g' },
	{ address: 'g0x10' },
])('%j is no sample', (wrong) => {
	const { samples, problems } = row(wrong);
	expect(samples.length).toBe(0);
	expect(problems).toHaveLength(1);
});

test('blanks around columns are not part of them', () => {
	const { samples, problems } = row({ time: '2000000 ', process: 'a (b) (   7) ', address: '0x20 ', place: 'a.dll!f ' });
	expect([samples.timeSeconds[0], samples.processId[0], samples.address[0], samples.places]).toEqual([2, 7, 0x20n, [{ symbol: 'f', library: 'a.dll' }]]);
	expect(problems).toEqual([]);
	const tabs = read('SampledProfile,\t 1,\t\tjava (1),\t4,\t0x1,\t1,\ta!b,\tc!d,\t1\n');
	expect([tabs.samples.length, tabs.problems]).toEqual([1, []]);
});

test('other events whose name holds that of samples', () => {
	const { samples, problems } = row({ tag: 'x SampledProfile' });
	expect([samples.length, problems]).toEqual([0, []]);
	expect(isXperfDump('x SampledProfile,  36765,  java.exe (1234),\n')).toBe(false);
	expect(isXperfDump('SampledProfile, 36765, System (   4),\n')).toBe(true);
	expect(isXperfDump('x\n\tSampledProfile,   TimeStamp,\t  Process Name ( PID)\n')).toBe(true);
});
