/**
 * What the DTrace script of JMH's dtraceasm prints, profile-1001 { printf("%d 0x%lx %d", pid, arg1, timestamp); ufunc(arg1) }:
 *   0  97543                     :profile-1001 11200 0x7f080d12ec2b 1998160631818 libjvm.so`ElfSymbolTable::lookup
 * process id, address, nanoseconds, and either the address again (code of no library) or library`symbol.
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { type Problem, SkippedLines } from '../../model/problem.js';
import { type SamplePlace, type Samples, SamplesBuilder } from '../../model/samples.js';

export interface DTraceProfile {
	readonly samples: Samples;
	readonly problems: readonly Problem[];
}

const TAG = ':profile';

/** Never throws on content. Samples of all processes. */
export function readDTraceProfile(source: Source): DTraceProfile {
	const builder = new SamplesBuilder();
	const skipped = new SkippedLines(source.name, 'expected process id, address, nanoseconds and place after the tag of a sample');
	const event = builder.eventNumber('sampled_pc');
	forEachLine(source, (line, offsetBytes, number) => {
		const start = line.indexOf(TAG);
		if (start < 0) {
			return; // the header, and what the script prints besides samples
		}
		const [, pid, address, timestamp, ...place] = line.slice(start).split(' ');
		const pc = address === undefined ? null : parseAddress(address);
		if (pid === undefined || pc === null || timestamp === undefined || !/^\d+$/.test(pid) || !/^\d+$/.test(timestamp)) {
			skipped.add(number, offsetBytes);
			return;
		}
		builder.add(Number(timestamp) / 1e9, pc, event, builder.placeNumber(place.join(' '), parsePlace), Number(pid));
	});
	return { samples: builder.build(), problems: skipped.problems() };
}

/** Whether the first bytes of a file are those of this format. */
export function isDTraceProfile(head: string): boolean {
	return /^.*:profile-\d+ \d+ (0x)?[0-9a-fA-F]+ \d+/m.test(head);
}

function parseAddress(text: string): bigint | null {
	return /^(0x[0-9a-fA-F]{1,16}|\d{1,19})$/.test(text) ? BigInt.asIntN(64, BigInt(text)) : null;
}

function parsePlace(text: string): SamplePlace {
	if (text === '' || text.startsWith('0x')) {
		return { symbol: null, library: null };
	}
	const separator = text.indexOf('`');
	return separator < 0 ? { symbol: null, library: text } : { symbol: text.slice(separator + 1) || null, library: text.slice(0, separator) || null };
}
