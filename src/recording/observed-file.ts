/**
 * Opens what another profiler wrote of a run (recordings of Flight Recorder, thread dumps, collapsed stacks, shares), told by what it holds.
 */
import type { Source } from '../bytes/source.js';
import { STACK_FORMATS } from '../formats/registry.js';
import type { ObservedCalls, ObservedFile, ObservedFormat, ObservedKind } from '../model/observed-profile.js';
import type { Problem } from '../model/problem.js';
import type { StackSamples } from '../model/stack-samples.js';
import { type WholeStacks, wholeStacksOf } from '../model/whole-stacks.js';
import type { EvidenceFile } from './find-evidence.js';
import { headOfFile, type LogFile, openLogFile } from './log-file.js';
import { HEAD_BYTES, tellFormats } from './tell-format.js';

/** What a user may give with --against, in words. */
export const OBSERVED_FORMATS =
	'a .jfr file, jfr print, thread dumps, collapsed stacks, a profile of speedscope, pprof, OTLP, the Firefox Profiler or V8, a trace of Chrome, output of JMH -prof stack, or text of async-profiler or hprof';

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

/** Of a file that a user names as a profile: less is asked of it than of one that was found; `withCalls`: whole stacks too. Throws an InputError when it cannot be read. */
export async function openObservedFile(filePath: string, name: string, withCalls = false): Promise<OpenedObservedFile> {
	return openObserved({ filePath, name, formats: [] }, false, withCalls);
}

/** The same of a file that was found, with its whole stacks for those who ask. */
export async function openObserved(observed: LogFile & Pick<EvidenceFile, 'formats'>, withWholeStacks = false, withCalls = false): Promise<OpenedObservedFile> {
	const opened = await openLogFile(observed);
	try {
		const { stacks } = observed.formats.find((row) => row.stacks !== undefined) ?? { stacks: await likelyFormat({ ...observed, source: opened.source }) };
		if (stacks === undefined) {
			return { file: null, format: null, wholeStacks: null, problems: opened.problems };
		}
		const { file, wholeStacks, calls, problems } = stacks.read(opened.source, withWholeStacks);
		const called = !withCalls || file.stacks !== null ? null : (calls?.() ?? (wholeStacks == null ? null : callsOf(wholeStacks)));
		const alone = wholeStacks == null || wholeStacks.samples === 0 ? [] : [{ kind: null, stacks: wholeStacks }];
		return {
			file: { format: stacks.words, ...file, ...(called === null ? {} : { calls: called }) },
			format: stacks.format,
			wholeStacks: !withWholeStacks ? null : file.stacks !== null ? stacksByKind(file.stacks, file.kinds) : alone,
			problems: [...opened.problems, ...problems],
		};
	} finally {
		opened.source.close();
	}
}

async function likelyFormat(file: LogFile & { readonly source: Source }): Promise<(typeof STACK_FORMATS)[number]['stacks']> {
	const head = await headOfFile(file, HEAD_BYTES);
	const row = STACK_FORMATS.find(({ is, isLikely }) => (isLikely ?? is)(head));
	// Reports of JMH stand behind the output of its run.
	return (row ?? tellFormats(STACK_FORMATS, '', head, file.source).formats[0])?.stacks;
}

function callsOf({ names, stacks }: WholeStacks): ObservedCalls[] {
	return stacks.map(({ frames, samples }) => ({ thread: null, names: frames.map((frame) => names[frame]!), samples }));
}

/** Threads that wait apart: they execute nothing, and are most of the threads of a dump. */
function stacksByKind(samples: StackSamples, kinds: readonly ObservedKind[]): ObservedStacks[] {
	// Collapsed stacks do not name what they count.
	const isNamed = kinds.some(({ event }) => event !== 'stacks');
	return [false, true]
		.flatMap((isWaiting) =>
			kinds.map(({ event, number }) => ({
				kind: !isNamed ? null : isWaiting ? `${event}, threads that wait` : event,
				stacks: wholeStacksOf(samples, number, isWaiting),
			})),
		)
		.filter(({ stacks }) => stacks.samples > 0);
}
