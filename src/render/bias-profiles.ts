/** The profiles that `assay bias --against` was given: where they come from, what of them counts, and what does not. */
import type { ObservedProfile } from '../bias/observed.js';

export interface ClockSource {
	/** `recorded`: `assay record` noted both clocks; `jvm-start`: the start of the JVM is known on both. */
	readonly source: 'recorded' | 'jvm-start';
	readonly uncertaintySeconds: number;
}

export interface NamedProfile {
	readonly name: string;
	readonly file: string;
	/** In words. */
	readonly format: string;
	/** In the profile's own words: `jdk.ExecutionSample`. */
	readonly event: string;
	readonly lostSamples: number;
	readonly hasTimes: boolean;
	/** How its times were laid on the samples' clock; null: nobody asked for a part of the time, or they were not. */
	readonly clock: ClockSource | null;
	readonly profile: ObservedProfile;
}

/** One line, without its name. */
export function profileText({ file, event, lostSamples, hasTimes, profile }: NamedProfile): string {
	const { counted, isCounted, leftOut, truncated, unwalkable } = profile;
	const out = [
		[leftOut.otherThreads, 'of other threads'],
		[leftOut.otherTimes, 'of other times'],
		[leftOut.waiting, 'of threads that wait'],
	].flatMap(([count, why]) => (count === 0 ? [] : [`${count} ${why}`]));
	const notes = [
		...(hasTimes ? [] : ['without times']),
		...(out.length === 0 ? [] : [`left out: ${out.join(', ')}`]),
		...(unwalkable === 0 ? [] : [`${unwalkable} without a stack`]),
		...(truncated === 0 ? [] : [`${truncated} with a cut stack`]),
		...(lostSamples === 0 ? [] : [`${lostSamples} lost`]),
	];
	return `${isCounted ? `${counted} samples` : 'shares'} of ${file} (${event})${notes.map((note) => `; ${note}`).join('')}`;
}

export function profileJson({ name, file, format, event, lostSamples, hasTimes, clock, profile }: NamedProfile): object {
	const { counted, isCounted, leftOut, truncated, unwalkable, biased, hasLines } = profile;
	return { name, file, format, event, samples: isCounted ? counted : null, leftOut, unwalkable, truncated, biased, lostSamples, hasLines, hasTimes, clock };
}
