/** Samples of a JVM's run and the code that it printed, as JMH's report takes them. */
import type { SamplesFormat } from '../formats/format.js';
import { readAssembly } from '../formats/hotspot-log/read-assembly.js';
import type { Assembly } from '../model/assembly.js';
import { InputError, type Problem } from '../model/problem.js';
import type { Samples } from '../model/samples.js';
import { openEvidence } from '../recording/evidence.js';
import type { LogFile } from '../recording/log-file.js';
import { openLogFile } from '../recording/log-file.js';
import { SAMPLES_MISSING } from '../recording/open-recording.js';
import { readSamples } from '../recording/sample-formats.js';

export interface PerfasmEvidence {
	readonly samples: Samples;
	readonly samplesFile: string;
	readonly format: SamplesFormat;
	/** null: no file holds any. */
	readonly assembly: Assembly | null;
	readonly problems: readonly Problem[];
}

/**
 * Reads one file of samples and at most one of assembly. Throws an {@link InputError} when there are no samples, when two files
 * hold the same, or when a file that was named is neither.
 */
export async function readPerfasmEvidence(files: readonly LogFile[]): Promise<PerfasmEvidence> {
	const evidence = await openEvidence(files);
	try {
		evidence.refuseStrangers();
		const { samples, assembly } = evidence.files;
		const [samplesFile] = samples;
		const [log] = assembly;
		for (const [what, found] of [
			['samples', samples],
			['assembly', assembly],
		] as const) {
			const [first, second] = found;
			if (first !== undefined && second !== undefined) {
				throw problem(second.name, `holds ${what}, and ${first.name} does too`, 'give one of each');
			}
		}
		if (samplesFile === undefined) {
			throw problem(evidence.name, SAMPLES_MISSING, 'give the output of perf script --fields time,event,ip,sym,dso too');
		}
		const read = await readSamples(samplesFile, 'none');
		return {
			samples: read.samples,
			samplesFile: samplesFile.name,
			format: read.format,
			assembly: log === undefined ? null : readAssembly((await openLogFile(log)).source),
			problems: [...evidence.problems, ...read.problems],
		};
	} finally {
		evidence.close();
	}
}

function problem(file: string, message: string, action: string): InputError {
	return new InputError({ severity: 'error', file, message, action });
}
