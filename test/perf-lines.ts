/** Lines of perf script, read by the reader, and by its plain way alone. */
import { forEachLine } from '../src/bytes/lines.js';
import { memorySource } from '../src/bytes/source.js';
import { isNoSample, LineReader } from '../src/formats/perf-script/line-reader.js';
import { readPerfScript } from '../src/formats/perf-script/read.js';
import { SampleLineReader } from '../src/formats/perf-script/sample-line.js';
import { type Samples, SamplesBuilder } from '../src/model/samples.js';

/** Samples as the plain way alone reads them, and the numbers of the lines that are none. */
export function readPlainly(bytes: Uint8Array): { samples: Samples; skipped: number[] } {
	const reader = new LineReader();
	const skipped: number[] = [];
	forEachLine(memorySource('perf.txt', bytes), (line, _, number) => {
		if (!reader.take(line) && !isNoSample(line)) {
			skipped.push(number);
		}
	});
	if (reader.end() > 0) {
		skipped.push(-reader.end());
	}
	return { samples: reader.builder.build(), skipped };
}

export function read(bytes: Uint8Array): { samples: Samples; skipped: number[] } {
	const { samples, problems } = readPerfScript(memorySource('perf.txt', bytes));
	return { samples, skipped: problems.map(({ line, message }) => line ?? -Number.parseInt(message, 10)) };
}

export function isUsual(line: string): boolean {
	return unusualOf([line]).length === 0;
}

/** The lines that are left to the plain way. One reader takes all: to make its tables takes longer than a line. */
export function unusualOf(lines: readonly string[]): string[] {
	const reader = new SampleLineReader(new SamplesBuilder());
	return lines.filter((line) => {
		const bytes = Buffer.from(line);
		return !reader.take(bytes, 0, bytes.length);
	});
}
