/** Opens what another profiler said of a run; its format is told by what the file holds. */
import { readRange, type Source } from '../bytes/source.js';
import { isAsyncProfilerText, readAsyncProfilerText } from '../formats/async-profiler-text/read.js';
import { isCollapsedStacks as isSurelyCollapsedStacks } from '../formats/collapsed-stacks/detect.js';
import { isCollapsedStacks, readCollapsedStacks } from '../formats/collapsed-stacks/read.js';
import { readWholeStacks } from '../formats/collapsed-stacks/read-whole.js';
import { isHprofText, readHprofText } from '../formats/hprof-text/read.js';
import { isJfr, readJfr } from '../formats/jfr/read.js';
import { isJfrPrintJson, readJfrPrintJson } from '../formats/jfr-print/json.js';
import { isJfrPrintText, readJfrPrintText } from '../formats/jfr-print/text.js';
import { isJmhStack, readJmhStack } from '../formats/jmh-stack/read.js';
import { isThreadDumpJson, readThreadDumpJson } from '../formats/thread-dump/json.js';
import type { ThreadDumps } from '../formats/thread-dump/series.js';
import { isThreadDump, readThreadDumps } from '../formats/thread-dump/text.js';
import type { ObservedFile, ObservedFormat, ObservedKind } from '../model/observed-profile.js';
import type { Problem } from '../model/problem.js';
import type { StackSamples } from '../model/stack-samples.js';
import { type WholeStacks, wholeStacksOf } from '../model/whole-stacks.js';
import { headOfFile, type LogFile, openLogFile } from './log-file.js';

/** Of the beginning, and of the end: reports of JMH stand behind the output of its run. */
const HEAD_BYTES = 1 << 20;

interface ReadProfile {
	readonly file: Omit<ObservedFile, 'format'>;
	/** Of formats whose stacks are not in `file`; null: it has innermost methods only. */
	readonly wholeStacks?: WholeStacks | null;
	readonly problems: readonly Problem[];
}

interface ProfileFormat {
	readonly format: ObservedFormat;
	/** In words. */
	readonly name: string;
	/** Whether the file is surely nothing else; else it may be output of a JVM, with a profile in it or lines that look like one. */
	readonly isAlone: boolean;
	is(head: string): boolean;
	read(source: Source, withWholeStacks: boolean): ReadProfile;
}

const FORMATS: readonly ProfileFormat[] = [
	{ format: 'flight-recording', name: 'a recording of Flight Recorder', isAlone: true, is: isJfr, read: (source) => fromJfr(readJfr(source)) },
	{ format: 'jfr-print', name: 'jfr print --json', isAlone: true, is: isJfrPrintJson, read: (source) => fromJfr(readJfrPrintJson(source)) },
	{ format: 'jfr-print', name: 'jfr print', isAlone: true, is: isJfrPrintText, read: (source) => fromJfr(readJfrPrintText(source)) },
	{
		format: 'thread-dumps',
		name: 'thread dumps (JSON)',
		isAlone: true,
		is: isThreadDumpJson,
		read: (source) => fromDumps(readThreadDumpJson(source)),
	},
	{ format: 'jmh-stack', name: 'output of JMH -prof stack', isAlone: false, is: isJmhStack, read: fromJmhStack },
	{ format: 'async-profiler-text', name: 'text of async-profiler', isAlone: false, is: isAsyncProfilerText, read: fromAsyncProfilerText },
	{ format: 'hprof-text', name: 'text of hprof', isAlone: false, is: isHprofText, read: fromHprofText },
	{ format: 'thread-dumps', name: 'thread dumps', isAlone: false, is: isThreadDump, read: (source) => fromDumps(readThreadDumps(source)) },
	{ format: 'collapsed-stacks', name: 'collapsed stacks', isAlone: false, is: isCollapsedStacks, read: fromCollapsed },
];

/** What a user may give with --against, in words. */
export const OBSERVED_FORMATS = 'a .jfr file, jfr print, thread dumps, collapsed stacks, output of JMH -prof stack, or text of async-profiler or hprof';

/**
 * Which profile the first bytes of a file, as Latin-1, are of; `isAlone`: the file is surely nothing else. null: of none. Stricter than
 * {@link openObservedFile}, which a user gives a profile to: nobody said that this is one. With `source` its end is looked at too.
 */
export function observedFormatOf(head: string, source?: Source): { readonly format: ObservedFormat; readonly isAlone: boolean } | null {
	const found = FORMATS.find(({ format, is }) => (format === 'collapsed-stacks' ? isSurelyCollapsedStacks : is)(head)) ?? formatOfEnd(source);
	return found === undefined ? null : { format: found.format, isAlone: found.isAlone };
}

