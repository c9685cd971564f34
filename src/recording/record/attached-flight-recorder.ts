/**
 * What a JVM that runs does meanwhile: a recording of Flight Recorder, with nothing but compilations, inlining and deoptimizations or with all that assay reads, which
 * is stopped at the end. Where the JVM's user cannot write our folder, its own temporary folder holds the file until then.
 */
import fs from 'node:fs';
import path from 'node:path';
import { SETTINGS_FILE } from '../runtime-folder.js';
import { reasonOf } from '../system-error.js';
import { isOtherView } from './attached-agent.js';
import type { RecordRequest } from './record-request.js';
import type { Recorder } from './recorder.js';
import { isAlive } from './rescue-compiler-logs.js';
import { lastLine, runTool } from './run-tool.js';

const TIMEOUT_MS = 60_000;
/** The first JDK whose jcmd takes settings of events. */
const SETTINGS_VERSION = 17;
/** Until then it changes classes of the JDK when it starts, and a JVM without a debugger then deoptimizes everything (1,319 → 2,270 compilations on JDK 17). */
const STATIC_EVENTS_VERSION = 21;
const EVENTS = [
	'+jdk.Compilation#enabled=true',
	'+jdk.Compilation#threshold=0ms',
	'+jdk.CompilerInlining#enabled=true',
	'+jdk.CompilationFailure#enabled=true',
	'+jdk.Deoptimization#enabled=true',
];

/** A recording that was started. `answers`: whether the JVM still does. A sentence where something was left behind, else null. */
interface StartedRecording {
	stop(answers: boolean): Promise<string | null>;
}

/** The JVM that is watched, and who is told of it. */
export interface WatchedJvm {
	readonly recorder: Recorder;
	readonly request: RecordRequest;
	readonly jcmd: string;
	readonly processId: number;
	/** Of the JDK; null: not known. */
	readonly version: number | null;
}

/** Null where the JVM cannot; a sentence of the manifest says why. */
export function watchDecisions(jvm: WatchedJvm): Promise<StartedRecording | null> {
	const wanted = { file: `compilations-${jvm.processId}.jfr`, options: ['settings=none', ...EVENTS], action: 'what was compiled meanwhile has no decisions' };
	return start(jvm, wanted);
}

/** Everything that assay reads. The settings lie where the JVM sees them while it reads them. */
export async function watchEverything(jvm: WatchedJvm): Promise<StartedRecording | null> {
	const { recorder, request, processId } = jvm;
	const action = 'nothing is recorded';
	const settings = isOtherView(processId) ? `/tmp/assay-${process.pid}.jfc` : SETTINGS_FILE;
	const copy = settings === SETTINGS_FILE ? null : `/proc/${processId}/root${settings}`;
	try {
		if (copy !== null) {
			// Not over what somebody else laid there.
			fs.copyFileSync(SETTINGS_FILE, copy, fs.constants.COPYFILE_EXCL);
		}
	} catch (error) {
		recorder.problem('error', request.outputName, `${settings} cannot be written where the JVM would read it (${reasonOf(error)})`, action);
		return null;
	}
	const wanted = { file: `recording-${processId}.jfr`, options: [`settings=${settings}`, 'maxsize=0'], action };
	const started = await start(jvm, wanted);
	if (copy !== null) {
		fs.rmSync(copy, { force: true });
	}
	return started;
}

async function start(
	{ recorder, request: { outputFolder, outputName }, jcmd, processId, version }: WatchedJvm,
	{ file, options: settings, action }: { readonly file: string; readonly options: readonly string[]; readonly action: string },
): Promise<StartedRecording | null> {
	if (version !== null && version < SETTINGS_VERSION) {
		recorder.problem('warning', outputName, `Flight Recorder of JDK ${version} takes no settings of events`, action);
		return null;
	}
	const name = `assay-${process.pid}`;
	// The JVM writes it: as its own user, in its own view of the file system.
	const inside = `/tmp/assay-${process.pid}-${file}`;
	const seen = isOtherView(processId) ? path.join(`/proc/${processId}/root`, inside) : inside;
	const options = [`name=${name}`, 'dumponexit=true', `filename=${inside}`, ...settings];
	const started = await runTool([jcmd, String(processId), 'JFR.start', ...options], { timeoutMs: TIMEOUT_MS });
	if (started.status !== 0 || !/^Started recording/m.test(started.stdout)) {
		recorder.problem('warning', outputName, `Flight Recorder does not start (${lastLine(started.stdout + started.stderr)})`, action);
		return null;
	}
	if (version !== null && version < STATIC_EVENTS_VERSION) {
		const message = `Flight Recorder of JDK ${version} has the JVM throw away its compiled code when it is first started: samples begin when most of it is back`;
		recorder.problem(
			'warning',
			outputName,
			message,
			file.startsWith('compilations') ? '--no-decisions records without it' : 'a recording of some seconds is of a JVM that warms up',
		);
	}
	return {
		async stop(answers) {
			const stopped = answers && isAlive(processId) ? await runTool([jcmd, String(processId), 'JFR.stop', `name=${name}`], { timeoutMs: TIMEOUT_MS }) : null;
			try {
				fs.copyFileSync(seen, path.join(outputFolder, file));
				fs.rmSync(seen, { force: true });
				return null;
			} catch (error) {
				return `Flight Recorder wrote no decisions (${stopped === null || stopped.status === 0 ? (error as Error).message : lastLine(stopped.stdout + stopped.stderr)})`;
			}
		},
	};
}
