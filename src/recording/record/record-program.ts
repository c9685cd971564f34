/** `assay record -- COMMAND`: starts the program, samples it, and completes the folder whatever becomes of either. */
import fs from 'node:fs';
import path from 'node:path';
import { InputError } from '../../model/problem.js';
import type { RecordedFile, RecordedJdk, RecordingManifest } from '../../model/recording-manifest.js';
import type { ChildEnd } from '../child-end.js';
import { CANNOT_START, notStarted } from '../not-started.js';
import { type AgentLibrary, findAgentLibrary } from './agent-library.js';
import { ASYNC_PROFILER_EVENT, agentFlag } from './async-profiler.js';
import { describeSamples } from './describe-samples.js';
import { isElf, keepExecutables, type SampledCode } from './executables.js';
import { refuseUnnamable, rescueRepository } from './flight-recorder-files.js';
import { HeldLibraries } from './held-libraries.js';
import { hasControllingTerminal, watchInterrupts } from './interrupts.js';
import { majorVersion } from './jdk.js';
import { JmhOutput } from './jmh-output.js';
import {
	AGENT_LOG,
	evidenceFlags,
	FLIGHT_RECORDER_VERSION,
	flightRecorderFlags,
	knowsMemoryStatistic,
	MEMORY_STATISTIC_VERSION,
	safepointFlags,
} from './jvm-flags.js';
import { type LaunchPlan, planLaunch, stackBytesOf } from './launch-plan.js';
import { perfRecordArguments, startSamplingWithCallers } from './perf.js';
import { defaultEvent, findProfilers, HOW_TO_GET_PERF, HOW_TO_PERMIT_PERF, type Profilers } from './profiler.js';
import { exitStatus, type Program, startProgram } from './program.js';
import type { RecordOutcome, RecordRequest } from './record-request.js';
import { Recorder } from './recorder.js';
import { PERF_DATA, prepareFolder } from './recording-folder.js';
import { keepRuntimeCode } from './runtime-code.js';
import { tellUnwatchedJvms } from './unwatched-jvms.js';

const NO_PROFILERS: Profilers = { perf: null, hasHardwareCycles: false, asyncProfiler: null };
/** How long a program may take to end after SIGTERM. */
const GRACE_MS = 5000;

/** Throws an {@link InputError} when the program or the folder is none, before anything is started. */
export async function recordProgram(request: RecordRequest, command: readonly string[]): Promise<RecordOutcome> {
	if (request.evidence === 'jfr') {
		refuseUnnamable(request);
	}
	const profilers = request.evidence === 'jfr' ? NO_PROFILERS : await findProfilers(request.workingDirectory, request.environment);
	const agent = await agentOf(request, command, profilers);
	const plan = planRecording(request, command, profilers, agent);
	if (plan === null) {
		throw cannotStart(request, command);
	}
	prepareFolder(request.outputFolder, request.outputName, request.force);
	if (plan.passing === 'environment' && !isElf(plan.argv[0]!)) {
		request.say(`${path.basename(plan.argv[0]!)} is no java: the flags go to every JVM that it starts, by JAVA_TOOL_OPTIONS`);
	}
	const recorder = new Recorder(request, {
		command,
		executed: plan.argv,
		jdk: plan.jdk,
		flags: plan.flags,
		flagsPassedBy: plan.passing,
	});
	const version = majorVersion(plan.jdk);
	if (agent !== null && 'reason' in agent) {
		const message = `the agent that writes the code cannot be had (${agent.reason}): the JVM prints it instead, which makes a program that compiles much several times slower`;
		recorder.problem('warning', request.outputName, message, 'install a C compiler and a JDK with its headers, or take --code none');
	}
	if (request.memory && !knowsMemoryStatistic(version)) {
		recorder.problem(
			'warning',
			request.outputName,
			`JDK ${version} has no statistic of the memory of compilers`,
			`the option is not passed; JDK ${MEMORY_STATISTIC_VERSION} and later have it`,
		);
	}
	if (request.evidence === 'jfr' && version !== null && version < FLIGHT_RECORDER_VERSION) {
		const message = `JDK ${version} has no Flight Recorder that everybody may use`;
		recorder.problem('error', request.outputName, message, `JDK ${FLIGHT_RECORDER_VERSION} and later have it`);
	}
	const run = new ProgramRun(request, recorder);
	const exit = await run.run(plan, profilers);
	if (request.evidence === 'jfr') {
		rescueRepository(recorder, request);
	}
	const manifest = await recorder.complete((files) => {
		checkLogs(files, plan, recorder, request);
		if (run.sampled !== null) {
			tellUnwatchedJvms(recorder, plan, command, run.sampled, files);
		}
	});
	return { manifest, exitStatus: exitStatus(exit) };
}

