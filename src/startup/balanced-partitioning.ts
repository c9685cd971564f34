/**
 * Balanced partitioning (Hoag, Lee, Mestre, Pupyrev, "Optimizing Function Layout for Mobile Applications", LCTES 2023): functions and utility nodes, here "among
 * the first 2^k functions of a trace", form a bipartite graph; it is bisected again and again so that the functions of a utility node come close together.
 * A bisection is improved by exchanging the pairs that gain most (Dhulipala et al., KDD 2016), the cost of a node with x of its functions on one side and y
 * on the other being -(x log(x + 1) + y log(y + 1)). It knows neither sizes nor pages.
 */
import type { HotCode } from './hot-code.js';

const ROUNDS = 40;
const SMALLEST_PART = 2;
const MAX_DEPTH = 18;

/** The places of the sections of {@link HotCode}, in order. Deterministic. */
export function balancedPartitioning(hot: HotCode): Int32Array {
	const graph = utilityNodes(hot);
	const items = Int32Array.from(hot.sections, (_section, i) => i);
	const parts: { start: number; end: number; depth: number }[] = [{ start: 0, end: items.length, depth: 0 }];
	const side = new Uint8Array(items.length);
	const counts = [new Int32Array(graph.count), new Int32Array(graph.count)];
	const logarithms = Float64Array.from({ length: items.length + 2 }, (_value, i) => i * Math.log2(i + 1));
	for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
		const { start, end, depth } = part;
		if (end - start <= SMALLEST_PART || depth > MAX_DEPTH) {
			continue;
		}
		const middle = bisect(graph, items.subarray(start, end), side, counts as [Int32Array, Int32Array], logarithms) + start;
		parts.push({ start: middle, end, depth: depth + 1 }, { start, end: middle, depth: depth + 1 });
	}
	return items;
}

interface Graph {
	readonly count: number;
	/** Nodes of item i: [first[i], first[i + 1]). */
	readonly first: Int32Array;
	readonly nodes: Int32Array;
	readonly weights: Float64Array;
}

function utilityNodes(hot: HotCode): Graph {
	const { sections, firstInterval, intervalTraces, weights: traceWeights } = hot;
	const ranks = new Int32Array(traceWeights.length);
	const perItem: number[][] = Array.from(sections, () => []);
	const numbers = new Map<string, number>();
	const weights: number[] = [];
	// Items are by first execution, so within a trace ranks grow with the item; of later traces approximately.
	for (let item = 0; item < sections.length; item++) {
		let last = -1;
		for (let i = firstInterval[item]!; i < firstInterval[item + 1]!; i++) {
			const trace = intervalTraces[i]!;
			if (trace === last) {
				continue;
			}
			last = trace;
			const rank = ranks[trace]!;
			ranks[trace] = rank + 1;
			for (let power = 32 - Math.clz32(rank); 2 ** power < sections.length * 2; power++) {
				const key = `${trace} ${power}`;
				let number = numbers.get(key);
				if (number === undefined) {
					number = weights.length;
					numbers.set(key, number);
					weights.push(traceWeights[trace]!);
				}
				perItem[item]!.push(number);
			}
		}
	}
	const first = new Int32Array(sections.length + 1);
	perItem.forEach((nodes, item) => {
		first[item + 1] = first[item]! + nodes.length;
	});
	return { count: weights.length, first, nodes: Int32Array.from(perItem.flat()), weights: Float64Array.from(weights) };
}

/** Reorders `items` so that the first half belongs together; returns where the second begins. */
function bisect({ first, nodes, weights }: Graph, items: Int32Array, side: Uint8Array, counts: [Int32Array, Int32Array], logarithms: Float64Array): number {
	const middle = items.length >> 1;
	const used = new Set<number>();
	items.forEach((item, i) => {
		side[item] = i < middle ? 0 : 1;
		for (let n = first[item]!; n < first[item + 1]!; n++) {
			const node = nodes[n]!;
			counts[side[item] as 0 | 1][node] = counts[side[item] as 0 | 1][node]! + 1;
			used.add(node);
		}
	});
	const gains = new Float64Array(items.length);
	/** What a node gives when one of its functions goes from the side to the other. */
	const nodeGain = [new Float64Array(weights.length), new Float64Array(weights.length)] as const;
	for (let round = 0; round < ROUNDS; round++) {
		for (const node of used) {
			const left = counts[0][node]!;
			const right = counts[1][node]!;
			const now = logarithms[left]! + logarithms[right]!;
			const weight = weights[node]!;
			nodeGain[0][node] = left === 0 ? 0 : weight * (logarithms[left - 1]! + logarithms[right + 1]! - now);
			nodeGain[1][node] = right === 0 ? 0 : weight * (logarithms[left + 1]! + logarithms[right - 1]! - now);
		}
		items.forEach((item, i) => {
			let gain = 0;
			const own = nodeGain[side[item] as 0 | 1];
			for (let n = first[item]!; n < first[item + 1]!; n++) {
				gain += own[nodes[n]!]!;
			}
			gains[i] = gain;
		});
		const bySide = (which: number): number[] =>
			Array.from(items.keys())
				.filter((i) => side[items[i]!] === which)
				.sort((a, b) => gains[b]! - gains[a]!);
		const left = bySide(0);
		const right = bySide(1);
		let moved = 0;
		for (let i = 0; i < Math.min(left.length, right.length); i++) {
			const a = left[i]!;
			const b = right[i]!;
			if (gains[a]! + gains[b]! <= 1e-9) {
				break;
			}
			for (const at of [a, b]) {
				const item = items[at]!;
				const from = side[item] as 0 | 1;
				const to = (1 - from) as 0 | 1;
				for (let n = first[item]!; n < first[item + 1]!; n++) {
					const node = nodes[n]!;
					counts[from][node] = counts[from][node]! - 1;
					counts[to][node] = counts[to][node]! + 1;
				}
				side[item] = to;
			}
			moved++;
		}
		if (moved === 0) {
			break;
		}
	}
	for (const node of used) {
		counts[0][node] = 0;
		counts[1][node] = 0;
	}
	const sorted = [...items].sort((a, b) => side[a]! - side[b]!);
	// Which half comes first: the one with more of what runs early.
	const half = sorted.filter((item) => side[item] === 0);
	const other = sorted.filter((item) => side[item] === 1);
	const mean = (list: readonly number[]): number => list.reduce((sum, item) => sum + item, 0) / Math.max(1, list.length);
	const [front, back] = mean(half) <= mean(other) ? [half, other] : [other, half];
	items.set([...front, ...back]);
	return front.length;
}
