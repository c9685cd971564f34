import { expect, test } from 'vitest';
import { FRAMES, STACKED } from '../../../test/stacked-samples.js';
import type { StackedSamples } from '../../model/stacked-samples.js';
import { writeCollapsedStacks } from './write.js';

function written(stacked: StackedSamples, withThreads = false): string[] {
	const pieces: string[] = [];
	writeCollapsedStacks(stacked, withThreads, (piece) => void pieces.push(piece));
	return pieces.join('').split('\n');
}

test('a line for each stack, in the order of their texts', () => {
	expect(written(STACKED)).toEqual([
		'(Interpreter);(StubRoutines (1)) 1',
		'(Interpreter);memcpy 1',
		'a.Main.run;a.Main.step 3',
		'a.Main.run;a.Main.step;memcpy 1',
		'a.Main.run;a.Main.step;memcpy;(schedule) 1',
		'',
	]);
});

test('with threads', () => {
	expect(written({ ...STACKED, node: Int32Array.of(1, 1, 1, 1, 5, 0, 6) }, true)).toEqual([
		'[all threads];(Interpreter);memcpy 1',
		'[main tid=50];(Interpreter);(StubRoutines (1)) 1',
		'[main tid=50];a.Main.run;a.Main.step 1',
		'[worker tid=51];a.Main.run 1',
		'[worker tid=51];a.Main.run;a.Main.step 3',
		'',
	]);
	expect(written({ ...STACKED, length: 1, threads: [STACKED.threads[0]!, { name: 'a;b', id: 0 }] }, true)).toEqual([
		'[a_b tid=0];a.Main.run;a.Main.step 1',
		'',
	]);
});

test('what means something in a line is replaced; stacks that then are the same are one', () => {
	const frames = FRAMES.map((frame, i) => ({ ...frame, name: i === 0 ? 'a;b\nc\u007f' : i === 4 ? 'a_b_c_' : 'f' }));
	expect(written({ ...STACKED, frames })).toEqual(['a_b_c_;f 5', 'a_b_c_;f;f 1', 'a_b_c_;f;f;f 1', '']);
});
