/** The profile that another profiler would print of the chosen threads and time: its samples by innermost method and line. */
import { UNKNOWN_ROW } from '../model/frame-rows.js';
import { nameMatches } from '../model/name-pattern.js';
import type { ObservedFile, ObservedKind } from '../model/observed-profile.js';
import { isWaitingState, type StackSamples } from '../model/stack-samples.js';
import { addRow, type Blame, emptyBlame } from './blame.js';

/** Which samples of another profiler count. */
export interface ObservedRequest {
	/** null: all threads. */
	readonly thread: string | null;
	/** Nanoseconds since 1970, both ends inclusive; null: all times. */
	readonly window: { readonly from: number; readonly to: number; readonly originEpochNs: bigint } | null;
}

/** Whose time another profiler says it was. */
export interface ObservedProfile {
	readonly blame: Blame;
	readonly counted: number;
	/** False: shares only. */
	readonly isCounted: boolean;
	/** Why samples do not count. */
	readonly leftOut: { readonly otherThreads: number; readonly otherTimes: number; readonly waiting: number };
	/** Of the counted ones: the profiler could not walk the stack; frames are missing at its outer end; the JVM calls it biased. */
	readonly unwalkable: number;
	readonly truncated: number;
	readonly biased: number;
	readonly hasLines: boolean;
}

/** The samples of one kind in a file, blamed on methods and lines; those of other threads and times are counted apart. */
export function observedProfile(file: ObservedFile, { event, number }: ObservedKind, request: ObservedRequest): ObservedProfile {
	return file.stacks === null || number < 0 ? fromLeaves(file, event, request) : fromStacks(file.stacks, number, file.isCounted, request);
}

function fromStacks(samples: StackSamples, event: number, isCounted: boolean, { thread, window }: ObservedRequest): ObservedProfile {
	const blame = emptyBlame();
	const isOfThread = samples.threads.map(({ name }) => thread === null || (name !== null && threadMatches(thread, name)));
	const isWaiting = samples.states.map(isWaitingState);
	const leftOut = { otherThreads: 0, otherTimes: 0, waiting: 0 };
	const { stacks } = samples;
	/** Weights of stacks; the last one of samples without any. */
	const weights = new Float64Array(stacks.length + 1);
	const shift = window === null ? 0 : Number(samples.originEpochNs - window.originEpochNs);
	const result = { counted: 0, unwalkable: 0, truncated: 0, biased: 0 };
	for (let i = 0; i < samples.length; i++) {
		if (samples.event[i] !== event) {
			continue;
		}
		const weight = samples.weight[i]!;
		if (isOfThread[samples.thread[i]!] === false) {
			leftOut.otherThreads += weight;
			continue;
		}
		if (window !== null && samples.timeNs !== null) {
			const time = samples.timeNs[i]! + shift;
			if (time < window.from || time > window.to) {
				leftOut.otherTimes += weight;
				continue;
			}
		}
		if (isWaiting[samples.state[i]!]) {
			leftOut.waiting += weight;
			continue;
		}
		const stack = samples.stack[i]!;
		const position = stack < 0 ? stacks.length : stack;
		weights[position] = weights[position]! + weight;
		result.counted += weight;
		result.biased += samples.isBiased[i] === 1 ? weight : 0;
	}
	let hasLines = false;
	for (let stack = 0; stack <= stacks.length; stack++) {
		const weight = weights[stack]!;
		const frame = stack < stacks.length && stacks.starts[stack]! < stacks.starts[stack + 1]! ? stacks.frame[stacks.starts[stack]!] : undefined;
		if (weight === 0) {
			continue;
		}
		if (frame === undefined) {
			addRow(blame, UNKNOWN_ROW, weight);
			result.unwalkable += weight;
			continue;
		}
		result.truncated += stacks.isTruncated[stack] === 1 ? weight : 0;
		const row = samples.frames.methods[samples.frames.method[frame]!]?.row ?? UNKNOWN_ROW;
		const line = samples.frames.line[frame]!;
		hasLines ||= line > 0;
		addLeaf(blame, row, line, weight);
	}
	return { blame: hasLines ? blame : withoutLines(blame), isCounted, leftOut, hasLines, ...result };
}

function fromLeaves({ leaves, isCounted }: ObservedFile, event: string, { thread }: ObservedRequest): ObservedProfile {
	const blame = emptyBlame();
	const leftOut = { otherThreads: 0, otherTimes: 0, waiting: 0 };
	let counted = 0;
	let hasLines = false;
	for (const leaf of leaves) {
		if (leaf.kind !== undefined && leaf.kind !== event) {
			continue;
		}
		if (thread !== null && leaf.thread !== null && !threadMatches(thread, leaf.thread)) {
			leftOut.otherThreads += leaf.samples;
			continue;
		}
		counted += leaf.samples;
		hasLines ||= (leaf.line ?? 0) > 0;
		addLeaf(blame, leaf.method, leaf.line ?? -1, leaf.samples);
	}
	const unwalkable = blame.byMethod.get(UNKNOWN_ROW) ?? 0;
	return { blame: hasLines ? blame : withoutLines(blame), counted, isCounted, leftOut, unwalkable, truncated: 0, biased: 0, hasLines };
}

function addLeaf({ byMethod, byLine }: Blame, method: string, line: number, weight: number): void {
	byMethod.set(method, (byMethod.get(method) ?? 0) + weight);
	const key = method.startsWith('(') ? method : `${method}:${line > 0 ? line : -1}`;
	byLine.set(key, (byLine.get(key) ?? 0) + weight);
}

function withoutLines({ byMethod }: Blame): Blame {
	return { byMethod, byLine: new Map() };
}

/** Of a thread's name the system keeps 15 bytes, and a user may write what perf shows. */
function threadMatches(pattern: string, name: string): boolean {
	return nameMatches(pattern, name) || (!pattern.includes('*') && name.length > pattern.length && shortened(name) === pattern);
}

const SYSTEM_NAME_BYTES = 15;

function shortened(name: string): string {
	return Buffer.from(name).subarray(0, SYSTEM_NAME_BYTES).toString();
}
