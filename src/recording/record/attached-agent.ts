/**
 * The agent in a JVM that runs already: loaded by jcmd, asked for all code that is there, and stopped at the end. The JVM opens the files itself, as its own
 * user and in its own view of the file system: where those are not ours, library and log lie in a folder of its /tmp meanwhile.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { RecordedJdk } from '../../model/recording-manifest.js';
import { findAgentLibrary } from './agent-library.js';
import type { RecordRequest } from './record-request.js';
import { isAlive } from './rescue-compiler-logs.js';
import { firstComplaint, runTool } from './run-tool.js';

const LOAD_TIMEOUT_MS = 60_000;

export interface AttachedAgent {
	/** Ends the watching; the log is in the recording's folder then. A sentence where something was left behind, else null. `answers`: whether the JVM still does. */
	stop(answers: boolean): Promise<string | null>;
}

/** Resolves when all code that was there is written; with the reason where the JVM does not let us. */
export async function attachAgent(
	request: RecordRequest,
	jcmd: string,
	processId: number,
	jdk: RecordedJdk | null,
): Promise<AttachedAgent | { readonly reason: string }> {
	const isContained = isOtherView(processId);
	const root = isContained ? `/proc/${processId}/root` : '/';
	const isForeign = isContained || ownerOf(processId) !== process.getuid?.();
	const found = await findAgentLibrary(
		jdk === null ? [] : [jdk.home, ...(request.jdkHome === null ? [] : [request.jdkHome])],
		request.environment,
		isForeign ? root : '/',
	);
	if ('reason' in found) {
		return { reason: `the agent cannot be had: ${found.reason}` };
	}
	let place: Place;
	try {
		place = isForeign ? foreignPlace(root, request.outputFolder, processId, found.library) : ownPlace(request.outputFolder, processId, found.library);
	} catch (error) {
		return { reason: `its files cannot be put where the JVM sees them (${(error as Error).message})` };
	}
	const tell = (option: string): ReturnType<typeof runTool> =>
		runTool([jcmd, String(processId), 'JVMTI.agent_load', place.library, quoted(option)], { timeoutMs: LOAD_TIMEOUT_MS });
	const { status, stdout, stderr } = await tell(place.log);
	const code = /return code: (-?\d+)/.exec(stdout)?.[1];
	if (status !== 0 || code !== '0') {
		place.cleanUp();
		return { reason: code === '2' ? 'another recording of assay watches it' : firstComplaint(stdout + stderr) };
	}
	return {
		async stop(answers) {
			let left: string | null = null;
			if (isAlive(processId) && !answers) {
				left = 'the agent in the JVM could not be stopped: the JVM answers nothing';
			} else if (isAlive(processId)) {
				const ended = await tell('stop');
				left = ended.status === 0 || !isAlive(processId) ? null : `the agent in the JVM could not be stopped (${firstComplaint(ended.stdout + ended.stderr)})`;
			}
			try {
				place.fetch();
			} catch (error) {
				left ??= `its log could not be fetched (${(error as Error).message})`;
			}
			return left;
		},
	};
}

/** In the folder of a recording. */
export function agentLogName(processId: number): string {
	return `agent-${processId}.bin`;
}

interface Place {
	/** As the JVM sees them. */
	readonly library: string;
	readonly log: string;
	/** Brings the log into the recording, and removes what was put elsewhere. */
	fetch(): void;
	cleanUp(): void;
}

function ownPlace(folder: string, processId: number, library: string): Place {
	const log = path.join(folder, agentLogName(processId));
	return { library, log, fetch: () => {}, cleanUp: () => fs.rmSync(log, { force: true }) };
}

/** A folder that only the JVM's user may enter. What is in it is removed at the end, and by `fetch` put into ours. */
function foreignPlace(root: string, outputFolder: string, processId: number, library: string): Place {
	const inside = `/tmp/assay-agent-${process.pid}-${processId}`;
	const folder = path.join(root, inside);
	const owner = fs.statSync(`/proc/${processId}`);
	fs.mkdirSync(folder, { mode: 0o700 });
	const copied = path.join(folder, path.basename(library));
	fs.copyFileSync(library, copied);
	fs.chmodSync(copied, 0o755);
	for (const file of [folder, copied]) {
		fs.chownSync(file, owner.uid, owner.gid);
	}
	const name = agentLogName(processId);
	const cleanUp = (): void => fs.rmSync(folder, { recursive: true, force: true });
	return {
		library: path.join(inside, path.basename(library)),
		log: path.join(inside, name),
		// What a process that has ended saw of a container is gone with it.
		fetch() {
			fs.copyFileSync(path.join(folder, name), path.join(outputFolder, name));
			cleanUp();
		},
		cleanUp,
	};
}

/** Whether the process sees another file system than we do: it runs in a container. */
export function isOtherView(processId: number): boolean {
	try {
		return fs.readlinkSync(`/proc/${processId}/ns/mnt`) !== fs.readlinkSync('/proc/self/ns/mnt');
	} catch {
		return false;
	}
}

function ownerOf(processId: number): number | undefined {
	try {
		return fs.statSync(`/proc/${processId}`).uid;
	} catch {
		return undefined;
	}
}

/** jcmd takes its arguments apart at blanks, but not inside quotes. */
function quoted(argument: string): string {
	return /\s/.test(argument) ? `"${argument}"` : argument;
}
