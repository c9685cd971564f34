import { expect, test } from 'vitest';
import { at, CODE, many, ROWS, report } from '../../test/hot-report.js';
import { annotateCode } from './annotated-code.js';
import type { CodeHeat } from './hot-results.js';
import { sampleColumns } from './sample-columns.js';

const hot = report(ROWS);
const heatOf = (compileId: string): CodeHeat => hot.code.find(({ code }) => code.compileId === compileId)!;

test('every instruction of a compilation with its samples, jumps and loops', () => {
	const annotated = annotateCode(heatOf('1'));
	expect(annotated?.text).toEqual(['push %rbp', 'inc %ebx', 'idiv %ecx', 'add %eax,%ebx', expect.stringMatching(/^jne /), 'nop', 'ret']);
	expect(annotated?.seen).toEqual([0, 0, 4, 60, 0, 0, 5]);
	expect(annotated?.jump).toEqual([-1, -1, -1, -1, 1, -1, -1]);
	expect(annotated?.depth).toEqual([0, 1, 1, 1, 1, 0, 0]);
	expect(annotated?.loops).toEqual([{ from: 1, to: 4, header: 1, depth: 1, hasPoll: false, samples: 64 }]);
	expect(annotateCode(heatOf('2%'))).toBeNull();
});

test('each counted sample once, in the order of time', () => {
	const { deltaUs, place, places, instruction, thread, threads } = sampleColumns(hot, null);
	expect(deltaUs).toHaveLength(hot.attribution.counted);
	expect(deltaUs.every((us) => us >= 0)).toBe(true);
	expect(thread.every((one) => one === -1) && threads.length === 0).toBe(true);
	const counts = new Map<string, number>();
	place.forEach((number, i) => {
		const { compileId, reason } = places[number] as { compileId: string | null; reason: string | null };
		const key = compileId === null ? String(reason) : `${compileId} ${instruction[i]}`;
		counts.set(key, (counts.get(key) ?? 0) + 1);
	});
	expect(Object.fromEntries(counts)).toEqual({ '1 3': 60, '1 2': 4, '1 6': 5, '2% -1': 20, stub: 3, 'native library': 8, kernel: 2 });
});

test('behind the end of an instruction is no instruction', () => {
	const apart = { ...CODE, end: CODE.end.map((end, i) => (i === 3 ? end - 1 : end)) };
	const { instruction } = sampleColumns(report([{ at: at(4) - 2 }, { at: at(4) - 1 }, { at: at(4) }], {}, apart), null);
	expect(instruction).toEqual([3, -1, 4]);
});

test('threads are named where they are known', () => {
	const one = report(many(3, { at: at(3) }));
	const columns = sampleColumns(one, {
		of: Int32Array.of(0, 1, 0),
		threads: [
			{ name: 'main', id: 7 },
			{ name: 'C2 CompilerThre', id: 8 },
		],
	});
	expect(columns.thread).toEqual([0, 1, 0]);
	expect(columns.threads).toEqual([
		{ name: 'main', id: 7 },
		{ name: 'C2 CompilerThre', id: 8 },
	]);
});
