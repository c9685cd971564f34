/** `assay record --pid`: what a JVM that is running already still gives: samples, and what jcmd says of its code. */
import fs from 'node:fs';
import path from 'node:path';
import { InputError } from '../../model/problem.js';
import type { RecordingManifest } from '../../model/recording-manifest.js';
import { describeSamples } from './describe-samples.js';
import { findExecutable } from './find-executable.js';
import { watchInterrupts } from './interrupts.js';
import { jdkOfJava, majorVersion } from './jdk.js';
import { perfRecordArguments, startSampling } from './perf.js';
import { defaultEvent, findProfilers, HOW_TO_GET_PERF, HOW_TO_PERMIT_PERF } from './profiler.js';
import type { RecordOutcome, RecordRequest } from './record-request.js';
import { Recorder } from './recorder.js';
import { PERF_DATA, prepareFolder } from './recording-folder.js';
import { isAlive } from './rescue-compiler-logs.js';
import { runTool } from './run-tool.js';

const JCMD_TIMEOUT_MS = 30_000;
const POLL_MS = 200;
/** The first JDK whose jcmd writes a perf map. */
const PERFMAP_VERSION = 17;

/** Throws an {@link InputError} when there is no such process. */
export async function recordProcess(request: RecordRequest, processId: number): Promise<RecordOutcome> {
	if (!isAlive(processId)) {
		throw new InputError({ severity: 'error', file: `process ${processId}`, message: 'does not exist', action: 'jcmd without arguments lists running JVMs' });
	}
	const java = javaOf(processId);
	const jdk = java === null ? null : jdkOfJava(java);
	const { perf, ...others } = await findProfilers(request.workingDirectory, request.environment);
	prepareFolder(request.outputFolder, request.outputName, request.force);
	const recorder = new Recorder(request, { command: [], executed: [], jdk, flags: [], flagsPassedBy: 'none' });
	recorder.update({ processId, tools: { ...recorder.current.tools, perf: perf?.version ?? null } });
	const hadMap = fs.existsSync(mapOfJvm(processId));
	const jcmd = findJcmd(request, jdk?.home ?? null);
	if (jcmd === null) {
		recorder.problem('error', 'jcmd', 'was not found: names and addresses of the code are missing', 'name the JDK of the process with --jdk');
	} else {
		await askJvm(recorder, request, jcmd, processId, majorVersion(jdk));
	}
	recorder.problem(
		'warning',
		request.outputName,
		'the code itself and the times of compilations cannot be had from a JVM that is running',
		'start the program with assay record -- COMMAND, which adds -XX:+LogCompilation and -XX:+PrintAssembly',
	);
	const event = request.event ?? defaultEvent({ perf, ...others });
	const { frequencyHz } = request;
	const recordArguments = perfRecordArguments(event, frequencyHz, path.join(request.outputFolder, PERF_DATA));
	const sampling = perf === null ? null : await startSampling(perf, processId, recordArguments);
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
		request.say(`process ${processId} is sampled${request.durationSeconds === null ? '; Ctrl-C ends it' : ` for ${request.durationSeconds} s`}`);
		recorder.update({ endedBy: await waitForEnd(processId, request.durationSeconds) });
		const complaint = await sampling.stop();
		if (complaint !== null) {
			recorder.problem('warning', PERF_DATA, complaint, 'the samples that were written are kept');
		}
		if (jcmd !== null && isAlive(processId)) {
			// What was compiled meanwhile.
			await askJvm(recorder, request, jcmd, processId, majorVersion(jdk));
		}
	}
	recorder.update({ endTime: new Date().toISOString() });
	if (perf !== null && recorder.current.samples !== null) {
		await describeSamples(recorder, request);
	}
	if (!hadMap) {
		fs.rmSync(mapOfJvm(processId), { force: true });
	}
	return { manifest: await recorder.complete(), exitStatus: 0 };
}

async function askJvm(recorder: Recorder, request: RecordRequest, jcmd: string, processId: number, version: number | null): Promise<void> {
	const questions = [
		['Compiler.codelist', 'codelist.txt'],
		['VM.flags', 'vm-flags.txt'],
		['VM.command_line', 'vm-command-line.txt'],
	] as const;
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
	await Promise.all([...asked, askForMap(recorder, request, jcmd, processId, version)]);
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

/** jcmd prints a Java exception: its first line says what is wrong. */
export function firstComplaint(said: string): string {
	const lines = said.split('\n').map((line) => line.trim());
	return lines.find((line) => /exception|error|no such|not permitted|unable/i.test(line)) ?? lines.find((line) => line !== '') ?? 'it says nothing';
}

/** Until the time is over, the user or somebody else ends it, or the process is gone. */
function waitForEnd(processId: number, durationSeconds: number | null): Promise<RecordingManifest['endedBy']> {
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

export function javaOf(processId: number): string | null {
	try {
		return fs.readlinkSync(`/proc/${processId}/exe`);
	} catch {
		return null;
	}
}

export function findJcmd(
	{ workingDirectory, environment, jdkHome }: Pick<RecordRequest, 'workingDirectory' | 'environment' | 'jdkHome'>,
	ownHome: string | null,
): string | null {
	const homes = [jdkHome, ownHome].filter((home) => home !== null);
	const ofHomes = homes.map((home) => findExecutable(path.join(home, 'bin', 'jcmd'), workingDirectory)).find((file) => file !== null);
	return ofHomes ?? findExecutable('jcmd', workingDirectory, environment.PATH);
}
