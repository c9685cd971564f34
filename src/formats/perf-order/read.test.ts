import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import type { PerfOrder } from '../shared/perf-order.js';
import { isPerfOrder, readPerfOrder } from './read.js';

const read = (text: string): PerfOrder => readPerfOrder(memorySource('perf.txt', Buffer.from(text)));
const rows = (text: string): (string | number | null | undefined)[][] =>
	read(text).rows.map(({ symbol, address, offset, module }) => [symbol, address, offset, module]);

const FAULTS = `            base page-faults:           36e368 [unknown] ffffffff8175336a elf_load
            base page-faults:           3732b8 __TMC_END__ ffffffff8175336a elf_load
            base page-faults:     7f23700aab70 _start     7f23700aab70 _start
            base page-faults:           304cb0 main           304cb0 main
            base page-faults:           36f3b8 table           26c1b0 insert
            base page-faults:           2c6000 across           2c5ffd across
`;

describe('perf script for the order of functions', () => {
	test('page faults: what was fetched, not the data that code touched', () => {
		expect(isPerfOrder(FAULTS)).toBe(true);
		expect(rows(FAULTS)).toEqual([
			['_start', 0x7f23700aab70, null, null],
			['main', 0x304cb0, null, null],
			['across', 0x2c6000, null, null],
		]);
		expect(read(FAULTS).problems).toEqual([]);
	});

	test('with offsets and files', () => {
		const text = `27352.6: page-faults:     55f70314dec8 __data_start+0x0 (/tmp/a b/app) ffffffff817554ea elf_load+0x28a ([kernel.kallsyms])
27352.7: page-faults:     55f703143810 _start+0x10 (/tmp/app)     55f703143810 _start+0x10 (/tmp/app)
`;
		expect(rows(text)).toEqual([['_start', 0x55f703143810, 0x10, '/tmp/app']]);
	});

	test('samples, in their own forms; nothing of the kernel, no entries of the PLT', () => {
		const text = `            app 22037 27354.888941:      50000 cpu-clock:  ffffffff815d4e68 vma_insert+0x38 ([kernel.kallsyms])
            app 22037/22038 [001] 27354.889:      50000 cpu-clock:u:      7f76aed50f20 check.constprop.0+0x140 (/lib/ld.so)
            a b 7 1.5: cycles:      401136 f(int, char)+0x1 (/app)
 1.6: cycles:      401140 puts@plt+0x1 (/app)
 1.7: cycles:      401150 exp2f@@GLIBC_2.27+0x1 (/lib/libm.so)
 1.8: cycles:      401160 [unknown] (/app)
`;
		expect(isPerfOrder(text)).toBe(true);
		expect(rows(text)).toEqual([
			['check.constprop.0', 0x7f76aed50f20, 0x140, '/lib/ld.so'],
			['f(int, char)', 0x401136, 1, '/app'],
			['exp2f', 0x401150, 1, '/lib/libm.so'],
			[null, 0x401160, null, '/app'],
		]);
	});

	test('of a stack the callers ran first', () => {
		const text = `app 7 1.5:  50000 cpu-clock: \n\tffffffff815d508d unmap+0x1 ([kernel.kallsyms])\n\t    401150 g+0x2 (/app)\n\t    401136 main+0x1 (/app)\n\napp 7 1.6:  1 cpu-clock: \n\t    401170 h+0x0 (/app)\n`;
		expect(isPerfOrder(text)).toBe(true);
		expect(rows(text).map(([symbol]) => symbol)).toEqual(['main', 'g', 'h']);
	});

	test('other text is none, other lines are counted', () => {
		for (const text of ['', 'main\nf\n', '0 24e0a0 _start\n', 'Temporal Profile Traces (samples=1 seen=1):\n', '# only a comment\n']) {
			expect(isPerfOrder(text)).toBe(false);
		}
		expect(read(`${FAULTS}what is this\n`).problems).toMatchObject([{ line: 7, severity: 'warning' }]);
	});

	test('never throws', () => {
		fc.assert(
			fc.property(
				fc.array(fc.oneof(fc.string(), fc.constantFrom(...FAULTS.split('\n'), 'a 1.5: cycles: ', '\t 401150 g+0x2 (/app)')), { maxLength: 50 }),
				(lines) => {
					isPerfOrder(lines.join('\n'));
					read(lines.join('\n'));
				},
			),
		);
	});
});

