/** Programs that stand in for java, perf and a C compiler, as shell scripts in a folder for PATH, and a way to run assay with them. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { comm, mmap2, perfDataFile, sample } from './perf-data-file.js';

const assay = path.resolve(import.meta.dirname, '..', 'bin', 'assay.js');

/** Writes the log that its -XX:LogFile names (with %p as a JVM has it) and the agent's, says hello, and does what its last argument says. */
const JAVA = `#!/bin/sh
for argument in $JAVA_TOOL_OPTIONS "$@"; do
	case "$argument" in
	-XX:LogFile=*) log=$(echo "\${argument#-XX:LogFile=}" | sed "s/%p/pid$$/") ;;
	-agentpath:*agent-%p.bin) echo ASSAYJVM > "$(echo "\${argument#*=}" | sed "s/%p/$$/")" ;;
	esac
	last="$argument"
done
[ -n "$log" ] && echo "<hotspot_log version='160 1' process='$$' time_ms='1700000000000'>" > "$log"
[ "$last" = stubborn ] && trap '' INT TERM
echo "hello $#"
case "$last" in
exit-*) exit "\${last#exit-}" ;;
kill-me) kill -9 $$ ;;
wait) exec sleep 100 ;;
jmh)
	printf '# Benchmark: a.B.c\\n# Fork: 1 of 1\\n# Warmup Iteration   1: '; sleep 0.3
	printf '2 ns/op\\nIteration   1: '; sleep 0.3
	printf '1 ns/op\\n\\nResult\\n' ;;
stubborn) while :; do sleep 0.05; done ;;
esac
`;

/** Speaks perf's control protocol: acknowledges the order to begin, ends at SIGINT, and leaves its file. */
const PERF = `#!/bin/sh
case "$1" in
--version) echo "perf version 6.fake" ;;
stat) echo "<not supported>,,cycles,0,100.00,," >&2 ;;
record)
	echo "$@" > "$(dirname "$0")/perf-arguments"
	while [ $# -gt 0 ]; do [ "$1" = -o ] && output="$2"; shift; done
	read -r order <&3
	cp "$(dirname "$0")/samples.data" "$output"
	trap 'exit 0' INT
	printf 'ack\\n' >&4
	while :; do sleep 0.02; done ;;
esac
`;

/** What it leaves: two samples in generated code. */
const SAMPLES = perfDataFile(
	[{ name: 'cpu-clock' }],
	[
		comm(7, 7, 'java'),
		mmap2(7, 0x7f0000000000, 0x10000, 0, '//anon'),
		sample(0x7f0000001000, 7, 7, 1_000_001_000),
		sample(0x7f0000001010, 7, 7, 1_001_001_000),
	],
);

const REFUSING_PERF = `#!/bin/sh
case "$1" in
--version) echo "perf version 6.fake" ;;
record) echo "Error: Access to performance monitoring is limited: Operation not permitted" >&2; exit 255 ;;
*) exit 1 ;;
esac
`;

/** Makes the file that -o names, from anything. */
const COMPILER = `#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = -o ] && echo library > "$2"; shift; done
`;

const SCRIPTS = { java: JAVA, perf: PERF, 'refusing-perf': REFUSING_PERF, cc: COMPILER };

/** Writes a fake tool; `name` is what it is found as. */
export function writeTool(folder: string, name: string, script: keyof typeof SCRIPTS | `#!${string}`): void {
	const text = script.startsWith('#!') ? script : SCRIPTS[script as keyof typeof SCRIPTS];
	fs.mkdirSync(folder, { recursive: true });
	fs.writeFileSync(path.join(folder, name), text, { mode: 0o755 });
	fs.writeFileSync(path.join(folder, 'samples.data'), SAMPLES);
}

export interface ProcessRun {
	readonly status: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

/**
 * Runs the built assay in a process and session of its own, so that signals are its own too. `tools` comes first in PATH;
 * `onOutput` is told whenever something was printed on either stream.
 */
export function runProcess(
	args: readonly string[],
	cwd: string,
	tools: string,
	environment: Readonly<Record<string, string>> = {},
	onOutput?: (all: string, child: ChildProcess) => void,
): Promise<ProcessRun> {
	const { JAVA_TOOL_OPTIONS, JAVA_HOME, ASPROF_HOME, ASYNC_PROFILER_HOME, ...inherited } = process.env;
	const env = { ...inherited, PATH: `${tools}:/usr/bin:/bin`, XDG_CACHE_HOME: path.join(tools, 'cache'), ...environment };
	return new Promise((resolve, reject) => {
		const child = spawn(process.execPath, [assay, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
		let stdout = '';
		let stderr = '';
		child.stdout.setEncoding('utf8').on('data', (text: string) => {
			stdout += text;
			onOutput?.(stdout + stderr, child);
		});
		child.stderr.setEncoding('utf8').on('data', (text: string) => {
			stderr += text;
			onOutput?.(stdout + stderr, child);
		});
		child.once('error', reject);
		child.once('close', (status) => resolve({ status, stdout, stderr }));
	});
}
