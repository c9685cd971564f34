/**
 * What async-profiler prints as text: the most frequent stacks (-o traces=N) and the methods with most samples (-o flat=N):
 *   --- Execution profile ---
 *   Total samples       : 885
 *   --- 2265000000 ns (62.14%), 564 samples
 *     [ 0] S8Strip.a
 *     [ 1] S8Strip.step
 *             ns  percent  samples  top
 *     ----------  -------  -------  ---
 *     2265000000   62.14%      564  S8Strip.a
 * Both are cut after N; what is missing to the total is a row (other).
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import type { ObservedLeaf } from '../../model/observed-profile.js';
import { type Problem, SkippedLines } from '../../model/problem.js';
import { type WholeStacks, WholeStacksBuilder } from '../../model/whole-stacks.js';
import { frameOfSpelling, shownFrame } from '../shared/java/frame-spelling.js';

export interface AsyncProfilerText {
	/** Of the traces, or of the flat profile where that tells more samples. */
	readonly leaves: readonly ObservedLeaf[];
	readonly samples: number;
	readonly source: 'traces' | 'flat';
	/** Of the traces; null of the flat profile, which has innermost methods only. */
	readonly wholeStacks: WholeStacks | null;
	readonly problems: readonly Problem[];
}

const TITLE = /^--- (?:Execution|[A-Z]\w*) profile ---\s*$/m;
const TOTAL = /^Total samples\s*: (\d{1,15})\s*$/;
const TRACE = /^--- \d+ \S+ \(\d+\.\d+%\), (\d{1,15}) samples?\s*$/;
const TRACE_FRAME = /^ {2}\[ *(\d+)\] (.*)$/;
const FLAT_HEAD = /^\s+\S+\s+percent\s+samples\s+top\s*$/;
const FLAT_ROW = /^\s*\d+\s+\d+\.\d+%\s+(\d{1,15})\s\s(\S.*)$/;
const THREAD = /^\[(.*?)(?: ?tid=\d+)?\]$/;
/** What the traces or methods that were cut off hold. */
const OTHER = '(other)';
const PC = /^0x[0-9a-f]{1,16}$/;

/** Whether the first lines of a file are those of this format. */
export function isAsyncProfilerText(head: string): boolean {
	return TITLE.test(head) && /^Total samples\s*: \d/m.test(head);
}

/** Never throws on content. */
export function readAsyncProfilerText(source: Source): AsyncProfilerText {
	const skipped = new SkippedLines(source.name, 'expected a frame, or a row of the flat profile');
	let total = 0;
	const traces: ObservedLeaf[] = [];
	const flat: ObservedLeaf[] = [];
	const builder = new WholeStacksBuilder();
	let trace: { samples: number; frames: string[] } | null = null;
	let isInFlat = false;
	const endTrace = (): void => {
		if (trace !== null) {
			const { thread, frames } = framesOf(trace.frames);
			traces.push({ thread, ...frameOfSpelling(frames[0] ?? ''), samples: trace.samples });
			builder.add(frames.map((frame) => builder.name(shownFrame(frame))).reverse(), trace.samples);
		}
		trace = null;
	};
	forEachLine(source, (line, offset, number) => {
		const samples = TRACE.exec(line)?.[1];
		const [, rowSamples, top] = isInFlat ? (FLAT_ROW.exec(line) ?? []) : [];
		const frame = TRACE_FRAME.exec(line)?.[2];
		if (samples !== undefined) {
			endTrace();
			isInFlat = false;
			trace = { samples: Number(samples), frames: [] };
		} else if (trace !== null && frame !== undefined) {
			trace.frames.push(frame);
		} else if (FLAT_HEAD.test(line)) {
			endTrace();
			isInFlat = true;
		} else if (rowSamples !== undefined && top !== undefined) {
			flat.push({ thread: null, ...frameOfSpelling(top), samples: Number(rowSamples) });
		} else if (TOTAL.test(line)) {
			total += Number(TOTAL.exec(line)?.[1]);
		} else if (line.trim() === '') {
			endTrace();
		} else if ((isInFlat && !/^\s*-+\s/.test(line)) || (trace !== null && line.startsWith('  ['))) {
			skipped.add(number, offset);
		}
	});
	endTrace();
	const isOfTraces = sumOf(traces) >= sumOf(flat);
	const chosen = isOfTraces ? traces : flat;
	const missing = total - sumOf(chosen);
	const leaves = missing > 0 ? [...chosen, { thread: null, method: OTHER, line: null, samples: missing }] : chosen;
	if (missing > 0) {
		builder.add([builder.name(OTHER)], missing);
	}
	return {
		leaves,
		samples: sumOf(leaves),
		source: isOfTraces ? 'traces' : 'flat',
		wholeStacks: isOfTraces && traces.length > 0 ? builder.build() : null,
		problems: skipped.problems(),
	};
}

/** The last frame is the thread where the profiler was told to keep threads apart; an address may come first (features=pcaddr). */
function framesOf(spelled: readonly string[]): { thread: string | null; frames: readonly string[] } {
	const last = spelled.at(-1) ?? '';
	const thread = / tid=\d+\]$|^\[tid=\d+\]$/.test(last) ? (THREAD.exec(last)?.[1] ?? null) : null;
	return { thread, frames: spelled.filter((frame, i) => !(thread !== null && i === spelled.length - 1) && !PC.test(frame)) };
}

function sumOf(leaves: readonly ObservedLeaf[]): number {
	return leaves.reduce((sum, { samples }) => sum + samples, 0);
}
