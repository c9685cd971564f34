/** The profiles that `assay bias --against` was given: where they come from, what of them counts, and what does not. */
import type { NamedProfile } from '../answers/observed-profiles.js';

/** One line, without its name. */
export function profileText({ file, event, lostSamples, hasTimes, profile }: NamedProfile): string {
	const { counted, isCounted, leftOut, truncated, unwalkable } = profile;
	const out = [
		[leftOut.otherThreads, 'of other threads'],
		[leftOut.otherTimes, 'of other times'],
		[leftOut.waiting, 'of threads that wait'],
	].flatMap(([count, why]) => (count === 0 ? [] : [`${count} ${why}`]));
	const notes = [
		...(hasTimes ? [] : ['without times']),
		...(out.length === 0 ? [] : [`left out: ${out.join(', ')}`]),
		...(unwalkable === 0 ? [] : [`${unwalkable} without a stack`]),
		...(truncated === 0 ? [] : [`${truncated} with a cut stack`]),
		...(lostSamples === 0 ? [] : [`${lostSamples} lost`]),
	];
	return `${isCounted ? `${counted} samples` : 'shares'} of ${file} (${event})${notes.map((note) => `; ${note}`).join('')}`;
}
