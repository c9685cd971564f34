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

/** All heaps together at each time at which they were told of. */
export function codeCacheStates(
	events: readonly CodeCacheEvent[],
): { readonly ms: number; readonly freeBytes: number; readonly nmethods: number; readonly blobs: number }[] {
	const heaps = new Map<string, CodeCacheEvent>();
	const states: { ms: number; freeBytes: number; nmethods: number; blobs: number }[] = [];
	const close = (): void => {
		if (heaps.size > 0) {
			const all = [...heaps.values()];
			const sum = (of: 'freeBytes' | 'nmethods' | 'blobs'): number => all.reduce((total, heap) => total + heap[of], 0);
			states.push({ ms: all[0]!.startMs, freeBytes: sum('freeBytes'), nmethods: sum('nmethods'), blobs: sum('blobs') });
		}
		heaps.clear();
	};
	for (const event of events) {
		if (!event.isFull) {
			// They are told of one after the other, each once.
			if (heaps.has(event.heap)) {
				close();
			}
			heaps.set(event.heap, event);
		}
	}
	close();
	return states;
}
