/** The result of `assay lab bias`: docs/schema/lab-bias.json. */
import type { LabScenario } from '../bias/lab-accuracy.js';
import type { LabBiasResult } from './results.js';
import { round } from './rounding.js';
import type { Streamed } from './streamed.js';

/** What was run, and how far every profiler was from the truth. */
export interface LabBias {
	readonly javaPath: string;
	/** null: the JDK's release file does not say. */
	readonly version: string | null;
	readonly javaOptions: readonly string[];
	readonly seconds: number;
	readonly scenarios: readonly (LabScenario & { readonly title: string })[];
	/** Columns, in their order. */
	readonly profilers: readonly { readonly name: string; readonly what: string }[];
	readonly missing: readonly { readonly sampler: string; readonly why: string; readonly remedy: string }[];
}

/** Shares are in percent, distances from 0 to 1. */
export function labBiasResult({ javaPath, version, javaOptions, seconds, scenarios, profilers, missing }: LabBias): Streamed<LabBiasResult> {
	return {
		java: { path: javaPath, version, options: javaOptions },
		seconds: seconds,
		profilers: profilers,
		missing: missing,
		scenarios: scenarios.map(({ scenario, title, truth, profilers: rows, predictions, samplers }) => ({
			scenario,
			title,
			truth: truth === null ? null : { from: truth.from, methods: truth.methods.map(roundShareOf) },
			profilers: rows.map(({ profiler, isUnbiased, samples, totalVariation, expectedFromSampling, methods }) => ({
				profiler,
				isUnbiased,
				samples,
				totalVariation: totalVariation === null ? null : round(totalVariation),
				expectedFromSampling: round(expectedFromSampling),
				methods: methods.map(roundShareOf),
			})),
			predictions: predictions.map((row) => ({
				...row,
				totalVariation: round(row.totalVariation),
				expectedFromSampling: round(row.expectedFromSampling),
			})),
			samplers: samplers.map((row) => ({
				...row,
				totalVariation: round(row.totalVariation),
				expectedFromSampling: round(row.expectedFromSampling),
				biasedPercent: round(row.biasedPercent),
				fromTruth: row.fromTruth === null ? null : round(row.fromTruth),
				unbiasedFromTruth: row.unbiasedFromTruth === null ? null : round(row.unbiasedFromTruth),
			})),
		})),
	};
}

function roundShareOf({ method, percent }: { readonly method: string; readonly percent: number }): { method: string; percent: number } {
	return { method, percent: round(percent) };
}
