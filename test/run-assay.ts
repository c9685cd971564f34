/** Runs a command line in this process and keeps what it prints. */

import path from 'node:path';
import type { CommandIo } from '../src/cli/io.js';
import { main } from '../src/cli/main.js';
import type { CompilationTrees, LoggedCompilation } from '../src/model/compilation.js';
import { type Evidence, openEvidence } from '../src/recording/evidence.js';
import type { OptimizationLog } from '../src/recording/optimization-log.js';
import { GRAAL_FIXTURES } from './fixtures.js';

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
		keptEvidence,
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
const MOST_OPEN = 8;
const root = path.resolve(import.meta.dirname, '..');
/** No test changes what lies here. */
const UNCHANGED = [path.join(root, 'fixtures'), path.join(root, 'examples'), GRAAL_FIXTURES];

const open = new Map<string, Promise<Evidence>>();

/** A recording that no test changes is opened once for all commands that want it alike. */
function keptEvidence(...[files, options = {}]: Parameters<typeof openEvidence>): Promise<Evidence> | null {
	if (!files.every(({ filePath }) => UNCHANGED.some((folder) => filePath.startsWith(`${folder}${path.sep}`)))) {
		return null;
	}
	const key = JSON.stringify([files, options]);
	const evidence = open.get(key) ?? openEvidence(files, options).then((one) => keepTrees(one, () => open.delete(key)));
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
}

/** Trees of Graal's log are read for each command that looks at them: tests read them once. `onChange`: the evidence is not what it was any more. */
function keepTrees(evidence: Evidence, onChange: () => void): Evidence {
	const leaveOut = evidence.leaveOutSamples.bind(evidence);
	evidence.leaveOutSamples = (names) => {
		if (names.size > 0) {
			onChange();
			leaveOut(names);
		}
	};
	const read = evidence.optimizationLog.bind(evidence);
	const logs = new Map<OptimizationLog, OptimizationLog>();
	evidence.optimizationLog = async (files) => {
		const log = await read(files);
		const kept = logs.get(log) ?? { ...log, compilations: log.compilations.map(withTreesKept) };
		logs.set(log, kept);
		return kept;
	};
	return evidence;
}

function withTreesKept(compilation: LoggedCompilation): LoggedCompilation {
	let trees: CompilationTrees | null = null;
	return {
		...compilation,
		readTrees: () => {
			trees ??= compilation.readTrees();
			return trees;
		},
	};
}
