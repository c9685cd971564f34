/** What the compilations of compared methods came to besides decisions: heat with its interval, code, memory; in the first run of each side, where it is a recording of a JVM. */
import type { ThreadTime } from '../hot/thread-time.js';
import { withoutHiddenAddress } from '../model/hidden-class.js';
import type { JoinedCompilation } from '../model/joined-recording.js';
import type { ComparedMethod } from '../profdiff/compare-runs.js';
import type { Evidence } from '../recording/evidence.js';
import { wilsonInterval } from '../statistics/shares.js';
import { reportForDiff } from './diff-causes.js';
import type { RecordingReport } from './joined-report.js';
import { comparedName, type NamesApart } from './names-apart.js';
import type { OpenedExperiment } from './opened-experiment.js';

/** Code of a method that one compiler made, for calls or for loops that were entered in the middle. */
interface VersionFacets {
	/** `C1`, `C2 OSR`. */
	readonly version: string;
	readonly samples: number;
	/** Of the JVM's samples. */
	readonly percent: number;
}

/** Of a method in one run; null is what its files do not tell. */
export interface SideFacets {
	/** In all of its code, whichever compiler made it. */
	readonly samples: number | null;
	/** Of the JVM's samples. */
	readonly percent: number | null;
	/** Half the 95 % interval, in percentage points. */
	readonly halfInterval: number | null;
	/** Those with samples, most first. What the interpreter executed is not told by method. */
	readonly versions: readonly VersionFacets[];
	/** Of its compilations at the top tier. */
	readonly codeBytes: number | null;
	/** The same: sum of what they held at their peaks. */
	readonly memoryBytes: number | null;
}

export interface MethodFacets {
	readonly a: SideFacets | null;
	readonly b: SideFacets | null;
}

/** What the first runs of the sides tell besides decisions. */
export interface SidesFacets {
	/** By the method's name. Empty where neither side tells more than its decisions. */
	readonly methods: ReadonlyMap<string, MethodFacets>;
	/** Time by class of thread; null where one side does not tell it. */
	readonly threadTime: { readonly a: ThreadTime; readonly b: ThreadTime } | null;
	/** Of the runs; null where it is no recording of a JVM. */
	readonly reports: { readonly a: RecordingReport | null; readonly b: RecordingReport | null };
}

export async function sidesFacets(
	first: Pick<OpenedExperiment, 'evidence' | 'hasJvmLog' | 'apart'>,
	second: Pick<OpenedExperiment, 'evidence' | 'hasJvmLog' | 'apart'>,
	methods: readonly ComparedMethod[],
): Promise<SidesFacets> {
	const a = first.hasJvmLog ? await facetsOf(first.evidence, first.apart) : null;
	const b = second.hasJvmLog ? await facetsOf(second.evidence, second.apart) : null;
	const result = new Map<string, MethodFacets>();
	if (a !== null || b !== null) {
		for (const { name, compileIdsA, compileIdsB } of methods) {
			result.set(name, { a: a?.of(name, compileIdsA) ?? null, b: b?.of(name, compileIdsB) ?? null });
		}
	}
	const [timeA, timeB] = [a?.threadTime ?? null, b?.threadTime ?? null];
	return {
		methods: result,
		threadTime: timeA === null || timeB === null ? null : { a: timeA, b: timeB },
		reports: { a: a?.report ?? null, b: b?.report ?? null },
	};
}

interface RunFacets {
	readonly report: RecordingReport;
	readonly threadTime: ThreadTime | null;
	of(methodName: string, compileIds: readonly string[]): SideFacets;
}

/** null: no log of a JVM's compilations is there. */
async function facetsOf(evidence: Evidence, apart: NamesApart): Promise<RunFacets | null> {
	const report = await reportForDiff(evidence);
	if (report === null) {
		return null;
	}
	if (!report.evidence.logCompilation.present && !report.evidence.flightRecorder.present) {
		return null;
	}
	const rows = new Map(report.compilations.map((row) => [row.compileId.replace('%', ''), row]));
	const counted = report.heat?.attribution.counted ?? 0;
	const hasSizes = report.compilations.some(({ codeBytes }) => codeBytes > 0);
	const hasMemory = report.evidence.compilerMemory.present;
	const byMethod = new Map<string, JoinedCompilation[]>();
	for (const row of report.compilations) {
		const name = withoutHiddenAddress(comparedName(row.method, row.signature, row.compileId, apart));
		const known = byMethod.get(name);
		if (known === undefined) {
			byMethod.set(name, [row]);
		} else {
			known.push(row);
		}
	}
	return {
		report,
		threadTime: report.threadTime,
		of: (methodName, compileIds) => {
			const own = compileIds.flatMap((id) => rows.get(id.replace('%', '')) ?? []);
			const all = byMethod.get(methodName) ?? own;
			const samples = all.reduce((sum, row) => sum + row.samples, 0);
			const share = wilsonInterval(samples, counted);
			return {
				samples: report.heat === null ? null : samples,
				percent: report.heat === null ? null : share.percent,
				halfInterval: report.heat === null ? null : (share.high - share.low) / 2,
				versions: versionsOf(all, counted),
				codeBytes: hasSizes ? own.reduce((sum, row) => sum + row.codeBytes, 0) : null,
				memoryBytes: hasMemory ? own.reduce((sum, row) => sum + (row.memoryBytes ?? 0), 0) : null,
			};
		},
	};
}

function versionsOf(rows: readonly JoinedCompilation[], counted: number): VersionFacets[] {
	const samples = new Map<string, number>();
	for (const row of rows) {
		if (row.samples > 0) {
			const version = `${(row.compiler ?? row.kind).toUpperCase()}${row.kind === 'osr' ? ' OSR' : ''}`;
			samples.set(version, (samples.get(version) ?? 0) + row.samples);
		}
	}
	return [...samples]
		.map(([version, count]) => ({ version, samples: count, percent: counted === 0 ? 0 : (100 * count) / counted }))
		.sort((x, y) => y.samples - x.samples || (x.version < y.version ? -1 : 1));
}