/** A launcher that writes to a terminal keeps it, unless its words tell of JMH: programs write otherwise where there is none. */
function watchesJmh({ jmh, argv }: LaunchPlan): boolean {
	return jmh === 'yes' || (jmh === 'perhaps' && (!process.stdout.isTTY || argv.some((word) => /jmh|benchmark/i.test(word))));
}

/** Null when the program does not exist. */
export function planRecording(request: RecordRequest, command: readonly string[], profilers: Profilers, agent: AgentLibrary | null = null): LaunchPlan | null {
	const { workingDirectory, jdkHome, environment, outputFolder, frequencyHz, memory, withSafepoints } = request;
	const library = agent !== null && 'library' in agent ? agent.library : null;
	const code = request.code === 'agent' && library === null ? 'print' : request.code;
	const flagsFor = (logName: string, jdk: RecordedJdk | null): string[] => {
		const logFile = path.join(outputFolder, logName);
		const version = majorVersion(jdk);
		if (request.evidence === 'jfr') {
			return flightRecorderFlags(logFile, version, { memory });
		}
		const flags = [...evidenceFlags(logFile, version, { memory, code, agent: library }), ...(withSafepoints ? safepointFlags(logFile, version) : [])];
		const { perf, asyncProfiler } = profilers;
		return perf === null && asyncProfiler !== null
			? [...flags, agentFlag(asyncProfiler, path.join(outputFolder, 'async-profiler-%p.collapsed'), frequencyHz)]
			: flags;
	};
	const withNode = request.evidence === 'all' && request.code !== 'none' && profilers.perf !== null;
	return planLaunch({ command, folder: workingDirectory, jdkHome, environment, withNode }, flagsFor);
}

/** Null where none is wanted. */
export async function agentOf(request: RecordRequest, command: readonly string[], profilers: Profilers): Promise<AgentLibrary | null> {
	if (request.code !== 'agent' || request.evidence === 'jfr') {
		return null;
	}
	const jdk = planRecording({ ...request, code: 'none' }, command, profilers)?.jdk ?? null;
	return findAgentLibrary(jdk === null ? [] : [jdk.home], request.environment);
}

class ProgramRun {
	private readonly request: RecordRequest;
	private readonly recorder: Recorder;
	private endedBy: RecordingManifest['endedBy'] = 'program';
	private timers: NodeJS.Timeout[] = [];
	private wasKilled = false;
	/** null: nothing was sampled, or it was not read. */
	sampled: SampledCode | null = null;

	constructor(request: RecordRequest, recorder: Recorder) {
		this.request = request;
		this.recorder = recorder;
	}

