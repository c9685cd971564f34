/** Records the programs of lab/ProblemsLab.java, each with its one fault and its twin without it, as `assay record` does. */
import path from 'node:path';
import { runTool } from '../record/run-tool.js';
import { labFailure } from './lab-jdk.js';
import { type LabRunRequest, openLab, recordLab } from './lab-run.js';

export interface ProblemsLabRequest extends LabRunRequest {
	readonly seconds: number;
}

export interface ProblemsLabJvm {
	readonly javaPath: string;
	/** `25.0.3`; null where the release file does not say. */
	readonly version: string | null;
	/** `UseG1GC`: the flag of the collector that it takes with the options of the request; null where it does not say. */
	readonly collector: string | null;
	/** Runs one program and gives the folder of its recording. Throws an InputError when it does not run. */
	record(cause: string, side: 'bad' | 'good', flags: readonly string[]): Promise<string>;
}

/** The JVM chooses by the machine where no option says. */
async function collectorOf(javaPath: string, javaOptions: readonly string[]): Promise<string | null> {
	const { stdout } = await runTool([javaPath, ...javaOptions, '-XX:+PrintFlagsFinal', '-version'], { timeoutMs: 60_000 });
	return /^ *bool +(Use\w+GC) += true/m.exec(stdout)?.[1] ?? null;
}

/** Throws an InputError when there is no JVM or no compiler. */
export async function openProblemsLab(request: ProblemsLabRequest): Promise<ProblemsLabJvm> {
	const { javaPath, jdk, classes } = await openLab(request, 'ProblemsLab.java');
	return {
		javaPath,
		version: jdk?.version ?? null,
		collector: await collectorOf(javaPath, request.javaOptions),
		async record(cause, side, flags) {
			const recording = path.join(request.folder, `${cause}-${side}`);
			const { manifest, exitStatus } = await recordLab({ ...request, withSafepoints: true }, recording, [
				javaPath,
				...request.javaOptions,
				...flags,
				'-cp',
				classes,
				'ProblemsLab',
				cause,
				side,
				String(Math.round(1000 * request.seconds)),
			]);
			if (exitStatus !== 0) {
				throw labFailure(javaPath, `${cause} ended with status ${exitStatus}`, 'what the JVM said stands above; check the options after --');
			}
			if ((manifest.samples?.count ?? 0) === 0) {
				throw labFailure(javaPath, manifest.problems[0]?.message ?? 'perf wrote no samples', manifest.problems[0]?.action ?? 'see assay doctor -- java');
			}
			return recording;
		},
	};
}
