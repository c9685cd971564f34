/** Puts the flattened timeline back into the tree of phases that it was made of. */
import type { TimelineEntry } from '../model/compiler-memory.js';
import type { PhaseInstance } from './results.js';

/**
 * The phase instances in preorder. Where the beginning of the timeline is lost, an entry that goes on without having begun stands for its phase.
 */
export function nestTimeline(timeline: readonly TimelineEntry[]): PhaseInstance[] {
	const instances: PhaseInstance[] = [];
	const open: PhaseInstance[] = [];
	timeline.forEach((entry, index) => {
		const { sequence, depth, phase, bytes, deltaBytes, nodes, deltaNodes, temporaryPeakBytes, isContinued } = entry;
		while (open.length > 0 && open[open.length - 1]!.depth > depth) {
			open.pop();
		}
		const last = open.at(-1);
		const goesOn = isContinued && last?.depth === depth && last.sequence === sequence;
		if (!goesOn) {
			if (last?.depth === depth) {
				open.pop();
			}
			const startBytes = bytes - deltaBytes;
			const instance: PhaseInstance = {
				sequence,
				depth,
				phase,
				startBytes,
				endBytes: bytes,
				startNodes: nodes - deltaNodes,
				endNodes: nodes,
				ownDeltaBytes: 0,
				peakBytes: Math.max(startBytes, bytes),
				temporaryPeakBytes: null,
				firstEntry: index,
				lastEntry: index,
			};
			instances.push(instance);
			open.push(instance);
		}
		const own = open.at(-1)!;
		own.ownDeltaBytes += deltaBytes;
		if (temporaryPeakBytes !== null) {
			own.temporaryPeakBytes = Math.max(own.temporaryPeakBytes ?? 0, temporaryPeakBytes);
		}
		const highest = Math.max(bytes, temporaryPeakBytes ?? 0);
		for (const around of open) {
			around.endBytes = bytes;
			around.endNodes = nodes;
			around.lastEntry = index;
			around.peakBytes = Math.max(around.peakBytes, highest);
		}
	});
	return instances;
}
