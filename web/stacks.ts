/** Stacks as trees for flame graphs, turned around for callers, and as a profiler at safepoints would have seen them. */
import type { PageBias, PageStackSource, PageStacks } from '../src/page/data.js';
import { displayedName } from './names.js';

export interface WeightedStack {
	/** Names, the outermost first. */
	readonly frames: readonly string[];
	/** Percent of all, as seen and as predicted. */
	readonly seen: number;
	readonly predicted: number;
}

export interface FlameNode {
	readonly name: string;
	seen: number;
	predicted: number;
	/** Without those inside. */
	selfSeen: number;
	selfPredicted: number;
	readonly children: Map<string, FlameNode>;
	/** Its children stand in the order of time, the same name perhaps several times; else the widest are first. */
	readonly isInTime?: true;
}

/**
 * The position of the stacks that tell most of where time went: those of the samples that all views count, with what called them or by inlining; then of
 * profilers that sample by time and see all threads that run; thread dumps, which see threads at safepoints, after those.
 */
export function bestSource(sources: readonly PageStackSource[]): number {
	const rank = ({ name, isInlining, isOfSamples }: PageStackSource): number =>
		isOfSamples ? (isInlining ? 1 : 0) : /threads that wait/.test(name) ? 7 : (RANKS.find(([pattern]) => pattern.test(name))?.[1] ?? 4);
	const ranks = sources.map(rank);
	return ranks.indexOf(Math.min(...ranks));
}

const RANKS: readonly (readonly [RegExp, number])[] = [
	[/: jdk\.CPUTimeSample$/, 2],
	[/: jdk\.ExecutionSample$/, 3],
	[/: jdk\./, 5],
	[/thread dump|(?:^|[\\/])dump\b/, 6],
];

/** Inside out: what was executed first, then what called it. */
export function inverted(stacks: readonly WeightedStack[]): WeightedStack[] {
	return stacks.map((stack) => ({ ...stack, frames: [...stack.frames].reverse() }));
}

/** Percent of the samples with a frame in the stack whose name has the text in it. */
export function shareOf(stacks: readonly WeightedStack[], text: string): number {
	const known = new Map<string, boolean>();
	const isFound = (name: string): boolean => {
		const found = known.get(name) ?? isNamed(name, text);
		known.set(name, found);
		return found;
	};
	return stacks.reduce((sum, { frames, seen }) => sum + (frames.some(isFound) ? seen : 0), 0);
}

/** As the profiler spells the name, or as the page does. */
export function isNamed(name: string, text: string): boolean {
	const wanted = text.toLowerCase();
	return name.toLowerCase().includes(wanted) || displayedName(name).toLowerCase().includes(wanted);
}

/** Of all samples, those in stacks that were left out too. */
export function totalSamples({ stacks, leftOutSamples }: PageStacks): number {
	return stacks.reduce((sum, { samples }) => sum + samples, leftOutSamples);
}

/** The stacks of chosen samples alone; null where they do not tell which samples are in them. */
export function stacksOf(source: PageStacks, samples: Iterable<number>): PageStacks | null {
	const { ofSample, stacks } = source;
	if (ofSample === null) {
		return null;
	}
	const counts = new Int32Array(stacks.length);
	for (const sample of samples) {
		const stack = ofSample[sample] ?? -1;
		if (stack >= 0) {
			counts[stack] = counts[stack]! + 1;
		}
	}
	return { ...source, stacks: stacks.map(({ frames }, i) => ({ frames, samples: counts[i]! })).filter(({ samples: count }) => count > 0) };
}

/** Without a prediction only what was seen. */
export function weightedStacks(source: PageStacks, bias: PageBias | null): WeightedStack[] {
	const { names, stacks } = source;
	const total = totalSamples(source);
	const result = stacks.map(
		({ frames, samples }): WeightedStack => ({ frames: frames.map((frame) => names[frame] ?? ''), seen: (100 * samples) / Math.max(1, total), predicted: 0 }),
	);
	return bias === null ? result : [...result, ...predictedStacks(result, bias)];
}

/**
 * Each stack moved to the methods that the prediction blames for its innermost method: to the frame of that method in the stack, else behind
 * the outermost frame. What is not in compiled code is not seen at safepoints.
 */
