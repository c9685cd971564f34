/** The profile that another profiler would print of the chosen threads and time: its samples by innermost method and line. */
import { UNKNOWN_ROW } from '../model/frame-rows.js';
import { nameMatches } from '../model/name-pattern.js';
import type { ObservedCalls, ObservedFile, ObservedKind } from '../model/observed-profile.js';
import { isWaitingState, type StackSamples } from '../model/stack-samples.js';
import { addRow, type Blame, emptyBlame } from './blame.js';
import { isMethod } from './method-shares.js';

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
	/** Where these are. */
	readonly biasedByMethod: ReadonlyMap<string, number>;
	readonly hasLines: boolean;
	/** Each stack once; null: the profile has none. */
	readonly stacks: (() => readonly ObservedStack[]) | null;
}

/** Names, the outermost first: methods, and what is none only at the end. */
export interface ObservedStack {
	readonly names: readonly string[];
	readonly samples: number;
}

/** The samples of one kind in a file, blamed on methods and lines; those of other threads and times are counted apart. */
export function observedProfile(file: ObservedFile, { event, number }: ObservedKind, request: ObservedRequest): ObservedProfile {
	return file.stacks === null || number < 0 ? fromLeaves(file, event, request) : fromStacks(file.stacks, number, file.isCounted, request);
}

function fromStacks(samples: StackSamples, event: number, isCounted: boolean, { thread, window }: ObservedRequest): ObservedProfile {
	const blame = emptyBlame();
	// Where no thread is named, nothing tells any of them apart.
	const hasNames = samples.threads.some(({ name }) => name !== null);
	const isOfThread = samples.threads.map(({ name }) => thread === null || !hasNames || (name !== null && threadMatches(thread, name)));
	const isWaiting = samples.states.map(isWaitingState);
	const leftOut = { otherThreads: 0, otherTimes: 0, waiting: 0 };
	const { stacks } = samples;
	/** Weights of stacks; the last one of samples without any. */
	const weights = new Float64Array(stacks.length + 1);
	const biasedWeights = new Float64Array(stacks.length + 1);
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
		if (samples.isBiased[i] === 1) {
			result.biased += weight;
			biasedWeights[position] = biasedWeights[position]! + weight;
		}
	}
	let hasLines = false;
	const biasedByMethod = new Map<string, number>();
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
		if (biasedWeights[stack]! > 0) {
			biasedByMethod.set(row, (biasedByMethod.get(row) ?? 0) + biasedWeights[stack]!);
		}
	}
	return {
		blame: hasLines ? blame : withoutLines(blame),
		isCounted,
		leftOut,
		hasLines,
		biasedByMethod,
		stacks: () => wholeStacks(samples, weights),
		...result,
	};
}

/** Of methods alone, with what is none only where it was sampled. */
function wholeStacks({ stacks, frames }: StackSamples, weights: Float64Array): ObservedStack[] {
	const rowOf = (frame: number): string => frames.methods[frames.method[frame]!]?.row ?? UNKNOWN_ROW;
	return Array.from(weights, (samples, stack) => {
		const inner = stack < stacks.length ? Array.from(stacks.frame.subarray(stacks.starts[stack]!, stacks.starts[stack + 1]!), rowOf) : [];
		return { names: inner.length === 0 ? [UNKNOWN_ROW] : inner.filter((row, i) => i === 0 || isMethod(row)).reverse(), samples };
	}).filter(({ samples }) => samples > 0);
}

function fromLeaves({ leaves, calls, isCounted }: ObservedFile, event: string, { thread }: ObservedRequest): ObservedProfile {
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
	return {
		blame: hasLines ? blame : withoutLines(blame),
		counted,
		isCounted,
		leftOut,
		unwalkable,
		truncated: 0,
		biased: 0,
		biasedByMethod: new Map(),
		hasLines,
		stacks: calls === undefined ? null : () => callsOfThread(calls, thread),
	};
}

/** Of methods alone, with what is none only where it was sampled. */
function callsOfThread(calls: readonly ObservedCalls[], wanted: string | null): ObservedStack[] {
	return calls
		.filter(({ thread }) => wanted === null || thread === null || threadMatches(wanted, thread))
		.map(({ names, samples }) => ({
			names: names.length === 0 ? [UNKNOWN_ROW] : names.filter((name, i) => i === names.length - 1 || isMethod(name)),
			samples,
		}));
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
