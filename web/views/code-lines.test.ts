import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jumpLanes, linesOfCode } from './code-lines.js';

const code = (length: number, analysed: number[] | null = null) => ({
	text: new Array<string>(length).fill('nop'),
	analysed,
	position: new Array<number>(length).fill(0),
});

test('every instruction is on one line or in one fold, whatever is hot and open', () => {
	fc.assert(
		fc.property(fc.array(fc.nat(1), { maxLength: 200 }), fc.array(fc.nat(199)), (seen, open) => {
			const lines = linesOfCode(code(seen.length), seen, new Set(open));
			const covered = lines.flatMap((line) =>
				line.kind === 'instruction' ? [line.instruction] : line.kind === 'fold' ? Array.from({ length: line.to - line.from + 1 }, (_, i) => line.from + i) : [],
			);
			expect(covered).toEqual(seen.map((_, i) => i));
			for (const line of lines) {
				if (line.kind === 'fold') {
					expect(seen.slice(line.from, line.to + 1).every((one) => one === 0)).toBe(true);
				}
			}
		}),
	);
});

test('code without samples is not folded; frames stand before each change', () => {
	expect(linesOfCode(code(40), new Array<number>(40).fill(0), new Set()).filter(({ kind }) => kind === 'fold')).toEqual([]);
	const lines = linesOfCode({ ...code(4), position: [0, 0, 1, -1] }, [1, 1, 1, 1], new Set());
	expect(lines.map((line) => (line.kind === 'frame' ? `f${line.position}` : line.kind === 'instruction' ? line.instruction : ''))).toEqual([
		'f0',
		0,
		1,
		'f1',
		2,
		3,
	]);
});

test('jumps that overlap have lanes of their own', () => {
	const lines = linesOfCode(code(6), [1, 1, 1, 1, 1, 1], new Set());
	const lanes = jumpLanes({ jump: [5, 3, -1, 1, -1, 0] }, lines);
	for (const a of lanes) {
		for (const b of lanes) {
			const isApart = Math.max(a.from, a.to) < Math.min(b.from, b.to) || Math.max(b.from, b.to) < Math.min(a.from, a.to);
			expect(a === b || a.lane !== b.lane || isApart).toBe(true);
		}
	}
	expect(lanes).toHaveLength(4);
});
