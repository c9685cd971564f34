/** `assay record --pid`: what a JVM that is running already still gives: samples, its code through the agent, decisions through Flight Recorder, and what jcmd says. */
import fs from 'node:fs';
import path from 'node:path';
import { InputError } from '../../model/problem.js';
import type { RecordedJdk, RecordingManifest } from '../../model/recording-manifest.js';
import { executableOf } from '../executable-of.js';
import { isJvm, settledProcess, WHY } from './asked-jvm.js';
import { type AttachedAgent, agentLogName, attachAgent } from './attached-agent.js';
import { watchDecisions } from './attached-flight-recorder.js';
import { watchSafepoints } from './attached-safepoint-log.js';
import { descendantsOf } from './descendants.js';
import { describeSamples } from './describe-samples.js';
import { keepExecutables } from './executables.js';
import { findExecutable } from './find-executable.js';
import { HeldLibraries } from './held-libraries.js';
import { watchInterrupts } from './interrupts.js';
import { jdkOfJava, majorVersion } from './jdk.js';
import { defaultStackBytes, type Perf, perfRecordArguments, type Sampling, startSamplingWithCallers } from './perf.js';
import { defaultEvent, findProfilers, HOW_TO_GET_PERF, HOW_TO_PERMIT_PERF } from './profiler.js';
import type { RecordOutcome, RecordRequest } from './record-request.js';
import { Recorder } from './recorder.js';
import { PERF_DATA, prepareFolder } from './recording-folder.js';
import { isAlive } from './rescue-compiler-logs.js';
import { firstComplaint, runTool } from './run-tool.js';

const JCMD_TIMEOUT_MS = 30_000;
/** Longer than jcmd waits itself. */
const ANSWER_TIMEOUT_MS = 15_000;
const POLL_MS = 200;
/** The first JDK whose jcmd writes a perf map. */
const PERFMAP_VERSION = 17;

