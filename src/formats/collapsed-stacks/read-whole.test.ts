import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { readCallsByThread, readWholeStacks } from './read-whole.js';

const read = (text: string) => readWholeStacks(memorySource('stacks', Buffer.from(text)));

test('stacks are merged; threads, lines, marks and addresses are no frames', () => {
	const { names, stacks, samples, problems } = read(
		'[main tid=1];a.B.run:7;java/util/HashMap.get_[j];0x7f00 3\na.B.run:9;java.util.HashMap.get:588 2\nlibc.so`memcpy 1\nnonsense\n',
	);
	const spelled = stacks.map((stack) => [stack.frames.map((frame) => names[frame]).join(' > '), stack.samples]);
	expect(spelled).toEqual([
		['a.B.run > java.util.HashMap.get', 5],
		['libc.so`memcpy', 1],
	]);
	expect(samples).toBe(6);
	expect(problems).toHaveLength(1);
});

test('any text: never throws, and every sample is in a stack', () => {
	fc.assert(
		fc.property(fc.array(fc.tuple(fc.string(), fc.nat(1000))), (lines) => {
			const { stacks, samples, problems } = read(lines.map(([text, count]) => `${text.replace(/[\r\n]/g, '')} ${count}`).join('\n'));
			expect(stacks.reduce((sum, stack) => sum + stack.samples, 0)).toBe(samples);
			expect(problems.length).toBeLessThanOrEqual(1);
		}),
	);
});

test('by thread: methods as other profiles call them, each stack once', () => {
	const calls = readCallsByThread(
		memorySource(
			'stacks',
			Buffer.from(
				'[main tid=1];a.B.run:7;java/util/HashMap.get_[j];0x7f00 3\n[main tid=1];a.B.run:7;java/util/HashMap.get_[j];0x7f00 2\na.B.run:9 4\nnonsense\n[w] 1\n',
			),
		),
	);
	expect(calls).toEqual([
		{ thread: 'main', names: ['a.B.run', 'java.util.HashMap.get'], samples: 5 },
		{ thread: null, names: ['a.B.run'], samples: 4 },
		{ thread: 'w', names: [], samples: 1 },
	]);
});
