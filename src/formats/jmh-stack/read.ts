/**
 * What JMH prints of its stack profiler (-prof stack), in the output of a run or alone, a report for each benchmark:
 *   Secondary result "ref.bench.BiasBench.inlined:stack":
 *   Stack profiler:
 *   ....[Thread state: RUNNABLE]........................................................................
 *    33.1%  49.7% ref.bench.BiasBench.inlined:51
 *                 the frames above it, as many as option lines says
 * The first number is the share of all samples, the second that of the samples in this state. Counts are not told.
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import type { ObservedLeaf } from '../../model/observed-profile.js';
import { type Problem, SkippedLines } from '../../model/problem.js';
import { frameOfSpelling } from '../shared/java/frame-spelling.js';

interface JmhStackReport {
	/** Holder and name; null where the report stands alone. */
	readonly benchmark: string | null;
	/** Shares of all samples, percent, of runnable threads. */
	readonly leaves: readonly ObservedLeaf[];
	/** Shares of threads in other states, percent. */
	readonly waitingPercent: number;
	/** Of runnable threads without any frame, as those of the JVM itself. */
	readonly emptyPercent: number;
}

const BENCHMARK = /^(?:Secondary r|R)esult "(.+?)(?::·?stack)?":/;
const STATE = /^\.+\[Thread state: ([A-Z_]+)\]\.+$/;
const DISTRIBUTION = /^\.+\[Thread state distributions\]\.+$/;
const ROW = /^\s*(\d{1,3}[.,]\d)%\s+(\d{1,3}[.,]\d)%\s(\S.*)$/;
const NO_STACK = '<stack is empty, everything is filtered?>';

/** Whether a file holds such reports; they may stand behind much output. */
export function isJmhStack(head: string): boolean {
	return /^\.+\[Thread state: [A-Z_]+\]\.+\s*$/m.test(head);
}

/** Never throws on content. */
export function readJmhStack(source: Source): { readonly reports: readonly JmhStackReport[]; readonly problems: readonly Problem[] } {
	const skipped = new SkippedLines(source.name, 'expected two shares and a method');
	const reports: { benchmark: string | null; leaves: ObservedLeaf[]; waitingPercent: number; emptyPercent: number }[] = [];
	let benchmark: string | null = null;
	let report: (typeof reports)[0] | null = null;
	/** null: outside of the rows of a state. */
	let state: string | null = null;
	forEachLine(source, (line, offset, number) => {
		const named = BENCHMARK.exec(line)?.[1];
		const stateName = STATE.exec(line)?.[1];
		if (named !== undefined) {
			benchmark = named;
			state = null;
		} else if (DISTRIBUTION.test(line)) {
			report = { benchmark, leaves: [], waitingPercent: 0, emptyPercent: 0 };
			reports.push(report);
			state = null;
		} else if (stateName !== undefined) {
			if (report === null) {
				report = { benchmark, leaves: [], waitingPercent: 0, emptyPercent: 0 };
				reports.push(report);
			}
			state = stateName;
		} else if (line.startsWith('#')) {
			state = null;
			report = null;
		} else if (state !== null && report !== null && /^\s*\d/.test(line)) {
			const [, share, , method] = ROW.exec(line) ?? [];
			if (share === undefined || method === undefined) {
				skipped.add(number, offset);
				return;
			}
			const percent = Number(share.replace(',', '.'));
			if (state === 'RUNNABLE' && method === NO_STACK) {
				report.emptyPercent += percent;
			} else if (state === 'RUNNABLE') {
				report.leaves.push({ thread: null, ...leafOf(method), samples: percent });
			} else {
				report.waitingPercent += percent;
			}
		}
	});
	return { reports, problems: skipped.problems() };
}

function leafOf(method: string): { method: string; line: number | null } {
	return method === '<other>' ? { method: '(other)', line: null } : frameOfSpelling(method);
}
