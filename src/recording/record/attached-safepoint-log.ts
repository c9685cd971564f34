/**
 * Safepoints of a JVM that runs: an output of its unified logging more (jcmd VM.log), which is taken back at the end. The JVM writes the file as its own user, in its own view of the
 * file system. One that reaches no safepoint meanwhile answers nothing any more; what it wrote until then is kept.
 */
import fs from 'node:fs';
import path from 'node:path';
import { isOtherView } from './attached-agent.js';
import type { RecordRequest } from './record-request.js';
import { isAlive } from './rescue-compiler-logs.js';
import { firstComplaint, runTool } from './run-tool.js';

const TIMEOUT_MS = 15_000;
/** The first JDK with unified logging. */
const LOGGING_VERSION = 9;
const WHAT = 'safepoint*=info,safepoint=debug,vmthread=debug';

export interface AttachedSafepointLog {
	/** Null, or a sentence where something was left behind. `answers`: whether the JVM still does. */
	stop(answers: boolean): Promise<string | null>;
}

/** Null where the JVM logs none. */
export async function watchSafepoints(request: RecordRequest, jcmd: string, processId: number, version: number | null): Promise<AttachedSafepointLog | null> {
	if (!request.withSafepoints || (version !== null && version < LOGGING_VERSION)) {
		return null;
	}
	const file = `safepoint-${processId}.log`;
	const inside = `/tmp/assay-${process.pid}-${file}`;
	const seen = isOtherView(processId) ? path.join(`/proc/${processId}/root`, inside) : inside;
	const ask = (what: string, ...more: string[]): ReturnType<typeof runTool> =>
		runTool([jcmd, String(processId), 'VM.log', `output=${inside}`, `what=${what}`, ...more], { timeoutMs: TIMEOUT_MS });
	const { status } = await ask(WHAT, 'decorators=uptimenanos,timenanos,tags', 'output_options=filecount=0');
	if (status !== 0 || !fs.existsSync(seen)) {
		return null;
	}
	return {
		async stop(answers) {
			const stopped = answers && isAlive(processId) ? await ask('all=off') : null;
			try {
				fs.copyFileSync(seen, path.join(request.outputFolder, file));
				fs.rmSync(seen, { force: true });
			} catch (error) {
				return `the log of safepoints cannot be fetched (${(error as Error).message})`;
			}
			return stopped === null || stopped.status === 0 || !isAlive(processId)
				? null
				: `the JVM still logs its safepoints (${firstComplaint(stopped.stdout + stopped.stderr)})`;
		},
	};
}
