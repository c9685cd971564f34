/** The result of `assay bias` as JSON: see docs/json.md. */
import type { BiasReport } from '../bias/bias-report.js';
import { hexadecimal } from './hot-json.js';
import type { JsonStream } from './json-stream.js';

export interface BiasSource {
	readonly samplesFile: string;
	readonly logFile: string | null;
}

export function writeBiasJson(json: JsonStream, report: BiasReport, source: BiasSource): void {
	json.field('recording', source);
	json.field('samples', report.counted);
	json.field('unknownPercent', round(report.unknownPercent));
	json.field(
		'methods',
		report.methods.map(({ method, unbiasedPercent, unbiasedSamples, unbiasedInterval, predictedPercent, predictedInterval, observed }) => ({
			method,
			unbiasedPercent: round(unbiasedPercent),
			unbiasedSamples,
			unbiasedInterval: rounded(unbiasedInterval),
			predictedPercent: round(predictedPercent),
			predictedInterval: predictedInterval === null ? null : rounded(predictedInterval),
			observed: Object.fromEntries([...observed].map(([name, percent]) => [name, round(percent)])),
		})),
	);
	json.field(
		'lines',
		report.lines.map(({ line, unbiasedPercent, predictedPercent }) => ({
			line,
			unbiasedPercent: round(unbiasedPercent),
			predictedPercent: round(predictedPercent),
		})),
	);
	json.field(
		'distances',
		report.distances.map(({ a, b, totalVariation, expectedFromSampling }) => ({
			a,
			b,
			totalVariation: round(totalVariation),
			expectedFromSampling: round(expectedFromSampling),
		})),
	);
	json.field(
		'transfers',
		report.transfers.filter(({ percent }) => percent >= 0.01).map(({ from, to, percent }) => ({ from, to, percent: round(percent) })),
	);
	json.field(
		'loops',
		report.loops.map(({ code, method, header, line, poll, reason }) => ({
			method,
			compileId: code.compileId,
			header: hexadecimal(header),
			line,
			poll,
			reason,
		})),
	);
}

function rounded({ low, high }: { low: number; high: number }): { low: number; high: number } {
	return { low: round(low), high: round(high) };
}

function round(value: number): number {
	return Math.round(value * 10_000) / 10_000;
}
