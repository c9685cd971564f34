/** Profilers against a known truth: what `assay lab bias` computes. */
import { expectedFromSampling, totalVariation } from '../statistics/distances.js';
import { isMethod, methodsOf, methodsTotal, type Shares } from './method-shares.js';

export interface LabTruth {
	readonly shares: Shares;
	/** `steps`: by construction; `timed`: by the program's own clock; `perf`: samples with the printed code. */
	readonly from: 'steps' | 'timed' | 'perf';
}

export interface LabProfiler {
	readonly name: string;
	/** A prediction is no sampler. */
	readonly isPredicted: boolean;
	/** By construction: no such one should be far from the truth. */
	readonly isUnbiased: boolean;
	readonly shares: Shares;
	/** Of samples by processor time: those that the JVM calls biased. */
	readonly biased?: Shares;
	/** Of a prediction: the profiler whose profile it predicts. */
	readonly predicts?: string;
}

interface LabAccuracy {
	readonly profiler: string;
	readonly isUnbiased: boolean;
	/** Samples of methods; kernel, native code and the like left out. null of predictions. */
	readonly samples: number | null;
	/** Null where there are no samples of methods. */
	readonly totalVariation: number | null;
	readonly expectedFromSampling: number;
	/** Farther from the truth than luck and 0.05 explain. */
	readonly isOff: boolean;
	/** Largest share first. */
	readonly methods: readonly { readonly method: string; readonly percent: number }[];
}

export interface LabScenario {
	readonly scenario: string;
	/** Null where nothing tells it. */
	readonly truth: { readonly from: LabTruth['from']; readonly methods: readonly { readonly method: string; readonly percent: number }[] } | null;
	readonly profilers: readonly LabAccuracy[];
	readonly predictions: readonly LabPrediction[];
	/** Flight Recorder's two samplers of the same run. */
	readonly samplers: readonly LabSamplers[];
}

/** jdk.ExecutionSample beside jdk.CPUTimeSample. */
interface LabSamplers {
	readonly execution: string;
	readonly cpu: string;
	/** Between the two. */
	readonly totalVariation: number;
	readonly expectedFromSampling: number;
	/** Of the samples by processor time those that the JVM calls biased. */
	readonly biasedPercent: number;
	/** The method that most of these are put on; null where there are none. */
	readonly biasedMethod: string | null;
	/** From the truth: all samples by processor time, and those that are not called biased; null without truth or samples. */
	readonly fromTruth: number | null;
	readonly unbiasedFromTruth: number | null;
}

/** A predicted profile against the observed one. */
interface LabPrediction {
	readonly prediction: string;
	readonly observed: string;
	readonly totalVariation: number;
	readonly expectedFromSampling: number;
}

/** Truth by construction has no error of sampling: it counts as so many samples. */
const EXACT = 1e12;

export function labScenario(scenario: string, truth: LabTruth | null, profilers: readonly LabProfiler[]): LabScenario {
	const known = truth === null || methodsTotal(truth.shares) === 0 ? null : truth.from === 'perf' ? truth.shares : scaled(truth.shares);
	return {
		scenario,
		truth: truth === null ? null : { from: truth.from, methods: percents(truth.shares) },
		profilers: profilers.map(({ name, isPredicted, isUnbiased, shares }) => {
			const samples = methodsTotal(shares);
			const distance = known === null || samples === 0 ? null : totalVariation(methodsOf(known), methodsOf(shares));
			const luck = known === null ? 0 : expectedFromSampling(methodsOf(known), methodsOf(shares));
			return {
				profiler: name,
				isUnbiased,
				samples: isPredicted ? null : samples,
				totalVariation: distance,
				expectedFromSampling: luck,
				isOff: distance !== null && distance > luck + OFF_MARGIN,
				methods: percents(shares),
			};
		}),
		samplers: [...samplersOf(profilers, known)],
		predictions: profilers.flatMap((prediction) => {
			const observed = profilers.find(({ name }) => name === prediction.predicts);
			return observed === undefined || methodsTotal(observed.shares) === 0 || methodsTotal(prediction.shares) === 0
				? []
				: [
						{
							prediction: prediction.name,
							observed: observed.name,
							totalVariation: totalVariation(methodsOf(prediction.shares), methodsOf(observed.shares)),
							expectedFromSampling: expectedFromSampling(methodsOf(prediction.shares), methodsOf(observed.shares)),
						},
					];
		}),
	};
}

function* samplersOf(profilers: readonly LabProfiler[], truth: Shares | null): Generator<LabSamplers> {
	for (const cpu of profilers) {
		const execution = profilers.find(({ name }) => name === EXECUTION_OF[cpu.name]);
		if (cpu.biased === undefined || execution === undefined || methodsTotal(cpu.shares) === 0 || methodsTotal(execution.shares) === 0) {
			continue;
		}
		const biased = methodsOf(cpu.biased);
		const ofExecution = methodsOf(execution.shares);
		const ofCpu = methodsOf(cpu.shares);
		const others = new Map([...ofCpu].map(([name, amount]) => [name, amount - (biased.get(name) ?? 0)]));
		const distanceOf = (shares: Shares): number | null => (truth === null || methodsTotal(shares) === 0 ? null : totalVariation(methodsOf(truth), shares));
		yield {
			execution: execution.name,
			cpu: cpu.name,
			totalVariation: totalVariation(ofExecution, ofCpu),
			expectedFromSampling: expectedFromSampling(ofExecution, ofCpu),
			biasedPercent: (100 * methodsTotal(biased)) / methodsTotal(ofCpu),
			biasedMethod: percents(biased)[0]?.method ?? null,
			fromTruth: distanceOf(ofCpu),
			unbiasedFromTruth: distanceOf(others),
		};
	}
}

/** Columns of the same run. */
const EXECUTION_OF: Readonly<Record<string, string>> = { cpu: 'JFR', 'cpu-': 'JFR-' };

const OFF_MARGIN = 0.05;
/** A profiler that is not biased by construction should be nearer than this beyond luck. */
const BROKEN_MARGIN = 0.15;

/** Whether a profiler that is not biased by construction is far from a truth that is not one itself. */
export function hasBroken({ truth, profilers }: LabScenario): boolean {
	return (
		truth?.from !== 'perf' &&
		profilers.some(({ isUnbiased, totalVariation: distance, expectedFromSampling: luck }) => isUnbiased && distance !== null && distance > luck + BROKEN_MARGIN)
	);
}

function scaled(shares: Shares): Shares {
	const total = methodsTotal(shares);
	return new Map([...shares].map(([name, amount]) => [name, (EXACT * amount) / total]));
}

function percents(shares: Shares): { method: string; percent: number }[] {
	const total = methodsTotal(shares);
	return [...shares]
		.filter(([method, amount]) => isMethod(method) && amount > 0)
		.map(([method, amount]) => ({ method, percent: (100 * amount) / total }))
		.sort((a, b) => b.percent - a.percent || (a.method < b.method ? -1 : 1));
}
