/** What a report of a run says of bias: shares of methods, how far they are off, and where loops do not poll; all else of {@link BiasReport} is made where it is looked at. */
import type { GeneratedCode } from '../model/generated-code.js';
import { expectedFromSampling, totalVariation } from '../statistics/distances.js';
import { wilsonInterval } from '../statistics/shares.js';
import { type AllocationSite, allocationSites } from './allocation-sites.js';
import { type BiasReport, biasReport } from './bias-report.js';
import { addBlame, type Blame } from './blame.js';
import { type LoopPoll, pollsOfLoops } from './loop-polls.js';
import { isMethod, methodsOf, methodsTotal, unknownPercent } from './method-shares.js';
import { nearestDebugInfo } from './nearest-debug-info.js';
import { predictedBlame } from './predicted-blame.js';
import { coldPlaces, type PredictionInput } from './prediction-input.js';
import { Walks } from './walks.js';

interface BiasOfMethod {
	readonly method: string;
	readonly unbiasedPercent: number;
	readonly unbiasedInterval: { readonly low: number; readonly high: number };
	readonly predictedPercent: number;
}

export interface BiasOverview {
	/** All methods that a profile names, rows in round brackets left out; those with the largest shares first. */
	readonly methods: readonly BiasOfMethod[];
	/** Of methods, between the true and the predicted profile. */
	readonly distance: { readonly totalVariation: number; readonly expectedFromSampling: number };
	/** Share of the samples of which no text tells where they stop, percent: in native code, the interpreter and the kernel, or behind returns to nobody. */
	readonly unknownPercent: number;
	/** Of compilations with samples. */
	readonly loops: readonly { readonly code: GeneratedCode; readonly poll: LoopPoll['poll'] }[];
	/** What they allocate, most first. */
	readonly allocations: readonly AllocationSite[];
	/** All of it, made the first time. */
	whole(): BiasReport;
}

/** Null where nothing can be predicted. */
export function biasOverview(input: PredictionInput, unbiased: Blame, counted: number): BiasOverview | null {
	const walks = new Walks(input, false);
	const blame = input.sampled.length === 0 ? new Map<string, number>() : predictedBlame(walks);
	const predicted = methodsOf(blame);
	const total = methodsTotal(predicted);
	if (total === 0) {
		return null;
	}
	const samples = methodsOf(unbiased.byMethod);
	const percent = (amount: number, of: number): number => (of === 0 ? 0 : (100 * amount) / of);
	const methods = [...new Set([...samples.keys(), ...predicted.keys(), ...namedByNearest(input)])].map((method): BiasOfMethod => {
		const own = samples.get(method) ?? 0;
		const { low, high } = wilsonInterval(own, counted);
		return { method, unbiasedPercent: percent(own, counted), unbiasedInterval: { low, high }, predictedPercent: percent(predicted.get(method) ?? 0, total) };
	});
	const largest = ({ unbiasedPercent, predictedPercent }: BiasOfMethod): number => Math.max(unbiasedPercent, predictedPercent);
	methods.sort((a, b) => largest(b) - largest(a) || (a.method < b.method ? -1 : 1));
	let whole: BiasReport | null = null;
	return {
		methods,
		distance: { totalVariation: totalVariation(samples, predicted), expectedFromSampling: expectedFromSampling(samples, predicted) },
		unknownPercent: unknownPercent(blame, counted),
		loops: input.sampled.flatMap(({ method }) => pollsOfLoops(method).map((poll) => ({ code: method.code, poll }))),
		allocations: allocationSites(walks),
		whole: () => {
			whole ??= biasReport(input, unbiased, counted, new Map(), 0, () => [], 'method', walks);
			return whole;
		},
	};
}

/** Methods that a profiler would name by the nearest safepoint: with a share of 0 they are told too. */
function namedByNearest(input: PredictionInput): Iterable<string> {
	const { blame, described } = nearestDebugInfo(input.sampled);
	for (const { frames, count } of coldPlaces(input)) {
		addBlame(blame, frames, count);
	}
	return described === 'every instruction' ? [...blame.byMethod.keys()].filter(isMethod) : [];
}
