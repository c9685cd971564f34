/** What `assay order run --blocks` shows beside the order of whole functions. */
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import type { OrderRunResult } from '../answers/results.js';
import { writeRunText } from './order-run-text.js';
import { createTerminal } from './terminal.js';
import { TextWriter } from './text-writer.js';

const counts = (wholeFunctionPages: number, windows64k: number) => ({ wholeFunctionPages, windows64k, textPages: 90, areaUnderCurve: 5 });
const faults = (order: number): OrderRunResult['faults'] => {
	const sides = { plain: { code: 47, all: 1496 }, order: { code: order, all: 1400 + order } };
	return { cold: sides, warm: sides };
};
const times = (orderMs: number): OrderRunResult['times'] => [
	{
		...{ workload: 1, kind: 'cold', plainMs: [9], orderMs: [orderMs], plainMedianMs: 9, orderMedianMs: orderMs },
		...{ difference: { medianMs: orderMs - 9, lowMs: -2, highMs: -0.5, confidence: 0.97 }, verdict: 'faster' },
	},
];
const build = (kind: 'trace' | 'plain' | 'order' | 'block', seconds: number) => ({ kind, folder: `out/${kind}`, log: `out/${kind}.log`, seconds });
const outcome: OrderRunResult = {
	...{ program: 'src/app', folder: 'out', build: ['make'], compiler: 'clang 22', source: { folder: '.', files: 12, from: 'folder' } },
	builds: [build('trace', 9), build('plain', 4), build('order', 4), build('block', 5), build('block', 0.5)],
	workloads: [{ command: './app', log: 'out/1.log', processes: 1, functions: 80 }],
	...{ functions: { ran: 80, instrumented: 900 }, order: { file: 'out/app.order', method: 'packed', symbols: 82 } },
	pages: { plain: counts(155, 52), order: counts(51, 8), predicted: counts(51, 8) },
	...{ faults: faults(8), times: times(8) },
	blocks: {
		list: { file: 'out/app.blocks', functions: 58, keptBytes: 18226, coldBytes: 14397 },
		order: { file: 'out/app.blocks.order', method: 'classes', symbols: 150 },
		processes: 1,
		pages: {
			plain: { codePages: 154, codeWindows64k: 51 },
			order: { codePages: 50, codeWindows64k: 9 },
			block: { codePages: 41, codeWindows64k: 7 },
			predicted: { codePages: 41, codeWindows64k: 6 },
		},
		...{ faults: faults(7), times: times(7), flags: { compile: [], link: [] } },
	},
	...{ dropped: 'program', flags: { compile: ['-ffunction-sections'], link: ['-fuse-ld=lld', '-Wl,--symbol-ordering-file=out/app.order'] }, notes: [] },
};

function text(shown: OrderRunResult): string[] {
	let printed = '';
	const writer = new TextWriter((block) => {
		printed += block;
	});
	writeRunText(writer, shown, createTerminal(80, false));
	writer.flush();
	return printed.split('\n');
}

test('blocks stand beside whole functions', () => {
	const lines = text(outcome);
	expect(lines.slice(1, 23)).toEqual([
		'12 files, copied and built four times in out (seconds: trace 9.0, plain 4.0,',
		'order 4.0, block 5.0, its link 0.5)',
		'1 workload, 1 process traced: 80 of 900 functions ran; an order of 82 symbols',
		'(packed)',
		'blocks: 1 process under valgrind; 58 functions split, 18,226 bytes stay and',
		'14,397 are put apart',
		'',
		'                          plain  order blocks  difference',
		'pages with executed code    154     50     41  as predicted',
		'64 KiB windows of these      51      9      7  predicted 6',
		'faults in its code, cold     47      8      7',
		'faults in all, cold       1,496  1,408  1,407',
		'faults in its code, warm     47      8      7',
		'faults in all, warm       1,496  1,408  1,407',
		'milliseconds: ./app',
		'  cold                    9.000  8.000         -1.000 (-2.000 to -0.500), 11 %',
		'  cold, plain and blocks  9.000         7.000  -2.000 (-2.000 to -0.500), 22 %',
		...lines.slice(18, 23),
	]);
	expect(lines).toContain('  CFLAGS   -ffunction-sections -fbasic-block-sections=list=FOLDER/app.blocks');
	expect(lines).toContain('  LDFLAGS  -fuse-ld=lld -Wl,--symbol-ordering-file=FOLDER/app.blocks.order');
});

test('without blocks nothing tells of them', () => {
	const lines = text({ ...outcome, blocks: null, builds: outcome.builds.slice(0, 3) });
	expect(lines.filter((line) => /block/.test(line))).toEqual([]);
	expect(lines).toContain('pages of functions that ran      155      51  as predicted');
	expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(84);
});
