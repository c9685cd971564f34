/** What a prediction results in, side by side with what profilers said. */

import type { MethodBytecode } from '../model/bytecode.js';
import { expectedFromSampling, totalVariation } from '../statistics/distances.js';
import { wilsonInterval } from '../statistics/shares.js';
import { addBlame, type Blame, type BlameKey, emptyBlame, sharesBy } from './blame.js';
import { bootstrap, type PredictedInterval } from './bootstrap.js';
import { type BytecodeLoop, bytecodeLoops, loopOfBytecodes, shapeText } from './bytecode-loops.js';
import type { Explanation } from './explain.js';
import { type CodeLoops, type LoopPoll, loopsOfCode } from './loop-polls.js';
import { isMethod, methodsOf, methodsTotal, type Shares, unknownPercent } from './method-shares.js';
import { type NearestDebugInfo, nearestDebugInfo } from './nearest-debug-info.js';
import type { ObservedProfile } from './observed.js';
import { type Predicted, predict } from './predict.js';
import { coldPlaces, type PredictionInput } from './prediction-input.js';
import type { PrintedMethod } from './printed-method.js';
import { type VersionDifference, versionDifferences } from './version-differences.js';
import { Walks } from './walks.js';

interface BiasRow {
	/** Of all samples; of rows in round brackets too. */
	readonly unbiasedPercent: number;
	readonly unbiasedSamples: number;
	/** Percent; Wilson's interval (1927) at 95 %. */
	readonly unbiasedInterval: { readonly low: number; readonly high: number };
	/** Of what is predicted for methods; 0 for rows in round brackets, which such a profiler does not see. */
	readonly predictedPercent: number;
	/** null: not drawn again, or not for rows of this kind. */
	readonly predictedInterval: PredictedInterval | null;
	/** Where the nearest safepoint's debug information puts it, of what is put on methods; null where that cannot be told. */
	readonly nearestPercent: number | null;
	/** Of each profile's samples; for lines of profiles that tell lines. */
	readonly observed: ReadonlyMap<string, number>;
}

interface BiasMethod extends BiasRow {
	/** Holder and name with dots, or a row in round brackets. */
	readonly method: string;
}

interface BiasLine extends BiasRow {
	/** `java.util.HashMap.getNode:588`. */
	readonly line: string;
}

interface BiasDistance {
	readonly a: string;
	readonly b: string;
	readonly totalVariation: number;
	/** null: one of them tells shares only, not how many samples there were. */
	readonly expectedFromSampling: number | null;
}

interface BlameTransfer {
	readonly from: string;
	readonly to: string;
	/** Of the samples that the prediction was made from. */
	readonly percent: number;
}

interface BiasLoop {
	readonly samples: number;
	/** Made when it is asked for: there are thousands of loops, and few are shown. */
	told(): LoopPoll & {
		/** Its loop of the bytecode; null without class files, or where none fits. */
		readonly bytecode: (BytecodeLoop & { readonly entersHere: boolean; readonly shape: string }) | null;
	};
}

export interface BiasReport {
	readonly counted: number;
	/** What intervals, distances, transfers and explanations are of. */
	readonly by: BlameKey;
	readonly methods: readonly BiasMethod[];
	/** Rows in round brackets only where the question is by line, and then the largest in any profile first. */
	readonly lines: readonly BiasLine[];
	/** Of the samples that are put on methods those behind the last description, which JFR before JDK 25 loses; null where it cannot be told. */
	readonly nearestLostPercent: number | null;
	/** Whether the code tells what a profiler without DebugNonSafepoints would say. */
	readonly described: NearestDebugInfo['described'] | null;
	readonly distances: readonly BiasDistance[];
	readonly transfers: readonly BlameTransfer[];
	/** Of transfers between two methods or lines, the largest first: all from or to that one, or with null those of at least a percent. */
	explain(method: string | null): (Explanation & { readonly percent: number })[];
	/** Of compilations with samples; those with most samples first, inner loops left out. */
	readonly loops: readonly BiasLoop[];
	/** Loops of which versions for on-stack replacement poll otherwise than normal ones; of methods with samples, also of versions without. */
	readonly differences: readonly VersionDifference[];
	/** Share of the samples of which no text tells where they stop, percent: in native code, the interpreter and the kernel, or behind returns to nobody. */
	readonly unknownPercent: number;
}

/** The name among distances. */
export const NEAREST = 'nearest debug info';

const EXPLAINED_PERCENT = 1;
const MOST_EXPLAINED = 50;

const NOTHING: Predicted = { blame: emptyBlame(), transfers: new Map(), blameOf: emptyBlame, explain: () => null };

