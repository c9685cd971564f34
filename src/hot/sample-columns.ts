/** Each counted sample by itself, in columns: when it was taken, by which thread, in which compilation and instruction. */
import type { SampleThreads } from '../model/samples.js';
import { type Attribution, isCountedReason, REASONS, type Reason } from './attribute.js';
import type { HotReport } from './hot-results.js';
import { sampledInstructions } from './sampled-instructions.js';
import type { ThreadClasses } from './thread-classes.js';

/** Where samples were taken: in a compilation, or for a reason in none. */
interface SampledPlace {
	readonly compileId: string | null;
	readonly reason: Reason | null;
}

export interface SampleColumns {
	/** Seconds on the samples' clock, of the first row. */
	readonly startSeconds: number;
	/** Microseconds since the row before. */
	readonly deltaUs: readonly number[];
	/** In `places`. */
	readonly place: readonly number[];
	/** Number of the instruction in its compilation, -1 where none is known. */
	readonly instruction: readonly number[];
	readonly places: readonly SampledPlace[];
	/** In `threads`, -1 where the samples do not tell. */
	readonly thread: readonly number[];
	readonly threads: readonly { readonly name: string; readonly id: number }[];
}

/** In the order of time. */
export function sampleColumns(
	{ attribution, code }: HotReport,
	threads: SampleThreads | null,
	instructions = sampledInstructions({ attribution, code }),
): SampleColumns {
	const { samples, map, target, reason } = attribution;
	const rows = countedByTime(attribution);
	const startSeconds = rows.length === 0 ? 0 : samples.timeSeconds[rows[0]!]!;
	const places: SampledPlace[] = [];
	const numbers = new Map<string, number>();
	const result = { deltaUs: [] as number[], place: [] as number[], instruction: [] as number[], thread: [] as number[] };
	let lastUs = 0;
	for (const i of rows) {
		const us = Math.round((samples.timeSeconds[i]! - startSeconds) * 1e6);
		result.deltaUs.push(us - lastUs);
		lastUs = us;
		const piece = map.code[target[i]!];
		const place: SampledPlace = { compileId: piece?.compileId ?? null, reason: REASONS[reason[i]!] ?? null };
		const key = place.compileId === null ? `:${place.reason}` : place.compileId;
		let number = numbers.get(key);
		if (number === undefined) {
			number = places.push(place) - 1;
			numbers.set(key, number);
		}
		result.place.push(number);
		result.instruction.push(place.compileId === null ? -1 : instructions[i]!);
		result.thread.push(threads?.of[i] ?? -1);
	}
	return { startSeconds, ...result, places, threads: (threads?.threads ?? []).map(({ name, id }) => ({ name, id })) };
}

/** Of each sample its class, as a position in THREAD_CLASSES: in the order of {@link sampleColumns}. */
export function sampleClasses({ attribution }: HotReport, { ofSample }: ThreadClasses): readonly number[] {
	return countedByTime(attribution).map((i) => ofSample[i]!);
}

/** Positions of the samples that count. */
export function countedByTime({ samples, reason }: Attribution): number[] {
	const rows: number[] = [];
	for (let i = 0; i < samples.length; i++) {
		if (isCountedReason(reason[i]!)) {
			rows.push(i);
		}
	}
	return rows.sort((a, b) => samples.timeSeconds[a]! - samples.timeSeconds[b]! || a - b);
}

/** Of each row of the columns: how many counted samples stand before it in the file. */
export function countedOrder(attribution: Attribution): number[] {
	const { samples, reason } = attribution;
	const before = new Int32Array(samples.length);
	let counted = 0;
	for (let i = 0; i < samples.length; i++) {
		before[i] = counted;
		counted += isCountedReason(reason[i]!) ? 1 : 0;
	}
	return countedByTime(attribution).map((i) => before[i]!);
}
