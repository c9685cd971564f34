import path from 'node:path';
import { expect, test } from 'vitest';
import { readPacked } from '../../../../test/packed.js';
import { textSource } from '../../../../test/recordings.js';
import { forEachLineOfBytes } from '../../../bytes/lines.js';
import { memorySource, type Source } from '../../../bytes/source.js';
import { PRINTED_CODE } from './printed-code-lines.js';

/** The lines that are given, with their numbers. */
function given(source: Source): string[] {
	const lines: string[] = [];
	const take = (bytes: Uint8Array, start: number, end: number, _offset: number, number: number): void => {
		lines.push(`${number} ${Buffer.from(bytes.subarray(start, end)).toString()}`);
	};
	forEachLineOfBytes(source, take, 1 << 12, PRINTED_CODE);
	return lines;
}

const CODE = [
	'[MachCode]',
	'[Verified Entry Point]',
	'  # {method} {0x00007f95b32ee290} &apos;SH&apos;',
	'  0x00007f96286c7d20: 8984 2400 | c0fe ff55 ',
	'',
	'  0x00007f96286c7d28: ;*synchronization entry',
	'                      ; - java.util.zip.ZipUtils::SH@-1 (line 203)',
	'[Stub Code]',
];

test('lines of code are counted, and not given', () => {
	expect(given(textSource([...CODE, '[/MachCode]', 'x'].join('\n')))).toEqual(['1 [MachCode]', '9 [/MachCode]', '10 x']);
	expect(given(textSource([...CODE, '[/MachCode]', ''].join('\r\n')))).toEqual(['1 [MachCode]', '9 [/MachCode]']);
	expect(given(textSource(['  0x00007f96286c7d20: 8984 ', '[Stub Code]'].join('\n'))), 'none before').toHaveLength(2);
});

test.each([
	"<writer thread='6548'/>",
	'    452   23 %     3       java.util.zip.ZipCoder::checkedHash @ 17 (91 bytes)',
	'c2 (18) Arena usage java/lang/String::hashCode(()I): 1234 bytes',
	'                      Total Usage: 12 ',
	'[0.123s][info][safepoint] Safepoint "G1"',
	' 0x0',
	'Hit MemLimit',
])('what another thread writes in the middle is given: %s', (line) => {
	expect(given(textSource([...CODE, line, ...CODE.slice(3)].join('\n')))).toContain(`9 ${line}`);
});

test('of a recording most lines are code, and none of them is an element', () => {
	const source = memorySource('hotspot.log', readPacked(path.resolve(import.meta.dirname, '../../../..', 'fixtures/joined/jdk25-c2/hotspot.log.gz')));
	const all: string[] = [];
	forEachLineOfBytes(source, (bytes, start, end, _offset, number) => all.push(`${number} ${Buffer.from(bytes.subarray(start, end)).toString()}`));
	const lines = new Set(given(source));
	const passed = all.filter((line) => !lines.has(line));
	expect(lines.size + passed.length).toBe(all.length);
	expect(passed.length / all.length).toBeGreaterThan(0.4);
	expect(passed.filter((line) => !/^\d+ (?:$| {2}0x| {2}# | {22};|\[[A-Z][^\]]*\]$)/.test(line))).toEqual([]);
});
