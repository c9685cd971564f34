import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { readPageFaults } from './read.js';

const source = (text: string): ReturnType<typeof memorySource> => memorySource('perf script', Buffer.from(text));
/** As perf 6.1 prints it. */
const SCRIPT = `         swapper     0/0     PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x120bb08) @ 0xffffffff81000000]: x [kernel.kallsyms]_text
            base   100/100   PERF_RECORD_MMAP2 100/100: [0x24e000(0x11d000) @ 0x4d000 fe:00 10011208 3925539792]: r-xp /tmp/a b/app
            base   100/100    page-faults:           36e368 ffffffff817554ea
        two words  100/100   page-faults:     24f123     24f123
        two words  100/100   major-faults:     24f123     24f123
            base   100/100   page-faults:u:   2500ff     24f123
            base   200/200   page-faults:   250000     24f123
`;

test('faults with their addresses, and what was mapped', () => {
	const { faults, mappings, problems } = readPageFaults(source(SCRIPT));
	expect(problems).toEqual([]);
	expect(faults.map(({ processId, address, isMajor }) => [processId, address, isMajor])).toEqual([
		[100, 0x36e368, false],
		[100, 0x24f123, true],
		[100, 0x2500ff, false],
		[200, 0x250000, false],
	]);
	expect(mappings[1]).toEqual({
		processId: 100,
		start: 0x24e000,
		sizeBytes: 0x11d000,
		fileOffset: 0x4d000,
		isExecutable: true,
		isWritable: false,
		file: '/tmp/a b/app',
	});
});

test('other lines are problems, any text is read', () => {
	expect(readPageFaults(source(`${SCRIPT}hello\n`)).problems.map(({ line }) => line)).toEqual([8]);
	fc.assert(
		fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom(...SCRIPT.split('\n')))), (lines) => {
			readPageFaults(source(lines.join('\n')));
		}),
	);
});

const FAULT = '            base   100/100    page-faults:           36e368 ffffffff817554ea';

test('comments, empty lines and other events of the kernel are no problem', () => {
	const { faults, problems } = readPageFaults(source(`# a comment\n\n   \n base 100/100 PERF_RECORD_COMM: base\n${FAULT}\nends with #\n`));
	expect(faults).toHaveLength(1);
	expect(problems.map(({ line }) => line)).toEqual([6]);
});

test('the same page twice, of one process or of two', () => {
	const other = FAULT.replace('100/100', '200/200');
	const major = other.replace('page-faults', 'major-faults');
	const { faults } = readPageFaults(source([FAULT, FAULT, other, major, FAULT.replace('36e368', '36e369')].join('\n')));
	expect(faults.map(({ processId, address, isMajor }) => [processId, address, isMajor])).toEqual([
		[100, 0x36e368, false],
		[100, 0x36e368, false],
		[200, 0x36e368, true],
		[100, 0x36e369, false],
	]);
});

test('a fault that is reported as major first, of another process than the one before', () => {
	const major = FAULT.replace('page-faults', 'major-faults');
	const { faults } = readPageFaults(source([major, FAULT, FAULT.replace('100/100', '200/200'), major].join('\n')));
	expect(faults.map(({ processId, isMajor }) => [processId, isMajor])).toEqual([
		[100, true],
		[200, false],
		[100, true],
	]);
});
