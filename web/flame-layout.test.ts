import { expect, test } from 'vitest';
import { flameBoxes, MAX_BOXES, nodeAt } from './flame-layout.js';
import { flameTree } from './stacks.js';

const stack = (seen: number, ...frames: string[]) => ({ frames, seen, predicted: 0 });

test('a heavy frame is drawn however many light ones there are', () => {
	const light = Array.from({ length: 40 }, (_, i) =>
		Array.from({ length: 400 }, (_, depth) => stack(0.0035, ...Array.from({ length: depth + 1 }, (_, d) => `l${i}.${d}`))),
	);
	const root = flameTree([...light.flat(), stack(43, 'main', 'heavy'), stack(1, 'zz')]);
	const { boxes, leftOut } = flameBoxes(root, [], 2000, 'seen');
	expect(boxes).toHaveLength(MAX_BOXES);
	expect(leftOut).toBeGreaterThan(1000);
	expect(boxes.map(({ node }) => node.name)).toEqual(expect.arrayContaining(['all', 'main', 'heavy', 'zz']));
	const drawn = new Set(boxes.map(({ path }) => path.join('.')));
	expect(boxes.filter(({ path }) => path.length > 0 && !drawn.has(path.slice(0, -1).join('.')))).toEqual([]);
	expect(Math.max(...boxes.slice(MAX_BOXES / 2).map(({ width }) => width))).toBeLessThanOrEqual(
		Math.min(...boxes.slice(0, MAX_BOXES / 2).map(({ width }) => width)),
	);
});

test('paths lead to their frames; a zoomed frame has the whole width, below those around it', () => {
	const root = flameTree([stack(30, 'a', 'b'), stack(60, 'a', 'c'), stack(10, 'd')]);
	const { boxes } = flameBoxes(root, [0, 1], 100, 'seen');
	expect(boxes.map(({ node, depth, width }) => [node.name, depth, width])).toEqual([
		['all', 0, 100],
		['a', 1, 100],
		['b', 2, 100],
	]);
	for (const { node, path } of flameBoxes(root, [], 1000, 'seen').boxes) {
		expect(nodeAt(root, path, 'seen')).toBe(node);
	}
});