/** Throws an {@link InputError} when there is no such process. */
export async function recordProcess(request: RecordRequest, processId: number): Promise<RecordOutcome> {
	if (!isAlive(processId)) {
		throw new InputError({ severity: 'error', file: `process ${processId}`, message: 'does not exist', action: 'jcmd without arguments lists running JVMs' });
	}
	const java = executableOf(processId);
	const jdk = java === null ? null : jdkOfJava(java);
	const { perf, ...others } = await findProfilers(request.workingDirectory, request.environment);
	prepareFolder(request.outputFolder, request.outputName, request.force);
	const recorder = new Recorder(request, { command: [], executed: [], jdk, flags: [], flagsPassedBy: 'none' });
	recorder.update({ processId, tools: { ...recorder.current.tools, perf: perf?.version ?? null } });
	const hadMap = fs.existsSync(mapOfJvm(processId));
	const asked = await settledProcess(processId);
	const foundJcmd = asked === 'jvm' ? findJcmd(request, jdk?.home ?? null) : null;
	const answer = foundJcmd === null ? null : await askUptime(foundJcmd, processId);
	const jcmd = answer === 'refused' ? null : foundJcmd;
	const isSilent = answer === 'silent';
	if (answer === 'refused') {
		const message = `process ${processId} cannot be asked: ${socketOfJvm(processId)} was left by a JVM that had the same number and is gone; code and names are missing`;
		recorder.problem('error', request.outputName, message, 'remove that file and record again; its owner can');
	}
	if (isSilent) {
		const message = `process ${processId} does not answer jcmd: it waits for a safepoint or a handshake that is not reached, or is stopped; its code and names are missing`;
		recorder.update({ isSilent: true });
		recorder.problem('error', request.outputName, message, 'assay bias --ttsp tells which thread runs; assay record -- COMMAND tells the loop too');
	}
	const agent = jcmd === null || isSilent || request.code === 'none' ? null : await watchCode(recorder, request, jcmd, processId, jdk);
	// What an agent told needs no list of names.
	const questions = agent === null ? [...ABOUT_CODE, ...ABOUT_JVM] : ABOUT_JVM;
	const ask = async (): Promise<void> => {
		if (jcmd !== null && !isSilent && isAlive(processId)) {
			const answered = askJvm(recorder, request, jcmd, processId, questions);
			await Promise.all([answered, agent === null ? askForMap(recorder, request, jcmd, processId, majorVersion(jdk)) : null]);
		}
	};
	if (asked === 'deaf') {
		const [why, action] = WHY.deaf;
		recorder.problem('error', request.outputName, `process ${processId} ${why}; its code and names are missing`, action);
	} else if (asked === 'jvm' && foundJcmd === null) {
		recorder.problem('error', 'jcmd', 'was not found: the code and its names are missing', 'name the JDK of the process with --jdk');
	}
	await ask();
	const decisions =
		jcmd === null || isSilent || !request.withDecisions ? null : await watchDecisions({ recorder, request, jcmd, processId, version: majorVersion(jdk) });
	const safepoints = jcmd === null || isSilent ? null : await watchSafepoints(request, jcmd, processId, majorVersion(jdk));
	if (agent !== null && decisions !== null) {
		await settle(path.join(request.outputFolder, agentLogName(processId)));
	}
	const event = request.event ?? defaultEvent({ perf, ...others });
	const { frequencyHz } = request;
	const recordArguments = perfRecordArguments(event, frequencyHz, path.join(request.outputFolder, PERF_DATA));
	const held = new HeldLibraries(processId);
	held.look();
	held.watch();
	const started = asked === 'no JVM' ? descendantsOf(processId) : [];
	for (const child of started.filter(isJvm)) {
		recorder.problem(
			'warning',
			request.outputName,
			`process ${child}, which ${processId} started, is a JVM: it is not sampled`,
			`assay record --pid ${child} samples it, with its code`,
		);
	}
	const sampledIds = [processId, ...started.filter((child) => !isJvm(child))];
	const stackBytes = request.stackBytes ?? defaultStackBytes(asked !== 'no JVM');
	let sampling = perf === null ? null : await startSamplingOf(perf, sampledIds, recordArguments, stackBytes);
	if (typeof sampling === 'string' && sampledIds.length > 1 && perf !== null) {
		const message = `the ${sampledIds.length - 1} processes that ${processId} started are not sampled: perf could not begin with them (${sampling})`;
		recorder.problem('warning', request.outputName, message, '--pid takes each of them');
		sampledIds.length = 1;
		sampling = await startSamplingOf(perf, sampledIds, recordArguments, stackBytes);
	}
	if (sampling === null) {
		recorder.problem('warning', request.outputName, 'there are no samples: perf was not found', HOW_TO_GET_PERF);
	} else if (typeof sampling === 'string') {
		recorder.problem(
			'error',
			PERF_DATA,
			`there are no samples: perf could not begin (${sampling})`,
			isAlive(processId) ? HOW_TO_PERMIT_PERF : 'the process has ended',
		);
	} else {
		recorder.update({ samples: { event, frequencyHz, count: null }, clocks: { ...recorder.current.clocks, perf: 'CLOCK_MONOTONIC' } });
		const others = sampledIds.length - 1;
		const sampled = `process ${processId} ${others === 0 ? 'is' : `and the ${others === 1 ? 'one' : others} that it started are`} sampled`;
		request.say(`${sampled}${request.durationSeconds === null ? '; Ctrl-C ends it' : ` for ${request.durationSeconds} s`}`);
		recorder.update({ endedBy: await waitForEnd(processId, request.durationSeconds) });
		const complaint = await sampling.stop();
		if (complaint !== null) {
			recorder.problem('warning', PERF_DATA, complaint, 'the samples that were written are kept');
		}
		if (agent === null) {
			// What was compiled meanwhile.
			await ask();
		}
	}
	const isWatched = safepoints !== null || decisions !== null || agent !== null;
	const stillAnswers = jcmd === null || !isWatched || !isAlive(processId) || (await askUptime(jcmd, processId)) !== 'silent';
	if (!stillAnswers) {
		recorder.update({ isSilent: true });
		recorder.problem(
			'warning',
			request.outputName,
			`process ${processId} does not answer jcmd any more: it waits for a safepoint or a handshake that is not reached`,
			'assay bias --ttsp tells which thread it waits for',
		);
	}
	for (const left of [await safepoints?.stop(stillAnswers), await decisions?.stop(stillAnswers), await agent?.stop(stillAnswers)]) {
		if (left != null) {
			recorder.problem('warning', request.outputName, left, 'what was written is kept');
		}
	}
	held.stop();
	recorder.update({ endTime: new Date().toISOString() });
	if (perf !== null && recorder.current.samples !== null) {
		const sampled = await describeSamples(recorder, request, held.files);
		if (sampled !== null && asked === 'no JVM') {
			keepExecutables(recorder, request, sampled);
		}
	}
	held.end();
	if (!hadMap) {
		fs.rmSync(mapOfJvm(processId), { force: true });
	}
	return { manifest: await recorder.complete(), exitStatus: 0 };
}

