/** Opens files of a JVM's run, each told by what it holds: samples of its program counters, and the code that it generated. */

import { isHotspotLog, isPrintAssembly } from '../formats/hotspot-log/detect.js';
import { readAssembly } from '../formats/hotspot-log/read-assembly.js';
import type { Assembly } from '../model/assembly.js';
import { InputError, type Problem } from '../model/problem.js';
import type { Samples } from '../model/samples.js';
import { asInputError, openFile } from './file-source.js';
import type { LogFile } from './log-file.js';
import { readHead } from './read-head.js';
import { readSamples, type SamplesFormat, samplesFormatOf } from './sample-formats.js';

/** Samples and printed assembly, for JMH's report. */
export interface Evidence {
	readonly samples: Samples;
	readonly samplesFile: string;
	readonly format: SamplesFormat;
	/** null: no file holds any. */
	readonly assembly: Assembly | null;
	readonly problems: readonly Problem[];
}

/** PrintAssembly on standard output may follow much output of the program itself. */
const HEAD_BYTES = 1 << 20;

/**
 * Reads one file of samples and at most one of assembly. Throws an {@link InputError} when there are no samples, when two files
 * hold the same, or when a file is neither.
 */
export async function openEvidence(files: readonly LogFile[]): Promise<Evidence> {
	const problems: Problem[] = [];
	let samples: { samples: Samples; samplesFile: string; format: SamplesFormat } | null = null;
	let assembly: { readonly read: Assembly; readonly file: string } | null = null;
	for (const { filePath, name } of files) {
		const head = await headOf(filePath, name);
		const format = isHotspotLog(head) ? undefined : samplesFormatOf(head);
		const other = format === undefined ? assembly?.file : samples?.samplesFile;
		if (format === undefined && !isHotspotLog(head) && !isPrintAssembly(head)) {
			throw problem(
				name,
				'holds neither samples (perf script, DTrace profile-… output, an exported table of xctrace) nor code (LogFile or output of a JVM with -XX:+PrintAssembly)',
				'give the text that these tools print; perf.data has to go through perf script first',
			);
		}
		if (other !== undefined) {
			throw problem(name, `holds ${format === undefined ? 'assembly' : 'samples'}, and ${other} does too`, 'give one of each');
		}
		const opened = await openFile(filePath, name);
		problems.push(...opened.problems);
		if (format === undefined) {
			assembly = { read: readAssembly(opened.source), file: name };
		} else {
			const read = readSamples(opened.source, format);
			problems.push(...read.problems);
			samples = { samples: read.samples, samplesFile: name, format };
		}
		opened.source.close();
	}
	if (samples === null) {
		throw problem(files.map(({ name }) => name).join(', '), 'samples are missing', 'give the output of perf script --fields time,event,ip,sym,dso too');
	}
	return { ...samples, assembly: assembly?.read ?? null, problems };
}

async function headOf(filePath: string, name: string): Promise<string> {
	try {
		return await readHead(filePath, HEAD_BYTES);
	} catch (error) {
		throw asInputError(error, name);
	}
}

function problem(file: string, message: string, action: string): InputError {
	return new InputError({ severity: 'error', file, message, action });
}
