/** Runs a tool to its end in a process group of its own, which Ctrl-C does not reach, and keeps what it says. */
import { type SpawnOptions, spawn } from 'node:child_process';
import fs from 'node:fs';
import { endOf } from '../child-end.js';

export interface ToolRun {
	/** Null when it was killed or could not be started. */
	readonly status: number | null;
	/** Empty when it went into a file. */
	readonly stdout: string;
	readonly stderr: string;
}

export interface ToolOptions {
	/** A file for its standard output. */
	readonly outputFile?: string;
	/** After this time it is killed. */
	readonly timeoutMs?: number;
}

/** How much of a tool's output is kept. */
const LONGEST_OUTPUT = 16 << 20;

/** Never rejects: a tool that cannot be started has no status, and says why on `stderr`. */
export function runTool(argv: readonly string[], { outputFile, timeoutMs }: ToolOptions = {}): Promise<ToolRun> {
	const [program = '', ...args] = argv;
	return new Promise((resolve) => {
		let descriptor = -1;
		let stdout = '';
		let stderr = '';
		const finish = (status: number | null): void => {
			if (descriptor >= 0) {
				fs.closeSync(descriptor);
				descriptor = -1;
			}
			resolve({ status, stdout, stderr });
		};
		try {
			descriptor = outputFile === undefined ? -1 : fs.openSync(outputFile, 'w');
		} catch (error) {
			stderr = (error as Error).message;
			finish(null);
			return;
		}
		const stdio: SpawnOptions['stdio'] = ['ignore', descriptor >= 0 ? descriptor : 'pipe', 'pipe'];
		const child = spawn(program, args, { stdio, detached: true, ...(timeoutMs === undefined ? {} : { timeout: timeoutMs, killSignal: 'SIGKILL' }) });
		child.stdout?.setEncoding('utf8').on('data', (text: string) => {
			stdout = stdout.length < LONGEST_OUTPUT ? stdout + text : stdout;
		});
		child.stderr?.setEncoding('utf8').on('data', (text: string) => {
			stderr = stderr.length < LONGEST_OUTPUT ? stderr + text : stderr;
		});
		endOf(child).then(
			({ status }) => finish(status),
			(error: Error) => {
				stderr += error.message;
				finish(null);
			},
		);
	});
}

/** The last line that a tool said, for a message. */
export function lastLine(text: string): string {
	return text.trim().split('\n').at(-1)?.trim() ?? '';
}

/** The line of what jcmd said that says most: of a Java exception the first, of an agent its return code. */
export function firstComplaint(said: string): string {
	const lines = said.split('\n').map((line) => line.trim());
	return lines.find((line) => /exception|error|no such|not permitted|unable|return code/i.test(line)) ?? lines.find((line) => line !== '') ?? 'it says nothing';
}