/** Of several some may have ended meanwhile: then those that are left. */
async function startSamplingOf(perf: Perf, processIds: readonly number[], recordArguments: readonly string[], stackBytes: number): Promise<Sampling | string> {
	const sampling = await startSamplingWithCallers(perf, processIds, recordArguments, stackBytes);
	const left = processIds.filter(isAlive);
	return typeof sampling === 'string' && left.length < processIds.length && left.length > 0
		? startSamplingWithCallers(perf, left, recordArguments, stackBytes)
		: sampling;
}

/**
 * A JVM whose threads do not reach a safepoint takes no command: jcmd gives up after 10 s, or waits for ever. `refused`: nobody listens behind the file by which
 * jcmd speaks to the JVM.
 */
export async function askUptime(jcmd: string, processId: number): Promise<'answers' | 'silent' | 'refused'> {
	const { status, stdout, stderr } = await runTool([jcmd, String(processId), 'VM.uptime'], { timeoutMs: ANSWER_TIMEOUT_MS });
	const said = stderr + stdout;
	// Without a status it was ended after that time.
	if (status === null || /not respond|doesn't respond/.test(said)) {
		return 'silent';
	}
	return status !== 0 && said.includes('Connection refused') && fs.existsSync(socketOfJvm(processId)) ? 'refused' : 'answers';
}

/** By what jcmd speaks to a JVM: a file in its own /tmp, named by its number in there. It stays where the JVM is killed. */
function socketOfJvm(processId: number): string {
	let numbers = [String(processId)];
	try {
		numbers =
			/^NSpid:(.*)$/m
				.exec(fs.readFileSync(`/proc/${processId}/status`, 'utf8'))?.[1]
				?.trim()
				.split(/\s+/) ?? numbers;
	} catch {
		// It is gone.
	}
	const isInContainer = numbers.length > 1;
	return `${isInContainer ? `/proc/${processId}/root` : ''}/tmp/.java_pid${numbers.at(-1)}`;
}

/** How long nearly nothing may have been compiled before samples are taken, and how long that is waited for. */
const SETTLED_MS = 1000;
const SETTLING_MS = 20_000;
const SETTLED_SHARE = 0.03;

/** Flight Recorder of some JDKs has all code thrown away when it is first started: samples of the compilers that make it again are not those of the program. */
async function settle(agentLog: string): Promise<void> {
	const sizeOf = (): number => fs.statSync(agentLog, { throwIfNoEntry: false })?.size ?? 0;
	const begun = Date.now();
	for (let size = sizeOf(); Date.now() - begun < SETTLING_MS; ) {
		await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
		const now = sizeOf();
		if (now - size <= SETTLED_SHARE * size) {
			return;
		}
		size = now;
	}
}

