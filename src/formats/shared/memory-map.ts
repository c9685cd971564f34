/**
 * Where the files of a process were loaded: lines of `/proc/PID/maps`, also behind `#` or the `==PID==` of valgrind, and of `perf script --show-mmap-events`:
 *     555555555000-555555556000 r-xp 00001000 fe:00 9977920                    /tmp/app
 *     app 100/100 PERF_RECORD_MMAP2 100/100: [0x24e000(0x11d000) @ 0x4d000 fe:00 10011208 3925539792]: r-xp /tmp/app
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import type { FileMapping } from '../../model/page-faults.js';

const MAPS_LINE =
	/^(?:#\s?|[=-]{2}\d{1,20}[=-]{2} )?([0-9a-f]{4,16})-([0-9a-f]{4,16}) ([r-][w-][x-][ps]) ([0-9a-f]{1,16}) [0-9a-f]{2,}:[0-9a-f]{2,} \d{1,20}(?:\s+(\S[\s\S]*)?)?$/;
const PERF_LINE =
	/PERF_RECORD_MMAP2? (-?\d+)\/-?\d+: \[0x([0-9a-f]{1,16})\(0x([0-9a-f]{1,16})\) @ (?:0x)?([0-9a-f]{1,16})(?: [^\]]{0,300})?\]: (\S{1,16}) ([\s\S]*)/;

/** Null for any other line, and for memory that is of no file. */
export function mappingOfMaps(line: string): FileMapping | null {
	const [, start = '', end = '', rights = '', offset = '', file = ''] = MAPS_LINE.exec(line) ?? [];
	if (file === '') {
		return null;
	}
	const startAddress = Number.parseInt(start, 16);
	return {
		processId: 0,
		start: startAddress,
		sizeBytes: Number.parseInt(end, 16) - startAddress,
		fileOffset: Number.parseInt(offset, 16),
		isExecutable: rights[2] === 'x',
		isWritable: rights[1] === 'w',
		file,
	};
}

/** Whether a line is of `/proc/PID/maps`, whatever it maps. */
export function isMapsLine(line: string): boolean {
	return MAPS_LINE.test(line);
}

/** Null for any other line. */
export function mappingOfPerf(line: string): FileMapping | null {
	const [, processId, start = '', size = '', offset = '', rights = '', file = ''] = PERF_LINE.exec(line) ?? [];
	return processId === undefined
		? null
		: {
				processId: Number(processId),
				start: Number.parseInt(start, 16),
				sizeBytes: Number.parseInt(size, 16),
				fileOffset: Number.parseInt(offset, 16),
				isExecutable: rights.includes('x'),
				isWritable: rights.includes('w'),
				file,
			};
}

/** A copy of `/proc/PID/maps`; other lines are passed over. */
export function readMemoryMap(source: Source): FileMapping[] {
	const mappings: FileMapping[] = [];
	forEachLine(source, (line) => {
		const mapping = mappingOfMaps(line);
		if (mapping !== null) {
			mappings.push(mapping);
		}
	});
	return mappings;
}