/** `rounds`: how often samples are drawn again for the intervals; 0: no intervals. */
export function biasReport(
	input: PredictionInput,
	unbiased: Blame,
	counted: number,
	observed: ReadonlyMap<string, ObservedProfile>,
	rounds: number,
	bytecode: (method: string) => readonly MethodBytecode[] = () => [],
	by: BlameKey = 'method',
	walks = new Walks(input),
): BiasReport {
	const loopsOfMethods = new Map<MethodBytecode, BytecodeLoop[]>();
	const bytecodeOf = ({ code, method, bytecodes, poll }: LoopPoll): ReturnType<BiasLoop['told']>['bytecode'] => {
		const all = bytecode(method).flatMap((one) => {
			// Of overloaded methods those that have all these bytecodes.
			const bcis = new Set(one.code.map(({ bci }) => bci));
			const loops = loopsOfMethods.get(one) ?? bytecodeLoops(one);
			loopsOfMethods.set(one, loops);
			return bytecodes.length > 0 && bytecodes.every((bci) => bcis.has(bci)) ? loops : [];
		});
		const osrBci = code.name === method ? code.osrBci : null;
		const loop = loopOfBytecodes(all, bytecodes, osrBci);
		const entersHere = loop !== null && osrBci === loop.header;
		return loop === null ? null : { ...loop, entersHere, shape: shapeText(loop, code.compiler === 'c1' ? null : { poll, entersHere }) };
	};
	const { blame: predicted, transfers, explain } = input.sampled.length === 0 ? NOTHING : predict(input, walks, by);
	const intervals = rounds > 0 && input.sampled.length > 0 ? bootstrap(walks, rounds, by) : null;
	const nearest = nearestDebugInfo(input.sampled);
	for (const { frames, count } of coldPlaces(input)) {
		addBlame(nearest.blame, frames, count);
	}
	const isKnown = input.sampled.length > 0 && nearest.described === 'every instruction';
	const loopsByMethod = new Map<PrintedMethod, CodeLoops>();
	const loopsOf = (method: PrintedMethod): CodeLoops => {
		const loops = loopsByMethod.get(method) ?? loopsOfCode(method);
		loopsByMethod.set(method, loops);
		return loops;
	};
	const total = methodsTotal(predicted.byMethod);
	const nearestTotal = methodsTotal(nearest.blame.byMethod);
	const followed = sumOf(predicted.byMethod);
	/** Of profiles that tell lines where lines are asked for. */
	const observedBy = (key: BlameKey): [string, Shares][] =>
		[...observed].flatMap(([name, { blame, hasLines }]): [string, Shares][] => (key === 'method' || hasLines ? [[name, sharesBy(blame, key)]] : []));
	const profilesBy = (key: BlameKey): Map<string, Shares> =>
		new Map([
			['unbiased', sharesBy(unbiased, key)],
			['predicted', sharesBy(predicted, key)],
			...(isKnown ? [[NEAREST, sharesBy(nearest.blame, key)] as const] : []),
			...observedBy(key),
		]);
	const rowsBy = (key: BlameKey): ((name: string) => BiasRow) => {
		const samples = sharesBy(unbiased, key);
		const blamed = sharesBy(predicted, key);
		const described = sharesBy(nearest.blame, key);
		const others = observedBy(key).map(([profile, shares]) => [profile, shares, sumOf(shares)] as const);
		return (name) => ({
			unbiasedPercent: percent(samples.get(name), counted),
			unbiasedSamples: samples.get(name) ?? 0,
			unbiasedInterval: interval(samples.get(name) ?? 0, counted),
			predictedPercent: isMethod(name) ? percent(blamed.get(name), total) : 0,
			predictedInterval: key === by && isMethod(name) ? (intervals?.get(name) ?? null) : null,
			nearestPercent: isKnown ? (isMethod(name) ? percent(described.get(name), nearestTotal) : 0) : null,
			observed: new Map(others.map(([profile, shares, sum]) => [profile, percent(shares.get(name), sum)])),
		});
	};
	const namesOf = (profiles: ReadonlyMap<string, Shares>): Set<string> =>
		new Set([...profiles].flatMap(([profile, shares]) => [...shares.keys()].filter((name) => profile !== 'predicted' || isMethod(name))));
	const byMethod = rowsBy('method');
	const methods = [...namesOf(profilesBy('method'))].map((method): BiasMethod => ({ method, ...byMethod(method) }));
	methods.sort((a, b) => rank(b) - rank(a) || (a.method < b.method ? -1 : 1));
	const byLine = rowsBy('line');
	const lines = [...namesOf(profilesBy('line'))].filter((name) => by === 'line' || isMethod(name)).map((line): BiasLine => ({ line, ...byLine(line) }));
	lines.sort(
		(a, b) =>
			(by === 'line' ? rank(b) - rank(a) : b.unbiasedPercent + b.predictedPercent - a.unbiasedPercent - a.predictedPercent) || (a.line < b.line ? -1 : 1),
	);
	const moves = [...transfers]
		.flatMap(([from, row]) => [...row].map(([to, amount]) => ({ from, to, percent: percent(amount, followed) })))
		.sort((a, b) => b.percent - a.percent);
	return {
		counted,
		by,
		methods,
		lines,
		nearestLostPercent: isKnown ? percent(nearest.behindLast, nearestTotal) : null,
		described: input.sampled.length === 0 ? null : nearest.described,
		distances: distancesOf(
			new Map([...profilesBy(by)].filter(([name, shares]) => !observed.has(name) || methodsTotal(shares) > 0)),
			new Set([...observed].flatMap(([name, { isCounted }]) => (isCounted ? [] : [name]))),
		),
		transfers: moves,
		explain: (asked) => {
			// Of a method all lines, too.
			const isAsked = (name: string): boolean => name === asked || (by === 'line' && name.startsWith(`${asked}:`));
			return moves
				.filter(({ from, to, percent: share }) => from !== to && (asked === null ? share >= EXPLAINED_PERCENT : isAsked(from) || isAsked(to)))
				.slice(0, MOST_EXPLAINED)
				.flatMap(({ from, to, percent: share }) => {
					const explanation = explain(from, to);
					return explanation === null ? [] : [{ ...explanation, percent: share }];
				});
		},
		loops: input.sampled
			.flatMap(({ method, counts }) => {
				const { samples, told } = loopsOf(method);
				return samples(counts).map(
					(own, n): BiasLoop => ({
						samples: own,
						told: () => {
							const loop = told()[n]!;
							return { ...loop, bytecode: loop.kind === 'inside a bytecode' ? null : bytecodeOf(loop) };
						},
					}),
				);
			})
			.sort((a, b) => b.samples - a.samples),
		differences: versionDifferences(versionsToCompare(input, (method) => loopsOf(method).told()).flatMap((method) => loopsOf(method).told())),
		unknownPercent: unknownPercent(predicted.byMethod, counted),
	};
}

