import { expect, test } from 'vitest';
import { codeCacheEvent, codeCacheStates } from './code-cache-events.js';

function event(startMs: number, heap: string, freeBytes: number, isFull = false): ReturnType<typeof codeCacheEvent> {
	const fields: Record<string, number> = { unallocatedCapacity: freeBytes, entryCount: 3, methodCount: 2 };
	return codeCacheEvent(startMs, isFull, heap, (name) => fields[name] ?? null);
}

test('heaps that were told of together are one state', () => {
	const events = [event(1000, 'a', 10), event(1001, 'b', 20), event(2000, 'a', 5), event(2001, 'b', 6), event(2500, 'a', 0, true), event(3000, 'a', 1)];
	expect(codeCacheStates(events)).toEqual([
		{ ms: 1000, freeBytes: 30, nmethods: 4, blobs: 6 },
		{ ms: 2000, freeBytes: 11, nmethods: 4, blobs: 6 },
		{ ms: 3000, freeBytes: 1, nmethods: 2, blobs: 3 },
	]);
	expect(codeCacheStates([])).toEqual([]);
});
