import { expect, test } from 'vitest';
import { ORIGIN, STACKED } from '../../../test/stacked-samples.js';
import type { StackedSamples } from '../../model/stacked-samples.js';
import { writeSpeedscope } from './write.js';

function written(stacked: StackedSamples): { shared: unknown; profiles: { weights: number[]; samples: number[][] }[] } {
	const pieces: string[] = [];
	writeSpeedscope(stacked, ORIGIN, (piece) => void pieces.push(piece));
	return JSON.parse(pieces.join(''));
}

test('a profile for each thread, the one with most samples first, a row for each sample', () => {
	expect(written(STACKED)).toEqual({
		$schema: 'https://www.speedscope.app/file-format-schema.json',
		exporter: 'assay 1',
		name: 'a recording',
		activeProfileIndex: 0,
		shared: {
			frames: [
				{ name: 'a.Main.run', file: 'a/Main.java', line: 10 },
				{ name: 'a.Main.step', file: 'a/Main.java', line: 20 },
				{ name: 'memcpy', file: '/lib/libc.so' },
				{ name: '(schedule)' },
				{ name: '(Interpreter)' },
				{ name: '(StubRoutines (1))' },
			],
		},
		profiles: [
			{
				type: 'sampled',
				name: 'worker (51)',
				unit: 'nanoseconds',
				samples: [
					[0, 1],
					[0, 1],
					[0, 1, 2],
					[0, 1],
				],
				weights: [20, 60, 30, 10],
				startValue: 0,
				endValue: 120,
			},
			{
				type: 'sampled',
				name: 'main (50)',
				unit: 'nanoseconds',
				samples: [
					[0, 1, 2, 3],
					[4, 5],
				],
				weights: [40, 50],
				startValue: 0,
				endValue: 90,
			},
			// The place in memcpy is another, the function is the same.
			{ type: 'sampled', name: 'all threads', unit: 'nanoseconds', samples: [[4, 2]], weights: [70], startValue: 0, endValue: 70 },
		],
	});
});

test('a sample counts 1 where nothing tells what it stands for', () => {
	const { profiles } = written({ ...STACKED, event: 'cycles', intervalNs: null });
	expect(profiles.map(({ weights }) => weights)).toEqual([[1, 1, 1, 1], [1, 1], [1]]);
	expect(profiles).toMatchObject([{ unit: 'none', endValue: 4 }, { unit: 'none', endValue: 2 }, { unit: 'none' }]);
});

test('a thread with the number 0 is told so', () => {
	expect(written({ ...STACKED, threads: [{ name: 'swapper', id: 0 }, ...STACKED.threads.slice(1)] }).profiles[1]).toMatchObject({ name: 'swapper (0)' });
});

test('without samples there is one empty profile', () => {
	expect(written({ ...STACKED, length: 0 }).profiles).toEqual([
		{ type: 'sampled', name: 'no samples', unit: 'none', samples: [], weights: [], startValue: 0, endValue: 0 },
	]);
});

test('many samples are written in pieces', () => {
	const length = 8193;
	const many = {
		...STACKED,
		length,
		node: Int32Array.from({ length }, (_, i) => 1 + (i % 2)),
		thread: new Int32Array(length),
		timeSeconds: null,
		periods: null,
	};
	expect(written(many).profiles[0]?.weights).toEqual(Array.from({ length }, () => 1_000_000));
});
