/** Opens what another profiler said of a run; its format is told by what the file holds. */
import type { Source } from '../bytes/source.js';
import { isAsyncProfilerText, readAsyncProfilerText } from '../formats/async-profiler-text/read.js';
import { isCollapsedStacks, readCollapsedStacks } from '../formats/collapsed-stacks/read.js';
import { isHprofText, readHprofText } from '../formats/hprof-text/read.js';
import { isJfr, readJfr } from '../formats/jfr/read.js';
import { isJfrPrintJson, readJfrPrintJson } from '../formats/jfr-print/json.js';
import { isJfrPrintText, readJfrPrintText } from '../formats/jfr-print/text.js';
import { isJmhStack, readJmhStack } from '../formats/jmh-stack/read.js';
import { isThreadDumpJson, readThreadDumpJson } from '../formats/thread-dump/json.js';
import type { ThreadDumps } from '../formats/thread-dump/series.js';
import { isThreadDump, readThreadDumps } from '../formats/thread-dump/text.js';
import type { ObservedFile, ObservedKind } from '../model/observed-profile.js';
import type { Problem } from '../model/problem.js';
import type { StackSamples } from '../model/stack-samples.js';
import { openFile } from './file-source.js';

/** Reports of JMH stand behind the output of its run. */
const HEAD_BYTES = 1 << 20;

interface ReadProfile {
	readonly file: Omit<ObservedFile, 'format'>;
	readonly problems: readonly Problem[];
}

interface ProfileFormat {
	/** In words. */
	readonly name: string;
	is(head: string): boolean;
	read(source: Source): ReadProfile;
}

const FORMATS: readonly ProfileFormat[] = [
	{ name: 'a recording of Flight Recorder', is: isJfr, read: (source) => fromJfr(readJfr(source)) },
	{ name: 'jfr print --json', is: isJfrPrintJson, read: (source) => fromJfr(readJfrPrintJson(source)) },
	{ name: 'jfr print', is: isJfrPrintText, read: (source) => fromJfr(readJfrPrintText(source)) },
	{ name: 'thread dumps (JSON)', is: isThreadDumpJson, read: (source) => fromDumps(readThreadDumpJson(source)) },
	{ name: 'output of JMH -prof stack', is: isJmhStack, read: fromJmhStack },
	{ name: 'text of async-profiler', is: isAsyncProfilerText, read: fromAsyncProfilerText },
	{ name: 'text of hprof', is: isHprofText, read: fromHprofText },
	{ name: 'thread dumps', is: isThreadDump, read: (source) => fromDumps(readThreadDumps(source)) },
	{ name: 'collapsed stacks', is: isCollapsedStacks, read: fromCollapsed },
];

/** What a user may give with --against, in words. */
export const OBSERVED_FORMATS = 'a .jfr file, jfr print, thread dumps, collapsed stacks, output of JMH -prof stack, or text of async-profiler or hprof';

/** null: it holds no profile that is known. Throws an InputError when it cannot be read. */
export async function openObservedFile(filePath: string, name: string): Promise<{ file: ObservedFile | null; problems: readonly Problem[] }> {
	const opened = await openFile(filePath, name);
	try {
		const head = headOf(opened.source);
		const format = FORMATS.find(({ is }) => is(head));
		if (format === undefined) {
			return { file: null, problems: opened.problems };
		}
		const { file, problems } = format.read(opened.source);
		return { file: { format: format.name, ...file }, problems: [...opened.problems, ...problems] };
	} finally {
		opened.source.close();
	}
}

function headOf(source: Source): string {
	const bytes = Buffer.alloc(Math.min(HEAD_BYTES, source.sizeBytes));
	return bytes.toString('latin1', 0, source.read(bytes, 0, bytes.length, 0));
}

const KIND_OF_EVENT: Record<string, string> = {
	'jdk.ExecutionSample': 'execution',
	'datadog.ExecutionSample': 'execution',
	'jdk.CPUTimeSample': 'cpu',
	'profiler.WallClockSample': 'wall',
	'datadog.MethodSample': 'wall',
	'jdk.NativeMethodSample': 'native',
};
/** In the order of preference. */
const KINDS = ['execution', 'cpu', 'wall', 'native'];

function fromJfr(read: { samples: StackSamples; lostCpuTimeSamples: number; jvmStartEpochNs?: bigint | null; problems: readonly Problem[] }): ReadProfile {
	const { samples } = read;
	const present = new Set(samples.event);
	const kinds = samples.events
		.map((event, number): ObservedKind => ({ kind: KIND_OF_EVENT[event] ?? event, event, number }))
		.filter(({ number }) => present.has(number))
		.sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
	return {
		file: { ...NO_FILE, kinds, stacks: samples, lostSamples: read.lostCpuTimeSamples, jvmStartEpochNs: read.jvmStartEpochNs ?? null },
		problems: read.problems,
	};
}

function fromDumps({ samples, problems }: ThreadDumps): ReadProfile {
	const kinds = samples.length === 0 ? [] : [{ kind: 'dump', event: 'thread dump', number: 0 }];
	return { file: { ...NO_FILE, kinds, stacks: samples }, problems };
}

/** A kind for each benchmark, called like its method. */
function fromJmhStack(source: Source): ReadProfile {
	const { reports, problems } = readJmhStack(source);
	const names = reports.map(({ benchmark }, i) => benchmark ?? `report ${i + 1}`);
	const leaves = reports.flatMap((report, i) => report.leaves.map((leaf) => ({ ...leaf, kind: names[i] as string })));
	const kinds = [...new Set(names)].map((name) => ({ kind: name.slice(name.lastIndexOf('.') + 1), event: name, number: -1 }));
	return { file: { ...NO_FILE, kinds, leaves, isCounted: false }, problems };
}

function fromAsyncProfilerText(source: Source): ReadProfile {
	const { leaves, samples, source: part, problems } = readAsyncProfilerText(source);
	return { file: ofLeaves(samples > 0 ? part : null, leaves), problems };
}

function fromHprofText(source: Source): ReadProfile {
	const { leaves, samples, problems } = readHprofText(source);
	return { file: ofLeaves(samples > 0 ? 'CPU SAMPLES' : null, leaves), problems };
}

function fromCollapsed(source: Source): ReadProfile {
	const { leaves, samples, problems } = readCollapsedStacks(source);
	return { file: ofLeaves(samples > 0 ? 'stacks' : null, leaves), problems };
}

const NO_FILE: ReadProfile['file'] = { kinds: [], stacks: null, leaves: [], isCounted: true, lostSamples: 0, jvmStartEpochNs: null };

function ofLeaves(event: string | null, leaves: ObservedFile['leaves']): ReadProfile['file'] {
	return { ...NO_FILE, kinds: event === null ? [] : [{ kind: event, event, number: -1 }], leaves };
}
