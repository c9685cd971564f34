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
