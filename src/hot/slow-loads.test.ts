/** Loops that wait for what they read, and loops that do not. */
import { expect, test } from 'vitest';
import type { HotReport } from './hot-results.js';
import { slowLoads } from './slow-loads.js';

type Line = readonly [text: string, samples: number, bci?: number];

interface Options {
	readonly isMoved?: boolean;
	readonly isLoop?: boolean;
	/** Of 1000. */
	readonly samples?: number;
	readonly isDescribed?: boolean;
}

function loadsOf(lines: readonly Line[], { isMoved = true, isLoop = true, samples = 500, isDescribed = true }: Options = {}) {
	const instructions = {
		length: lines.length,
		textAt: (i: number) => lines[i]![0],
		formAt: (i: number) => lines[i]![0],
		frames: (i: number) => (isDescribed ? [{ method: 'a.B.f', line: 10 + (lines[i]![2] ?? i), bci: lines[i]![2] ?? i }] : []),
	};
	const column = { at: (i: number) => lines[i]![1] };
	const heat = { code: { compileId: '7', name: 'a.B.g' }, instructions, seenAt: column, analysedAt: isMoved ? column : null };
	const region = { heat, loop: isLoop ? { instructions: lines.length } : null, lines: lines.map((_, i) => i), samples };
	return slowLoads({ attribution: { counted: 1000 }, regions: [region] } as unknown as HotReport);
}

/** As C2 compiles the reading of a field of each object of an array. */
const REST: readonly Line[] = [
	['imul $0x1f,%eax,%eax', 20],
	['add %ecx,%eax', 20],
	['inc %r10d', 10],
	['cmp %r8d,%r10d', 10],
	['mov 0x18(%rsp),%r9', 15],
	['shl $0x3,%r11', 10],
	['jl 0x0', 15],
];
const AWAITED: Line = ['mov 0xc(%r12,%r11,8),%ecx', 400, 3];

test('most samples of a loop lie at one load', () => {
	expect(loadsOf([AWAITED, ...REST])).toEqual([
		{ kind: 'load', text: 'mov 0xc(%r12,%r11,8),%ecx', compileId: '7', method: 'a.B.f', line: 13, bci: 3, percent: 40 },
	]);
	expect(loadsOf([AWAITED, ...REST], { isDescribed: false })).toMatchObject([{ method: 'a.B.g', line: null, bci: null, percent: 40 }]);
	expect(loadsOf([['ldr w1, [x2, #12]', 400, 3], ...REST])).toMatchObject([{ kind: 'load', percent: 40 }]);
});

test('of an unrolled loop the loads of one bytecode count together, and the hottest is shown', () => {
	const copies = [90, 120, 100, 90].map((samples, i): Line[] => [
		[`mov 0xc(%r12,%r${8 + i},8),%ecx`, samples, 3],
		...REST.map(([text, n], k): Line => [text, n / 4, 20 + k]),
	]);
	expect(loadsOf(copies.flat())).toMatchObject([{ text: 'mov 0xc(%r12,%r9,8),%ecx', bci: 3, percent: 40 }]);
});

test.each<[string, readonly Line[], Options?]>([
	['samples spread over the loop', [['mov 0xc(%r12,%r11,8),%ecx', 120, 3], ...REST.map(([text]): Line => [text, 55])]],
	['a small loop', [AWAITED, ...REST.slice(0, 4)]],
	['many loads, each with its part', Array.from({ length: 10 }, (_, i): Line => [`mov 0x${i}(%r11),%ecx`, 50, 3])],
	['an instruction that reads nothing', [['imul %ecx,%eax', 400], ...REST]],
	['a store', [['mov %ecx,0xc(%r12,%r11,8)', 400], ...REST]],
	['a slow instruction', [['lock cmpxchg %r10,(%r14)', 400], ...REST]],
	['the stack', [['mov 0x10(%rsp),%ecx', 400], ...REST]],
	['no loop', [AWAITED, ...REST], { isLoop: false }],
	['samples that are not moved', [AWAITED, ...REST], { isMoved: false }],
	['a cold loop', [AWAITED, ...REST], { samples: 49 }],
])('%s: nothing is said', (_, lines, options) => {
	expect(loadsOf(lines, options)).toEqual([]);
});
