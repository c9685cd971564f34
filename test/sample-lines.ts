/** Samples as lines that can be compared, whoever read them. */
import type { SampleDetails, SamplePlace, Samples } from '../src/model/samples.js';

type ReadSamples = SampleDetails & { readonly samples: Samples };

/**
 * A line a sample. Of samples with stacks the frames stand for their address, which perf prints relative to the file that the code lies in; those with an empty
 * stack are left out, since perf prints no address of them.
 */
export function linesOfSamples({ samples, threads, stacks, periods }: ReadSamples, withSymbols = true): string[] {
	const spelled = ({ symbol, library }: SamplePlace): string => {
		// The text does not tell where the name of a file that was deleted begins.
		const file = library?.replace(/^.* \(deleted\)$/, 'deleted)');
		return withSymbols ? `${symbol} (${file})` : `(${file})`;
	};
	const lines: string[] = [];
	for (let i = 0; i < samples.length; i++) {
		const frames: string[] = [];
		for (let node = stacks?.of[i] ?? -1; stacks !== null && node >= 0; node = stacks.parent[node]!) {
			const address = stacks.address[node]!;
			const place = samples.places[stacks.place[node]!]!;
			frames.push(`${isOfFile(place) ? (((address % PAGE) + PAGE) % PAGE).toString(16) : address} ${spelled(place)}`);
		}
		if (stacks !== null && frames.length === 0) {
			continue;
		}
		const thread = threads?.threads[threads.of[i]!];
		const event = `${samples.events[samples.event[i]!]}${samples.modifiers[samples.event[i]!]}`;
		const code = stacks === null ? samples.address[i] : '';
		lines.push(
			[
				`${thread?.name} ${samples.processId[i]}/${thread?.id} ${samples.timeSeconds[i]}: ${periods?.[i]} ${event}: ${code} ${spelled(samples.places[samples.place[i]!]!)}`,
				...frames,
			].join('\n'),
		);
	}
	return lines;
}

const PAGE = 4096;

function isOfFile({ library }: SamplePlace): boolean {
	return library !== null && (library === '[vdso]' || (library.startsWith('/') && !/perf-\d+\.map$/.test(library)));
}
