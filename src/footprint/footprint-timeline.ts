/**
 * The footprint over time as a flat sequence of phases, as HotSpot keeps it (JDK-8344009): a phase that begins inside another one ends the entry of that
 * one, and when it is over the outer phase goes on in an entry of its own. So the entries follow each other and their changes add up.
 */
import type { TimelineEntry } from '../model/compiler-memory.js';

/** An inner peak that is further than this above both ends of its entry is noted: 1 MiB, as in HotSpot. */
const SIGNIFICANT_PEAK_BYTES = 1 << 20;
const DEFAULT_MAX_ENTRIES = 100_000;

export class FootprintTimeline {
	private entries: TimelineEntry[] = [];
	private lost = 0;
	private readonly maxEntries: number;
	private startBytes = 0;
	private startNodes = 0;
	private peakBytes = 0;

	/** Beyond twice `maxEntries` older ones are let go. */
	constructor(maxEntries = DEFAULT_MAX_ENTRIES) {
		this.maxEntries = maxEntries;
	}

	begin(bytes: number, nodes: number): void {
		this.startBytes = bytes;
		this.peakBytes = bytes;
		this.startNodes = nodes;
	}

	footprint(bytes: number): void {
		if (bytes > this.peakBytes) {
			this.peakBytes = bytes;
		}
	}

	end(sequence: number, depth: number, phase: string, isContinued: boolean, bytes: number, nodes: number): void {
		const { startBytes, startNodes, peakBytes } = this;
		const isSignificant = peakBytes - Math.max(startBytes, bytes) > SIGNIFICANT_PEAK_BYTES;
		this.entries.push({
			sequence,
			depth,
			phase,
			isContinued,
			bytes,
			deltaBytes: bytes - startBytes,
			nodes,
			deltaNodes: nodes - startNodes,
			temporaryPeakBytes: isSignificant ? peakBytes : null,
		});
		if (this.entries.length >= 2 * this.maxEntries) {
			this.lost += this.entries.length - this.maxEntries;
			this.entries = this.entries.slice(-this.maxEntries);
		}
	}

	list(): { readonly timeline: readonly TimelineEntry[]; readonly lostEntries: number } {
		return { timeline: this.entries, lostEntries: this.lost };
	}
}
