/** What the compilations of compared methods came to besides decisions: heat with its interval, code, memory; in the first run of each side, where it is a recording of a JVM. */
import { InputError } from '../model/problem.js';
import type { ComparedMethod } from '../profdiff/compare-runs.js';
import type { Evidence } from '../recording/evidence.js';
import { wilsonInterval } from '../statistics/shares.js';
import type { OpenedExperiment } from './opened-experiment.js';
import { DEFAULT_REPORT_REQUEST, openReport, type RecordingReport } from './report.js';

/** Of all compilations of a method at the top tier in one run; null is what its files do not tell. */
export interface SideFacets {
	readonly samples: number | null;
	/** Of the JVM's samples. */
	readonly percent: number | null;
	/** Half the 95 % interval, in percentage points. */
	readonly halfInterval: number | null;
	readonly codeBytes: number;
	/** Sum of what their compilations held at their peaks. */
	readonly memoryBytes: number | null;
}

export interface MethodFacets {
	readonly a: SideFacets | null;
	readonly b: SideFacets | null;
}

/** By the method's name. Empty where neither side tells more than its decisions. */
export async function methodFacets(
	first: Pick<OpenedExperiment, 'evidence' | 'hasJvmLog'>,
	second: Pick<OpenedExperiment, 'evidence' | 'hasJvmLog'>,
	methods: readonly ComparedMethod[],
): Promise<ReadonlyMap<string, MethodFacets>> {
	const a = first.hasJvmLog ? await facetsOf(first.evidence) : null;
	const b = second.hasJvmLog ? await facetsOf(second.evidence) : null;
	const result = new Map<string, MethodFacets>();
	if (a === null && b === null) {
		return result;
	}
	for (const { name, compileIdsA, compileIdsB } of methods) {
		result.set(name, { a: a?.(compileIdsA) ?? null, b: b?.(compileIdsB) ?? null });
	}
	return result;
}

/** null: no log of a JVM's compilations is there. */
async function facetsOf(evidence: Evidence): Promise<((compileIds: readonly string[]) => SideFacets) | null> {
	let report: RecordingReport;
	try {
		report = await openReport(evidence, {
			...DEFAULT_REPORT_REQUEST,
			withPrediction: false,
			withOrders: false,
		});
	} catch (error) {
		// What is wrong with the files was told when the decisions were read.
		if (error instanceof InputError) {
			return null;
		}
		throw error;
	}
	if (!report.evidence.logCompilation.present && !report.evidence.flightRecorder.present) {
		return null;
	}
	const rows = new Map(report.compilations.map((row) => [row.compileId.replace('%', ''), row]));
	const counted = report.hot?.attribution.counted ?? 0;
	const hasMemory = report.evidence.compilerMemory.present;
	return (compileIds) => {
		const own = compileIds.flatMap((id) => rows.get(id.replace('%', '')) ?? []);
		const samples = own.reduce((sum, row) => sum + row.samples, 0);
		const share = wilsonInterval(samples, counted);
		return {
			samples: report.hot === null ? null : samples,
			percent: report.hot === null ? null : share.percent,
			halfInterval: report.hot === null ? null : (share.high - share.low) / 2,
			codeBytes: own.reduce((sum, row) => sum + row.codeBytes, 0),
			memoryBytes: hasMemory ? own.reduce((sum, row) => sum + (row.memoryBytes ?? 0), 0) : null,
		};
	};
}
