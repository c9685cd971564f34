/** Counts what a HotSpot log, or the output of PrintAssembly, holds: one light pass, whatever else is in it. */

import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { readAgentLog } from '../../formats/agent-log/read.js';
import { lastAtOrBelow } from '../../model/binary-search.js';
import type { CodeCounts } from '../../model/inspection.js';

/** Half-open ranges of addresses, by start, none touching another. */
export interface CodeRanges {
	readonly starts: Float64Array;
	readonly ends: Float64Array;
}

export interface ScannedCode {
	readonly counts: CodeCounts;
	/** Where the code of the `<nmethod` lay at some time. */
	readonly ranges: CodeRanges;
}

const DISASSEMBLED = /^ {2,}0x[0-9a-f]{8,16}: {3}[a-z]/;
const CODELET = /^(?:StubRoutines::|Decoding (?:RuntimeStub|CodeBlob)|\S.* \[0x[0-9a-f]+, 0x[0-9a-f]+\] +\d+ bytes)/;
const PRINTED = /^Compiled method \(|^=+ C[12]-compiled nmethod =+/;

/** The same of an agent's log: what it holds is counted as code that was printed. */
export function scanAgentLog(source: Source): ScannedCode {
	const { processId, realtimeSeconds, monotonicSeconds, loads, stubs, ended } = readAgentLog(source);
	const lastSeconds = loads.reduce((last, { seconds }) => Math.max(last, seconds), monotonicSeconds);
	const counts: CodeCounts = {
		processId,
		startMs: realtimeSeconds * 1000,
		lastStampSeconds: lastSeconds - monotonicSeconds,
		isWhole: ended !== 'killed',
		nmethods: loads.length,
		tasksQueued: 0,
		printedMethods: loads.length,
		machCodeBlocks: loads.filter(({ code }) => code.sizeBytes > 0).length,
		disassembledLines: 0,
		codelets: stubs.length,
	};
	return { counts, ranges: unionOf(loads.map(({ start, codeBytes }) => [start, start + codeBytes])) };
}

/** Never throws on content. */
export function scanCode(source: Source): ScannedCode {
	const counts = { nmethods: 0, tasksQueued: 0, printedMethods: 0, machCodeBlocks: 0, disassembledLines: 0, codelets: 0 };
	const ranges: [number, number][] = [];
	let processId: number | null = null;
	let startMs: number | null = null;
	let lastStampSeconds: number | null = null;
	let isWhole = false;
	let hasBanner = false;
	forEachLine(source, (whole) => {
		// JMH writes its columns before the lines of a log, and a program's output may end within one.
		isWhole ||= whole.includes('<hotspot_log_done ');
		const line = whole.startsWith(' ') && /^ +</.test(whole) ? whole.trimStart() : whole;
		if (line.startsWith('<')) {
			if (line.startsWith('<nmethod')) {
				counts.nmethods++;
				addRange(ranges, line);
			} else if (line.startsWith('<task_queued')) {
				counts.tasksQueued++;
			} else if (line.startsWith('<hotspot_log ')) {
				processId ??= numberOf(line, 'process');
				startMs ??= numberOf(line, 'time_ms');
			}
			const stamp = numberOf(line, 'stamp');
			lastStampSeconds = stamp === null ? lastStampSeconds : Math.max(stamp, lastStampSeconds ?? 0);
		} else if (line.startsWith('[MachCode]')) {
			counts.machCodeBlocks++;
		} else if (PRINTED.test(line)) {
			// Some JVMs print both for one method.
			const isBanner = line.startsWith('=');
			counts.printedMethods += isBanner || !hasBanner ? 1 : 0;
			hasBanner = isBanner;
		} else if (DISASSEMBLED.test(line)) {
			counts.disassembledLines++;
		} else if (CODELET.test(line)) {
			counts.codelets++;
		}
	});
	return { counts: { processId, startMs, lastStampSeconds, isWhole, ...counts }, ranges: unionOf(ranges) };
}

function numberOf(line: string, attribute: string): number | null {
	const at = line.indexOf(` ${attribute}='`);
	if (at < 0) {
		return null;
	}
	const start = at + attribute.length + 3;
	const value = Number(line.slice(start, line.indexOf("'", start)));
	return Number.isFinite(value) ? value : null;
}

/** `address` and `size` are those of the whole nmethod, `entry` where its code begins to be used. */
function addRange(ranges: [number, number][], line: string): void {
	const address = numberOf(line, 'address') ?? numberOf(line, 'entry');
	const size = numberOf(line, 'size');
	if (address !== null && size !== null && address >= 0 && size > 0) {
		ranges.push([address, address + size]);
	}
}

/** In any order, overlapping or not. */
export function unionOf(ranges: readonly (readonly [number, number])[]): CodeRanges {
	const starts: number[] = [];
	const ends: number[] = [];
	for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
		const last = ends.length - 1;
		if (last >= 0 && start <= ends[last]!) {
			ends[last] = Math.max(ends[last]!, end);
		} else {
			starts.push(start);
			ends.push(end);
		}
	}
	return { starts: Float64Array.from(starts), ends: Float64Array.from(ends) };
}

export function isInside(address: number, { starts, ends }: CodeRanges): boolean {
	const at = lastAtOrBelow(starts, address);
	return at >= 0 && address < ends[at]!;
}
