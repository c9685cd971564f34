/** `assay doctor -- COMMAND`: what `assay record` would do with it here, and with which tools. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { MachineInspection, MissingEvidence } from '../../model/inspection.js';
import { ASYNC_PROFILER_EVENT } from '../record/async-profiler.js';
import { findHsdis } from '../record/jdk.js';
import { type LaunchPlan, stackBytesOf } from '../record/launch-plan.js';
import { type Perf, perfEventParanoid, perfRecordArguments, withCallers } from '../record/perf.js';
import { defaultEvent, findProfilers, HOW_TO_GET_PERF, HOW_TO_PERMIT_PERF, type Profilers } from '../record/profiler.js';
import { agentOf, planRecording } from '../record/record-program.js';
import type { RecordRequest } from '../record/record-request.js';
import { PERF_DATA } from '../record/recording-folder.js';
import { lastLine, runTool } from '../record/run-tool.js';

const TRIAL_TIMEOUT_MS = 20_000;

/** Null: there is no such program. Runs perf for a moment, nothing of the command. */
export async function inspectMachine(request: RecordRequest, command: readonly string[]): Promise<MachineInspection | null> {
	const profilers = await findProfilers(request.workingDirectory, request.environment);
	const plan = planRecording(request, command, profilers, await agentOf(request, command, profilers));
	if (plan === null) {
		return null;
	}
	const { perf, asyncProfiler } = profilers;
	const perfEvent = request.event ?? defaultEvent(profilers);
	const event = perf !== null ? perfEvent : asyncProfiler !== null ? ASYNC_PROFILER_EVENT : null;
	const failure = perf === null ? null : await tryPerf(perf, perfEvent, request.frequencyHz);
	const dataFile = path.join(request.outputFolder, PERF_DATA);
	return {
		java: { path: plan.passing === 'environment' ? null : plan.argv[0]!, jdk: plan.jdk, hsdis: findHsdis(plan.jdk) },
		perf: perf === null ? null : { version: perf.version, paranoid: perfEventParanoid(), hardwareCycles: profilers.hasHardwareCycles, failure },
		asyncProfiler: asyncProfiler?.library ?? null,
		plan: {
			passing: plan.passing,
			argv: plan.argv,
			environment: plan.environment,
			perfArgv:
				perf === null
					? null
					: [perf.path, ...withCallers(perfRecordArguments(perfEvent, request.frequencyHz, dataFile), stackBytesOf(plan, request.stackBytes))],
			event,
		},
		missing: missingTools(plan, profilers, failure),
	};
}

/** Null when samples could be taken. */
async function tryPerf(perf: Perf, event: string, frequencyHz: number): Promise<string | null> {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-perf-'));
	try {
		const argv = [perf.path, ...perfRecordArguments(event, frequencyHz, path.join(folder, PERF_DATA)), '--', 'true'];
		const { status, stderr } = await runTool(argv, { timeoutMs: TRIAL_TIMEOUT_MS });
		return status === 0 ? null : lastLine(stderr.split('\n\n')[0] ?? '') || 'perf failed and says nothing';
	} finally {
		fs.rmSync(folder, { recursive: true, force: true });
	}
}

function missingTools(plan: LaunchPlan, { perf, asyncProfiler, hasHardwareCycles }: Profilers, failure: string | null): MissingEvidence[] {
	const missing: MissingEvidence[] = [];
	if (perf === null && asyncProfiler === null) {
		missing.push({ what: 'a profiler', without: 'nothing says where the time went', remedy: HOW_TO_GET_PERF });
	}
	if (failure !== null) {
		missing.push({ what: 'leave to use perf', without: `perf fails here: ${failure}`, remedy: HOW_TO_PERMIT_PERF });
	}
	if (perf !== null && !hasHardwareCycles) {
		missing.push({
			what: 'hardware counters',
			without: 'samples are taken by a timer: they lie on the instruction after the slow one, and there are no cache misses',
			remedy: 'record on a machine whose processor counters are visible; a virtual machine has to be given them',
		});
	}
	if (plan.jdk?.version == null) {
		missing.push({ what: 'the version of the JVM', without: 'flags are those of JDK 9 and later', remedy: 'give the JDK with --jdk HOME' });
	}
	return missing;
}
