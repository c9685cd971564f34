/** How the clock of the samples maps onto the JVM's: stamps in its log count seconds from its start. */
import { type AddressNumbers, numberAddresses } from '../model/address-numbers.js';
import type { CodeMap } from '../model/code-map.js';
import type { Samples } from '../model/samples.js';

export interface JvmClock {
	/** The samples' time at the start of the JVM. NaN: unknown, the log has no stamps or no sample lies in its code. */
	readonly startSeconds: number;
	/** How far off that can be, in seconds. */
	readonly uncertaintySeconds: number;
	readonly source: 'recorded' | 'samples' | 'none';
	/** The stamps are of the samples' own clock, and 0 is when the first code came: the process is older. */
	readonly isOfFirstCode?: boolean;
}

export const NO_CLOCK: JvmClock = { startSeconds: Number.NaN, uncertaintySeconds: Number.NaN, source: 'none' };

/** Whether the profile has times at all: collapsed stacks have none. */
export function hasTimes({ timeSeconds }: Samples): boolean {
	return timeSeconds.some((time) => time !== 0);
}

/** Stamps are rounded to milliseconds. */
const STAMP_SECONDS = 0.001;

/**
 * No thread can be in code before it was installed: the least difference between a sample's time and the installation of the first code
 * at its address is the latest start that is possible. New code is executed at once, so that with some hundred compilations it is
 * good to a few milliseconds; the earliest start is taken from the process's first sample. (Against recordings whose logs hold both
 * clocks: 0.2 and 1.8 ms off.)
 */
export function clockFromSamples(samples: Samples, { of, addresses }: AddressNumbers, map: CodeMap, isOfJvm: (sample: number) => boolean): JvmClock {
	let latest = Number.POSITIVE_INFINITY;
	let first = Number.NaN;
	const installed = Float64Array.from(addresses, (address) => firstInstallation(map, address));
	for (let i = 0; i < samples.length; i++) {
		if (!isOfJvm(i)) {
			continue;
		}
		const time = samples.timeSeconds[i]!;
		first = Number.isNaN(first) ? time : Math.min(first, time);
		latest = Math.min(latest, time - installed[of[i]!]!);
	}
	if (latest === Number.POSITIVE_INFINITY) {
		return NO_CLOCK;
	}
	return { startSeconds: latest, uncertaintySeconds: Math.max(latest - first, 0) + STAMP_SECONDS, source: 'samples' };
}

/** The date of a recording's start has milliseconds; how soon after it the clock of its samples begins, nothing says. */
const START_SECONDS = 0.1;

/**
 * Where it is known when the times of samples began (`startedEpochMs`). null: that does not fit the code, which samples lie in before it was installed, or
 * the samples, which all were taken before the JVM began.
 */
export function clockFromStart(samples: Samples, map: CodeMap, startedEpochMs: number, jvmEpochMs: number): JvmClock | null {
	const startSeconds = (jvmEpochMs - startedEpochMs) / 1000;
	const latest = clockFromSamples(samples, numberAddresses(samples), map, () => true).startSeconds;
	const isBefore = samples.timeSeconds.some((time) => time >= startSeconds);
	// NaN: no sample is in code, and nothing speaks against it.
	if (!isBefore || startSeconds > latest + START_SECONDS) {
		return null;
	}
	return { startSeconds: Number.isNaN(latest) ? startSeconds : Math.min(startSeconds, latest), uncertaintySeconds: START_SECONDS, source: 'recorded' };
}

/** When code first lay at the address, by the stamps; minus infinity where none has one, or some code has none. */
function firstInstallation(map: CodeMap, address: number): number {
	const [first] = map.at(address);
	return (first === undefined ? null : map.code[first]?.installedSeconds) ?? Number.NEGATIVE_INFINITY;
}
