/** What the questions of `assay lab` have in common: on which JVM, how long, and where what is recorded goes. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { LabRunRequest } from '../recording/lab/lab-run.js';
import { VERSION } from './version.js';

export interface LabRequest {
	/** A JDK's folder or its java; null: JAVA_HOME, else PATH. */
	readonly java: string | null;
	/** How long each program is measured. */
	readonly seconds: number;
	/** Further options of the JVM. */
	readonly javaOptions: readonly string[];
	/** An empty folder for what is recorded; null: it is not kept. */
	readonly keep: string | null;
	readonly workingDirectory: string;
}

/** Gives `run` an empty folder, which is gone afterwards unless it is to be kept. */
export async function inLabFolder<T>({ java, javaOptions, keep, workingDirectory }: LabRequest, run: (request: LabRunRequest) => Promise<T>): Promise<T> {
	const folder = keep ?? fs.mkdtempSync(path.join(os.tmpdir(), 'assay-lab-'));
	try {
		return await run({ java, javaOptions, workingDirectory, environment: process.env, assayVersion: VERSION, folder, labFolder: labFolder() });
	} finally {
		if (keep === null) {
			fs.rmSync(folder, { recursive: true, force: true });
		}
	}
}

/** lab/ lies at the root of the package, above the bundle and above the sources. */
function labFolder(): string {
	for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
		const lab = path.join(folder, 'lab');
		if (fs.existsSync(path.join(lab, 'BiasLab.java')) || folder === path.dirname(folder)) {
			return lab;
		}
	}
}
