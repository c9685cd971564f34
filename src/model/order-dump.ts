/** What the runtime of an instrumented program wrote: the functions it ran, in the order of their first execution (docs/order-formats.md). */
import type { OrderMap } from './order-map.js';

type OrderDumpReason = 'exit' | 'signal' | 'request' | 'timer' | 'file-backed' | 'unknown';

export interface OrderDumpModule {
	readonly id: number;
	/** Instrumented functions of the module. */
	readonly functionCount: number;
	/** 16 hexadecimal digits, as in the map. */
	readonly hash: string;
}

/** The dump of one image, an executable or a shared library: each has a buffer of its own. */
export interface OrderDump {
	/** Sum of the modules' hashes: the map's when the map is of exactly the modules that were linked. */
	readonly buildId: string;
	readonly processId: number;
	/** Why it was written. */
	readonly reason: OrderDumpReason;
	/** When it was written; file-backed: when the process began. Nanoseconds since 1970. */
	readonly timeNs: bigint;
	/** The buffer keeps the last entries; otherwise the first. */
	readonly isRing: boolean;
	readonly capacityEntries: number;
	/** How many entries the program logged, also those that the buffer did not keep. */
	readonly loggedEntries: number;
	/** Logged and not kept: with a ring the oldest, otherwise the latest. */
	readonly lostEntries: number;
	/** Slots taken whose entry was not written: a process that was killed, or a thread that was just logging. */
	readonly unwrittenEntries: number;
	readonly modules: readonly OrderDumpModule[];
	/** Of each kept entry, oldest first. An entry may come twice when two threads ran a function at the same time. */
	readonly moduleIds: Uint32Array;
	readonly functionIds: Uint32Array;
}

/**
 * Why a dump is not of the build that a map describes: a sentence, or null when it is. Every module of the program has to be in the map with
 * the same hash; the map may have more modules than were linked.
 */
export function whyOfAnotherBuild(dump: OrderDump, map: OrderMap): string | null {
	if (dump.buildId === map.buildId) {
		return null;
	}
	const known = new Map(map.modules.map((module) => [module.id, module]));
	let unknown = 0;
	for (const { id, hash } of dump.modules) {
		const module = known.get(id);
		if (module === undefined) {
			unknown++;
		} else if (module.hash !== hash) {
			return `module ${module.name} is of another build (${hash} in the dump, ${module.hash} in the map)`;
		}
	}
	return unknown === 0 ? null : `the map does not have ${unknown} of the ${dump.modules.length} modules of the program`;
}
