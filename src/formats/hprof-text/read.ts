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
import { frameOfSpelling, frameOfStackTrace } from '../../model/java-frame.js';
import type { ObservedLeaf } from '../../model/observed-profile.js';
import { type Problem, SkippedLines } from '../../model/problem.js';

const BEGIN = /^CPU SAMPLES BEGIN \(total = \d+\)/;
const TRACE = /^TRACE (\d+):/;
const ROW = /^\s*\d+\s+\d+[.,]\d+%\s+\d+[.,]\d+%\s+(\d{1,15})\s+(\d+)\s+(\S+)\s*$/;

/** Whether the first lines of a file are those of this format. */
export function isHprofText(head: string): boolean {
	return /^JAVA PROFILE \d+\.\d+(?:\.\d+)?, created /.test(head) || /^CPU SAMPLES BEGIN \(total = /m.test(head);
}

/** Never throws on content. */
export function readHprofText(source: Source): { readonly leaves: readonly ObservedLeaf[]; readonly samples: number; readonly problems: readonly Problem[] } {
	const skipped = new SkippedLines(source.name, 'expected rank, shares, count, trace and method');
	/** Line of the innermost frame of each trace. */
	const lineOf = new Map<string, number>();
	const leaves: ObservedLeaf[] = [];
	let samples = 0;
	let trace: string | null = null;
	let isInSamples = false;
	forEachLine(source, (line, offset, number) => {
		const traceNumber = TRACE.exec(line)?.[1];
		if (traceNumber !== undefined) {
			trace = traceNumber;
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
			samples += Number(count);
			leaves.push({ thread: null, method: frameOfSpelling(method).method, line: lineOf.get(traceOf) ?? null, samples: Number(count) });
		} else if (trace !== null) {
			const frame = frameOfStackTrace(line.trim().replace(/:Unknown line\)$/, ')'));
			if (frame !== null) {
				lineOf.set(trace, frame.line);
			}
			trace = null;
		}
	});
	return { leaves, samples, problems: skipped.problems() };
}
