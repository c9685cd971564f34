/** The code cache as Flight Recorder tells of it: each heap at times (jdk.CodeCacheStatistics), and when there was no room left (jdk.CodeCacheFull). */

export interface CodeCacheEvent {
	readonly startMs: number;
	/** No room was found for a piece of code. */
	readonly isFull: boolean;
	/** `CodeHeap 'profiled nmethods'`; `CodeCache` where there is one for all. */
	readonly heap: string;
	readonly freeBytes: number;
	readonly blobs: number;
	readonly nmethods: number;
	/** How often it was full until then. */
	readonly timesFull: number;
}

export function codeCacheEvent(startMs: number, isFull: boolean, heap: string | null, number: (field: string) => number | null): CodeCacheEvent {
	return {
		startMs,
		isFull,
		heap: heap ?? 'CodeCache',
		freeBytes: number('unallocatedCapacity') ?? 0,
		blobs: number('entryCount') ?? 0,
		nmethods: number('methodCount') ?? 0,
		timesFull: number('fullCount') ?? 0,
	};
}
