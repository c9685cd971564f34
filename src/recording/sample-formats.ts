/** Reads samples by the reader of the file's own format. */
import type { ReadSamples, SamplesFormat } from '../formats/format.js';
import { InputError } from '../model/problem.js';
import { type DetailsWanted, NO_DETAILS, type SampleDetails } from '../model/samples.js';
import type { EvidenceFile } from './find-evidence.js';
import { openLogFile } from './log-file.js';

/** Throws an {@link InputError} when the file cannot be opened, or holds none. */
export async function readSamples(file: EvidenceFile, wanted: DetailsWanted): Promise<SampleDetails & ReadSamples & { readonly format: SamplesFormat }> {
	const samples = file.formats.find((row) => row.samples !== undefined)?.samples;
	if (samples === undefined) {
		throw new InputError({ severity: 'error', file: file.name, message: 'holds no samples', action: 'give the samples of the run' });
	}
	const opened = await openLogFile(file);
	try {
		const read = samples.read(opened.source, wanted);
		return { ...NO_DETAILS, ...read, problems: [...opened.problems, ...read.problems], format: samples.format };
	} finally {
		opened.source.close();
	}
}