	async run(plan: LaunchPlan, profilers: Profilers): Promise<ChildEnd> {
		const { request, recorder } = this;
		const jmh = watchesJmh(plan) ? new JmhOutput() : null;
		let program: Program;
		try {
			const watchOutput = jmh === null ? null : (bytes: Uint8Array): void => jmh.take(bytes, Number(process.hrtime.bigint()) / 1e9);
			program = await startProgram(plan.argv, request.workingDirectory, { ...request.environment, ...plan.environment }, watchOutput);
		} catch (error) {
			throw new InputError({ severity: 'error', file: plan.argv[0]!, message: `cannot be started (${(error as Error).message})`, action: 'see why' });
		}
		const stopWatching = this.watch(program);
		try {
			const { tools } = recorder.current;
			const asyncProfiler = profilers.perf === null ? (profilers.asyncProfiler?.library ?? null) : null;
			recorder.update({ processId: program.processId, tools: { ...tools, perf: profilers.perf?.version ?? null, asyncProfiler } });
			const sampling = await this.startSampling(program, plan, profilers);
			program.release();
			this.limitDuration(program);
			const exit = await program.exit;
			for (const timer of this.timers) {
				clearTimeout(timer);
			}
			recorder.update({ exit: { status: exit.status, signal: exit.signal }, endTime: new Date().toISOString(), endedBy: this.endedBy });
			if (jmh !== null) {
				this.noteMeasured(jmh, plan.jmh === 'yes');
			}
			if (this.wasKilled && exit.signal === 'SIGKILL') {
				const message = 'SIGKILL was needed: the program was asked to end and went on';
				recorder.problem(
					'warning',
					request.outputName,
					message,
					'assay bias --ttsp tells whether a thread kept the JVM from its last safepoint, and where it was',
				);
			}
			if (plan.flags.includes('-XX:+DumpPerfMapAtExit')) {
				try {
					fetchPerfMap(program.processId, request.outputFolder);
				} catch (error) {
					recorder.lose(error);
				}
			}
			await sampling?.end();
			return exit;
		} finally {
			stopWatching();
		}
	}

	private async startSampling(program: Program, plan: LaunchPlan, profilers: Profilers): Promise<{ end(): Promise<void> } | null> {
		const { recorder, request } = this;
		const { perf, asyncProfiler } = profilers;
		const { frequencyHz } = request;
		if (request.evidence === 'jfr') {
			return null;
		}
		if (perf === null) {
			if (asyncProfiler === null) {
				recorder.problem('warning', request.outputName, 'there are no samples: neither perf nor async-profiler was found', HOW_TO_GET_PERF);
			} else {
				recorder.update({ samples: { event: ASYNC_PROFILER_EVENT, frequencyHz, count: null } });
			}
			return null;
		}
		const event = request.event ?? defaultEvent(profilers);
		const recordArguments = perfRecordArguments(event, frequencyHz, path.join(request.outputFolder, PERF_DATA));
		const sampling = await startSamplingWithCallers(perf, [program.processId], recordArguments, stackBytesOf(plan, request.stackBytes));
		if (typeof sampling === 'string') {
			const action = /denied|not permitted|paranoid/i.test(sampling) ? HOW_TO_PERMIT_PERF : 'assay doctor -- COMMAND says what perf can do here';
			recorder.problem('error', PERF_DATA, `there are no samples: perf could not begin (${sampling})`, action);
			return null;
		}
		recorder.update({ samples: { event, frequencyHz, count: null }, clocks: { ...recorder.current.clocks, perf: 'CLOCK_MONOTONIC' } });
		const held = new HeldLibraries(program.processId);
		held.watch();
		return {
			end: async () => {
				held.stop();
				const complaint = await sampling.stop();
				if (complaint !== null) {
					recorder.problem('warning', PERF_DATA, complaint, 'the samples that were written are kept');
				}
				const sampled = await describeSamples(recorder, request, held.files);
				held.end();
				this.sampled = sampled;
				if (sampled !== null) {
					keepExecutables(recorder, request, sampled, this.keptRuntimeCode(sampled));
				}
			},
		};
	}

	private keptRuntimeCode(sampled: SampledCode): ReadonlySet<number> {
		const { recorder, request } = this;
		try {
			return keepRuntimeCode(recorder, request, sampled, Date.parse(recorder.current.startTime));
		} catch (error) {
			recorder.lose(error);
			return new Set();
		}
	}

