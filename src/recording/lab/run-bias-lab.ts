/**
 * Runs lab/BiasLab.java, the programs of `assay lab bias`, under a JVM with all the samplers that are there: first with the JVM's descriptions of
 * all code (DebugNonSafepoints), recorded with perf and its printed code; then as the JVM comes, for what profilers say without that flag.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Problem } from '../../model/problem.js';
import { type AsyncProfiler, findAsyncProfiler } from '../record/async-profiler.js';
import { majorVersion } from '../record/jdk.js';
import { lastLine, runTool } from '../record/run-tool.js';
import { labFailure } from './lab-jdk.js';
import { type LabRunRequest, openLab, recordLab } from './lab-run.js';

export interface BiasLabRequest extends LabRunRequest {
	readonly scenarios: readonly string[];
	readonly warmMs: number;
	readonly measuredMs: number;
	readonly say: (line: string) => void;
}

/** A file that a sampler wrote. */
export interface LabProfile {
	readonly sampler: 'JFR' | 'async-profiler' | 'thread dumps';
	/** Whether code was described between safepoints too. */
	readonly isDescribed: boolean;
	readonly file: string;
}

interface MissingSampler {
	readonly sampler: string;
	readonly why: string;
	readonly remedy: string;
}

export interface BiasLabRun {
	readonly javaPath: string;
	/** `25.0.3`; null where the release file does not say. */
	readonly version: string | null;
	/** A recording with perf's samples; null without. */
	readonly recordingFolder: string | null;
	/** Scenario, method, weight, how it is known; by line. */
	readonly truthFile: string;
	readonly profiles: readonly LabProfile[];
	readonly missing: readonly MissingSampler[];
	readonly problems: readonly Problem[];
}

/** Throws an InputError when there is no JVM, no compiler, or the programs do not run. */
export async function runBiasLab(request: BiasLabRequest): Promise<BiasLabRun> {
	const { folder, environment, workingDirectory, say } = request;
	const { javaPath, jdk, classes } = await openLab(request, 'BiasLab.java');
	const major = majorVersion(jdk);
	const missing: MissingSampler[] = [];
	const jfr = await flightRecorderOf(javaPath, major);
	if (jfr === null) {
		missing.push({ sampler: 'JFR', why: 'this JVM has no module jdk.jfr, or is older than 17', remedy: '--java with a JDK 17 or later' });
	} else if (!jfr.hasCpuTime) {
		missing.push({
			sampler: 'JFR cpu',
			why: (major ?? 0) < 25 ? 'CPU-time samples come with JDK 25' : 'CPU-time samples are for Linux only',
			remedy: '--java with a JDK 25 on Linux',
		});
	}
	const asyncProfiler = findAsyncProfiler(workingDirectory, environment);
	if (asyncProfiler === null) {
		missing.push({ sampler: 'async-profiler', why: 'it was not found', remedy: 'unpack async-profiler 4 and set ASPROF_HOME' });
	}
	const described = path.join(folder, 'described');
	const plain = path.join(folder, 'plain');
	fs.mkdirSync(described);
	fs.mkdirSync(plain);
	const commandLine = (results: string, isDescribed: boolean): string[] => [
		...request.javaOptions,
		'-XX:CompileCommand=quiet',
		'-XX:CompileCommand=inline,*::inline*',
		'-XX:CompileCommand=dontinline,*::apart*',
		...(isDescribed ? ['-XX:+UnlockDiagnosticVMOptions', '-XX:+DebugNonSafepoints'] : []),
		...(jfr === null ? [] : jfr.flags(path.join(results, 'flight.jfr'))),
		...(asyncProfiler === null || !isDescribed ? [] : [agentFlag(asyncProfiler, path.join(results, 'async.collapsed'))]),
		'-cp',
		classes,
		'BiasLab',
		request.scenarios.join(','),
		String(request.warmMs),
		String(request.measuredMs),
		results,
	];
	say('with -XX:+DebugNonSafepoints, under perf');
	const recording = path.join(folder, 'recording');
	const problems: Problem[] = [];
	// Only perf is wanted here: async-profiler is loaded as an agent.
	const withPerf = { ...request, environment: { ...environment, ASPROF_HOME: '', ASYNC_PROFILER_HOME: '' }, withSafepoints: false };
	const { manifest, exitStatus } = await recordLab(withPerf, recording, [javaPath, ...commandLine(described, true)]);
	const truthFile = path.join(described, 'truth.txt');
	if (exitStatus !== 0 || !fs.existsSync(truthFile)) {
		throw labFailure(javaPath, `the programs ended with status ${exitStatus}`, 'what the JVM said stands above; check the options after --');
	}
	const hasSamples = (manifest.samples?.count ?? 0) > 0;
	if (!hasSamples) {
		const [reason] = manifest.problems;
		missing.push({
			sampler: 'perf',
			why: reason?.message ?? 'it wrote no samples',
			remedy: reason?.action ?? 'see assay doctor -- java',
		});
	}
	if (jfr !== null) {
		say('as the JVM comes, without that flag');
		const { status, stderr, stdout } = await runTool([javaPath, ...commandLine(plain, false)], { timeoutMs: RUN_TIMEOUT_MS });
		if (status !== 0) {
			problems.push({
				severity: 'warning',
				file: javaPath,
				message: `the run without DebugNonSafepoints failed: ${lastLine(stderr) || lastLine(stdout)}`,
				action: 'its profiles are left out',
			});
		}
	}
	const profiles: LabProfile[] = [
		{ sampler: 'thread dumps', isDescribed: true, file: path.join(described, 'dumps.collapsed') },
		{ sampler: 'async-profiler', isDescribed: true, file: path.join(described, 'async.collapsed') },
		{ sampler: 'JFR', isDescribed: true, file: path.join(described, 'flight.jfr') },
		{ sampler: 'JFR', isDescribed: false, file: path.join(plain, 'flight.jfr') },
	];
	return {
		javaPath,
		version: jdk?.version ?? null,
		recordingFolder: hasSamples ? recording : null,
		truthFile,
		profiles: profiles.filter(({ file }) => fs.existsSync(file)),
		missing,
		problems,
	};
}

const RUN_TIMEOUT_MS = 30 * 60_000;

/** Null: no Flight Recorder whose settings can be given on the command line (JDK 17). */
async function flightRecorderOf(javaPath: string, major: number | null): Promise<{ hasCpuTime: boolean; flags: (file: string) => string[] } | null> {
	const { stdout } = await runTool([javaPath, '--list-modules'], { timeoutMs: 60_000 });
	if (major === null || major < 17 || !/^jdk\.jfr\b/m.test(stdout)) {
		return null;
	}
	const hasCpuTime = major >= 25 && process.platform === 'linux';
	const settings = [
		'settings=profile',
		'jdk.ExecutionSample#period=10ms',
		...(hasCpuTime ? ['jdk.CPUTimeSample#enabled=true', 'jdk.CPUTimeSample#throttle=5ms'] : []),
	];
	return { hasCpuTime, flags: (file) => [`-XX:StartFlightRecording:filename=${file},${settings.join(',')}`, '-Xlog:jfr+startup=off'] };
}

function agentFlag({ library }: AsyncProfiler, file: string): string {
	return `-agentpath:${library}=start,event=ctimer,interval=1000000,threads,collapsed,file=${file}`;
}
