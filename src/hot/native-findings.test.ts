/** Spills in loops and cold inlined code, of functions whose instructions, samples and chains are given. */
import { expect, test } from 'vitest';
import type { ChainFrame } from '../model/debug-information.js';
import { coldInlined } from './cold-inlined.js';
import type { HotReport } from './hot-results.js';
import { spilledLoops } from './spills.js';

interface Row {
	readonly text: string;
	readonly seen: number;
	/** Innermost first. */
	readonly chain: readonly ChainFrame[];
	readonly bytes?: number;
}

const frame = (name: string, line: number): ChainFrame => ({ function: name, file: '/src/a.c', line, column: 5 });

function reportOf(rows: readonly Row[], counted: number): { report: HotReport; chainAt: (code: unknown, address: number) => readonly ChainFrame[] } {
	let at = 0;
	const address = rows.map(({ bytes = 4 }) => {
		at += bytes;
		return at - bytes;
	});
	const instructions = {
		length: rows.length,
		address: Float64Array.from(address),
		end: Float64Array.from(address, (start, i) => start + (rows[i]?.bytes ?? 4)),
		textAt: (i: number) => rows[i]?.text ?? '',
	};
	const samples = rows.reduce((sum, { seen }) => sum + seen, 0);
	const code = { compileId: '7', name: 'f', library: '/bin/a', start: 0, end: at };
	const heat = { code, instructions, seen: rows.map(({ seen }) => seen), analysed: null, samples };
	const region = { handle: 'r1', heat, loop: {}, lines: rows.map((_, i) => i).slice(1), samples, share: { percent: (100 * samples) / counted } };
	const report = { attribution: { counted }, regions: [region], code: [heat] } as unknown as HotReport;
	return { report, chainAt: (_, wanted) => rows[address.indexOf(wanted)]?.chain ?? [] };
}

test('samples at spills and reloads of a hot loop, at the nearest line that is told', () => {
	const rows: Row[] = [
		{ text: 'mov %rax,0x8(%rsp)', seen: 0, chain: [frame('f', 9)] },
		{ text: 'add 0x8(%rsp),%rcx', seen: 30, chain: [frame('f', 0)] },
		{ text: 'mov %rcx,0x8(%rsp)', seen: 10, chain: [frame('f', 12)] },
		{ text: 'imul %rdx,%rcx', seen: 20, chain: [frame('f', 11)] },
	];
	const { report, chainAt } = reportOf(rows, 200);
	expect(spilledLoops(report, chainAt)).toMatchObject([
		{
			kind: 'spills',
			file: 'a.c',
			line: 12,
			samples: 40,
			percent: 20,
			message: '1 reload and 1 spill of registers (1 slot of the frame) in the loop, which has 30.0 %',
		},
	]);
	expect(
		spilledLoops(
			reportOf(
				rows.map((row) => ({ ...row, seen: 0 })),
				200,
			).report,
			chainAt,
		),
	).toEqual([]);
});

test('code without samples that was inlined into a hot function, with its size and that of what is in it', () => {
	const rows: Row[] = [
		{ text: 'nop', seen: 50, chain: [frame('f', 9)] },
		{ text: 'nop', seen: 9, chain: [frame('hot', 3), frame('f', 10)], bytes: 900 },
		{ text: 'nop', seen: 0, chain: [frame('cold', 3), frame('f', 11)], bytes: 300 },
		{ text: 'nop', seen: 0, chain: [frame('inner', 3), frame('cold', 4), frame('f', 11)], bytes: 50 },
		{ text: 'nop', seen: 0, chain: [frame('inner', 3), frame('hot', 4), frame('f', 10)], bytes: 270 },
		{ text: 'nop', seen: 0, chain: [frame('small', 3), frame('f', 12)], bytes: 100 },
	];
	const { report, chainAt } = reportOf(rows, 200);
	expect(coldInlined(report, chainAt, (symbol) => symbol)).toMatchObject([
		{
			kind: 'cold-inlined',
			file: 'a.c',
			line: 11,
			message: '620 of its 1624 bytes were inlined from calls without a sample: cold (350 bytes) at a.c:11, inner (270 bytes) at a.c:4',
		},
	]);
	expect(coldInlined(reportOf(rows, 2000).report, chainAt, (symbol) => symbol)).toEqual([]);
});
