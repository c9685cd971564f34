/**
 * async-profiler, where there is no perf: an agent that samples from inside the JVM and writes collapsed stacks when it ends. With
 * `features=pcaddr` each stack ends with the address of the sampled instruction (its docs/AdvancedStacktraceFeatures.md); with `lib` native frames name
 * their library.
 */
import fs from 'node:fs';
import path from 'node:path';
import { findExecutable } from './find-executable.js';

export interface AsyncProfiler {
	/** The agent. */
	readonly library: string;
}

const LIBRARIES = [
	'lib/libasyncProfiler.so',
	'lib/libasyncProfiler.dylib',
	'build/lib/libasyncProfiler.so',
	'build/libasyncProfiler.so',
	'libasyncProfiler.so',
];

export function findAsyncProfiler(folder: string, environment: NodeJS.ProcessEnv): AsyncProfiler | null {
	const program = findExecutable('asprof', folder, environment.PATH);
	const ofProgram = program === null ? undefined : path.dirname(path.dirname(fs.realpathSync(program)));
	for (const home of [environment.ASPROF_HOME, environment.ASYNC_PROFILER_HOME, ofProgram]) {
		const library =
			home === undefined || home === '' ? undefined : LIBRARIES.map((name) => path.resolve(folder, home, name)).find((file) => fs.existsSync(file));
		if (library !== undefined) {
			return { library };
		}
	}
	return null;
}

/** Per-thread CPU timers: no permission is needed, and no hardware counter. */
const EVENT = 'ctimer';

/** The JVM flag that loads it; `%p` in the name of the file is the process id. */
export function agentFlag({ library }: AsyncProfiler, outputFile: string, frequencyHz: number): string {
	const interval = Math.max(1, Math.round(1e9 / frequencyHz));
	return `-agentpath:${library}=start,event=${EVENT},interval=${interval},features=pcaddr,lib,collapsed,file=${outputFile}`;
}

export const ASYNC_PROFILER_EVENT = EVENT;
