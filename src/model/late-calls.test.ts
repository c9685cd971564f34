import { expect, test } from 'vitest';
import { RUN } from '../../test/stacked-samples.js';
import { DebugInfo, type Instructions } from './instructions.js';
import { lateCallDoubts } from './late-calls.js';
import { SparseColumn } from './sparse-column.js';

const { Frames, LateCall, OopMap } = DebugInfo;
const code = (...bits: number[]): Instructions => ({ length: bits.length, debugInfo: Uint8Array.from(bits) }) as unknown as Instructions;
const sampled = (compileId: string, instructions: Instructions | null, seen: number[]) => ({
	code: { ...RUN, compileId },
	instructions,
	seenAt: SparseColumn.of(Float64Array.from(seen)),
});

test('samples count up to the description that was left out, from the one before', () => {
	const rows = [
		sampled('7', code(Frames, 0, LateCall, OopMap, Frames, LateCall | OopMap), [1, 2, 4, 8, 16, 32]),
		sampled('8', code(0, LateCall, 0), [50, 1, 100]),
		sampled('9', null, [1000]),
	];
	const [warning, ...others] = lateCallDoubts(rows, 890, 'run/hotspot.log');
	expect(others).toEqual([]);
	expect(warning).toMatchObject({ severity: 'warning', file: 'run/hotspot.log' });
	expect(warning?.message).toContain(
		`89 samples (10.0 %) at calls that it inlined late (boxing, string builders, or what the log names), where its code has none; most of them lie in c8 ${RUN.name}`,
	);
});

test('of few samples nothing is said', () => {
	expect(lateCallDoubts([sampled('8', code(LateCall), [5])], 1000, 'x')).toHaveLength(1);
	expect(lateCallDoubts([sampled('8', code(LateCall), [5])], 1001, 'x')).toEqual([]);
	expect(lateCallDoubts([sampled('8', code(Frames), [500])], 1000, 'x')).toEqual([]);
	expect(lateCallDoubts([], 0, 'x')).toEqual([]);
});
