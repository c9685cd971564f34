/** The manifest in the making, and what goes wrong on the way. */

import type { Problem } from '../../model/problem.js';
import { MANIFEST_VERSION, type RecordedFile, type RecordingManifest } from '../../model/recording-manifest.js';
import { measureClockOffset } from './clock-offset.js';
import type { RecordRequest } from './record-request.js';
import { recordedFiles, writeManifest } from './recording-folder.js';
import { rescueCompilerLogs } from './rescue-compiler-logs.js';

/** How much two measurements of the clocks may differ beyond their uncertainties. */
const CLOCK_STEP_SECONDS = 0.001;

export class Recorder {
	private readonly request: RecordRequest;
	private readonly problems: Problem[] = [];
	private manifest: RecordingManifest;

	/** Writes the manifest for the first time. */
	constructor(request: RecordRequest, known: Pick<RecordingManifest, 'command' | 'executed' | 'jdk' | 'flags' | 'flagsPassedBy'>) {
		this.request = request;
		const { seconds, uncertaintySeconds } = measureClockOffset();
		this.manifest = {
			assayRecording: MANIFEST_VERSION,
			state: 'running',
			...known,
			workingDirectory: request.workingDirectory,
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
		this.write();
	}

	get current(): RecordingManifest {
		return this.manifest;
	}

	/** Adds what is known now, and writes. */
	update(fields: Partial<RecordingManifest>): void {
		this.manifest = { ...this.manifest, ...fields };
		this.write();
	}

	problem(severity: Problem['severity'], file: string, message: string, action: string): void {
		this.problems.push({ severity, file, message, action });
	}

	/** Completes the manifest: what is in the folder now, and what `check` has to say of it. */
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
		const { outputFolder } = this.request;
		const logging = (await recordedFiles(outputFolder)).map(({ processId }) => processId).filter((processId) => processId !== undefined);
		rescueCompilerLogs(outputFolder, new Set(logging));
		const files = await recordedFiles(outputFolder);
		check?.(files);
		this.update({ state: 'complete', files });
		return this.manifest;
	}

	private write(): void {
		writeManifest(this.request.outputFolder, this.manifest);
	}
}
