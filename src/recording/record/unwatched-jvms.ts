/** JVMs that a program started and that took none of the recorder's flags: of them there are samples, and nothing else. */
import { isJvmLibrary } from '../../model/jvm-library.js';
import type { RecordedFile } from '../../model/recording-manifest.js';
import { shellWord } from '../../model/shell-word.js';
import type { SampledCode } from './executables.js';
import type { LaunchPlan } from './launch-plan.js';
import type { Recorder } from './recorder.js';
import { PERF_DATA } from './recording-folder.js';

/** Part of the samples that is worth a word. */
const LEAST_SHARE = 0.01;

interface UnwatchedJvm {
	readonly processId: number;
	readonly samples: number;
}

/** Those with a hundredth of the samples or more, most first. None where no sampled JVM is watched: in a container processes have other numbers. */
export function unwatchedJvms({ samples, mappedCode }: SampledCode, watched: ReadonlySet<number>): UnwatchedJvm[] {
	const counts = new Map<number, number>();
	for (const id of samples.processId) {
		counts.set(id, (counts.get(id) ?? 0) + 1);
	}
	const jvms = [...counts].filter(([id]) => mappedCode.get(id)?.some(({ name }) => isJvmLibrary(name)));
	if (!jvms.some(([id]) => watched.has(id))) {
		return [];
	}
	return jvms
		.filter(([id, count]) => !watched.has(id) && count >= LEAST_SHARE * samples.length)
		.map(([processId, count]) => ({ processId, samples: count }))
		.sort((a, b) => b.samples - a.samples);
}

/** Tells of them, and how to have them watched. JMH, which starts JVMs for its benchmarks, is meant to be left alone. */
export function tellUnwatchedJvms(
	recorder: Recorder,
	plan: LaunchPlan,
	command: readonly string[],
	sampled: SampledCode,
	files: readonly RecordedFile[],
): void {
	if (plan.jmh === 'yes') {
		return;
	}
	const watched = new Set(files.flatMap(({ kind, processId }) => (kind === 'jvm-log' && processId !== undefined ? [processId] : [])));
	for (const { processId, samples } of unwatchedJvms(sampled, watched)) {
		const share = ((100 * samples) / sampled.samples.length).toFixed(1);
		recorder.problem(
			'warning',
			PERF_DATA,
			`${share} % of the samples are of a JVM that the program started, process ${processId}: its code and its decisions were not recorded`,
			plan.passing === 'command-line'
				? `to record all of its JVMs: assay record -- env ${command.map(shellWord).join(' ')}`
				: 'it did not take JAVA_TOOL_OPTIONS from its environment: start it directly, or give assay record --pid its number while it runs',
		);
	}
}
