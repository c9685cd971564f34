/** What a prediction starts from: counted samples of printed compilations, and of native code. */
import type { Frame } from '../model/instructions.js';
import { SparseColumn } from '../model/sparse-column.js';
import type { PrintedMethod } from './printed-method.js';

/** Samples of the chosen threads and time, counted. */
export interface SampledCode {
	readonly method: PrintedMethod;
	/** By instruction. */
	readonly counts: Float64Array;
	/** Seconds of the JVM's clock of the first and last sample; infinite where there is no clock. */
	readonly from: number;
	readonly to: number;
}

/** The same where samples are only looked at: there is much of such code. */
export interface ColdCode extends Omit<SampledCode, 'counts'> {
	readonly countsAt: SparseColumn;
}

export function coldCode({ counts, ...row }: SampledCode): ColdCode {
	return { ...row, countsAt: SparseColumn.of(counts) };
}

export interface SampledNative {
	readonly symbol: string;
	readonly library: string;
	/** Of the JVM's own library: what it was doing there (`allocation`, `monitors` …); null elsewhere. */
	readonly activity: string | null;
	readonly count: number;
}

export interface PredictionInput {
	readonly sampled: readonly SampledCode[];
	/** Compilations with so few samples that nothing is followed from them: their samples are taken to stay where they are. */
	readonly cold: readonly ColdCode[];
	/** All compilations that calls may go to and come from, those with samples too. */
	readonly methods: readonly PrintedMethod[];
	readonly native: readonly SampledNative[];
}

/** Samples of one instruction. */
export interface SampledPlace {
	/** The innermost first; the method of the compilation where nothing describes it. */
	readonly frames: readonly Frame[];
	readonly count: number;
}

export function placesOf({ method: { code, instructions }, countsAt }: Pick<ColdCode, 'method' | 'countsAt'>): SampledPlace[] {
	const own = [{ method: code.name, bci: -1, line: null }];
	return Array.from(countsAt.rows, (i, k) => {
		const frames = instructions.frames(i);
		return { frames: frames.length > 0 ? frames : own, count: countsAt.values[k]! };
	});
}

const COLD_PLACES = new WeakMap<PredictionInput, readonly SampledPlace[]>();

/** Where samples of cold code are, and stay; found once. */
export function coldPlaces(input: PredictionInput): readonly SampledPlace[] {
	let places = COLD_PLACES.get(input);
	if (places === undefined) {
		places = input.cold.flatMap(placesOf);
		COLD_PLACES.set(input, places);
	}
	return places;
}
