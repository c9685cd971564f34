/** JMH's perfasm as a function: samples of a JVM's run and the code that it printed, and JMH's report of them. */
import type { SamplesFormat } from '../formats/format.js';
import { readAssembly } from '../formats/hotspot-log/read-assembly.js';
import { jmhPerfasm } from '../hot/jmh-perfasm.js';
import type { JmhReport, PerfasmOptions } from '../hot/results.js';
import type { Assembly } from '../model/assembly.js';
import { InputError, type Problem } from '../model/problem.js';
import type { Samples } from '../model/samples.js';
import { openEvidence } from '../recording/evidence.js';
import type { LogFile } from '../recording/log-file.js';
import { openLogFile } from '../recording/log-file.js';
import { SAMPLES_MISSING } from '../recording/open-recording.js';
import { readSamples } from '../recording/sample-formats.js';

/** What JMH reads: one file of samples, and the code that the JVM printed. */
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
		const read = await readSamples(samplesFile, 'none', evidence.files.nativeSymbols);
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

/** Options by JMH's names, and what it takes from its own run. */
export interface PerfasmRequest extends Omit<PerfasmOptions, 'events'> {
	/** As perf is told them, with modifiers; null: all of the recording. */
	readonly events: readonly string[] | null;
	readonly delayMs: number;
	/** null: to the end. */
	readonly lengthMs: number | null;
	/** Leave the assembly aside: no Java method is resolved. */
	readonly skipAsm: boolean;
}

export interface PerfasmAnswer {
	readonly report: JmhReport;
	/** The events of the report as they were asked for. */
	readonly requestedEvents: readonly string[];
	readonly assembly: 'read' | 'skipped' | 'missing';
	readonly problems: readonly Problem[];
}

/** The report of JMH 1.37, with its weaknesses. */
export function answerPerfasm(evidence: PerfasmEvidence, { events: requested, delayMs, lengthMs, skipAsm, ...options }: PerfasmRequest): PerfasmAnswer {
	const { samples, format } = evidence;
	const processId = isOfAllProcesses(format) ? (evidence.assembly?.processId ?? null) : null;
	// perf prints an event without its modifiers here: cycles:u is cycles.
	const events = requested?.map((event) => event.replace(/:.*/, '')) ?? samples.events;
	const assembly = skipAsm ? null : evidence.assembly;
	const rule = format === 'async-profiler' ? 'perf' : format;
	return {
		report: jmhPerfasm(samples, assembly, { rule, delayMs, lengthMs, processId }, { ...options, events }),
		requestedEvents: requested ?? events,
		assembly: skipAsm ? 'skipped' : assembly === null ? 'missing' : 'read',
		problems: [...evidence.problems, ...doubts(evidence, events, processId)],
	};
}

/** Whether samples name their process, and JMH takes those of its fork. */
function isOfAllProcesses(format: SamplesFormat): boolean {
	return format === 'dtrace' || format === 'xperf';
}

/** What may make the report another one than its reader thinks. */
function doubts({ samples, samplesFile, format }: PerfasmEvidence, events: readonly string[], processId: number | null): Problem[] {
	const result: Problem[] = [];
	const warn = (message: string, action: string): void => {
		result.push({ severity: 'warning', file: samplesFile, message, action });
	};
	for (const event of events.filter((name) => !samples.events.includes(name))) {
		warn(`has no sample of the event ${event}`, `its column stays empty; events of this file: ${samples.events.join(', ') || 'none'}`);
	}
	if (isOfAllProcesses(format) && processId === null) {
		warn('holds samples of all processes, and no log says which is the JVM', "all are counted; give the JVM's LogFile to count its own only");
	}
	return result;
}
