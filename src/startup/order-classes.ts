/**
 * Classes of functions in an order of their own: functions that run in the same set of traces stay together, by first execution, so that a trace does not
 * touch pages for functions of others. Which class follows which is found by trying: all permutations of few, exchanges of neighbours in many.
 */
import type { TextLayout } from '../model/text-layout.js';
import { type HotCode, scoreOrder } from './hot-code.js';
import type { Score } from './results.js';

const MAX_PERMUTED = 7;
/** Of more classes the order is that of their weights. */
const MAX_EXCHANGED = 1000;
/** Sections looked at while classes are exchanged: bounds the time, not the result's being an order. */
const WORK = 10_000_000;

/** Sections by class, classes in the best order that was found, `isBetter(a, b)` telling. Also the order of the classes. */
export function orderByClass(
	hot: HotCode,
	layout: TextLayout,
	isBetter: (a: Score, b: Score) => boolean,
): { listed: Int32Array; classOrder: readonly number[] } {
	const members = classMembers(hot).map((own) => Int32Array.from(own));
	const tried = new Int32Array(hot.sections.length);
	let best = startingOrder(hot);
	let bestScore = scoreOrder(hot, layout, flatten(best, members, tried));
	const consider = (order: readonly number[]): boolean => {
		const score = scoreOrder(hot, layout, flatten(order, members, tried));
		if (isBetter(score, bestScore)) {
			best = [...order];
			bestScore = score;
			return true;
		}
		return false;
	};
	if (best.length <= MAX_PERMUTED) {
		forEachPermutation([...best], consider);
	} else if (best.length <= MAX_EXCHANGED) {
		let left = Math.floor(WORK / Math.max(1, hot.sections.length));
		// From far exchanges to near ones; a class moves a long way only early.
		for (let distance = Math.min(8, best.length - 1); distance >= 1 && left > 0; distance--) {
			for (let i = 0; i + distance < best.length && left > 0; i++, left--) {
				const order = [...best];
				[order[i], order[i + distance]] = [order[i + distance]!, order[i]!];
				consider(order);
			}
		}
	}
	return { listed: flatten(best, members, tried), classOrder: best };
}

/** Sections of each class, by first execution. */
export function classMembers({ classes, classOf }: HotCode): number[][] {
	const members: number[][] = classes.map(() => []);
	classOf.forEach((number, i) => {
		members[number]!.push(i);
	});
	return members;
}

/**
 * What most of the weight runs comes first; of the rest each next class is the one that shares most with the one before it: a walk from the common core
 * to what is special to one trace.
 */
function startingOrder({ classes }: HotCode): number[] {
	const byWeight = classes.map((_class, i) => i).sort((a, b) => (classes[b]?.weight ?? 0) - (classes[a]?.weight ?? 0));
	if (classes.length > MAX_EXCHANGED) {
		return byWeight;
	}
	const sets = classes.map(({ traces }) => new Set(traces));
	const left = new Set(byWeight);
	const order: number[] = [];
	let current = byWeight[0];
	while (current !== undefined) {
		order.push(current);
		left.delete(current);
		const here = sets[current]!;
		let next: number | undefined;
		let most = Number.NEGATIVE_INFINITY;
		for (const candidate of left) {
			const traces = classes[candidate]?.traces ?? [];
			const shared = traces.filter((trace) => here.has(trace)).length;
			const likeness = shared / (here.size + traces.length - shared);
			// Heavier classes first: a light one that is alike waits.
			const value = likeness + 2 * ((classes[candidate]?.weight ?? 0) / Math.max(1e-9, classes[byWeight[0]!]?.weight ?? 1));
			if (value > most) {
				most = value;
				next = candidate;
			}
		}
		current = next;
	}
	return order;
}

/** `listed` is written over where it is given: thousands of orders are tried. */
function flatten(order: readonly number[], members: readonly Int32Array[], listed: Int32Array): Int32Array {
	let at = 0;
	for (const number of order) {
		const own = members[number]!;
		listed.set(own, at);
		at += own.length;
	}
	return listed;
}

/** Heap's algorithm, without recursion. */
function forEachPermutation(items: number[], take: (items: readonly number[]) => void): void {
	const counters = new Array<number>(items.length).fill(0);
	take(items);
	for (let i = 1; i < items.length; ) {
		const counter = counters[i]!;
		if (counter >= i) {
			counters[i] = 0;
			i++;
			continue;
		}
		const other = i % 2 === 0 ? 0 : counter;
		[items[i], items[other]] = [items[other]!, items[i]!];
		take(items);
		counters[i] = counter + 1;
		i = 1;
	}
}
