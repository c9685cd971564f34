/**
 * Samples of Android's simpleperf as `simpleperf report-sample --show-callchain` prints them (cmd_report_sample.cpp in Android's platform/system/extras). Addresses are
 * those of the linked file; names are demangled. No simpleperf could be run here.
 *   sample:
 *     event_type: cpu-cycles
 *     time: 81244091733051
 *     vaddr_in_file: 1734
 *     file: /data/local/tmp/app
 *     symbol: parse
 *     callchain:
 *       vaddr_in_file: 1801
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import type { ListedFunction } from '../../model/listed-function.js';
import { type Problem, SkippedLines } from '../../model/problem.js';
import type { PerfOrder } from '../shared/perf-order.js';

const FIRST = /^(?:meta_info|sample):\r?\n(?: +\w[^\r\n]*\r?\n)/;
const FIELD = /^ +(\w+):(?: (.*))?$/;
const SECTION = /^\w+:$/;
/** What it says where it does not know. */
const UNKNOWN = 'unknown';

export function isSimpleperfSamples(head: string): boolean {
	return FIRST.test(head) && /^sample:\r?$/m.test(head) && /^ +vaddr_in_file: [0-9a-f]+\r?$/m.test(head);
}

interface Sample {
	readonly time: string;
	readonly frames: Frame[];
}

interface Frame {
	readonly address: number;
	file: string | null;
	symbol: string | null;
}

/** Of a sample with callers these first. Never throws on content. */
export function readSimpleperfSamples(source: Source): PerfOrder {
	const skipped = new SkippedLines(source.name, 'expected a line of simpleperf report-sample');
	const problems: Problem[] = [];
	const samples: Sample[] = [];
	let frames: Frame[] = [];
	let lost = '0';
	forEachLine(source, (line, offset, number) => {
		if (SECTION.test(line)) {
			frames = [];
			return;
		}
		const [, field, value = ''] = FIELD.exec(line) ?? [];
		const frame = frames.at(-1);
		if (field === 'time') {
			samples.push({ time: value, frames });
		} else if (field === 'vaddr_in_file' && /^[0-9a-f]{1,16}$/.test(value)) {
			frames.push({ address: Number.parseInt(value, 16), file: null, symbol: null });
		} else if (field === 'file' && frame !== undefined) {
			frame.file = value === UNKNOWN ? null : value;
		} else if (field === 'symbol' && frame !== undefined) {
			frame.symbol = value === UNKNOWN ? null : value;
		} else if (field === 'lost_count') {
			lost = value;
		} else if ((field === undefined && line.trim() !== '') || field === 'vaddr_in_file') {
			skipped.add(number, offset);
		}
	});
	problems.push(...skipped.problems());
	if (/[1-9]/.test(lost)) {
		problems.push({
			severity: 'warning',
			file: source.name,
			message: `${lost} samples were lost when it was recorded`,
			action: 'record with a larger buffer (-m), or fewer samples (-f)',
		});
	}
	samples.sort((a, b) => a.time.length - b.time.length || (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
	return { rows: samples.flatMap((sample) => sample.frames.reverse().flatMap(rowOf)), mappings: [], problems };
}

function rowOf({ address, file, symbol }: Frame): ListedFunction[] {
	return file?.startsWith('[kernel') === true || file?.endsWith('.ko') === true ? [] : [{ symbol, module: file, address }];
}
