/** The formats of samples, each told by how a file begins. */
import type { Source } from '../bytes/source.js';
import { isAsyncProfilerCollapsed, readAsyncProfilerCollapsed } from '../formats/async-profiler-collapsed/read.js';
import { isDTraceProfile, readDTraceProfile } from '../formats/dtrace-profile/read.js';
import { isPerfScript, readPerfScript } from '../formats/perf-script/read.js';
import { isXctraceTable, readXctraceTable } from '../formats/xctrace/read.js';
import type { Problem } from '../model/problem.js';
import type { Samples, SampleThreads } from '../model/samples.js';

export type SamplesFormat = 'perf' | 'dtrace' | 'xctrace' | 'async-profiler';

interface ReadSamples {
	readonly samples: Samples;
	/** Null where nobody asked, or the format does not tell. */
	readonly threads?: SampleThreads | null;
	readonly problems: readonly Problem[];
}

const READERS: Record<SamplesFormat, { is(head: string): boolean; read(source: Source, withThreads: boolean): ReadSamples }> = {
	dtrace: { is: isDTraceProfile, read: readDTraceProfile },
	xctrace: { is: isXctraceTable, read: readXctraceTable },
	'async-profiler': { is: isAsyncProfilerCollapsed, read: readAsyncProfilerCollapsed },
	perf: { is: isPerfScript, read: readPerfScript },
};

export function samplesFormatOf(head: string): SamplesFormat | undefined {
	return (Object.keys(READERS) as SamplesFormat[]).find((format) => READERS[format].is(head));
}

export function readSamples(source: Source, format: SamplesFormat, withThreads = false): ReadSamples {
	return READERS[format].read(source, withThreads);
}
