/**
 * Collapsed stacks of any profiler (the format of Brendan Gregg's FlameGraph tools): a stack a line, frames from the outermost to the innermost
 *     [main];java.lang.Thread.run:1474;java.util.HashMap.getNode:588 117
 * then how many samples. Methods are spelt as async-profiler (java/util/HashMap.getNode_[j]), thread-dump samplers (java.util.HashMap.getNode:588),
 * and tools on JFR (java.util.HashMap.getNode(Object, int)) write them; threads stand in square brackets at the start.
 */
import { forEachLineOfBytes } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import { type Problem, SkippedLines } from '../../model/problem.js';
import { frameOfSpelling } from '../shared/java/frame-spelling.js';

interface CollapsedLeaf {
	/** Name of the thread; null where the stack has none. */
	readonly thread: string | null;
	/** Holder and name with dots; what is no Java method, in round brackets. */
	readonly method: string;
	/** null where it is not told; -1 where the tool says that there is none. */
	readonly line: number | null;
	samples: number;
}

export interface CollapsedStacks {
	/** A row for each thread, method and line of innermost frames. */
	readonly leaves: readonly CollapsedLeaf[];
	readonly samples: number;
	readonly problems: readonly Problem[];
}

const BLANK = 0x20;
const SEMICOLON = 0x3b;
const BRACKET = 0x5b;
const PC = /^0x[0-9a-f]{1,16}$/;

/** Whether some of the first lines of a file are those of this format, and most. */
export function isCollapsedStacks(head: string): boolean {
	const lines = head.split('\n', 200).filter((line) => line.trim() !== '');
	const taken = lines.filter((line) => /^\S.* \d{1,15}\s*$/.test(line)).length;
	return taken > 0 && 2 * taken >= lines.length;
}

/** Never throws on content. */
export function readCollapsedStacks(source: Source): CollapsedStacks {
	const skipped = new SkippedLines(source.name, 'expected frames with semicolons between them, a blank, and a number of samples');
	const rows = new Map<string, Map<string, CollapsedLeaf>>();
	let samples = 0;
	forEachLineOfBytes(source, (bytes, start, lineEnd, offsetBytes, number) => {
		let end = lineEnd;
		while (end > start && bytes[end - 1]! <= BLANK) {
			end--;
		}
		if (end === start) {
			return;
		}
		const split = bytes.lastIndexOf(BLANK, end - 1);
		const count = split > start && split < end - 1 ? countIn(bytes, split + 1, end) : -1;
		if (count < 0) {
			skipped.add(number, offsetBytes);
			return;
		}
		const threadEnd = bytes[start] === BRACKET ? Math.min(bytes.indexOf(SEMICOLON, start) >>> 0, split) : start;
		const thread = decodeUtf8(bytes, start, threadEnd);
		const leaf = innermost(bytes, threadEnd, split);
		samples += count;
		let ofThread = rows.get(thread);
		if (ofThread === undefined) {
			ofThread = new Map();
			rows.set(thread, ofThread);
		}
		const row = ofThread.get(leaf);
		if (row === undefined) {
			ofThread.set(leaf, { ...frameOfSpelling(leaf), thread: thread === '' ? null : thread.replace(/^\[(.*?)(?: tid=\d+)?\]$/, '$1'), samples: count });
		} else {
			row.samples += count;
		}
	});
	return { leaves: [...rows.values()].flatMap((ofThread) => [...ofThread.values()]), samples, problems: skipped.problems() };
}

/** The last frame; where an address follows it (features=pcaddr) the one before. */
function innermost(bytes: Uint8Array, start: number, end: number): string {
	const from = Math.max(bytes.lastIndexOf(SEMICOLON, end - 1) + 1, start);
	const frame = decodeUtf8(bytes, from, end);
	if (!PC.test(frame) || from <= start + 1) {
		return frame;
	}
	return decodeUtf8(bytes, Math.max(bytes.lastIndexOf(SEMICOLON, from - 2) + 1, start), from - 1);
}

/** -1 where it is no whole number. */
function countIn(bytes: Uint8Array, start: number, end: number): number {
	let result = 0;
	for (let i = start; i < end; i++) {
		const digit = bytes[i]! - 0x30;
		if (digit < 0 || digit > 9 || result > 1e14) {
			return -1;
		}
		result = result * 10 + digit;
	}
	return result;
}
