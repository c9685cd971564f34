/** What the programs of the lab have in common: they are compiled with a JVM and recorded under it. */
import path from 'node:path';
import type { RecordedJdk } from '../../model/recording-manifest.js';
import { jdkOfJava } from '../record/jdk.js';
import { recordProgram } from '../record/record-program.js';
import { DEFAULT_FREQUENCY_HZ, type RecordOutcome, type RecordRequest } from '../record/record-request.js';
import { compileLab, findJava } from './lab-jdk.js';

export interface LabRunRequest {
	/** A JDK's home or a java program; null: JAVA_HOME, else PATH. */
	readonly java: string | null;
	/** Further options of the JVM. */
	readonly javaOptions: readonly string[];
	readonly workingDirectory: string;
	readonly environment: NodeJS.ProcessEnv;
	readonly assayVersion: string;
	/** An empty folder for all that is made. */
	readonly folder: string;
	/** Where the sources of the programs are. */
	readonly labFolder: string;
}

interface LabJvm {
	readonly javaPath: string;
	readonly jdk: RecordedJdk | null;
	/** The folder of the compiled programs. */
	readonly classes: string;
}

/** `source`: the name of a file in the lab's folder. Throws an InputError when there is no JVM or no compiler. */
export async function openLab({ java, workingDirectory, environment, folder, labFolder }: LabRunRequest, source: string): Promise<LabJvm> {
	const javaPath = findJava(java, environment, workingDirectory);
	const classes = path.join(folder, 'classes');
	await compileLab(javaPath, path.join(labFolder, source), classes);
	return { javaPath, jdk: jdkOfJava(javaPath), classes };
}

type Recorded = Pick<RecordRequest, 'withSafepoints' | 'workingDirectory' | 'environment' | 'assayVersion'>;

/** As `assay record` does it, into the folder `recording`. */
export function recordLab(
	{ withSafepoints, workingDirectory, environment, assayVersion }: Recorded,
	recording: string,
	command: readonly string[],
): Promise<RecordOutcome> {
	return recordProgram(
		{
			outputFolder: recording,
			outputName: recording,
			force: false,
			event: null,
			frequencyHz: DEFAULT_FREQUENCY_HZ,
			durationSeconds: null,
			jdkHome: null,
			evidence: 'all',
			code: 'agent',
			memory: false,
			withSafepoints,
			withDecisions: false,
			stackBytes: 1024,
			workingDirectory,
			environment,
			assayVersion,
			say: () => {},
		},
		command,
	);
}
