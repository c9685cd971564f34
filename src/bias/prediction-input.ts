/** What a prediction starts from: counted samples of printed compilations, and of native code. */
import type { GeneratedCode } from '../model/generated-code.js';
import type { Frame } from '../model/instructions.js';
import type { PrintedMethod } from './printed-method.js';
import type { Call, SeenCallers } from './seen-callers.js';

/** Samples of the chosen threads and time, counted. */
export interface SampledCode {
	readonly method: PrintedMethod;
	/** By instruction. */
	readonly counts: Float64Array;
	/** Seconds of the JVM's clock of the first and last sample; infinite where there is no clock. */
	readonly from: number;
	readonly to: number;
}

/** Code of which only the places of samples are kept: there is much of it. */
export interface ColdCode extends Omit<SampledCode, 'counts'> {
	readonly places: readonly SampledPlace[];
	/** In all of them. */
	readonly samples: number;
}

export interface SampledNative {
	readonly symbol: string;
	readonly library: string;
	/** Of the JVM's own library: what it was doing there (`allocation`, `monitors` …); null elsewhere. */
	readonly activity: string | null;
	/** The native method whose code it is, or whose call led there: the thread is seen in it at once. Left out where that was not seen. */
	readonly method?: string;
	/** The call that it came by, as far as its stack was seen. */
	readonly call?: Call | null;
	readonly count: number;
}

export interface PredictionInput {
	readonly sampled: readonly SampledCode[];
	/** Compilations with so few samples that nothing is followed from them: their samples are taken to stay where they are. */
	readonly cold: readonly ColdCode[];
	/** All compilations that calls may go to and come from, those with samples too. */
	readonly methods: readonly PrintedMethod[];
	/** Through which compiled code calls native methods. */
	readonly wrappers?: readonly GeneratedCode[];
	readonly native: readonly SampledNative[];
	/** Samples of the kernel that took over in compilations of `sampled`: they are followed from there, and tell nothing of how often code is executed. */
	readonly inKernel?: readonly SampledCode[];
	/** Who called the compilations with samples, as far as their stacks were seen; left out where they were not. */
	readonly callers?: SeenCallers;
}

/** Samples of one instruction. */
export interface SampledPlace {
	/** The innermost first; the method of the compilation where nothing describes it. */
	readonly frames: readonly Frame[];
	readonly count: number;
}

export function placesOf({ method: { code, instructions }, counts }: Pick<SampledCode, 'method' | 'counts'>): SampledPlace[] {
	const own = [{ method: code.name, bci: -1, line: null }];
	const result: SampledPlace[] = [];
	for (let i = 0; i < counts.length; i++) {
		if (counts[i]! > 0) {
			const frames = instructions.frames(i);
			result.push({ frames: frames.length > 0 ? frames : own, count: counts[i]! });
		}
	}
	return result;
}

/** Where samples of cold code are, and stay. */
export function* coldPlaces({ cold }: PredictionInput): Iterable<SampledPlace> {
	for (const { places } of cold) {
		yield* places;
	}
}
