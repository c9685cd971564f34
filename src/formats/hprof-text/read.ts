/**
 * The profile of `java -agentlib:hprof=cpu=samples` (JDK 8 and before), a text: traces, then methods by samples.
 *   TRACE 300027:
 *   	java.util.zip.ZipFile.getEntry(ZipFile.java:310)
 *   CPU SAMPLES BEGIN (total = 126) Fri Oct 22 12:12:14 2004
 *   rank   self  accum   count trace method
 *      1 53.97% 53.97%      68 300027 java.util.zip.ZipFile.getEntry
 *   CPU SAMPLES END
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import type { ObservedLeaf } from '../../model/observed-profile.js';
import { type Problem, SkippedLines } from '../../model/problem.js';
import { type WholeStacks, WholeStacksBuilder } from '../../model/whole-stacks.js';
import { frameOfSpelling, frameOfStackTrace } from '../shared/java/frame-spelling.js';

const BEGIN = /^CPU SAMPLES BEGIN \(total = \d+\)/;
const TRACE = /^TRACE (\d+):/;
/** Of a trace; outer ones are left out. */
const MAX_FRAMES = 1000;
const ROW = /^\s*\d+\s+\d+[.,]\d+%\s+\d+[.,]\d+%\s+(\d{1,15})\s+(\d+)\s+(\S+)\s*$/;

/** Whether the first lines of a file are those of this format. */
export function isHprofText(head: string): boolean {
	return /^JAVA PROFILE \d+\.\d+(?:\.\d+)?, created /.test(head) || /^CPU SAMPLES BEGIN \(total = /m.test(head);
}

export interface HprofText {
	readonly leaves: readonly ObservedLeaf[];
	readonly samples: number;
	/** As deep as the agent's option `depth` lets them be, 4 by default. */
	readonly wholeStacks: WholeStacks;
	readonly problems: readonly Problem[];
}

/** Never throws on content. */
export function readHprofText(source: Source): HprofText {
	const skipped = new SkippedLines(source.name, 'expected rank, shares, count, trace and method');
	const builder = new WholeStacksBuilder();
	/** Names of the frames of each trace, the innermost first, and the line of that. */
	const traces = new Map<string, { frames: number[]; line: number }>();
	const leaves: ObservedLeaf[] = [];
	let samples = 0;
	let trace: string | null = null;
	let isInSamples = false;
	forEachLine(source, (line, offset, number) => {
		const traceNumber = TRACE.exec(line)?.[1];
		if (traceNumber !== undefined) {
			trace = traceNumber;
			traces.delete(trace);
		} else if (BEGIN.test(line)) {
			isInSamples = true;
		} else if (line.startsWith('CPU SAMPLES END')) {
			isInSamples = false;
		} else if (isInSamples && !line.startsWith('rank')) {
			const [, count, traceOf, method] = ROW.exec(line) ?? [];
			if (count === undefined || traceOf === undefined || method === undefined) {
				skipped.add(number, offset);
				return;
			}
			const known = traces.get(traceOf);
			const name = frameOfSpelling(method).method;
			samples += Number(count);
			leaves.push({ thread: null, method: name, line: known?.line ?? null, samples: Number(count) });
			builder.add(known?.frames.toReversed() ?? [builder.name(name)], Number(count));
		} else if (trace !== null) {
			const frame = frameOfStackTrace(line.trim().replace(/:Unknown line\)$/, ')'));
			const known = traces.get(trace);
			if (frame === null) {
				trace = null;
			} else if (known === undefined) {
				traces.set(trace, { frames: [builder.name(frame.method)], line: frame.line });
			} else if (known.frames.length < MAX_FRAMES) {
				known.frames.push(builder.name(frame.method));
			}
		}
	});
	return { leaves, samples, wholeStacks: builder.build(), problems: skipped.problems() };
}