function predictedStacks(stacks: readonly WeightedStack[], { transfers }: PageBias): WeightedStack[] {
	const targets = new Map<string, { to: string; percent: number }[]>();
	for (const { from, to, percent } of transfers) {
		targets.set(from, [...(targets.get(from) ?? []), { to, percent }]);
	}
	const moved: WeightedStack[] = [];
	let total = 0;
	for (const { frames, seen } of stacks) {
		// What is native is blamed as one thing, whatever is told of it.
		const to = targets.get(frames.at(-1) ?? '') ?? targets.get(frames[0]?.startsWith('(') === true ? frames[0] : '') ?? [];
		const all = to.reduce((sum, { percent }) => sum + percent, 0);
		for (const target of to) {
			const predicted = (seen * target.percent) / all;
			const at = frames.lastIndexOf(target.to);
			total += predicted;
			moved.push({ frames: at >= 0 ? frames.slice(0, at + 1) : frames.length > 1 ? [frames[0]!, target.to] : [target.to], seen: 0, predicted });
		}
	}
	return total === 0 ? [] : moved.map((stack) => ({ ...stack, predicted: (100 * stack.predicted) / total }));
}

export function flameTree(stacks: Iterable<WeightedStack>): FlameNode {
	const root = emptyNode('all');
	for (const { frames, seen, predicted } of stacks) {
		root.seen += seen;
		root.predicted += predicted;
		let node = root;
		for (const name of frames) {
			let child = node.children.get(name);
			if (child === undefined) {
				child = emptyNode(name);
				node.children.set(name, child);
			}
			child.seen += seen;
			child.predicted += predicted;
			node = child;
		}
		node.selfSeen += seen;
		node.selfPredicted += predicted;
	}
	return root;
}

/** Samples one after the other, of which those beside each other share their frames. `shareOfEach`: percent of all. */
export function timeTree(sequence: Iterable<readonly string[] | null>, shareOfEach: number): FlameNode {
	const root: FlameNode = { ...emptyNode('all'), isInTime: true };
	/** Of the sample before, the outermost first. */
	let last: FlameNode[] = [];
	for (const frames of sequence) {
		if (frames === null) {
			last = [];
			continue;
		}
		root.seen += shareOfEach;
		let node = root;
		const path: FlameNode[] = [];
		let isShared = true;
		for (const [depth, name] of frames.entries()) {
			const before = last[depth];
			isShared &&= before?.name === name;
			let child = isShared ? before : undefined;
			if (child === undefined) {
				child = { ...emptyNode(name), isInTime: true };
				node.children.set(String(node.children.size), child);
			}
			child.seen += shareOfEach;
			path.push(child);
			node = child;
		}
		node.selfSeen += shareOfEach;
		last = path;
	}
	return root;
}

function emptyNode(name: string): FlameNode {
	return { name, seen: 0, predicted: 0, selfSeen: 0, selfPredicted: 0, children: new Map() };
}

/** What called a method, turned around: the method first, then its callers. */
export function callersOf(stacks: readonly WeightedStack[], name: string): WeightedStack[] {
	return stacks.flatMap((stack) => {
		const at = stack.frames.lastIndexOf(name);
		return at < 0 ? [] : [{ ...stack, frames: stack.frames.slice(0, at + 1).reverse() }];
	});
}

/** What a method called: from its outermost frame inwards. */
export function calleesOf(stacks: readonly WeightedStack[], name: string): WeightedStack[] {
	return stacks.flatMap((stack) => {
		const at = stack.frames.indexOf(name);
		return at < 0 ? [] : [{ ...stack, frames: stack.frames.slice(at) }];
	});
}

export interface MethodShare {
	readonly name: string;
	readonly self: number;
	readonly total: number;
	readonly predictedSelf: number;
}

/** A method that is several times in a stack counts once in its total. */
export function methodShares(stacks: readonly WeightedStack[]): MethodShare[] {
	const rows = new Map<string, { name: string; self: number; total: number; predictedSelf: number }>();
	for (const { frames, seen, predicted } of stacks) {
		const leaf = frames.at(-1);
		for (const name of new Set(frames)) {
			const row = rows.get(name) ?? { name, self: 0, total: 0, predictedSelf: 0 };
			row.total += seen;
			row.self += name === leaf ? seen : 0;
			row.predictedSelf += name === leaf ? predicted : 0;
			rows.set(name, row);
		}
	}
	return [...rows.values()].sort((a, b) => b.self - a.self || b.total - a.total);
}