	private noteMeasured(jmh: JmhOutput, isExpected: boolean): void {
		const measured = jmh.measured();
		if (measured.length > 0) {
			this.recorder.update({ measured });
		} else if (isExpected) {
			this.recorder.problem(
				'warning',
				this.request.outputName,
				'JMH printed no measured iteration: warm-up and measurement cannot be told apart',
				'all samples are counted; JMH prints iterations to standard output unless -v SILENT or -o say otherwise',
			);
		}
	}

	private limitDuration(program: Program): void {
		const { durationSeconds } = this.request;
		if (durationSeconds !== null) {
			this.timers.push(setTimeout(() => this.end(program, 'duration', 'SIGTERM'), durationSeconds * 1000));
		}
	}

	private end(program: Program, endedBy: RecordingManifest['endedBy'], signal: NodeJS.Signals): void {
		this.endedBy = endedBy;
		program.kill(signal);
		this.timers.push(setTimeout(() => this.kill(program), GRACE_MS));
	}

	private kill(program: Program): void {
		this.wasKilled = true;
		program.kill('SIGKILL');
	}

	private watch(program: Program): () => void {
		const reachesProgram = hasControllingTerminal();
		return watchInterrupts({
			interrupt: () => {
				this.endedBy = 'interrupt';
				this.request.say('interrupted: the recording is completed when the program has ended; Ctrl-C again kills it');
				if (!reachesProgram) {
					program.kill('SIGINT');
				}
			},
			kill: () => this.kill(program),
			terminate: (signal) => this.end(program, 'terminated', signal),
		});
	}
}

/** What a JVM leaves in /tmp; one that is killed leaves none. */
function fetchPerfMap(processId: number, folder: string): void {
	const name = `perf-${processId}.map`;
	const written = path.join('/tmp', name);
	if (fs.existsSync(written)) {
		fs.copyFileSync(written, path.join(folder, name));
		fs.rmSync(written, { force: true });
	}
}

function checkLogs(files: readonly RecordedFile[], { passing, flags }: LaunchPlan, recorder: Recorder, request: RecordRequest): void {
	if (request.evidence === 'jfr') {
		if (!files.some(({ kind, sizeBytes }) => kind === 'flight-recording' && sizeBytes > 0)) {
			recorder.problem('error', request.outputName, 'no JVM wrote a recording of Flight Recorder', 'did the JVM start, and is it HotSpot, JDK 11 or later?');
		}
		return;
	}
	const logs = files.filter(({ kind, sizeBytes }) => kind === 'jvm-log' && sizeBytes > 0);
	const isWatched = flags.some((flag) => flag.startsWith('-agentpath:') && flag.endsWith(AGENT_LOG));
	if (isWatched && logs.length > 0 && !files.some(({ kind }) => kind === 'agent-log')) {
		recorder.problem(
			'error',
			request.outputName,
			'the agent in the JVM wrote nothing',
			'what it says is on standard error; --code print has the JVM print its code',
		);
	}
	if (logs.length === 0 && recorder.hasOtherCode) {
		// The flags were for JVMs that the program might have started.
		recorder.update({ jdk: null, flags: [], flagsPassedBy: 'none' });
	} else if (logs.length === 0) {
		const action =
			passing === 'environment'
				? 'did the program start one? Give the java command itself after --'
				: 'did the JVM start, and is it HotSpot? A -XX:LogFile of your own takes precedence over ours';
		recorder.problem('error', request.outputName, 'no JVM wrote a log', action);
	}
}

function cannotStart({ jdkHome }: RecordRequest, [program = '']: readonly string[]): InputError {
	return jdkHome === null
		? notStarted(program)
		: new InputError({ severity: 'error', file: program, message: CANNOT_START, action: `does ${jdkHome} hold bin/java?` });
}
