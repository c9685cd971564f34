/** When forks of JMH measure, from what JMH prints. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JmhOutput } from './jmh-output.js';

/** What JMH 1.37 prints of a benchmark in two forks, in the pieces in which it comes, a second apart. */
const PIECES = [
	'# JMH version: 1.37\n# Warmup: 1 iterations, 1 s each\n# Measurement: 2 iterations, 1 s each\n# Benchmark: demo.Bench.sum\n# Parameters: (size = 1000)\n\n',
	'# Run progress: 0.00% complete, ETA 00:00:10\n# Fork: 1 of 2\n# Warmup Iteration   1: ',
	'1.275 us/op\nIteration   1: ',
	'1.328 us/op\nIteration   2: ',
	'1.365 us/op\n                 ·gc.alloc.rate: 0.001 MB/sec\n\n',
	'# Run progress: 50.00% complete, ETA 00:00:05\n# Fork: 2 of 2\n# Warmup Iteration   1: ',
	'1.275 us/op\nIteration   1: ',
	'1.3',
	'28 us/op\nIteration   2: ',
	'<failure>\n\n',
	'Result "demo.Bench.sum":\n  1.346 us/op\nIteration of something else: 5\n',
];
const FORKS = [
	{ benchmark: 'demo.Bench.sum', parameters: 'size = 1000', fork: '1 of 2', iterations: 2, fromSeconds: 2, toSeconds: 4 },
	{ benchmark: 'demo.Bench.sum', parameters: 'size = 1000', fork: '2 of 2', iterations: 1, fromSeconds: 6, toSeconds: 8 },
];

function measured(pieces: readonly (readonly [text: string | Uint8Array, seconds: number])[]) {
	const output = new JmhOutput();
	for (const [text, seconds] of pieces) {
		output.take(typeof text === 'string' ? Buffer.from(text) : text, seconds);
	}
	return output.measured();
}

test('from the words of the first iteration to the result of the last, fork by fork', () => {
	expect(measured(PIECES.map((text, seconds) => [text, seconds]))).toEqual(FORKS);
});

test('however the bytes are cut', () => {
	fc.assert(
		fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (sizes) => {
			const cut = PIECES.flatMap((text, seconds) => {
				const bytes = Buffer.from(text);
				const parts: [Uint8Array, number][] = [];
				for (let at = 0, i = 0; at < bytes.length; i++) {
					const size = sizes[i % sizes.length]!;
					parts.push([bytes.subarray(at, at + size), seconds]);
					at += size;
				}
				return parts;
			});
			expect(measured(cut)).toEqual(FORKS);
		}),
	);
});

test('a fork that was killed in its first iteration measured nothing, and the next is another', () => {
	expect(
		measured([
			['# Benchmark: a.B.c\n# Fork: 1 of 2\nIteration   1: ', 1],
			['<forked VM failed with exit code 137>\n# Fork: 2 of 2\n', 2],
			['Iteration   1: ', 3],
			['5\n', 4],
		]),
	).toEqual([{ benchmark: 'a.B.c', parameters: null, fork: '2 of 2', iterations: 1, fromSeconds: 3, toSeconds: 4 }]);
});

test('output that is none of JMH, and lines without an end', () => {
	expect(
		measured([
			['x'.repeat(5_000_000), 1],
			['\n# Fork: \n\u0000\n', 2],
			[Buffer.from([0xff, 0xc3]), 3],
		]),
	).toEqual([]);
});
