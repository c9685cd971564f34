import { expect, test } from 'vitest';
import type { PageBias } from '../src/page/data.js';
import { flameBoxes } from './flame-layout.js';
import { bestSource, calleesOf, callersOf, flameTree, inverted, methodShares, shareOf, stacksOf, timeTree, totalSamples, weightedStacks } from './stacks.js';

const SOURCE = {
	leftOutSamples: 0,
	ofSample: [0, 0, 3, 1, 0, 0, 0, 1, 0, 2],
	names: ['main', 'run', 'a', 'b', '(native)'],
	stacks: [
		{ frames: [0, 1, 2], samples: 6 },
		{ frames: [0, 1, 3], samples: 2 },
		{ frames: [0, 1, 1], samples: 1 },
		{ frames: [4], samples: 1 },
	],
};
const BIAS: PageBias = {
	samples: 10,
	unknownPercent: 0,
	methods: [],
	lines: [],
	distances: [],
	loops: [],
	transfers: [
		{ from: 'a', to: 'run', percent: 60 },
		{ from: 'b', to: 'elsewhere', percent: 10 },
		{ from: 'b', to: 'b', percent: 10 },
		{ from: 'run', to: 'run', percent: 10 },
	],
};

test('a tree has all of what was seen', () => {
	const root = flameTree(weightedStacks(SOURCE, null));
	expect(root.seen).toBeCloseTo(100);
	const run = root.children.get('main')?.children.get('run');
	expect(run?.seen).toBeCloseTo(90);
	expect([...(run?.children.keys() ?? [])]).toEqual(['a', 'b', 'run']);
});

test('in the order of time the same frames beside each other are one, apart they are several', () => {
	const root = timeTree([['a', 'b'], ['a', 'b'], ['a', 'c'], null, ['a', 'b'], ['d']], 20);
	expect([root.seen, [...root.children.values()].map(({ name, seen }) => [name, seen])]).toEqual([
		100,
		[
			['a', 60],
			['a', 20],
			['d', 20],
		],
	]);
	const [first] = root.children.values();
	expect([...(first?.children.values() ?? [])].map(({ name, seen, selfSeen }) => [name, seen, selfSeen])).toEqual([
		['b', 40, 40],
		['c', 20, 20],
	]);
	const { boxes } = flameBoxes(root, [], 1000, 'seen');
	expect(boxes.filter(({ depth }) => depth === 1).map(({ node, x, width }) => [node.name, x, width])).toEqual([
		['a', 0, 600],
		['a', 600, 200],
		['d', 800, 200],
	]);
});

test('samples in stacks that were left out count in the whole', () => {
	const source = { ...SOURCE, leftOutSamples: 10 };
	expect(totalSamples(source)).toBe(20);
	expect(flameTree(weightedStacks(source, null)).seen).toBeCloseTo(50);
});

test('what the prediction blames: a frame of the stack, else one behind the outermost', () => {
	const stacks = weightedStacks(SOURCE, BIAS);
	expect(stacks.reduce((sum, { predicted }) => sum + predicted, 0)).toBeCloseTo(100);
	const predicted = new Map<string, number>();
	for (const { frames, predicted: share } of stacks.filter((stack) => stack.predicted > 0)) {
		predicted.set(frames.join(), (predicted.get(frames.join()) ?? 0) + share);
	}
	expect([...predicted.keys()].sort()).toEqual(['main,elsewhere', 'main,run', 'main,run,b', 'main,run,run']);
	expect(predicted.get('main,run')).toBeCloseTo(600 / 9);
});

test('the best stacks: of the samples that are counted, then of those that see most', () => {
	const source = (name: string, isOfSamples = false, isInlining = false) => ({ name, isOfSamples, isInlining, part: name });
	const inlining = source('samples, by inlining', true, true);
	const others = [
		'dump.collapsed',
		'x.txt: thread dump',
		'x.txt: thread dump, threads that wait',
		'rec.jfr: jdk.NativeMethodSample',
		'rec.jfr: jdk.ExecutionSample',
		'rec.jfr: jdk.CPUTimeSample',
		'traces.txt',
	].map((name) => source(name));
	const best = (...sources: typeof others) => sources[bestSource(sources)]?.name;
	expect(best(...others, inlining, source('perf.script: cycles', true))).toBe('perf.script: cycles');
	expect(best(...others, inlining)).toBe('samples, by inlining');
	expect(best(...others)).toBe('rec.jfr: jdk.CPUTimeSample');
	expect(best(...others.slice(0, 5))).toBe('rec.jfr: jdk.ExecutionSample');
	expect(best(...others.slice(0, 3))).toBe('dump.collapsed');
	expect(best(others[2]!)).toBe('x.txt: thread dump, threads that wait');
	expect(bestSource([])).toBe(-1);
});

test('inside out, the outermost frames have what methods hold themselves; frames by name', () => {
	const stacks = weightedStacks(SOURCE, null);
	const root = flameTree(inverted(stacks));
	expect([...root.children].map(([name, { seen }]) => [name, Math.round(seen)])).toEqual(
		methodShares(stacks)
			.filter(({ self }) => self > 0)
			.map(({ name, self }) => [name, Math.round(self)]),
	);
	expect(shareOf(stacks, 'RU')).toBeCloseTo(90);
	expect(shareOf(stacks, 'nothing')).toBe(0);
});

test('stacks of some samples have these alone', () => {
	expect(stacksOf(SOURCE, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])).toEqual(SOURCE);
	const some = stacksOf(SOURCE, [2, 3, 9]);
	expect(some?.stacks).toEqual([
		{ frames: [0, 1, 3], samples: 1 },
		{ frames: [0, 1, 1], samples: 1 },
		{ frames: [4], samples: 1 },
	]);
	expect(stacksOf({ ...SOURCE, ofSample: null }, [2])).toBeNull();
});

test('what lies in native code is blamed as a whole where its functions are told', () => {
	const source = { ...SOURCE, names: ['(native)', '(libc.so)', '(memcpy)'], stacks: [{ frames: [0, 1, 2], samples: 10 }] };
	const [, predicted] = weightedStacks(source, { ...BIAS, transfers: [{ from: '(native)', to: 'a', percent: 5 }] });
	expect(predicted).toEqual({ frames: ['(native)', 'a'], seen: 0, predicted: 100 });
});

test('recursion counts once; callers and callees', () => {
	const stacks = weightedStacks(SOURCE, null);
	const run = methodShares(stacks).find(({ name }) => name === 'run');
	expect(run?.total).toBeCloseTo(90);
	expect(run?.self).toBeCloseTo(10);
	expect([...flameTree(callersOf(stacks, 'a')).children.keys()]).toEqual(['a']);
	expect(flameTree(callersOf(stacks, 'a')).children.get('a')?.children.get('run')?.children.get('main')?.seen).toBeCloseTo(60);
	expect([...(flameTree(calleesOf(stacks, 'run')).children.get('run')?.children.keys() ?? [])]).toEqual(['a', 'b', 'run']);
});
