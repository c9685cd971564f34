/** The run itself, its labels, findings and problems: rows of the tables `runs`, `labels`, `findings` and `problems`. */
import type { RecordingReport } from '../../answers/joined-report.js';
import { VERSION } from '../../answers/version.js';
import { EVIDENCE_KINDS, isOfOtherJit, isStartupOnly } from '../../model/evidence.js';
import { withoutHiddenAddress } from '../../model/hidden-class.js';
import { majorVersion } from '../../model/jvm-version.js';
import type { Problem } from '../../model/problem.js';
import type { ThreadClass } from '../../model/thread-class.js';
import { nameOfId } from '../ids.js';
import type { Labels } from '../labels.js';
import { STORE_VERSION } from '../schema.js';
import type { Facts } from './rows.js';

export function addRun(facts: Facts, report: RecordingReport, labels: Labels, startedMs: number | null): void {
	const { jvm, evidence, seconds, heat, threadTime } = report;
	const samplesOf = (threadClass: ThreadClass): number | null =>
		threadTime === null || threadTime.classes.length === 0 ? null : (threadTime.classes.find((row) => row.class === threadClass)?.samples ?? 0);
	facts.add('runs', {
		name: nameOfId(facts.run),
		service: labels.get('service'),
		build: labels.get('build'),
		host: labels.get('host'),
		runtime: runtimeOf(report),
		version: jvm.version,
		jdk: jvm.version === null ? null : majorVersion(jvm.version),
		flags: jvm.arguments === null ? null : withoutPlaces(jvm.arguments),
		command: jvm.command,
		cpu: labels.get('cpu'),
		cpus: wholeNumber(labels.get('cpus')),
		started_ms: startedMs,
		seconds,
		event: heat?.event,
		samples: heat?.attribution.counted,
		samples_java: samplesOf('java'),
		samples_c1: samplesOf('c1'),
		samples_c2: samplesOf('c2'),
		samples_jvmci: samplesOf('jvmci'),
		samples_gc: samplesOf('gc'),
		samples_jvm: samplesOf('jvm'),
		samples_native: samplesOf('native'),
		samples_recording: samplesOf('recording'),
		evidence: EVIDENCE_KINDS.filter((kind) => evidence[kind].present).join(','),
		recording: report.name,
		format: STORE_VERSION,
		assay: VERSION,
	});
	for (const [label, value] of labels) {
		facts.add('labels', { label, value });
	}
	for (const { kind, text, place, worth } of report.findings) {
		const method = place == null ? null : withoutHiddenAddress(place.method);
		facts.add('findings', { kind, method, line: place?.line, text, worth });
	}
}

export function addProblems(facts: Facts, problems: readonly Problem[]): void {
	for (const { severity, file, line, message, action } of problems) {
		facts.add('problems', { severity, file, line, message, action });
	}
}

function runtimeOf({ jvm, evidence, units }: RecordingReport): string {
	const isProgram = jvm.version === null && (evidence.executables.present || evidence.remarks.present);
	if (isProgram || isStartupOnly(evidence)) {
		return 'native';
	}
	if (isOfOtherJit((kind) => evidence[kind].present)) {
		return 'other';
	}
	return jvm.version === null && units.length > 0 ? 'Graal' : 'HotSpot';
}

/** Flags by which a recorder names its files, which differ from run to run, are no difference of runs. */
function withoutPlaces(flags: string): string {
	return flags
		.split(/\s+/)
		.filter((flag) => !NAMES_FILES.test(flag))
		.join(' ')
		.trim();
}

const NAMES_FILES = /^-(?:agentpath:|javaagent:|Xlog:|XX:(?:LogFile|StartFlightRecording|FlightRecorderOptions|ErrorFile|HeapDumpPath)=)/;

function wholeNumber(text: string | undefined): number | null {
	return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : null;
}
