/** `assay record --pid --evidence jfr`: Flight Recorder in a JVM that runs already, started and stopped by jcmd; neither perf nor an agent. */
import { InputError } from '../../model/problem.js';
import { executableOf } from '../executable-of.js';
import { refuseOther, settledProcess } from './asked-jvm.js';
import { askUptime, findJcmd, waitForEnd } from './attach.js';
import { watchEverything } from './attached-flight-recorder.js';
import { jdkOfJava, majorVersion } from './jdk.js';
import type { RecordOutcome, RecordRequest } from './record-request.js';
import { Recorder } from './recorder.js';
import { prepareFolder } from './recording-folder.js';
import { isAlive } from './rescue-compiler-logs.js';

/** Throws an {@link InputError} when there is no such process, or nothing that could ask it. */
export async function recordProcessByFlightRecorder(request: RecordRequest, processId: number): Promise<RecordOutcome> {
	const file = `process ${processId}`;
	if (!isAlive(processId)) {
		throw new InputError({ severity: 'error', file, message: 'does not exist', action: 'jcmd without arguments lists running JVMs' });
	}
	refuseOther(processId, await settledProcess(processId));
	const java = executableOf(processId);
	const jdk = java === null ? null : jdkOfJava(java);
	const jcmd = findJcmd(request, jdk?.home ?? null);
	if (jcmd === null) {
		throw new InputError({ severity: 'error', file: 'jcmd', message: 'was not found', action: 'name the JDK of the process with --jdk' });
	}
	prepareFolder(request.outputFolder, request.outputName, request.force);
	const recorder = new Recorder(request, { command: [], executed: [], jdk, flags: [], flagsPassedBy: 'none' });
	recorder.update({ processId });
	const answers = (await askUptime(jcmd, processId)) === 'answers';
	if (!answers) {
		recorder.update({ isSilent: true });
		const message = `process ${processId} does not answer jcmd: it waits for a safepoint or a handshake that is not reached, or is stopped`;
		recorder.problem('error', request.outputName, message, 'assay record --pid without --evidence jfr samples it with perf');
	}
	const watching = answers ? await watchEverything({ recorder, request, jcmd, processId, version: majorVersion(jdk) }) : null;
	if (watching !== null) {
		request.say(`process ${processId} is recorded${request.durationSeconds === null ? '; Ctrl-C ends it' : ` for ${request.durationSeconds} s`}`);
		recorder.update({ endedBy: await waitForEnd(processId, request.durationSeconds) });
		const stillAnswers = isAlive(processId) && (await askUptime(jcmd, processId)) === 'answers';
		const left = await watching.stop(stillAnswers);
		if (left !== null) {
			recorder.problem('warning', request.outputName, left, 'what was written is kept');
		}
	}
	recorder.update({ endTime: new Date().toISOString() });
	return { manifest: await recorder.complete(), exitStatus: 0 };
}
