/**
 * What a profiler that can look at threads only at safepoints would blame, as `predict` has it, and nothing more: not whose time lands on whom. Samples are followed in the
 * same order: what calls that come back to themselves lead to depends on where they are first met.
 */
import type { Frame } from '../model/instructions.js';
import { samplesByBlock } from './fitted-chain.js';
import { spreadNative } from './native-sites.js';
import { byLeaf } from './predict.js';
import { coldPlaces, type SampledCode } from './prediction-input.js';
import { framesAt, Place } from './safepoint-places.js';
import type { Walks } from './walks.js';

/** Amounts are samples, by method; what is not described by any text is blamed on `(unknown)`. */
export function predictedBlame(walks: Walks): Map<string, number> {
	const { sampled, native, inKernel = [] } = walks.input;
	const blame = new Map<string, number>();
	const add = ([leaf]: readonly Frame[], amount: number): void => {
		const method = leaf?.method ?? '(unknown)';
		blame.set(method, (blame.get(method) ?? 0) + amount);
	};
	const follow = ({ method, from, to }: SampledCode, starts: Float64Array): void => {
		const { graph, absorb } = walks.chain(method);
		const ends = absorb(starts);
		for (let block = 0; block < ends.length; block++) {
			const mass = ends[block]!;
			if (mass <= 0) {
				continue;
			}
			const { place, returns, to: end } = graph.blocks.at(block);
			if (place === Place.ReturnPoll || returns) {
				for (const caller of walks.callers.of(method, from, to)) {
					add(caller.frames, mass * caller.share);
				}
			} else if (place === Place.JavaCall) {
				const inner = walks.ofCall(method, end - 1, from, to);
				for (const stop of inner.stops) {
					add(stop.frames, mass * stop.share);
				}
				add(framesAt(method.instructions, end - 1, place), mass * inner.returns);
			} else {
				add(place === Place.None ? [] : framesAt(method.instructions, end - 1, place), mass);
			}
		}
	};
	for (const row of [...sampled, ...inKernel]) {
		for (const own of byLeaf(row.method, row.counts, 'method').values()) {
			follow(row, samplesByBlock(walks.chain(row.method).graph, own));
		}
	}
	for (const { frames, count } of coldPlaces(walks.input)) {
		add(frames, count);
	}
	const starts = spreadNative(
		sampled.map(({ method }) => walks.chain(method)),
		native,
		add,
	);
	sampled.forEach((row, i) => {
		follow(row, starts[i]!);
	});
	return blame;
}
