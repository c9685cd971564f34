/** Runs a command line in this process and keeps what it prints. */

import type { CommandIo } from '../src/cli/io.js';
import { main } from '../src/cli/main.js';
import { type Evidence, openEvidence } from '../src/recording/evidence.js';

export interface AssayRun {
	readonly stdout: string;
	readonly stderr: string;
	readonly exit: number;
}

export async function runAssay(argv: readonly string[], workingDirectory: string, io: Partial<CommandIo> = {}): Promise<AssayRun> {
	const stdout: string[] = [];
	const stderr: string[] = [];
	const exit = await main(argv, {
		workingDirectory,
		isTerminal: false,
		...io,
		out: (text) => {
			stdout.push(text);
		},
		err: (text) => {
			stderr.push(text);
		},
	});
	return { stdout: stdout.join(''), stderr: stderr.join(''), exit };
}

const kept = new Map<string, Promise<AssayRun>>();

/** The same, and kept: for tests that look at one run from several sides. The files that it reads must be ones that no test changes. */
export function runAssayOnce(argv: readonly string[], workingDirectory: string, io: Partial<CommandIo> = {}): Promise<AssayRun> {
	const key = JSON.stringify([argv, workingDirectory, io]);
	const run = kept.get(key) ?? runAssay(argv, workingDirectory, io);
	kept.set(key, run);
	return run;
}

/** So many recordings stay open. */
const MOST_OPEN = 3;

/** Commands that are run with this open a recording once: for tests of what is shown of one, with files that no test changes. */
export function keptEvidence(): Required<Pick<CommandIo, 'openEvidence'>> {
	const open = new Map<string, Promise<Evidence>>();
	return {
		openEvidence(files, options) {
			const key = JSON.stringify([files, options]);
			const evidence = open.get(key) ?? openEvidence(files, options);
			open.delete(key);
			open.set(key, evidence);
			for (const oldest of [...open.keys()].slice(0, -MOST_OPEN)) {
				void open.get(oldest)?.then(
					(one) => one.close(),
					() => {},
				);
				open.delete(oldest);
			}
			return evidence;
		},
	};
}
