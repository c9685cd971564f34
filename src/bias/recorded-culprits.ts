/**
 * Who delayed safepoints, by samples with stacks (Flight Recorder) where there are none with program counters: Java threads that were seen while a safepoint
 * was not reached, with the line that they executed. The code of its loop is not known.
 */
import type { StackSamples } from '../model/stack-samples.js';
import { type DelayPlace, reasonOfPlace } from './delay-reasons.js';
import type { Culprit, SafepointDelay } from './safepoint-delay.js';

/** In the order of preference: samples of one kind are counted, never two of the same time added up. Threads in native code are not waited for. */
const KINDS = ['jdk.CPUTimeSample', 'jdk.ExecutionSample'];
/** Below this part of the samples a row is noise, as where samples have program counters. */
const LEAST_PERCENT = 1;

/** `originNs`: the JVM's time at the samples' origin, in nanoseconds. Delays for which somebody is named already stay as they are. */
export function withRecordedCulprits(delays: readonly SafepointDelay[], samples: StackSamples, originNs: number): SafepointDelay[] {
	/** By method: a loop is one cause, whichever of its lines was seen most at one safepoint. */
	const lines = new Map<number, Map<number, number>>();
	const seenIn = new Map<SafepointDelay, { readonly seen: readonly number[]; readonly total: number }>();
	for (const delay of delays) {
		const inside = samplesIn(delay, samples, originNs);
		if (inside === null) {
			continue;
		}
		const seen = suspects(inside.samples, samples, inside.halfNs);
		seenIn.set(delay, { seen, total: inside.samples.length });
		for (const i of seen) {
			const frame = innermost(samples, i);
			if (frame !== null) {
				const method = samples.frames.method[frame]!;
				const line = samples.frames.line[frame]!;
				const ofMethod = lines.get(method) ?? new Map<number, number>();
				ofMethod.set(line, (ofMethod.get(line) ?? 0) + 1);
				lines.set(method, ofMethod);
			}
		}
	}
	return delays.map((delay) => {
		const found = seenIn.get(delay);
		return found === undefined ? delay : { ...delay, samples: found.total, culprits: culpritsOf(found.seen, samples, found.total, lines) };
	});
}

/** Samples of one kind while a slow safepoint was not reached, and the middle of that time; null where somebody is named, or there are no times. */
function samplesIn(
	{ safepoint, isSlow, culprits }: SafepointDelay,
	samples: StackSamples,
	originNs: number,
): { readonly samples: readonly number[]; readonly halfNs: number } | null {
	const { end, totalNs, reachingNs } = safepoint;
	if (!isSlow || culprits.length > 0 || end.uptimeNs === null || reachingNs === null || samples.timeNs === null) {
		return null;
	}
	const from = end.uptimeNs - totalNs - originNs;
	const inside: number[] = [];
	for (let i = 0; i < samples.length; i++) {
		const time = samples.timeNs[i]!;
		if (time >= from && time <= from + reachingNs) {
			inside.push(i);
		}
	}
	const kind = KINDS.find((name) => inside.some((i) => samples.events[samples.event[i]!] === name));
	return { samples: inside.filter((i) => samples.events[samples.event[i]!] === kind), halfNs: from + reachingNs / 2 };
}

/** Of threads that still ran in the second half of the time, if any did. */
function suspects(inside: readonly number[], { thread, timeNs }: StackSamples, halfNs: number): number[] {
	const late = new Set(inside.filter((i) => (timeNs?.[i] ?? 0) >= halfNs).map((i) => thread[i]!));
	return late.size === 0 ? [...inside] : inside.filter((i) => late.has(thread[i]!));
}

function culpritsOf(seen: readonly number[], samples: StackSamples, total: number, lines: ReadonlyMap<number, ReadonlyMap<number, number>>): Culprit[] {
	const rows = new Map<string, { readonly first: number; count: number }>();
	for (const i of seen) {
		const frame = innermost(samples, i);
		const key = `${samples.thread[i]} ${frame === null ? -1 : samples.frames.method[frame]}`;
		const row = rows.get(key) ?? { first: i, count: 0 };
		row.count++;
		rows.set(key, row);
	}
	return [...rows.values()]
		.sort((a, b) => b.count - a.count)
		.filter(({ count }, i) => i === 0 || (100 * count) / total >= LEAST_PERCENT)
		.map(({ first, count }): Culprit => {
			const frame = innermost(samples, first);
			const thread = samples.threads[samples.thread[first]!];
			const place = placeOf(samples, frame);
			const ofMethod = frame === null ? undefined : lines.get(samples.frames.method[frame]!);
			const [line = -1] = [...(ofMethod ?? [])].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0] ?? [];
			return {
				...reasonOfPlace(place),
				thread: thread?.name ?? null,
				threadId: thread === undefined || thread.id < 0 ? null : thread.id,
				isReported: false,
				method: frame === null ? '(unknown)' : samples.frames.methods[samples.frames.method[frame]!]!.row,
				line: line < 0 ? null : line,
				compileId: null,
				address: null,
				loop: null,
				samples: count,
				percent: (100 * count) / total,
				evidence: 'samples',
			};
		});
}

function innermost({ stack, stacks }: StackSamples, i: number): number | null {
	const number = stack[i]!;
	return number < 0 || stacks.starts[number] === stacks.starts[number + 1] ? null : stacks.frame[stacks.starts[number]!]!;
}

function placeOf({ frames }: StackSamples, frame: number | null): DelayPlace {
	const kind = frame === null ? '' : frames.kinds[frames.kind[frame]!]!;
	return frame === null ? 'unknown' : kind === 'Interpreted' ? 'interpreter' : kind === 'Native' ? 'native' : 'not printed';
}
