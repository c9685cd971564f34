/** How the clock of the samples maps onto the JVM's: stamps in its log count seconds from its start. */
import type { AddressNumbers } from '../model/address-numbers.js';
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

/** When code first lay at the address, by the stamps; minus infinity where none has one, or some code has none. */
function firstInstallation(map: CodeMap, address: number): number {
	const [first] = map.at(address);
	return (first === undefined ? null : map.code[first]?.installedSeconds) ?? Number.NEGATIVE_INFINITY;
}
