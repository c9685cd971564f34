/** Runs a command under `perf record -e page-faults`, with its program's file dropped from the page cache before or not. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readPageFaults } from '../formats/perf-page-faults/read.js';
import type { FaultRecording } from '../model/page-faults.js';
import { InputError, type Problem } from '../model/problem.js';
import { endOf } from './child-end.js';
import { openFile } from './file-source.js';
import { NO_BPF_EVENTS } from './record/perf.js';
import { lastLine, runTool } from './record/run-tool.js';

export interface FaultRun extends FaultRecording {
	/** Null when a signal ended it. */
	readonly exitStatus: number | null;
	readonly problems: readonly Problem[];
}

export interface FaultRunOptions {
	readonly command: readonly string[];
	readonly workingDirectory: string;
	/** Its standard input; null for none. */
	readonly inputFile: string | null;
	/** Ends it. */
	readonly signal?: AbortSignal | undefined;
}

const PERF = 'perf';

/** Throws an {@link InputError} when perf is missing, may not count, or the command cannot be started. */
export async function recordFaults({ command, workingDirectory, inputFile, signal }: FaultRunOptions): Promise<FaultRun> {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-faults-'));
	const input = inputFile === null ? -1 : fs.openSync(inputFile, 'r');
	try {
		const data = path.join(folder, 'perf.data');
		const recorded = await runPerf(
			['record', '-q', NO_BPF_EVENTS, '-e', 'page-faults,major-faults', '-c', '1', '-d', '-o', data, '--', ...command],
			workingDirectory,
			input,
			signal,
		);
		signal?.throwIfAborted();
		if (!fs.existsSync(data) || fs.statSync(data).size === 0) {
			throw failed(recorded.stderr);
		}
		const text = path.join(folder, 'faults.txt');
		const script = await runTool([PERF, 'script', '-i', data, '-F', 'comm,pid,tid,event,addr,ip', '--show-mmap-events'], { outputFile: text });
		if (script.status !== 0) {
			throw failed(script.stderr);
		}
		const { source } = await openFile(text, 'perf script');
		const read = readPageFaults(source);
		source.close();
		return { ...read, exitStatus: recorded.status };
	} finally {
		if (input >= 0) {
			fs.closeSync(input);
		}
		fs.rmSync(folder, { recursive: true, force: true });
	}
}

/** Drops a file from the page cache as far as no process maps it; pages that are left, or null where that cannot be told. */
export async function dropFromCache(file: string): Promise<number | null> {
	await runTool(['sync', file]);
	await runTool(['dd', `if=${file}`, 'iflag=nocache', 'count=0', 'status=none']);
	return residentPages(file);
}

/** Pages of a file in the page cache; null without fincore (util-linux). */
export async function residentPages(file: string): Promise<number | null> {
	const { status, stdout } = await runTool(['fincore', '--noheadings', '--output', 'PAGES', file]);
	const pages = Number(stdout.trim());
	return status === 0 && stdout.trim() !== '' && Number.isInteger(pages) ? pages : null;
}

async function runPerf(
	argv: readonly string[],
	folder: string,
	input: number,
	signal: AbortSignal | undefined,
): Promise<{ status: number | null; stderr: string }> {
	// Asked to end, perf ends what it started too.
	const child = spawn(PERF, argv, { cwd: folder, stdio: [input >= 0 ? input : 'ignore', 'ignore', 'pipe'], ...(signal === undefined ? {} : { signal }) });
	let stderr = '';
	child.stderr?.setEncoding('utf8').on('data', (text: string) => {
		stderr = (stderr + text).slice(-(1 << 16));
	});
	try {
		const { status } = await endOf(child);
		return { status, stderr };
	} catch (error) {
		return { status: null, stderr: (error as Error).message };
	}
}

function failed(stderr: string): InputError {
	const isMissing = stderr.includes('ENOENT');
	return new InputError({
		severity: 'error',
		file: 'perf',
		message: isMissing ? 'is not installed' : `could not count page faults (${lastLine(stderr) || 'no reason given'})`,
		action: isMissing ? 'install it (Debian: linux-perf)' : 'see kernel.perf_event_paranoid, and whether the command runs by itself',
	});
}
