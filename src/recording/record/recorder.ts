/** The manifest in the making, and what goes wrong on the way. */

import os from 'node:os';
import { InputError, type Problem } from '../../model/problem.js';
import { MANIFEST_VERSION, type RecordedFile, type RecordedMachine, type RecordingManifest } from '../../model/recording-manifest.js';
import { asInputError } from '../file-source.js';
import { reasonOf } from '../system-error.js';
import { measureClockOffset } from './clock-offset.js';
import type { RecordRequest } from './record-request.js';
import { recordedFiles, writeManifest } from './recording-folder.js';
import { rescueCompilerLogs } from './rescue-compiler-logs.js';

/** How much two measurements of the clocks may differ beyond their uncertainties. */
const CLOCK_STEP_SECONDS = 0.001;

function thisMachine(): RecordedMachine {
	const processors = os.cpus();
	return { host: os.hostname(), cpu: processors[0]?.model.trim() || null, cpus: processors.length };
}

export class Recorder {
	private readonly request: RecordRequest;
	private readonly problems: Problem[] = [];
	/** Whether code is kept of a program that is no JVM: its executables, or what another compiler wrote. */
	hasOtherCode = false;
	private manifest: RecordingManifest;
	/** Why it could not be written while the program ran. */
	private lost: Error | null = null;

	/** Writes the manifest for the first time. */
	constructor(request: RecordRequest, known: Pick<RecordingManifest, 'command' | 'executed' | 'jdk' | 'flags' | 'flagsPassedBy'>) {
		this.request = request;
		const { seconds, uncertaintySeconds } = measureClockOffset();
		this.manifest = {
			assayRecording: MANIFEST_VERSION,
			state: 'running',
			...known,
			workingDirectory: request.workingDirectory,
			machine: thisMachine(),
			tools: { assay: request.assayVersion, node: process.version, perf: null, asyncProfiler: null },
			startTime: new Date().toISOString(),
			endTime: null,
			processId: null,
			exit: null,
			endedBy: null,
			samples: null,
			clocks: { perf: null, monotonicMinusRealtimeSeconds: seconds, uncertaintySeconds },
			files: [],
			problems: this.problems,
		};
		try {
			this.write();
		} catch (error) {
			throw asInputError(error, request.outputName);
		}
	}

	get current(): RecordingManifest {
		return this.manifest;
	}

	/** Adds what is known now, and writes. Where that fails the program runs on, and {@link complete} says so. */
	update(fields: Partial<RecordingManifest>): void {
		this.manifest = { ...this.manifest, ...fields };
		try {
			this.write();
		} catch (error) {
			this.lose(error);
		}
	}

	/** What is recorded cannot be written. The program runs on, and {@link complete} says so. */
	lose(error: unknown): void {
		this.lost ??= error as Error;
	}

	problem(severity: Problem['severity'], file: string, message: string, action: string): void {
		this.problems.push({ severity, file, message, action });
	}

	/** Completes the manifest: what is in the folder now, and what `check` has to say of it. Throws an {@link InputError} when it cannot be written. */
	async complete(check?: (files: readonly RecordedFile[]) => void): Promise<RecordingManifest> {
		const { clocks } = this.manifest;
		const now = measureClockOffset();
		const step = now.seconds - clocks.monotonicMinusRealtimeSeconds;
		if (Math.abs(step) > now.uncertaintySeconds + clocks.uncertaintySeconds + CLOCK_STEP_SECONDS) {
			this.problem(
				'warning',
				this.request.outputName,
				`the real-time clock was set by ${step.toFixed(3)} s while the program ran`,
				'stamps of the JVM are mapped onto the times of samples as before the step',
			);
		}
		const files = await this.collectFiles();
		check?.(files);
		this.update({ state: 'complete', files });
		if (this.lost !== null) {
			const { exit } = this.manifest;
			const ended = exit === null ? '' : `; the program ended with ${exit.signal ?? `exit status ${exit.status}`}`;
			const message = `the recording could not be written (${reasonOf(this.lost)})${ended}`;
			throw new InputError({ severity: 'error', file: this.request.outputName, message, action: 'keep the folder, and room on its disk, while it records' });
		}
		return this.manifest;
	}

	/** What is in the folder, with what compilers left elsewhere. */
	private async collectFiles(): Promise<RecordedFile[]> {
		const { outputFolder } = this.request;
		try {
			const logging = (await recordedFiles(outputFolder)).flatMap(({ kind, processId }) => (kind === 'jitdump' || processId === undefined ? [] : [processId]));
			rescueCompilerLogs(outputFolder, new Set(logging));
			return await recordedFiles(outputFolder);
		} catch (error) {
			this.lose(error);
			return [];
		}
	}

	private write(): void {
		writeManifest(this.request.outputFolder, this.manifest);
	}
}
