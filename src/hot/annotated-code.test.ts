import { expect, test } from 'vitest';
import { assemble } from '../../test/assemble.js';
import { at, CODE, many, ROWS, report } from '../../test/hot-report.js';
import { once } from '../../test/once.js';
import { completeInstructions } from '../formats/shared/hotspot/instruction-comments.js';
import { annotateCode } from './annotated-code.js';
import type { CodeHeat, HotReport } from './hot-results.js';
import { sampleClasses, sampleColumns } from './sample-columns.js';

const hot = once(() => report(ROWS));

function heatOf(compileId: string, { code }: HotReport = hot()): CodeHeat {
	const [heat] = code.filter((one) => one.code.compileId === compileId);
	expect(heat).toBeDefined();
	return heat as CodeHeat;
}

test('every instruction of a compilation with its samples, jumps and loops', () => {
	const annotated = annotateCode(heatOf('1'));
	expect(annotated?.text).toEqual(['push %rbp', 'inc %ebx', 'idiv %ecx', 'add %eax,%ebx', expect.stringMatching(/^jne /), 'nop', 'ret']);
	expect(annotated?.seen).toEqual([0, 0, 4, 60, 0, 0, 5]);
	expect(annotated?.jump).toEqual([-1, -1, -1, -1, 1, -1, -1]);
	expect(annotated?.depth).toEqual([0, 1, 1, 1, 1, 0, 0]);
	expect(annotated?.loops).toEqual([{ from: 1, to: 4, header: 1, depth: 1, hasPoll: false, samples: 64 }]);
	expect(annotateCode(heatOf('2%'))).toBeNull();
});

test('loops in loops, jumps, polls and what is printed beside instructions', () => {
	const code = assemble(
		['push %rbp', 'jmp @2', 'inc %ebx', 'test %eax,(%r10)', 'dec %eax', 'jne @2', 'nop', 'jne @2', 'je @1', 'test %eax,(%r10)', 'ret', 'jmp 0x10'],
		[null, [{ method: 'a.B.f', bci: 1, line: 10 }]],
	);
	const comments = code.comments.map((_, i) => (i === 3 ? ['{poll}', 'odd'] : i === 9 ? ['{poll_return}'] : []));
	const given = completeInstructions({ ...code, comments });
	const annotated = annotateCode(heatOf('1', report([...many(2, { at: at(2) }), ...many(3, { at: at(3) }), { at: at(5) }, { at: at(1) }], {}, given)));
	expect(annotated).toMatchObject({
		offset: [0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44],
		jump: [-1, 2, -1, -1, -1, 2, -1, 2, 1, -1, -1, -1],
		analysed: null,
		position: [-1, 1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1],
		polls: [
			{ instruction: 3, kind: 'loop' },
			{ instruction: 9, kind: 'return' },
		],
		comments: [
			{ instruction: 3, texts: ['{poll}', 'odd'] },
			{ instruction: 9, texts: ['{poll_return}'] },
		],
	});
	expect(annotated?.positions[1]).toEqual([{ method: 'a.B.f', bci: 1, line: 10 }]);
	expect(annotated?.loops.map(({ from, to, header, depth, hasPoll, samples }) => [from, to, header, depth, hasPoll, samples])).toEqual([
		// The poll is that of the inner loop.
		[1, 8, 1, 1, false, 7],
		[2, 7, 2, 2, true, 6],
	]);
	expect(annotated?.depth).toEqual([0, 1, 2, 2, 2, 2, 2, 2, 1, 0, 0, 0]);
});

test('weights that skid moved stand beside what was seen', () => {
	const annotated = annotateCode(heatOf('1', report(many(60, { at: at(3) }), { skid: 'on' })));
	expect([annotated?.seen, annotated?.analysed]).toEqual([
		[0, 0, 0, 60, 0, 0, 0],
		[0, 0, 60, 0, 0, 0, 0],
	]);
});

test('each counted sample once, in the order of time', () => {
	const { deltaUs, place, places, instruction, thread, threads } = sampleColumns(hot(), null);
	expect(deltaUs).toHaveLength(hot().attribution.counted);
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

test('times are microseconds since the sample before, from the first that counts', () => {
	const { startSeconds, deltaUs, place, places, instruction } = sampleColumns(
		report([
			{ at: at(3), time: 5.5 },
			{ at: 77, time: 5.000_001, library: '/usr/lib/libc.so.6' },
			{ at: at(2), time: 5.25, event: 'cycles' },
			{ at: at(3), time: 5 },
			{ at: 78, time: 5.5, library: '/usr/lib/libc.so.6' },
		]),
		null,
	);
	expect([startSeconds, deltaUs, place, instruction]).toEqual([5, [0, 1, 499_999, 0], [0, 1, 0, 1], [3, -1, 3, -1]]);
	expect(places).toEqual([
		{ compileId: '1', reason: null },
		{ compileId: null, reason: 'native library' },
	]);
	expect(sampleColumns(report([]), null)).toEqual({ startSeconds: 0, deltaUs: [], place: [], instruction: [], thread: [], places: [], threads: [] });
});

test('classes of the samples stand in the same order', () => {
	const one = report([
		{ at: at(3), time: 2 },
		{ at: at(3), time: 1, event: 'cycles' },
		{ at: at(3), time: 1 },
	]);
	expect(sampleClasses(one, { ofThread: [], ofSample: Uint8Array.of(5, 6, 7) })).toEqual([7, 5]);
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
