import { expect, test } from 'vitest';
import type { Frame } from '../model/instructions.js';
import { chainText, sameLines } from './inlining-chain.js';

const frame = (method: string, line: number | null = 1, bci = 0): Frame => ({ method, line, bci });
const outer = (count: number): Frame[] => Array.from({ length: count }, (_, i) => frame(`a.B.f${i}`));

test('a chain has its classes without packages, lines, and bytecode indices where no line is known', () => {
	expect(chainText([frame('a.b.C.f', 12), frame('C.g', null, 7), frame('d.E.h', null, -1)], [])).toBe('C.f:12 ← C.g@7 ← E.h');
});

test('of more than twelve outer frames that the chain before has too, the first is shown', () => {
	const before = [frame('a.C.x', 1), ...outer(13)];
	expect(chainText([frame('a.C.x', 2), ...outer(13)], before)).toBe('C.x:2 ← B.f0:1 ← … 12 more as above');
	expect(chainText(outer(13), before)).toBe('B.f0:1 ← … 12 more as above');
	expect(chainText([frame('a.C.x', 2), ...outer(12)], [frame('a.C.x', 1), ...outer(12)])).toBe(
		`C.x:2 ← ${outer(12)
			.map(({ method }) => `${method.slice(2)}:1`)
			.join(' ← ')}`,
	);
});

test('chains are the same by method, line, and bytecode index where no line is known', () => {
	expect(sameLines([frame('a.B.f', 3, 1)], [frame('a.B.f', 3, 2)])).toBe(true);
	expect(sameLines([frame('a.B.f', null, 1)], [frame('a.B.f', null, 2)])).toBe(false);
	expect(sameLines(outer(2), outer(3))).toBe(false);
	expect(sameLines(undefined, outer(1))).toBe(false);
});
