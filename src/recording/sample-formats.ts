/** The formats of samples, each told by how a file begins. */
import type { Source } from '../bytes/source.js';
import { isAsyncProfilerCollapsed, readAsyncProfilerCollapsed } from '../formats/async-profiler-collapsed/read.js';
import { isDTraceProfile, readDTraceProfile } from '../formats/dtrace-profile/read.js';
import { isPerfScript, readPerfScript } from '../formats/perf-script/read.js';
import { isXctraceTable, readXctraceTable } from '../formats/xctrace/read.js';
import type { Problem } from '../model/problem.js';
import { type DetailsWanted, NO_DETAILS, type SampleDetails, type Samples } from '../model/samples.js';

/** Who wrote the samples. */
export type SamplesFormat = 'perf' | 'dtrace' | 'xctrace' | 'async-profiler';

interface ReadSamples extends SampleDetails {
	readonly samples: Samples;
	readonly problems: readonly Problem[];
}

const READERS: Record<
	SamplesFormat,
	{ is(head: string): boolean; read(source: Source, wanted: DetailsWanted): Partial<SampleDetails> & Omit<ReadSamples, keyof SampleDetails> }
> = {
	dtrace: { is: isDTraceProfile, read: readDTraceProfile },
	xctrace: { is: isXctraceTable, read: readXctraceTable },
	'async-profiler': { is: isAsyncProfilerCollapsed, read: readAsyncProfilerCollapsed },
	perf: { is: isPerfScript, read: readPerfScript },
};

export function samplesFormatOf(head: string): SamplesFormat | undefined {
	return (Object.keys(READERS) as SamplesFormat[]).find((format) => READERS[format].is(head));
}

export function readSamples(source: Source, format: SamplesFormat, wanted: DetailsWanted = 'none'): ReadSamples {
	return { ...NO_DETAILS, ...READERS[format].read(source, wanted) };
}
