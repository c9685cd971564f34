/** How long the garbage collector stopped the program. */
import type { Safepoint } from './safepoint.js';

/** A collection as the JVM's own events tell of it. */
export interface Collection {
	/** All pauses of it: a concurrent collector has several, or none. */
	readonly pausesNs: number;
	readonly longestNs: number;
	/** By `System.gc()` or from outside, not because memory ran out. */
	readonly isAskedFor: boolean;
}

export interface CollectorPauses {
	/** Collections where these are told, else safepoints: one with several pauses, or none, is one collection. */
	readonly counted: 'collections' | 'safepoints';
	readonly count: number;
	readonly totalNs: number;
	readonly longestNs: number;
	/** Of these, what nothing but a call of `System.gc()`, jcmd or the like was for. */
	readonly askedCount: number;
	readonly askedNs: number;
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

/** The operations for collections that somebody asked for, JDK 17 and 25. Of the concurrent collectors only the cause tells, which JDK 25 logs behind the operation. */
const ASKED_FOR = /^(?:GenCollectFull|SerialGCCollect|ParallelGCSystemGC|ParallelGCCollect|G1CollectFull)\b/;
const ASKED_CAUSE = /(?:System\.gc\(\)|Diagnostic Command|Heap Inspection Initiated GC|Heap Dump Initiated GC|JvmtiEnv ForceGarbageCollection)/;

/** Whether a collection of this cause is one that somebody asked for: `System.gc()`. */
export function isAskedFor(cause: string | null): boolean {
	return cause !== null && ASKED_CAUSE.test(cause);
}

/** Null where nothing tells of a pause. Of safepoints whole ones are counted, with the time to reach them; a recording may leave short ones out, so that its collections come first. */
export function collectorPauses(safepoints: Iterable<Safepoint>, collections: readonly Collection[], runNs: number | null): CollectorPauses | null {
	const told = collections.filter(({ pausesNs }) => pausesNs > 0);
	const pauses = told.length > 0 ? told : [...safepoints].flatMap(pauseOf);
	const totalNs = pauses.reduce((sum, { pausesNs }) => sum + pausesNs, 0);
	const asked = pauses.filter((pause) => pause.isAskedFor);
	return pauses.length === 0
		? null
		: {
				counted: told.length > 0 ? 'collections' : 'safepoints',
				count: pauses.length,
				totalNs,
				longestNs: pauses.reduce((longest, pause) => Math.max(longest, pause.longestNs), 0),
				askedCount: asked.length,
				askedNs: asked.reduce((sum, { pausesNs }) => sum + pausesNs, 0),
				percentOfRun: runNs === null ? null : (100 * totalNs) / runNs,
			};
}

function pauseOf({ operation, totalNs, unfinished }: Safepoint): Collection[] {
	return unfinished === null && operation !== null && isCollection(operation)
		? [{ pausesNs: totalNs, longestNs: totalNs, isAskedFor: ASKED_FOR.test(operation) || isAskedFor(operation) }]
		: [];
}
