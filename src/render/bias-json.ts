/** The result of `assay bias` as JSON: see docs/json.md. */

import type { BiasReport } from '../bias/bias-report.js';
import type { Explanation } from '../bias/explain.js';
import { hexadecimal } from '../model/hexadecimal.js';
import { type NamedProfile, profileJson } from './bias-profiles.js';
import type { JsonSink } from './json-stream.js';

export interface BiasSource {
	readonly samplesFile: string;
	readonly logFile: string | null;
}

export function writeBiasJson(
	json: JsonSink,
	report: BiasReport,
	explanations: readonly (Explanation & { readonly percent: number })[],
	source: BiasSource,
	profiles: readonly NamedProfile[],
): void {
	json.field('recording', source);
	json.field('profiles', profiles.map(profileJson));
	json.field('samples', report.counted);
	json.field('debugInfo', report.described);
	json.field('nearestLostPercent', report.nearestLostPercent === null ? null : round(report.nearestLostPercent));
	json.field('unknownPercent', round(report.unknownPercent));
	json.field(
		'methods',
		report.methods.map(({ method, unbiasedPercent, unbiasedSamples, unbiasedInterval, predictedPercent, predictedInterval, nearestPercent, observed }) => ({
			method,
			unbiasedPercent: round(unbiasedPercent),
			unbiasedSamples,
			unbiasedInterval: rounded(unbiasedInterval),
			predictedPercent: round(predictedPercent),
			predictedInterval: predictedInterval === null ? null : rounded(predictedInterval),
			nearestDebugInfoPercent: nearestPercent === null ? null : round(nearestPercent),
			observed: Object.fromEntries([...observed].map(([name, percent]) => [name, round(percent)])),
		})),
	);
	json.field(
		'lines',
		report.lines.map(({ line, unbiasedPercent, predictedPercent, nearestPercent, observed }) => ({
			line,
			unbiasedPercent: round(unbiasedPercent),
			predictedPercent: round(predictedPercent),
			nearestDebugInfoPercent: nearestPercent === null ? null : round(nearestPercent),
			observed: Object.fromEntries([...observed].map(([name, percent]) => [name, round(percent)])),
		})),
	);
	json.field(
		'distances',
		report.distances.map(({ a, b, totalVariation, expectedFromSampling }) => ({
			a,
			b,
			totalVariation: round(totalVariation),
			expectedFromSampling: expectedFromSampling === null ? null : round(expectedFromSampling),
		})),
	);
	json.field(
		'transfers',
		report.transfers.filter(({ percent }) => percent >= 0.01).map(({ from, to, percent }) => ({ from, to, percent: round(percent) })),
	);
	json.field('explanations', explanations.map(explanationJson));
	json.field(
		'loops',
		report.loops.map(({ code, method, header, end, line, bytecodes, index, poll, kind, reason, reported, samples, bytecode }) => ({
			method,
			compileId: code.compileId,
			isOsr: code.osrBci !== null,
			header: hexadecimal(header),
			end: hexadecimal(end),
			line,
			bytecodes,
			samplesPercent: round(report.counted === 0 ? 0 : (100 * samples) / report.counted),
			index,
			poll,
			kind,
			reason,
			bytecode: bytecode === null ? null : bytecodeJson(bytecode),
			reported: reported.map(({ address, place, frames: [frame] }) => ({
				address: hexadecimal(address),
				place,
				method: frame?.method ?? null,
				line: frame?.line ?? null,
			})),
		})),
	);
	json.field(
		'versionDifferences',
		report.differences.map(({ method, line, versions }) => ({
			method,
			line,
			versions: versions.map(({ compileId, compiled, isOsr, poll, kind, header }) => ({ compileId, compiled, isOsr, header: hexadecimal(header), poll, kind })),
		})),
	);
}

function bytecodeJson(loop: NonNullable<BiasReport['loops'][number]['bytecode']>): object {
	const { header, backEdge, test, index, isInner, otherEntries, entersHere, shape } = loop;
	return { header, backEdge, test, index, isInner, otherEntries, entersHere, shape };
}

function explanationJson({
	from,
	to,
	percent,
	share,
	code,
	sampledAddress,
	sampledCount,
	probability,
	steps,
	pollAddress,
	frames,
	rule,
}: Explanation & { readonly percent: number }): object {
	return {
		from,
		to,
		percent: round(percent),
		share: round(share),
		compileId: code.compileId,
		sampled: { address: hexadecimal(sampledAddress), samples: sampledCount },
		probability: round(probability),
		steps: steps.map((step) =>
			step.kind === 'skipped'
				? { skipped: step.instructions }
				: {
						address: hexadecimal(step.address),
						compileId: step.code.compileId,
						instruction: step.text,
						method: step.frames[0]?.method ?? null,
						line: step.frames[0]?.line ?? null,
						note: step.note,
					},
		),
		poll: { address: hexadecimal(pollAddress), rule, frames: frames.map(({ method, bci, line }) => ({ method, bci, line })) },
	};
}

function rounded({ low, high }: { low: number; high: number }): { low: number; high: number } {
	return { low: round(low), high: round(high) };
}

function round(value: number): number {
	return Math.round(value * 10_000) / 10_000;
}
