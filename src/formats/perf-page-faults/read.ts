/**
 * `perf script -F comm,pid,tid,event,addr,ip --show-mmap-events` of a recording of page-faults (and major-faults) with -d: lines
 *     app 28334/28334  page-faults:           36e368 ffffffff817554ea
 *     app 28334/28334 PERF_RECORD_MMAP2 28334/28334: [0x24e000(0x11d000) @ 0x4d000 fe:00 10011208 3925539792]: r-xp /tmp/app
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import type { FaultRecording, FileMapping, PageFault } from '../../model/page-faults.js';
import { type Problem, SkippedLines } from '../../model/problem.js';
import { mappingOfPerf } from '../shared/memory-map.js';

const FAULT = /\s(\d+)\/\d+\s+(?:[\d.]+:\s+)?(?:\d+\s+)?(page-faults|major-faults)(?::\w*)?:\s+([0-9a-f]+)(?:\s|$)/;

/** Never throws on content. A fault that was reported as major too is one. */
export function readPageFaults(source: Source): FaultRecording & { readonly problems: Problem[] } {
	const skipped = new SkippedLines(source.name, 'expected a page fault with its address, or a mapping');
	const faults: PageFault[] = [];
	const mappings: FileMapping[] = [];
	forEachLine(source, (line, offset, number) => {
		const mapping = mappingOfPerf(line);
		if (mapping !== null) {
			mappings.push(mapping);
			return;
		}
		const [, processId, event, addressText = ''] = FAULT.exec(line) ?? [];
		if (processId === undefined) {
			if (line.trim() !== '' && !line.startsWith('#') && !line.includes('PERF_RECORD_')) {
				skipped.add(number, offset);
			}
			return;
		}
		const fault = {
			processId: Number(processId),
			address: Number.parseInt(addressText, 16),
			isMajor: event === 'major-faults',
			mappingsBefore: mappings.length,
		};
		const last = faults.at(-1);
		if (last !== undefined && last.processId === fault.processId && last.address === fault.address && last.isMajor !== fault.isMajor) {
			faults[faults.length - 1] = { ...fault, isMajor: true };
		} else {
			faults.push(fault);
		}
	});
	return { faults, mappings, problems: skipped.problems() };
}
