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
