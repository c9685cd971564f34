/**
 * What a Flight Recorder file holds, and what its settings left out of what assay reads: kinds of events that were off, or whose threshold leaves out the
 * short ones. A recording tells its own settings (jdk.ActiveSetting); kinds that the JVM does not have are not missed.
 */
import type { Source } from '../../bytes/source.js';
import { type JfrEvents, readJfrEvents } from '../../formats/jfr/read.js';
import type { FlightRecorderCounts, MissingEvidence, MissingSetting } from '../../model/inspection.js';
import { SETTINGS_FILE } from '../runtime-folder.js';

/** What assay makes of each kind of event, in the order of use. Those with a duration have to have no threshold. */
const READ_EVENTS: readonly { readonly event: string; readonly gives: string; readonly isTimed?: true }[] = [
	{ event: 'jdk.ExecutionSample', gives: 'where the time went' },
	{ event: 'jdk.CPUTimeSample', gives: 'where the CPU time went' },
	{ event: 'jdk.Compilation', gives: 'compilations', isTimed: true },
	{ event: 'jdk.CompilerInlining', gives: 'what was inlined, and why not' },
	{ event: 'jdk.CompilerPhase', gives: 'phases of compilers', isTimed: true },
	{ event: 'jdk.CompilationFailure', gives: 'why compilations failed' },
	{ event: 'jdk.Deoptimization', gives: 'traps that were hit' },
	{ event: 'jdk.SafepointBegin', gives: 'time to safepoint', isTimed: true },
	{ event: 'jdk.SafepointStateSynchronization', gives: 'threads that were waited for', isTimed: true },
	{ event: 'jdk.SafepointCleanup', gives: 'time to safepoint without the cleanup', isTimed: true },
	{ event: 'jdk.SafepointEnd', gives: 'how long safepoints were', isTimed: true },
	{ event: 'jdk.ExecuteVMOperation', gives: 'what safepoints were for', isTimed: true },
	{ event: 'jdk.GarbageCollection', gives: 'pauses of the collector', isTimed: true },
	{ event: 'jdk.CodeCacheStatistics', gives: 'how full the code cache was' },
	{ event: 'jdk.CodeCacheFull', gives: 'when the code cache was full' },
	{ event: 'jdk.JVMInformation', gives: 'the JVM and its arguments' },
];

/** Never throws on content. */
export function inspectFlightRecorder(source: Source): FlightRecorderCounts {
	const { chunks, events, information, flags, settings, jvmStartEpochNs, startMs, endMs, problems } = readJfrEvents(source, 'jvm');
	return {
		chunks: chunks.length,
		wholeChunks: chunks.filter(({ isWhole }) => isWhole).length,
		jvm:
			information === null
				? null
				: {
						version: information.version,
						arguments: information.arguments,
						command: information.command,
						processId: information.processId,
						startMs: information.startedEpochMs ?? (jvmStartEpochNs === null ? null : Number(jvmStartEpochNs / 1_000_000n)),
					},
		// Of a file without a JVM's start there is no time of the JVM.
		firstSeconds: startMs === null ? null : startMs / 1000,
		lastSeconds: endMs === null ? null : endMs / 1000,
		events: [...events].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)),
		missing: missingSettings(settings),
		debugNonSafepoints: flags.get('DebugNonSafepoints')?.value === undefined ? null : flags.get('DebugNonSafepoints')?.value === 'true',
		problems: problems.length,
	};
}

function missingSettings(settings: JfrEvents['settings']): MissingSetting[] {
	return READ_EVENTS.flatMap(({ event, gives, isTimed }): MissingSetting[] => {
		const own = settings.get(event);
		const enabled = own?.get('enabled');
		const threshold = own?.get('threshold');
		if (enabled === 'false') {
			return [{ event, setting: 'enabled', value: 'false', gives }];
		}
		return isTimed === true && threshold !== undefined && !NO_TIME.test(threshold) ? [{ event, setting: 'threshold', value: threshold, gives }] : [];
	});
}

const NO_TIME = /^0\b/;

/** How to get what recordings of Flight Recorder left out; none where nothing is. */
export function missingEvents(recordings: readonly FlightRecorderCounts[]): MissingEvidence[] {
	const missing: MissingEvidence[] = [];
	const off = names(recordings, 'enabled');
	const short = names(recordings, 'threshold');
	if (off.length + short.length > 0) {
		const parts = [
			off.length === 0 ? '' : `${off.join(', ')} ${off.length === 1 ? 'was' : 'were'} off`,
			short.length === 0 ? '' : `a threshold left out short ${short.join(', ')}`,
		];
		missing.push({
			what: 'events of Flight Recorder',
			without: parts.filter((part) => part !== '').join('; '),
			remedy: `-XX:StartFlightRecording:filename=run.jfr,settings=${SETTINGS_FILE}; of a JVM that runs: jcmd PID JFR.start name=assay settings=${SETTINGS_FILE}, then jcmd PID JFR.stop name=assay filename=/tmp/run.jfr`,
		});
	}
	if (recordings.some(({ debugNonSafepoints }) => debugNonSafepoints === false)) {
		missing.push({
			what: 'exact lines of Flight Recorder',
			without: 'its samples of compiled code are put on the next place that the JVM describes',
			remedy: '-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints',
		});
	}
	return missing;
}

function names(recordings: readonly FlightRecorderCounts[], setting: MissingSetting['setting']): string[] {
	return [...new Set(recordings.flatMap(({ missing }) => missing.filter((one) => one.setting === setting).map(({ event }) => event)))];
}
