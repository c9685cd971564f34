/** How long the garbage collector stopped the program. */
import type { Safepoint } from './safepoint.js';

/** A collection as the JVM's own events tell of it. */
export interface Collection {
	/** All pauses of it: a concurrent collector has several, or none. */
	readonly pausesNs: number;
	readonly longestNs: number;
}

export interface CollectorPauses {
	/** Collections where these are told, else safepoints: one with several pauses, or none, is one collection. */
	readonly counted: 'collections' | 'safepoints';
	readonly count: number;
	readonly totalNs: number;
	readonly longestNs: number;
	/** Null where the length of the run is not known. */
	readonly percentOfRun: number | null;
}

/**
 * Operations of the collectors (vmOperation.hpp, JDK 17 to 25): SerialCollectForAllocation, CollectForMetadataAllocation, ParallelGCSystemGC, G1PauseCleanup, XMarkStart,
 * ZRelocateStartYoung. Cleanup and MarkActiveNMethods are of inline caches and of code.
 */
const COLLECTION = /^\w*(?:GC|Collect)|^(?:G1|CMS_|Shenandoah|[XZ](?:Mark|Relocate|Verify))/;

/** Whether the operation of a safepoint is a collector's. */
export function isCollection(operation: string | null): boolean {
	return operation !== null && COLLECTION.test(operation);
}

/** Null where nothing tells of a pause. Of safepoints whole ones are counted, with the time to reach them; a recording may leave short ones out, so that its collections come first. */
export function collectorPauses(safepoints: Iterable<Safepoint>, collections: readonly Collection[], runNs: number | null): CollectorPauses | null {
	const told = collections.filter(({ pausesNs }) => pausesNs > 0);
	const pauses = told.length > 0 ? told : [...safepoints].flatMap(pauseOf);
	const totalNs = pauses.reduce((sum, { pausesNs }) => sum + pausesNs, 0);
	return pauses.length === 0
		? null
		: {
				counted: told.length > 0 ? 'collections' : 'safepoints',
				count: pauses.length,
				totalNs,
				longestNs: pauses.reduce((longest, pause) => Math.max(longest, pause.longestNs), 0),
				percentOfRun: runNs === null ? null : (100 * totalNs) / runNs,
			};
}

function pauseOf({ operation, totalNs, unfinished }: Safepoint): Collection[] {
	return unfinished === null && COLLECTION.test(operation ?? '') ? [{ pausesNs: totalNs, longestNs: totalNs }] : [];
}
