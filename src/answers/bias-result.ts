/** The result of `assay bias`: docs/schema/bias.json. */
import type { BiasReport } from '../bias/bias-report.js';
import type { BiasTree } from '../bias/bias-tree.js';
import type { Explanation } from '../bias/explain.js';
import { hexadecimal } from '../model/hexadecimal.js';
import type { OpenedBias } from './bias.js';
import type { NamedProfile } from './observed-profiles.js';
import type { BiasResult } from './results.js';
import { percentOf, round, roundInterval } from './rounding.js';
import { type Frozen, mapped, type Streamed } from './streamed.js';

export type ShownExplanation = Explanation & { readonly percent: number };

/** Shares are in percent, rounded to a sample in a million. */
export function biasResult(
	report: BiasReport,
	tree: BiasTree | null,
	explanations: readonly ShownExplanation[],
	source: BiasResult['recording'],
	profiles: readonly NamedProfile[],
	{ otherThreads, window }: Pick<OpenedBias, 'otherThreads' | 'window'>,
): Streamed<BiasResult> {
	return {
		recording: source,
		profiles: profiles.map(profileRow),
		samples: report.counted,
		otherThreads,
		window,
		debugInfo: report.described,
		nearestLostPercent: report.nearestLostPercent === null ? null : round(report.nearestLostPercent),
		unknownPercent: round(report.unknownPercent),
		methods: mapped(
			report.methods,
			({ method, unbiasedPercent, unbiasedSamples, unbiasedInterval, predictedPercent, predictedInterval, nearestPercent, observed }) => ({
				method,
				unbiasedPercent: round(unbiasedPercent),
				unbiasedSamples,
				unbiasedInterval: roundInterval(unbiasedInterval),
				predictedPercent: round(predictedPercent),
				predictedInterval: predictedInterval === null ? null : roundInterval(predictedInterval),
				nearestDebugInfoPercent: nearestPercent === null ? null : round(nearestPercent),
				observed: Object.fromEntries([...observed].map(([name, percent]) => [name, round(percent)])),
			}),
		),
		...(tree !== null ? { by: 'tree' as const, tree: treeOf(tree) } : report.by === 'line' ? { by: report.by } : {}),
		lines: mapped(
			report.lines,
			({ line, unbiasedPercent, unbiasedSamples, unbiasedInterval, predictedPercent, predictedInterval, nearestPercent, observed }) => ({
				line,
				unbiasedPercent: round(unbiasedPercent),
				...(report.by === 'line' ? { unbiasedSamples, unbiasedInterval: roundInterval(unbiasedInterval) } : {}),
				predictedPercent: round(predictedPercent),
				...(report.by === 'line' ? { predictedInterval: predictedInterval === null ? null : roundInterval(predictedInterval) } : {}),
				nearestDebugInfoPercent: nearestPercent === null ? null : round(nearestPercent),
				observed: Object.fromEntries([...observed].map(([name, percent]) => [name, round(percent)])),
			}),
		),
		distances: mapped(tree?.distances ?? report.distances, ({ a, b, totalVariation, expectedFromSampling }) => ({
			a,
			b,
			totalVariation: round(totalVariation),
			expectedFromSampling: expectedFromSampling === null ? null : round(expectedFromSampling),
		})),
		transfers: report.transfers.filter(({ percent }) => percent >= 0.01).map(({ from, to, percent }) => ({ from, to, percent: round(percent) })),
		explanations: mapped(explanations, explanationRow),
		loops: mapped(report.loops, ({ samples, told }) => loopRow(told(), percentOf(samples, report.counted))),
		versionDifferences: report.differences.map(({ method, line, versions }) => ({
			method,
			line,
			versions: versions.map(({ compileId, compiled, isOsr, poll, kind, header }) => ({ compileId, compiled, isOsr, header: hexadecimal(header), poll, kind })),
		})),
	};
}

function profileRow({ name, file, format, event, lostSamples, hasTimes, clock, profile }: NamedProfile) {
	const { counted, isCounted, leftOut, truncated, unwalkable, biased, hasLines } = profile;
	return { name, file, format, event, samples: isCounted ? counted : null, leftOut, unwalkable, truncated, biased, lostSamples, hasLines, hasTimes, clock };
}

function treeOf({ frames, tree }: BiasTree) {
	return {
		frames,
		nodes: mapped(tree.nodes, ({ depth, method, percent, selfPercent }) => {
			const observed = (shares: readonly number[]) => Object.fromEntries(tree.profiles.slice(2).map((name, i) => [name, round(shares[i + 2]!)]));
			return {
				depth,
				method,
				unbiasedPercent: round(percent[0]!),
				unbiasedSelfPercent: round(selfPercent[0]!),
				predictedPercent: round(percent[1]!),
				predictedSelfPercent: round(selfPercent[1]!),
				observed: observed(percent),
				observedSelf: observed(selfPercent),
			};
		}),
	};
}

type ToldLoop = ReturnType<BiasReport['loops'][number]['told']>;

function loopRow({ code, method, header, end, line, bytecodes, index, poll, kind, reason, reported, bytecode }: ToldLoop, samplesPercent: number) {
	return {
		method,
		compileId: code.compileId,
		isOsr: code.osrBci !== null,
		header: hexadecimal(header),
		end: hexadecimal(end),
		line,
		bytecodes,
		samplesPercent,
		index,
		poll,
		kind,
		reason,
		bytecode: bytecode === null ? null : bytecodeRow(bytecode),
		reported: reported.map(({ address, place, frames: [frame] }) => ({
			address: hexadecimal(address),
			place,
			method: frame?.method ?? null,
			line: frame?.line ?? null,
		})),
	};
}

function bytecodeRow(loop: NonNullable<ToldLoop['bytecode']>) {
	const { header, backEdge, test, index, isInner, otherEntries, entersHere, shape } = loop;
	return { header, backEdge, test, index, isInner, otherEntries, entersHere, shape };
}

function explanationRow({
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
}: ShownExplanation): Frozen<BiasResult['explanations'][number]> {
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
