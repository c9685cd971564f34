/** What a prediction results in, side by side with what profilers said. */
import { type Blame, emptyBlame } from './blame.js';
import { bootstrap, type PredictedInterval } from './bootstrap.js';
import { expectedFromSampling, isMethod, methodsTotal, type Shares, totalVariation } from './distances.js';
import { type LoopPoll, loopPolls } from './loop-polls.js';
import { type PredictionInput, predict } from './predict.js';

interface BiasMethod {
	/** Holder and name with dots, or a row in round brackets. */
	readonly method: string;
	/** Of all samples; of rows in round brackets too. */
	readonly unbiasedPercent: number;
	readonly unbiasedSamples: number;
	/** Percent; Wilson's interval (1927) at 95 %. */
	readonly unbiasedInterval: { readonly low: number; readonly high: number };
	/** Of what is predicted for methods; 0 for rows in round brackets, which such a profiler does not see. */
	readonly predictedPercent: number;
	/** null: not drawn again. */
	readonly predictedInterval: PredictedInterval | null;
	/** Of each profile's samples. */
	readonly observed: ReadonlyMap<string, number>;
}

interface BiasDistance {
	readonly a: string;
	readonly b: string;
	readonly totalVariation: number;
	readonly expectedFromSampling: number;
}

interface BlameTransfer {
	readonly from: string;
	readonly to: string;
	/** Of the samples that the prediction was made from. */
	readonly percent: number;
}

export interface BiasReport {
	readonly counted: number;
	readonly methods: readonly BiasMethod[];
	readonly lines: readonly { readonly line: string; readonly unbiasedPercent: number; readonly predictedPercent: number }[];
	readonly distances: readonly BiasDistance[];
	readonly transfers: readonly BlameTransfer[];
	/** Of compilations with samples. */
	readonly loops: readonly LoopPoll[];
	/** Share of the followed samples of which no text tells where they stop, percent. */
	readonly unknownPercent: number;
}

/** `rounds`: how often samples are drawn again for the intervals; 0: no intervals. */
export function biasReport(input: PredictionInput, unbiased: Blame, counted: number, observed: ReadonlyMap<string, Shares>, rounds: number): BiasReport {
	const { blame: predicted, transfers } =
		input.sampled.length === 0 ? { blame: emptyBlame(), transfers: new Map<string, Map<string, number>>() } : predict(input);
	const intervals = rounds > 0 && input.sampled.length > 0 ? bootstrap(input, rounds) : null;
	const profiles = new Map<string, Shares>([['unbiased', unbiased.byMethod], ['predicted', predicted.byMethod], ...observed]);
	const total = methodsTotal(predicted.byMethod);
	const followed = sumOf(predicted.byMethod);
	const predictedPercent = (of: Shares, name: string): number => (isMethod(name) ? percent(of.get(name), total) : 0);
	const names = new Set([...profiles].flatMap(([profile, shares]) => [...shares.keys()].filter((name) => profile !== 'predicted' || isMethod(name))));
	const methods = [...names].map(
		(method): BiasMethod => ({
			method,
			unbiasedPercent: percent(unbiased.byMethod.get(method), counted),
			unbiasedSamples: unbiased.byMethod.get(method) ?? 0,
			unbiasedInterval: wilson(unbiased.byMethod.get(method) ?? 0, counted),
			predictedPercent: predictedPercent(predicted.byMethod, method),
			predictedInterval: isMethod(method) ? (intervals?.get(method) ?? null) : null,
			observed: new Map([...observed].map(([profile, shares]) => [profile, percent(shares.get(method), sumOf(shares))])),
		}),
	);
	methods.sort((a, b) => rank(b) - rank(a) || (a.method < b.method ? -1 : 1));
	return {
		counted,
		methods,
		lines: [...new Set([...unbiased.byLine.keys(), ...predicted.byLine.keys()])]
			.filter(isMethod)
			.map((line) => ({ line, unbiasedPercent: percent(unbiased.byLine.get(line), counted), predictedPercent: predictedPercent(predicted.byLine, line) }))
			.sort((a, b) => b.unbiasedPercent + b.predictedPercent - a.unbiasedPercent - a.predictedPercent || (a.line < b.line ? -1 : 1)),
		distances: distancesOf(profiles),
		transfers: [...transfers]
			.flatMap(([from, row]) => [...row].map(([to, amount]) => ({ from, to, percent: percent(amount, followed) })))
			.sort((a, b) => b.percent - a.percent),
		loops: input.sampled.flatMap(({ method }) => loopPolls(method)),
		unknownPercent: percent(predicted.byMethod.get('(unknown)'), followed),
	};
}

function distancesOf(profiles: ReadonlyMap<string, Shares>): BiasDistance[] {
	const list = [...profiles];
	return list.flatMap(([a, sharesA], i) =>
		list.slice(i + 1).map(([b, sharesB]) => ({
			a,
			b,
			totalVariation: totalVariation(sharesA, sharesB),
			expectedFromSampling: expectedFromSampling(sharesA, sharesB),
		})),
	);
}

function rank({ unbiasedPercent, predictedPercent, observed }: BiasMethod): number {
	return Math.max(unbiasedPercent, predictedPercent, ...observed.values());
}

function percent(amount: number | undefined, of: number): number {
	return of === 0 ? 0 : (100 * (amount ?? 0)) / of;
}

function sumOf(shares: Shares): number {
	return [...shares.values()].reduce((sum, amount) => sum + amount, 0);
}

const Z = 1.96;

function wilson(count: number, of: number): { low: number; high: number } {
	if (of === 0) {
		return { low: 0, high: 100 };
	}
	const share = count / of;
	const middle = share + (Z * Z) / (2 * of);
	const half = Z * Math.sqrt((share * (1 - share)) / of + (Z * Z) / (4 * of * of));
	const scale = 100 / (1 + (Z * Z) / of);
	return { low: Math.max(0, (middle - half) * scale), high: Math.min(100, (middle + half) * scale) };
}
