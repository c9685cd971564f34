/**
 * What `xperf -i trace.etl -symbols -a dumper` prints of a recording of Windows (Event Tracing for Windows), as JMH's xperfasm reads it: a line an event, of which
 * the samples count:
 *   SampledProfile,  36765,  java.exe (1234),  4848, 0x00007ffb1c2d3e4f,   1,  ntdll.dll!RtlUserThreadStart,  jvm.dll!os::elapsed_counter,  1, Unbatched
 * microseconds since the recording began, process, thread, address, processor, where the thread began, and the sampled function. Its name may hold commas.
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { type Problem, SkippedLines } from '../../model/problem.js';
import { type SamplePlace, type Samples, SamplesBuilder } from '../../model/samples.js';

export interface XperfDump {
	readonly samples: Samples;
	readonly problems: readonly Problem[];
}

const TAG = 'SampledProfile';
const NOWHERE: SamplePlace = { symbol: null, library: null };

/** Whether the first bytes of a file are those of such a dump: the list of its columns, or a sample. */
export function isXperfDump(head: string): boolean {
	return /^[ \t]{0,40}SampledProfile,[ \t]{1,40}(?:TimeStamp,[ \t]{1,40}Process Name|\d{1,20},[^,\n]{1,300}\([ \t]{0,10}\d{1,10}\),)/m.test(head);
}

/** Never throws on content. Samples of all processes, in seconds since the recording began. */
export function readXperfDump(source: Source): XperfDump {
	const builder = new SamplesBuilder();
	const skipped = new SkippedLines(source.name, 'expected time, process (pid), thread, address, processor, the start of the thread and the sampled function');
	const event = builder.eventNumber(TAG);
	forEachLine(source, (line, offsetBytes, number) => {
		const start = line.indexOf(TAG);
		if (start < 0 || line[start + TAG.length] !== ',' || line.slice(0, start).trim() !== '') {
			return; // other events
		}
		// Commas inside of names have no blank behind them.
		const fields = line.slice(start).split(/,[ \t]+/);
		const time = (fields[1] ?? '').trim();
		if (time === 'TimeStamp') {
			return; // the list of columns
		}
		const processId = /\(\s{0,20}(\d{1,10})\)\s{0,20}$/.exec(fields[2] ?? '')?.[1];
		const address = /^0x[0-9a-fA-F]{1,16}$/.exec((fields[4] ?? '').trim())?.[0];
		if (!/^\d{1,16}$/.test(time) || processId === undefined || address === undefined || fields[7] === undefined) {
			skipped.add(number, offsetBytes);
			return;
		}
		const place = builder.placeNumber(fields[7]!.trim(), parsePlace);
		builder.add(Number(time) / 1e6, BigInt.asIntN(64, BigInt(address)), event, place, Number(processId));
	});
	return { samples: builder.build(), problems: skipped.problems() };
}

function parsePlace(text: string): SamplePlace {
	const separator = text.indexOf('!');
	const library = separator < 0 ? text : text.slice(0, separator);
	const symbol = separator < 0 ? '' : text.slice(separator + 1);
	if (library === '' || /^"?unknown"?$/i.test(library)) {
		return NOWHERE;
	}
	// Where it has no symbols xperf repeats the address.
	return { symbol: symbol === '' || /^0x[0-9a-f]{1,16}$/i.test(symbol) ? null : symbol, library };
}