/**
 * Of methods with samples all compilations with loops that were compiled for on-stack replacement, too, and may poll otherwise there: those compilations, and
 * what has some of the same methods' code. C1 polls in all loops of all versions.
 */
function versionsToCompare({ sampled, methods }: PredictionInput, loopsOf: (method: PrintedMethod) => readonly LoopPoll[]): PrintedMethod[] {
	const names = new Set(sampled.map(({ method }) => method.code.name));
	const compiled = methods.filter(({ code }) => code.compiler !== 'c1' && names.has(code.name));
	const withLoops = new Set(compiled.filter(({ code }) => code.osrBci !== null).flatMap((method) => loopsOf(method).map((loop) => loop.method)));
	const isOfThese = ({ code, instructions }: PrintedMethod): boolean =>
		withLoops.has(code.name) || [...instructions.methods()].some((inlined) => withLoops.has(inlined));
	return withLoops.size === 0 ? [] : compiled.filter(isOfThese);
}

/** `uncounted`: those that tell shares only. */
function distancesOf(profiles: ReadonlyMap<string, Shares>, uncounted: ReadonlySet<string>): BiasDistance[] {
	const list = [...profiles].map(([name, shares]) => [name, methodsOf(shares)] as const);
	return list.flatMap(([a, sharesA], i) =>
		list.slice(i + 1).map(([b, sharesB]) => ({
			a,
			b,
			totalVariation: totalVariation(sharesA, sharesB),
			expectedFromSampling: uncounted.has(a) || uncounted.has(b) ? null : expectedFromSampling(sharesA, sharesB),
		})),
	);
}

function rank({ unbiasedPercent, predictedPercent, nearestPercent, observed }: BiasRow): number {
	return Math.max(unbiasedPercent, predictedPercent, nearestPercent ?? 0, ...observed.values());
}

function percent(amount: number | undefined, of: number): number {
	return of === 0 ? 0 : (100 * (amount ?? 0)) / of;
}

function sumOf(shares: Shares): number {
	return [...shares.values()].reduce((sum, amount) => sum + amount, 0);
}

/** Without samples anything can be. */
function interval(count: number, of: number): { low: number; high: number } {
	const { low, high } = wilsonInterval(count, of);
	return of === 0 ? { low: 0, high: 100 } : { low, high };
}
