/** Two profiles of stacks: how the share of each method changed, by itself and with what it calls. */
import { withoutHiddenAddress } from '../model/hidden-class.js';

import { type StackedSamples, weightOf } from '../model/stacked-samples.js';
import { wilsonInterval } from '../statistics/shares.js';

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
	/** Whether the interval leaves zero out. */
	readonly isSure: boolean;
}

const NOTHING: MethodWeight = { own: 0, total: 0 };

/** Sure changes first, then the largest. */
export function compareStacks(a: StackedSamples, b: StackedSamples): MethodChange[] {
	const [ofA, ofB] = [weightsByMethod(a), weightsByMethod(b)];
	const [sumA, sumB] = [sumOf(ofA), sumOf(ofB)];
	const isCounted = (a.unit ?? 'samples') === 'samples' && (b.unit ?? 'samples') === 'samples';
	const changes = [...new Set([...ofA.keys(), ...ofB.keys()])].map((method): MethodChange => {
		const [weightA, weightB] = [ofA.get(method) ?? NOTHING, ofB.get(method) ?? NOTHING];
		const [shareA, shareB] = [wilsonInterval(weightA.own, sumA), wilsonInterval(weightB.own, sumB)];
		const points = shareB.percent - shareA.percent;
		const low = points - Math.hypot(shareB.percent - shareB.low, shareA.high - shareA.percent);
		const high = points + Math.hypot(shareB.high - shareB.percent, shareA.percent - shareA.low);
		const interval = isCounted ? { low, high } : null;
		return { method, a: weightA, b: weightB, points, interval, isSure: isCounted && (low > 0 || high < 0) };
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
	const result = new Map<string, { own: number; total: number }>();
	for (let node = 0; node < nodeFrame.length; node++) {
		const name = names[nodeFrame[node]!]!;
		const row = result.get(name) ?? { own: 0, total: 0 };
		result.set(name, row);
		row.own += own[node]!;
		row.total += isOuterOf(node, nodeFrame, nodeParent, names) ? total[node]! : 0;
	}
	return result;
}

/** Whether the method is called by no frame of itself. */
function isOuterOf(node: number, nodeFrame: Int32Array, nodeParent: Int32Array, names: readonly string[]): boolean {
	const name = names[nodeFrame[node]!];
	for (let at = nodeParent[node]!; at >= 0; at = nodeParent[at]!) {
		if (names[nodeFrame[at]!] === name) {
			return false;
		}
	}
	return true;
}
