/** Asks a running JVM for the statistic, with `jcmd PID Compiler.memory`. */
import { InputError } from '../model/problem.js';
import { executableOf } from './executable-of.js';
import { askedProcess, refuseOther } from './record/asked-jvm.js';
import { findJcmd } from './record/attach.js';
import { jdkOfJava } from './record/jdk.js';
import type { RecordRequest } from './record/record-request.js';
import { isAlive } from './record/rescue-compiler-logs.js';
import { firstComplaint, runTool } from './record/run-tool.js';

const TIMEOUT_MS = 30_000;

export type AskRequest = Pick<RecordRequest, 'workingDirectory' | 'environment' | 'jdkHome'>;

export interface MemoryAsker {
	/** What jcmd prints; `verbose` is null where the JVM knows no such option (before 25). Throws an {@link InputError} when it does not answer. */
	ask(): Promise<{ readonly table: string; readonly verbose: string | null }>;
	isAlive(): boolean;
}

/** Throws an {@link InputError} when there is no such process, or no jcmd. */
export function memoryAsker(processId: number, request: AskRequest): MemoryAsker {
	const file = `process ${processId}`;
	if (!isAlive(processId)) {
		throw new InputError({ severity: 'error', file, message: 'does not exist', action: 'jcmd without arguments lists running JVMs' });
	}
	refuseOther(processId, askedProcess(processId));
	const java = executableOf(processId);
	const jcmd = findJcmd(request, java === null ? null : (jdkOfJava(java)?.home ?? null));
	if (jcmd === null) {
		throw new InputError({ severity: 'error', file: 'jcmd', message: 'was not found', action: 'name the JDK of the process with --jdk' });
	}
	const run = (options: readonly string[]): ReturnType<typeof runTool> =>
		runTool([jcmd, String(processId), 'Compiler.memory', ...options], { timeoutMs: TIMEOUT_MS });
	return {
		isAlive: () => isAlive(processId),
		async ask() {
			const table = await run([]);
			if (table.status !== 0) {
				const said = firstComplaint(table.stderr + table.stdout);
				const isUnknown = /unknown diagnostic command/i.test(table.stderr + table.stdout);
				throw new InputError({
					severity: 'error',
					file,
					message: `jcmd Compiler.memory failed (${said})`,
					action: isUnknown ? 'JDK 22 and later have it' : 'is it a JVM of the same user, and still there?',
				});
			}
			const verbose = await run(['verbose=true']);
			return { table: table.stdout, verbose: verbose.status === 0 ? verbose.stdout : null };
		},
	};
}
