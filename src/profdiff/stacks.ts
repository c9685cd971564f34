/** Two profiles of stacks: how the share of each method changed, by itself and with what it calls. */
import { withoutHiddenAddress } from '../model/hidden-class.js';
import { type StackedSamples, weightOf } from '../model/stacked-samples.js';
import { shareDifference } from '../statistics/shares.js';
import { sureDifferences } from '../statistics/sure-differences.js';

/** Of one side. */
interface MethodWeight {
	/** Samples in the method itself; of weights that are no samples their sum. */
	readonly own: number;
	/** With what it calls, each sample once. */
	readonly total: number;
}

export interface MethodChange {
	/** Holder and name with dots; what is no Java method, in round brackets. */
	readonly method: string;
	readonly a: MethodWeight;
	readonly b: MethodWeight;
	/** Percentage points of its own share, from A to B. */
	readonly points: number;
	/** Limits of the 95 % interval; null: weights are no samples, so that nothing says how sure they are. */
	readonly interval: { readonly low: number; readonly high: number } | null;
	/** Whether it differs by more than chance, of all that are compared ({@link sureDifferences}); false for weights that are no samples. */
	readonly isSure: boolean;
}

const NOTHING: MethodWeight = { own: 0, total: 0 };

/** Sure changes first, then the largest. */
export function compareStacks(a: StackedSamples, b: StackedSamples): MethodChange[] {
	const [ofA, ofB] = [weightsByMethod(a), weightsByMethod(b)];
	const [sumA, sumB] = [sumOf(ofA), sumOf(ofB)];
	const isCounted = (a.unit ?? 'samples') === 'samples' && (b.unit ?? 'samples') === 'samples';
	const methods = [...new Set([...ofA.keys(), ...ofB.keys()])];
	const counts = methods.map((method) => ({ a: ofA.get(method)?.own ?? 0, b: ofB.get(method)?.own ?? 0 }));
	const isSure = isCounted ? sureDifferences(counts, sumA, sumB) : [];
	const changes = methods.map((method, i): MethodChange => {
		const [weightA, weightB] = [ofA.get(method) ?? NOTHING, ofB.get(method) ?? NOTHING];
		const { points, low, high } = shareDifference(weightA.own, sumA, weightB.own, sumB);
		const interval = isCounted ? { low, high } : null;
		return { method, a: weightA, b: weightB, points, interval, isSure: isSure[i] === true };
	});
	return changes.sort((x, y) => Number(y.isSure) - Number(x.isSure) || Math.abs(y.points) - Math.abs(x.points) || (x.method < y.method ? -1 : 1));
}

/** All that was counted. */
function sumOf(weights: ReadonlyMap<string, MethodWeight>): number {
	return [...weights.values()].reduce((sum, { own }) => sum + own, 0);
}

/** Hidden classes have another address in each run: their names go without. */
function weightsByMethod(stacked: StackedSamples): Map<string, MethodWeight> {
	const { nodeFrame, nodeParent, frames } = stacked;
	const own = new Float64Array(nodeFrame.length);
	for (let row = 0; row < stacked.length; row++) {
		const node = stacked.node[row]!;
		own[node] = own[node]! + weightOf(stacked, row);
	}
	const total = Float64Array.from(own);
	// A node stands behind its caller's.
	for (let node = nodeFrame.length - 1; node >= 0; node--) {
		const parent = nodeParent[node]!;
		if (parent >= 0) {
			total[parent] = total[parent]! + total[node]!;
		}
	}
	const names = frames.map(({ name }) => withoutHiddenAddress(name));
	const isOuter = outermost(nodeFrame, nodeParent, names);
	const result = new Map<string, { own: number; total: number }>();
	for (let node = 0; node < nodeFrame.length; node++) {
		const name = names[nodeFrame[node]!]!;
		const row = result.get(name) ?? { own: 0, total: 0 };
		result.set(name, row);
		row.own += own[node]!;
		row.total += isOuter[node] === 1 ? total[node]! : 0;
	}
	return result;
}

/** 1 for nodes whose method is called by no frame of itself: each node is visited once, however deep the recursion. */
function outermost(nodeFrame: Int32Array, nodeParent: Int32Array, names: readonly string[]): Uint8Array {
	const count = nodeFrame.length;
	// The last place is that of the callers of the outermost frames.
	const firstChild = new Int32Array(count + 1).fill(-1);
	const nextSibling = new Int32Array(count).fill(-1);
	for (let node = count - 1; node >= 0; node--) {
		const parent = nodeParent[node]! < 0 ? count : nodeParent[node]!;
		nextSibling[node] = firstChild[parent]!;
		firstChild[parent] = node;
	}
	const numbers = new Map(names.map((name, i) => [name, i]));
	const method = Int32Array.from(names, (name) => numbers.get(name)!);
	const onPath = new Int32Array(names.length);
	const result = new Uint8Array(count);
	for (let node = firstChild[count]!; node >= 0; ) {
		const own = method[nodeFrame[node]!]!;
		result[node] = onPath[own] === 0 ? 1 : 0;
		onPath[own] = onPath[own]! + 1;
		if (firstChild[node]! >= 0) {
			node = firstChild[node]!;
			continue;
		}
		let left = node;
		for (;;) {
			const number = method[nodeFrame[left]!]!;
			onPath[number] = onPath[number]! - 1;
			if (nextSibling[left]! >= 0 || nodeParent[left]! < 0) {
				break;
			}
			left = nodeParent[left]!;
		}
		node = nextSibling[left]!;
	}
	return result;
}
