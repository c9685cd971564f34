/** The questions of `assay doctor`: which evidence a recording holds, whether it fits together, and the flag for what is missing; and what a machine could record. */

import { wholeStacks } from '../hot/whole-stacks.js';
import { isOfOtherJit } from '../model/evidence.js';
import { type MachineInspection, OTHER_KIND, type RecordingInspection } from '../model/inspection.js';
import { InputError, type Problem } from '../model/problem.js';
import type { Evidence } from '../recording/evidence.js';
import { inspectMachine } from '../recording/inspect/inspect-machine.js';
import { type InspectionRun, inspectRecording } from '../recording/inspect/inspect-recording.js';
import { notStarted } from '../recording/not-started.js';
import type { RecordRequest } from '../recording/record/record-request.js';
import { joinsOfReport, kindInReport, startupJoin, timeOf, withStartupFiles } from './evidence-joins.js';
import type { RecordingReport } from './joined-report.js';
import { nativeJoins, nativeMissing } from './native-joins.js';
import { DEFAULT_REPORT_REQUEST, openReport } from './report.js';
import type { DoctorResult } from './results.js';
import { type OpenedStartup, openStartup } from './startup.js';
import type { Streamed } from './streamed.js';

export interface DoctorAnswer {
	readonly inspection: RecordingInspection;
	readonly problems: readonly Problem[];
	result(): Streamed<DoctorResult>;
}

/** The evidence has to be opened with threads. What is in the files never makes it throw. */
export async function answerDoctor(evidence: Evidence): Promise<DoctorAnswer> {
	const run = await inspectRecording(evidence);
	const found = await openStartup(evidence.files, { withOrders: false });
	// What executables of a recording do not tell of a start-up nobody asks: there is no trace of one.
	const isOfSamples = evidence.files.samples.length > 0 && found?.traces.length === 0;
	const startup = found === null || !isOfSamples ? found : { ...found, problems: [] };
	const { inspection, problems } = withStartup(await withJoins(run, evidence), startup);
	const { name, files, manifest, joins, missing } = inspection;
	return { inspection, problems, result: () => ({ recording: { name, manifest, files, joins }, missing }) };
}

export interface MachineAnswer {
	readonly machine: MachineInspection;
	result(): Streamed<Pick<DoctorResult, 'machine' | 'missing'>>;
}

/** What `assay record` would run here for a command. Throws an InputError when there is nothing to start. */
export async function answerMachine(request: RecordRequest, command: readonly string[]): Promise<MachineAnswer> {
	const machine = await inspectMachine(request, command);
	if (machine === null) {
		throw notStarted(command[0] ?? '');
	}
	const { missing, ...rest } = machine;
	return { machine, result: () => ({ machine: rest, missing }) };
}

/** Adds what only the join of all evidence tells. What cannot be joined, as files of several JVMs, adds nothing. */
async function withJoins({ inspection, problems }: InspectionRun, evidence: Evidence): Promise<InspectionRun> {
	let report: RecordingReport;
	try {
		report = await openReport(evidence, { ...DEFAULT_REPORT_REQUEST, withPrediction: false, withOrders: false });
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
		const note: Problem = { ...error.problem, severity: 'warning' };
		return { inspection, problems: error.problem.action.includes('--pid') ? [...problems, note] : problems };
	}
	const joins = inspection.joins.map((join) =>
		join.name === 'time' && !join.works && inspection.manifest?.clocks == null ? { ...join, ...timeOf(report) } : join,
	);
	const isAligned = joins.some(({ name, works }) => name === 'time' && works);
	return {
		inspection: {
			...inspection,
			files: inspection.files.map((file) =>
				file.kind === OTHER_KIND || file.kind === file.profile?.format ? { ...file, kind: kindInReport(file.name, report) ?? file.kind } : file,
			),
			joins: [
				...(report.recording?.native == null ? joins : nativeJoins(report)),
				...(report.recording?.native != null || isOfOtherJit((kind) => report.evidence[kind].present) ? [] : joinsOfReport(report)),
			],
			missing:
				report.recording?.native == null
					? inspection.missing.filter(({ what }) => what !== 'clocks' || !isAligned)
					: nativeMissing(report, await stacksOf(evidence)),
		},
		problems,
	};
}

/** Read for this question alone. */
async function stacksOf(evidence: Evidence): Promise<ReturnType<typeof wholeStacks>> {
	const recording = await evidence.recordingWithStacks();
	const processId = recording?.native?.processId;
	return recording == null || processId == null ? null : wholeStacks(recording.samples, recording.details, processId);
}

const STARTUP_KINDS: readonly string[] = ['order-trace', 'executed-instructions', 'linked-program', 'order-map'];

/** Where nothing is of a JVM, nothing of a JVM is missing. */
function withStartup({ inspection, problems }: InspectionRun, startup: OpenedStartup | null): InspectionRun {
	if (startup === null) {
		return { inspection, problems };
	}
	const files = withStartupFiles(inspection.files, startup);
	const hasJvm = inspection.manifest !== null || files.some(({ kind }) => kind !== OTHER_KIND && !STARTUP_KINDS.includes(kind));
	const join = startupJoin(startup, hasJvm);
	const joins = [...(hasJvm ? inspection.joins : []), ...(join === null ? [] : [join])];
	return { inspection: { ...inspection, files, joins, missing: hasJvm ? inspection.missing : [] }, problems: [...problems, ...startup.problems] };
}