test.each<[string, (string | number | null)[][]]>([
	['(/app)', [[null, 0x401136, null, '/app']]],
	['f+0x1  (/app)', [['f', 0x401136, 1, '/app']]],
	['f+0x1', [['f', 0x401136, 1, null]]],
	['f', [['f', 0x401136, null, null]]],
	['', [[null, 0x401136, null, null]]],
	['f(int) (a.so)', [['f(int)', 0x401136, null, 'a.so']]],
	['f([vdso]) x', [['f([vdso]) x', 0x401136, null, null]]],
	['f+0x1 ([vdso])', [['f', 0x401136, 1, '[vdso]']]],
	['f@GLIBC_2.2.5+0x1f (/app)', [['f', 0x401136, 0x1f, '/app']]],
	['f@plt (/app)', []],
	['+0x4 (/app)', [[null, 0x401136, 4, '/app']]],
])('the place %j of an address', (place, expected) => {
	expect(rows(` 1.6: cycles:      401136 ${place}`.trimEnd())).toEqual(expected);
});

test('addresses of the kernel have sixteen digits, the first of them 8 or more', () => {
	const at = (address: string) => rows(` 1.6: cycles: ${address} f`).length;
	expect(['7fffffffffffffff', '8000000000000000', 'ffffffff815d4e68', 'ffffffff', '1fffffff815d4e68'].map(at)).toEqual([1, 0, 0, 1, 1]);
});

test('what was fetched lies at most fifteen bytes behind the instruction', () => {
	const fault = (touched: string, instruction: string) => rows(`a page-faults: ${touched.padStart(16)} f ${instruction.padStart(16)} g\n`).length;
	expect([fault('401000', '401000'), fault('40100f', '401000'), fault('401010', '401000'), fault('400fff', '401000')]).toEqual([1, 1, 0, 0]);
	// Code of the program that the kernel touched.
	expect(fault('401000', 'ffffffff81000000')).toBe(0);
});

test('symbols that look like columns of addresses', () => {
	expect(rows('a page-faults: 401000 operator new           401000 operator new\n')).toEqual([['operator new', 0x401000, null, null]]);
	expect(rows('a page-faults: 401000 f           401000\n')).toEqual([['f', 0x401000, null, null]]);
	expect(rows('a page-faults: 401000 f         401000 g\n')).toEqual([['f         401000 g', 0x401000, null, null]]);
});

test('mappings are read, other records and comments passed over', () => {
	const {
		mappings,
		problems,
		rows: found,
	} = read(
		'# comment of perf\n  \n\t# another\napp 9/9 PERF_RECORD_MMAP2 9/9: [0x400000(0x1000) @ 0x10 fe:00 1 2]: r-xp /tmp/app\napp 9/9 PERF_RECORD_COMM: app:9/9\nx#\n 1.6: cycles: 401136 f\n',
	);
	expect(mappings).toEqual([{ processId: 9, start: 0x400000, sizeBytes: 0x1000, fileOffset: 0x10, isExecutable: true, isWritable: false, file: '/tmp/app' }]);
	expect([problems.map(({ line }) => line), found.length]).toEqual([[6], 1]);
});

test('a stack ends at an empty line, at the next sample, and at what is no frame', () => {
	const sample = 'app 7 1.5:  50000 cpu-clock: \n\t401150 g (/app)\n\t401136 main (/app)\n';
	for (const [text, problems] of [
		[`${sample}\n\t401170 lost (/app)\n`, 1],
		[`${sample}${sample}`, 0],
		[`${sample}\txyz\n\t401170 lost (/app)\n`, 2],
		[`${sample} # comment\n`, 0],
	] as const) {
		const read1 = read(text);
		expect([new Set(read1.rows.map(({ symbol }) => symbol)), read1.problems.length > 0]).toEqual([new Set(['main', 'g']), problems > 0]);
	}
	expect(rows(`${sample}${sample}`).map(([symbol]) => symbol)).toEqual(['main', 'g', 'main', 'g']);
});

test('told by half of the lines', () => {
	const sample = 'app 7 1.5: cycles: 401136 f (/app)\n';
	expect([isPerfOrder(`${sample}other\n`), isPerfOrder(`${sample}other\nother\n`)]).toEqual([true, false]);
	expect(isPerfOrder(`# c\n\n   \n  # x\na 1/1 PERF_RECORD_COMM: x\r\n${sample.replace('\n', '\r\n')}`)).toBe(true);
});