async function watchCode(recorder: Recorder, request: RecordRequest, jcmd: string, processId: number, jdk: RecordedJdk | null): Promise<AttachedAgent | null> {
	const agent = await attachAgent(request, jcmd, processId, jdk);
	if ('reason' in agent) {
		const action = 'samples and names remain; assay record -- COMMAND starts a program with the agent';
		recorder.problem('warning', request.outputName, `the code of the JVM cannot be had: ${agent.reason}`, action);
		return null;
	}
	return agent;
}

const ABOUT_JVM = [
	['VM.flags', 'vm-flags.txt'],
	['VM.command_line', 'vm-command-line.txt'],
] as const;
const ABOUT_CODE = [['Compiler.codelist', 'codelist.txt']] as const;

async function askJvm(
	recorder: Recorder,
	request: RecordRequest,
	jcmd: string,
	processId: number,
	questions: readonly (readonly [question: string, fileName: string])[],
): Promise<void> {
	const asked = questions.map(async ([question, name]) => {
		const { status, stdout, stderr } = await runTool([jcmd, String(processId), question], { timeoutMs: JCMD_TIMEOUT_MS });
		if (status === 0) {
			fs.writeFileSync(path.join(request.outputFolder, name), stdout);
		} else {
			recorder.problem(
				'error',
				name,
				`jcmd ${processId} ${question} failed (${firstComplaint(stderr + stdout)})`,
				'is it a JVM of the same user, and still there?',
			);
		}
	});
	await Promise.all(asked);
}

async function askForMap(recorder: Recorder, request: RecordRequest, jcmd: string, processId: number, version: number | null): Promise<void> {
	if (version !== null && version < PERFMAP_VERSION) {
		recorder.problem('warning', request.outputName, `JDK ${version} writes no perf map`, `JDK ${PERFMAP_VERSION} and later do`);
		return;
	}
	const { status, stdout, stderr } = await runTool([jcmd, String(processId), 'Compiler.perfmap'], { timeoutMs: JCMD_TIMEOUT_MS });
	const name = `perf-${processId}.map`;
	try {
		fs.copyFileSync(mapOfJvm(processId), path.join(request.outputFolder, name));
	} catch (error) {
		const reason = status === 0 ? (error as Error).message : firstComplaint(stderr + stdout);
		recorder.problem('error', name, `jcmd ${processId} Compiler.perfmap gave no map (${reason})`, 'generated code has no names');
	}
}

/** Where the JVM writes its map: in its own /tmp, which in a container is another one. */
function mapOfJvm(processId: number): string {
	return `/proc/${processId}/root/tmp/perf-${processId}.map`;
}

/** Until the time is over, the user or somebody else ends it, or the process is gone. */
export function waitForEnd(processId: number, durationSeconds: number | null): Promise<RecordingManifest['endedBy']> {
	return new Promise((resolve) => {
		const end = (reason: RecordingManifest['endedBy']): void => {
			clearInterval(poll);
			clearTimeout(timer);
			stopWatching();
			resolve(reason);
		};
		const poll = setInterval(() => isAlive(processId) || end('program'), POLL_MS);
		const timer = durationSeconds === null ? undefined : setTimeout(() => end('duration'), durationSeconds * 1000);
		const stopWatching = watchInterrupts({ interrupt: () => end('interrupt'), kill: () => {}, terminate: () => end('terminated') });
	});
}

export function findJcmd(
	{ workingDirectory, environment, jdkHome }: Pick<RecordRequest, 'workingDirectory' | 'environment' | 'jdkHome'>,
	ownHome: string | null,
): string | null {
	const homes = [jdkHome, ownHome].filter((home) => home !== null);
	const ofHomes = homes.map((home) => findExecutable(path.join(home, 'bin', 'jcmd'), workingDirectory)).find((file) => file !== null);
	return ofHomes ?? findExecutable('jcmd', workingDirectory, environment.PATH);
}
