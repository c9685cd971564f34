/** Which of the evidence of a recording was joined, and the flag for what was not: for `assay doctor`. */
import type { EvidenceJoin, InspectedKind } from '../model/inspection.js';
import type { EvidenceKind } from '../model/joined-recording.js';
import type { RecordingReport } from './open-report.js';

/** How the clock of the samples and the JVM's stamps lie to each other, where no manifest tells. */
export function timeOf({ clock, evidence }: RecordingReport): Partial<EvidenceJoin> {
	if (clock?.source !== 'recorded' || !evidence.samples.present) {
		return {};
	}
	return {
		works: true,
		why: `stamp 0 is ${clock.startSeconds.toFixed(3)} s on the samples' clock, by a log that has both, within ${(1000 * clock.uncertaintySeconds).toFixed(1)} ms`,
	};
}

export function joinsOfReport(report: RecordingReport): EvidenceJoin[] {
	const { evidence } = report;
	const joins: EvidenceJoin[] = [memoryJoin(report), safepointsJoin(report)];
	if (evidence.graalLog.present) {
		joins.push(joinById(report, 'graal', 'graalLog', "Graal's decisions with compilations"));
	}
	return joins;
}

function memoryJoin(report: RecordingReport): EvidenceJoin {
	return report.evidence.compilerMemory.present
		? joinById(report, 'memory', 'compilerMemory', 'compiler memory with compilations')
		: {
				name: 'memory',
				what: 'compiler memory with compilations',
				works: false,
				why: 'no statistic; JDK 22 and later print it with -XX:CompileCommand=memstat,*.*,print (assay record --memory)',
			};
}

function joinById({ compilations, evidence }: RecordingReport, name: EvidenceJoin['name'], kind: EvidenceKind, what: string): EvidenceJoin {
	const rows = compilations.filter((row) => row.evidence.includes(kind));
	const joined = rows.filter((row) =>
		row.evidence.some((other) => other !== kind && (other === 'logCompilation' || other === 'samples' || other === 'printCompilation')),
	);
	const { records } = evidence[kind];
	return {
		name,
		what,
		works: joined.length > 0,
		why:
			joined.length > 0
				? `${joined.length} of ${records} by compile id and method`
				: evidence.logCompilation.present
					? `none of ${records} is of a compilation in the log: are they of one run?`
					: 'no log of compilations: -XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation -XX:LogFile=hotspot.log',
	};
}

function safepointsJoin({ delays, evidence, clock }: RecordingReport): EvidenceJoin {
	const join = (works: boolean, why: string): EvidenceJoin => ({ name: 'safepoints', what: 'safepoints with samples', works, why });
	if (!evidence.safepoints.present) {
		return join(false, 'no safepoints; -Xlog:safepoint*=info:file=safepoint.log:uptimenanos,timenanos,tags logs them (JDK 9 and later)');
	}
	if (evidence.safepoints.records === 0) {
		return join(false, 'the log of safepoints has none: the program had none');
	}
	const aligned = delays.filter((delay) => delay.clock === 'samples').length;
	if (aligned > 0) {
		return join(true, `${aligned} of ${delays.length} lie on the samples' clock${clock?.source === 'none' ? '' : ' and on that of the stamps'}`);
	}
	return join(
		false,
		evidence.samples.present
			? "no time of them is on the samples' clock: timenanos among the decorations of -Xlog, and perf record -k CLOCK_MONOTONIC"
			: 'there are no samples',
	);
}

/** What a file is that only the join looks into: output of a JVM. null: nothing of that. */
export function kindInReport(file: string, { evidence }: RecordingReport): InspectedKind | null {
	const kinds: readonly (readonly [EvidenceKind, InspectedKind])[] = [
		['compilerMemory', 'memory-statistics'],
		['printCompilation', 'print-compilation'],
		['deoptimizations', 'deoptimization-log'],
		['safepoints', 'safepoint-log'],
	];
	return kinds.find(([kind]) => evidence[kind].files.includes(file))?.[1] ?? null;
}
