import { expect, test } from 'vitest';
import { textSource } from '../../../test/recordings.js';
import { isMapsLine, mappingOfMaps, mappingOfPerf, readMemoryMap } from './memory-map.js';

const LINE = '555555555000-555555557000 r-xp 00001000 fe:00 9977920                    /tmp/my app';
const MAPPING = { processId: 0, start: 0x555555555000, sizeBytes: 0x2000, fileOffset: 0x1000, isExecutable: true, isWritable: false, file: '/tmp/my app' };

test.each(['', '# ', '#', '==123== ', '--1-- '])('a line of /proc/PID/maps behind %j', (before) => {
	expect([mappingOfMaps(before + LINE), isMapsLine(before + LINE)]).toEqual([MAPPING, true]);
});

test.each(['x ', '==x== ', '==123=='])('behind %j it is none', (before) => {
	expect([mappingOfMaps(before + LINE), isMapsLine(before + LINE)]).toEqual([null, false]);
});

test('rights, and memory of no file', () => {
	expect(mappingOfMaps(LINE.replace('r-xp', 'rw-s'))).toEqual({ ...MAPPING, isExecutable: false, isWritable: true });
	expect(mappingOfMaps(LINE.replace('r-xp', '---p'))).toEqual({ ...MAPPING, isExecutable: false, isWritable: false });
	const anonymous = LINE.slice(0, LINE.indexOf('  '));
	// The kernel writes a blank behind the last number.
	for (const line of [anonymous, `${anonymous} `]) {
		expect([mappingOfMaps(line), isMapsLine(line)]).toEqual([null, true]);
	}
	expect(isMapsLine(`${anonymous}x`)).toBe(false);
});

test('mappings as perf prints them', () => {
	const perf = 'app 100/101 PERF_RECORD_MMAP2 100/101: [0x24e000(0x11d000) @ 0x4d000 fe:00 10011208 3925539792]: rw-p /tmp/a b';
	const expected = { processId: 100, start: 0x24e000, sizeBytes: 0x11d000, fileOffset: 0x4d000, isExecutable: false, isWritable: true, file: '/tmp/a b' };
	expect(mappingOfPerf(perf)).toEqual(expected);
	expect(mappingOfPerf(perf.replace('rw-p', 'r-xp'))).toEqual({ ...expected, isExecutable: true, isWritable: false });
	expect(mappingOfPerf('PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x120bb08) @ 4d000]: x [kernel]')).toEqual({
		...{ processId: -1, start: 0xffffffff81000000, sizeBytes: 0x120bb08, fileOffset: 0x4d000, isExecutable: true, isWritable: false, file: '[kernel]' },
	});
	expect(mappingOfPerf(LINE)).toBeNull();
});

test('a copy of the whole map', () => {
	expect(readMemoryMap(textSource(`other\n${LINE}\n\n${LINE}\n`))).toEqual([MAPPING, MAPPING]);
});
