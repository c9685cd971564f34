/**
 * The text of `perf script`: one sample a line, with the fields
 *     692.107938: cpu-clock:      55b13b0b8687 file_isdir (/usr/bin/bash)
 * or with comm, pid/tid and cpu before the time and a period before the event (its default form):
 *   java 2764/2770 [001] 6046.157274:    1000000 cpu-clock:      5653c0de f+0x1 (/app/bin)
 * Symbols may hold blanks and round brackets; the file stands in the last ` (…)`. With stacks (perf record -g) the address and what
 * follows stand in a line of their own, the first of the stack; the rest of the stack is read for those who ask.
 */
import { forEachLineOfBytes } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import { type Problem, SkippedLines } from '../../model/problem.js';
import { type DetailsWanted, NO_DETAILS, type SampleDetails, type Samples } from '../../model/samples.js';
import { DetailColumns } from './details.js';
import { isNoSample, LineReader } from './line-reader.js';
import { SampleLineReader } from './sample-line.js';

export interface PerfScript extends SampleDetails {
	readonly samples: Samples;
	/** Lines that are no samples: frames of stacks, comments and blank lines are none either and not counted. */
	readonly problems: readonly Problem[];
}

/** Never throws on content. Details take about twice the time. */
export function readPerfScript(source: Source, wanted: DetailsWanted = 'none'): PerfScript {
	const reader = new LineReader();
	const skipped = new SkippedLines(source.name, 'expected a sample of perf script: time, event, address, symbol and file');
	const sampleLines = new SampleLineReader(reader.builder);
	const details = wanted === 'none' ? null : new DetailColumns(reader.builder, wanted);
	forEachLineOfBytes(source, (bytes, start, end, offsetBytes, number) => {
		if (sampleLines.take(bytes, start, end)) {
			reader.passSample();
			details?.take(decodeUtf8(bytes, start, end));
			return;
		}
		const line = decodeUtf8(bytes, start, end);
		if (!reader.take(line) && !isNoSample(line)) {
			skipped.add(number, offsetBytes);
		}
		details?.take(line);
	});
	const problems = skipped.problems();
	const withoutAddress = reader.end();
	if (withoutAddress > 0) {
		problems.push({
			severity: 'warning',
			file: source.name,
			message: `${withoutAddress} samples have neither an address nor a stack`,
			action: 'they are left out',
		});
	}
	return { ...(details?.build() ?? NO_DETAILS), samples: reader.builder.build(), problems };
}

/** Whether the first bytes of a file are those of this format: most of its first lines are samples, or belong to one. */
export function isPerfScript(head: string): boolean {
	const reader = new LineReader();
	const lines = head.split('\n', 200).filter((line) => !isNoSample(line));
	const taken = lines.filter((line) => reader.take(line)).length;
	return taken > 0 && 2 * taken >= lines.length;
}
