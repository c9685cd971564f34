/**
 * Memory of the compilations that ran at the same time. A compilation counts with its peak for the whole time that it took, so that the sum is what was held at
 * most: no evidence tells how the memory of one grew in time.
 */
import type { CompilerMemory } from '../model/compiler-memory.js';

type Spanned = Pick<CompilerMemory, 'totalBytes' | 'span'> & { readonly handle: string };

export interface MemoryAtOnce {
	/** The most that they can have held together. */
	readonly bytes: number;
	/** When, in milliseconds since the JVM's start. */
	readonly ms: number;
	/** Those that ran then, most expensive first. */
	readonly handles: readonly string[];
	/** How many tell when they were compiled. */
	readonly compilations: number;
	/** The most in each of equal parts of the time from the first begin to the last end. */
	readonly parts: readonly number[];
	readonly startMs: number;
	readonly endMs: number;
}

const PARTS = 50;

/** null where nothing tells when compilations ran. */
export function memoryAtOnce(compilations: readonly Spanned[]): MemoryAtOnce | null {
	const spanned = compilations.flatMap(({ span, totalBytes, handle }) =>
		span === undefined || span.endMs < span.startMs ? [] : [{ ...span, totalBytes, handle }],
	);
	const endMs = spanned.reduce((last, span) => Math.max(last, span.endMs), 0);
	if (spanned.length === 0) {
		return null;
	}
	const firstMs = spanned.reduce((first, { startMs }) => Math.min(first, startMs), endMs);
	const partMs = Math.max(endMs - firstMs, 1e-6) / PARTS;
	// What ends at a moment is freed before what begins then.
	const edges = spanned
		.flatMap((span) => [
			{ ms: span.startMs, bytes: span.totalBytes, isStart: true },
			{ ms: span.endMs, bytes: -span.totalBytes, isStart: false },
		])
		.sort((a, b) => a.ms - b.ms || Number(a.isStart) - Number(b.isStart));
	const parts = new Array<number>(PARTS).fill(0);
	const partOf = (ms: number): number => Math.max(0, Math.min(PARTS - 1, Math.floor((ms - firstMs) / partMs)));
	let now = 0;
	let most = { bytes: 0, ms: 0 };
	edges.forEach(({ ms, bytes }, i) => {
		now += bytes;
		most = now > most.bytes ? { bytes: now, ms } : most;
		const until = partOf(edges[i + 1]?.ms ?? ms);
		for (let part = partOf(ms); part <= until; part++) {
			parts[part] = Math.max(parts[part]!, now);
		}
	});
	const then = spanned.filter(({ startMs, endMs: end }) => startMs <= most.ms && end > most.ms).sort((a, b) => b.totalBytes - a.totalBytes);
	return { ...most, handles: then.map(({ handle }) => handle), compilations: spanned.length, parts, startMs: firstMs, endMs };
}