/** Of output of JMH that is longer than a head. */
function formatOfEnd(source: Source | undefined): ProfileFormat | undefined {
	if (source === undefined || source.sizeBytes <= HEAD_BYTES) {
		return undefined;
	}
	const start = Math.max(HEAD_BYTES, source.sizeBytes - HEAD_BYTES);
	const end = Buffer.from(readRange(source, start, source.sizeBytes)).toString('latin1');
	return isJmhStack(end) ? FORMATS.find(({ format }) => format === 'jmh-stack') : undefined;
}

/** Whether the first bytes of a file are those of a recording whose strings may be anything, a log too. */
export function isBinaryProfile(head: string): boolean {
	return isJfr(head);
}

/** A source of whole stacks in a file. */
interface ObservedStacks {
	/** The event, and whether the threads wait: `jdk.ExecutionSample`; null where the file has one kind only and does not name it. */
	readonly kind: string | null;
	readonly stacks: WholeStacks;
}

export interface OpenedObservedFile {
	/** null: it holds no profile that is known. */
	readonly file: ObservedFile | null;
	readonly format: ObservedFormat | null;
	/** Null unless asked for; empty where only innermost methods are told. */
	readonly wholeStacks: readonly ObservedStacks[] | null;
	readonly problems: readonly Problem[];
}

/** null: it holds no profile that is known. Throws an InputError when it cannot be read. */
export function openObservedFile(filePath: string, name: string): Promise<OpenedObservedFile> {
	return openObserved({ filePath, name });
}

/** The same of a file that may be open already, with its whole stacks for those who ask. */
export async function openObserved(observed: LogFile, withWholeStacks = false): Promise<OpenedObservedFile> {
	const opened = await openLogFile(observed);
	try {
		const head = await headOfFile({ ...observed, source: opened.source }, HEAD_BYTES);
		const format = FORMATS.find(({ is }) => is(head)) ?? formatOfEnd(opened.source);
		if (format === undefined) {
			return { file: null, format: null, wholeStacks: null, problems: opened.problems };
		}
		const { file, wholeStacks, problems } = format.read(opened.source, withWholeStacks);
		const alone = wholeStacks == null || wholeStacks.samples === 0 ? [] : [{ kind: null, stacks: wholeStacks }];
		return {
			file: { format: format.name, ...file },
			format: format.format,
			wholeStacks: !withWholeStacks ? null : file.stacks !== null ? stacksByKind(file.stacks, file.kinds) : alone,
			problems: [...opened.problems, ...problems],
		};
	} finally {
		opened.source.close();
	}
}

/** Threads that wait apart: they execute nothing, and are most of the threads of a dump. */
function stacksByKind(samples: StackSamples, kinds: readonly ObservedKind[]): ObservedStacks[] {
	return [false, true]
		.flatMap((isWaiting) =>
			kinds.map(({ event, number }) => ({
				kind: isWaiting ? `${event}, threads that wait` : event,
				stacks: wholeStacksOf(samples, number, isWaiting),
			})),
		)
		.filter(({ stacks }) => stacks.samples > 0);
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
	const leaves = reports.flatMap((report, i) => report.leaves.map((leaf) => ({ ...leaf, kind: names[i]! })));
	const kinds = [...new Set(names)].map((name) => ({ kind: name.slice(name.lastIndexOf('.') + 1), event: name, number: -1 }));
	return { file: { ...NO_FILE, kinds, leaves, isCounted: false }, problems };
}

function fromAsyncProfilerText(source: Source): ReadProfile {
	const { leaves, samples, source: part, wholeStacks, problems } = readAsyncProfilerText(source);
	return { file: ofLeaves(samples > 0 ? part : null, leaves), wholeStacks, problems };
}

function fromHprofText(source: Source): ReadProfile {
	const { leaves, samples, wholeStacks, problems } = readHprofText(source);
	return { file: ofLeaves(samples > 0 ? 'CPU SAMPLES' : null, leaves), wholeStacks, problems };
}

function fromCollapsed(source: Source, withWholeStacks: boolean): ReadProfile {
	const { leaves, samples, problems } = readCollapsedStacks(source);
	return { file: ofLeaves(samples > 0 ? 'stacks' : null, leaves), wholeStacks: withWholeStacks ? readWholeStacks(source) : null, problems };
}

const NO_FILE: ReadProfile['file'] = { kinds: [], stacks: null, leaves: [], isCounted: true, lostSamples: 0, jvmStartEpochNs: null };

function ofLeaves(event: string | null, leaves: ObservedFile['leaves']): ReadProfile['file'] {
	return { ...NO_FILE, kinds: event === null ? [] : [{ kind: event, event, number: -1 }], leaves };
}
