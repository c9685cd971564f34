/** Records the programs of lab/ProblemsLab.java, each with its one fault and its twin without it, as `assay record` does. */
import path from 'node:path';
import { jdkOfJava } from '../record/jdk.js';
import { recordProgram } from '../record/record-program.js';
import { DEFAULT_FREQUENCY_HZ } from '../record/record-request.js';
import { compileLab, findJava, labFailure } from './lab-jdk.js';

export interface ProblemsLabRequest {
	/** A JDK's home or a java program; null: JAVA_HOME, else PATH. */
	readonly java: string | null;
	readonly seconds: number;
	/** Further options of the JVM. */
	readonly javaOptions: readonly string[];
	readonly workingDirectory: string;
	readonly environment: NodeJS.ProcessEnv;
	readonly assayVersion: string;
	/** An empty folder for all that is made. */
	readonly folder: string;
	/** Where lab/ProblemsLab.java is. */
	readonly labFolder: string;
}

export interface ProblemsLabJvm {
	readonly javaPath: string;
	/** `25.0.3`; null where the release file does not say. */
	readonly version: string | null;
	/** Runs one program and gives the folder of its recording. Throws an InputError when it does not run. */
	record(cause: string, side: 'bad' | 'good', flags: readonly string[]): Promise<string>;
}

/** Throws an InputError when there is no JVM or no compiler. */
export async function openProblemsLab(request: ProblemsLabRequest): Promise<ProblemsLabJvm> {
	const { folder, environment, workingDirectory } = request;
	const javaPath = findJava(request.java, environment, workingDirectory);
	const classes = path.join(folder, 'classes');
	await compileLab(javaPath, path.join(request.labFolder, 'ProblemsLab.java'), classes);
	return {
		javaPath,
		version: jdkOfJava(javaPath)?.version ?? null,
		async record(cause, side, flags) {
			const recording = path.join(folder, `${cause}-${side}`);
			const { manifest, exitStatus } = await recordProgram(
				{
					outputFolder: recording,
					outputName: recording,
					force: false,
					event: null,
					frequencyHz: DEFAULT_FREQUENCY_HZ,
					durationSeconds: null,
					jdkHome: null,
					code: 'agent',
					memory: false,
					withSafepoints: true,
					withDecisions: false,
					workingDirectory,
					environment,
					assayVersion: request.assayVersion,
					say: () => {},
				},
				[javaPath, ...request.javaOptions, ...flags, '-cp', classes, 'ProblemsLab', cause, side, String(Math.round(1000 * request.seconds))],
			);
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
