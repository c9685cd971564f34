/** The flags that make a HotSpot JVM leave what hot regions are found with. Checked with JDK 17 and 25. */
import path from 'node:path';
import { SETTINGS_FILE } from '../runtime-folder.js';

/** Where the code comes from. `agent`: an agent in the JVM writes its bytes (runtime/assay_agent.c). `print`: the JVM prints it. `none`: nobody does. */
export type CodeFrom = 'agent' | 'print' | 'none';

/** The agent's file: `%p` is the process id. */
export const AGENT_LOG = 'agent-%p.bin';

/**
 * - LogCompilation: which method's code lay where, from when to when, and what the compilers decided.
 * - DebugNonSafepoints: bytecode positions for all code; PrintAssembly switches it on anyway, with a warning.
 * - DisplayVMOutput off: all this goes into the log only, and the program's standard output stays its own.
 * - agentpath: the code, at some 6 % of the time of a program that compiles much (`npm run bench:record`).
 * - PrintAssembly: the code in the log; without the hsdis plug-in as `[MachCode]` hex. A program that compiles much takes three times its time.
 * - PrintInterpreter, PrintStubCode: the same for the interpreter and the JVM's own routines (0.9 MB, a tenth of a second).
 * - DumpPerfMapAtExit (Linux, JDK 17): what no log tells of, vtable stubs and adapters; into /tmp, from where it is fetched. Only for
 *   one JVM, whose process id is known.
 * - Xlog: JDK 25 warns on standard output that there is no hsdis; `release` of JDK 8 knows no Xlog.
 * - memstat (only when asked for): what each compilation cost in memory, into the log too. 2 % of the time and 3 % of the log of a small program.
 */
export function evidenceFlags(
	logFile: string,
	majorVersion: number | null,
	{ memory = false, code = 'print', agent = null }: { readonly memory?: boolean; readonly code?: CodeFrom; readonly agent?: string | null } = {},
): string[] {
	const writesMap = process.platform === 'linux' && (majorVersion ?? 0) >= 17 && !logFile.includes('%p');
	return [
		'-XX:+UnlockDiagnosticVMOptions',
		'-XX:+LogCompilation',
		`-XX:LogFile=${logFile}`,
		'-XX:-DisplayVMOutput',
		'-XX:+DebugNonSafepoints',
		...(code === 'agent' && agent !== null ? [`-agentpath:${agent}=${path.join(path.dirname(logFile), AGENT_LOG)}`] : []),
		...(code === 'print'
			? [
					...['-XX:+PrintAssembly', '-XX:+PrintInterpreter', '-XX:+PrintStubCode'],
					...(writesMap ? ['-XX:+DumpPerfMapAtExit'] : []),
					...(majorVersion !== null && majorVersion < 9 ? [] : ['-Xlog:os=error']),
				]
			: []),
		...(memory && knowsMemoryStatistic(majorVersion) ? ['-XX:CompileCommand=memstat,*.*,print'] : []),
	];
}

/** The first JDK with the statistic (JDK-8317683); older ones complain of the option on standard output and go on. */
export const MEMORY_STATISTIC_VERSION = 22;

export function knowsMemoryStatistic(majorVersion: number | null): boolean {
	return majorVersion === null || majorVersion >= MEMORY_STATISTIC_VERSION;
}

/** The first JDK whose Flight Recorder is not a commercial feature, and reads our settings. */
export const FLIGHT_RECORDER_VERSION = 11;
/** Where a JVM keeps what it records until it ends; one that is killed leaves it there. */
export const REPOSITORY = 'flight-recorder-repository';

/** JDK 17 knows it, JDK 11 does not. */
const STARTUP_TAG_VERSION = 17;

/**
 * Flight Recorder alone, with our settings: samples, compilations, safepoints. Into one file, or where several JVMs may run into a file of each (of a folder
 * the JVM makes a name with its process id; JDK 17 knows no %p). Without `maxsize` it would throw away all but the last 250 MB.
 */
export function flightRecorderFlags(logFile: string, majorVersion: number | null, { memory }: { readonly memory: boolean }): string[] {
	const folder = path.dirname(logFile);
	return [
		'-XX:+UnlockDiagnosticVMOptions',
		'-XX:+DebugNonSafepoints',
		`-XX:StartFlightRecording:filename=${logFile.includes('%p') ? folder : path.join(folder, 'recording.jfr')},maxsize=0,settings=${SETTINGS_FILE}`,
		`-XX:FlightRecorderOptions:repository=${path.join(folder, REPOSITORY)}`,
		// Else it says on standard output that it began, as JDK 11 does in any case: it does not start with a tag that it does not know.
		...(majorVersion === null || majorVersion >= STARTUP_TAG_VERSION ? ['-Xlog:jfr+startup=error'] : []),
		...(memory && knowsMemoryStatistic(majorVersion) ? ['-XX:CompileCommand=quiet', '-XX:CompileCommand=memstat,*.*'] : []),
	];
}

/** Shorter than what a program has to end after SIGTERM: who keeps it is named before SIGKILL. */
const SAFEPOINT_TIMEOUT_MS = 1000;

/**
 * Safepoints, beside the log of the JVM, with the clock of perf's samples (timenanos), in a file without rotation: a line of 200 bytes for each, and before it lines of
 * its operation and its begin, the only ones of a safepoint that is never reached. Threads that are late by a second are named in that file, and not on
 * standard output too.
 * None for JDK 8, which knows no Xlog, and where the folder's name holds what ends a file name there.
 */
export function safepointFlags(logFile: string, majorVersion: number | null): string[] {
	const file = path.join(path.dirname(logFile), path.basename(logFile).replace(/^hotspot/, 'safepoint'));
	if ((majorVersion !== null && majorVersion < 9) || /[:"']/.test(file)) {
		return [];
	}
	return [
		`-Xlog:safepoint*=info,safepoint=debug,vmthread=debug:file=${file}:uptimenanos,timenanos,tags:filecount=0`,
		'-XX:+SafepointTimeout',
		`-XX:SafepointTimeoutDelay=${SAFEPOINT_TIMEOUT_MS}`,
		'-Xlog:safepoint=error',
	];
}
