/** Faults by what they were for, as the kernel and the dynamic linker map a position-independent program. */
import { expect, test } from 'vitest';
import { memorySource } from '../bytes/source.js';
import { readPageFaults } from '../formats/perf-page-faults/read.js';
import { faultPlaces } from './fault-places.js';

const section = (name: string, address: number, fileOffset: number, sizeBytes: number) => ({ name, address, sizeBytes, alignment: 16, fileOffset });
const CODE = [section('.text', 0x14110, 0x13110, 0x2efa0), section('.plt', 0x430e0, 0x420e0, 0x5a0)];
const mapped = (start: string, size: string, offset: string, rights: string, file: string): string =>
	`app 7/7 PERF_RECORD_MMAP2 7/7: [0x${start}(0x${size}) @ ${offset} fe:00 1 2]: ${rights} ${file}\n`;
const fault = (address: string, event = 'page-faults'): string => `app 7/7  ${event}:     ${address}     7f0000001000\n`;
const SCRIPT = [
	mapped('7ffc00000000', '21000', '0x7ffffffde000', 'rw-p', '[stack]'),
	// The kernel maps the first segment as large as the whole program, then the others over it.
	mapped('558000000000', '47000', '0', 'r--p', '/tmp/app'),
	mapped('558000014000', '30000', '0x13000', 'r-xp', '/tmp/app'),
	mapped('558000044000', '2000', '0x42000', 'rw-p', '/tmp/app'),
	mapped('558000046000', '1000', '0x43000', 'rw-p', '/tmp/app'),
	fault('5580000468b8'),
	fault('558000044690'),
	mapped('7f0000000000', '1e2000', '0', 'r--p', '/lib/libc.so.6'),
	mapped('7f0000026000', '156000', '0x26000', 'r-xp', '/lib/libc.so.6'),
	mapped('7f00001cf000', '4000', '0x1cf000', 'rw-p', '/lib/libc.so.6'),
	mapped('7f00001d3000', 'd000', '0x7f00001d3000', 'rw-p', '//anon'),
	mapped('7f0000300000', '1000', '0', 'r-xp', '[vdso]'),
	fault('7f0000001000'),
	fault('7f0000027000', 'major-faults'),
	fault('7f00001d4000'),
	fault('7f0000300010'),
	mapped('558000044000', '2000', '0x42000', 'r--p', '/tmp/app'),
	fault('558000014110'),
	fault('5580000430e8'),
	fault('558000001000'),
	mapped('558009000000', '21000', '0x558009000000', 'rw-p', '//anon'),
	mapped('7f0000400000', '2000', '0x7f0000400000', 'rw-p', '//anon'),
	fault('558009000010'),
	fault('7f0000400010'),
	fault('7ffc00001000'),
	fault('7ffbfffff000'),
	fault('1234'),
].join('');

test('code with what no order moves, data before and after it is read-only, heap, stack, libraries', () => {
	const recording = readPageFaults(memorySource('perf script', Buffer.from(SCRIPT)));
	expect(recording.problems).toEqual([]);
	const { places, ...counts } = faultPlaces(recording, CODE, (file) => file === '/tmp/app');
	expect(counts).toEqual({ codeFaults: 2, codeMajorFaults: 0, codeWindows64k: 2 });
	expect(places.map(({ kind, file, faults, majorFaults }) => `${kind} ${file} ${faults} ${majorFaults}`).sort()).toEqual([
		'anonymous null 1 0',
		'bss /lib/libc.so.6 1 0',
		'code /lib/libc.so.6 1 1',
		'code /tmp/app 2 0',
		'data /tmp/app 1 0',
		'heap null 1 0',
		'kernel [vdso] 1 0',
		'read-only data /lib/libc.so.6 1 0',
		'read-only data /tmp/app 1 0',
		'relro /tmp/app 1 0',
		'stack null 2 0',
		'unknown null 1 0',
	]);
});
