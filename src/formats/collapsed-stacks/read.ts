/**
 * Collapsed stacks of any profiler (the format of Brendan Gregg's FlameGraph tools): a stack a line, frames from the outermost to the innermost
 *     [main];java.lang.Thread.run:1474;java.util.HashMap.getNode:588 117
 * then how many samples. Methods are spelt as async-profiler (java/util/HashMap.getNode_[j]), thread-dump samplers (java.util.HashMap.getNode:588),
 * and tools on JFR (java.util.HashMap.getNode(Object, int)) write them; threads stand in square brackets at the start.
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { SkippedLines } from '../../model/problem.js';
import type { ReadProfile } from '../format.js';
import { NamedStacks } from '../shared/named-stacks.js';

const LINE = /^(.*) (\d{1,15})$/;
const PC = /^0x[0-9a-f]{1,16}$/;
/** Of some stacks one is nearly always seen once, or a few times. */
const FEW_LINES = 10;
const LEAST_OF_TOTALS = 1000;
const THREAD = /^\[(.*)\]$/;
const THREAD_WITH_ID = /^(.*) tid=(\d{1,10})$/;

/** Whether some of the first lines of a file are those of this format, and most. */
export function isCollapsedStacks(head: string): boolean {
	const lines = head.split('\n', 200).filter((line) => line.trim() !== '');
	const taken = lines.filter((line) => /^\S.* \d{1,15}\s*$/.test(line)).length;
	return taken > 0 && 2 * taken >= lines.length;
}

/** Never throws on content. */
export function readCollapsed(source: Source): ReadProfile {
	const skipped = new SkippedLines(source.name, 'expected frames with semicolons between them, a blank, and a number of samples');
	const stacks = new NamedStacks();
	const event = stacks.event({ event: 'stacks', words: 'collapsed stacks' });
	const nobody = stacks.thread(null);
	let least = Number.POSITIVE_INFINITY;
	let lines = 0;
	forEachLine(source, (line, offsetBytes, number) => {
		const [, text, count] = LINE.exec(line.trimEnd()) ?? [];
		if (text === undefined) {
			if (line.trim() !== '') {
				skipped.add(number, offsetBytes);
			}
			return;
		}
		const frames = text.split(';').filter((frame) => frame !== '' && !PC.test(frame));
		const thread = THREAD.exec(frames[0] ?? '')?.[1];
		const own = frames.slice(thread === undefined ? 0 : 1).reverse();
		const stack = stacks.stack(own.map((name) => stacks.frame({ name })));
		least = Math.min(least, Number(count));
		lines++;
		stacks.add({ event, thread: thread === undefined ? nobody : threadOf(stacks, thread), stack, weight: Number(count) });
	});
	const problems = skipped.problems();
	if (lines >= FEW_LINES && least >= LEAST_OF_TOTALS) {
		problems.push({
			severity: 'warning',
			file: source.name,
			message: `no stack counts less than ${least}: these are no numbers of samples but nanoseconds or bytes (option total)`,
			action: 'shares are right; how sure they are is not known, and the intervals are too narrow: record without total',
		});
	}
	return stacks.build(problems);
}

function threadOf(stacks: NamedStacks, text: string): number {
	const [, name = text, id = '-1'] = THREAD_WITH_ID.exec(text) ?? [];
	return stacks.thread(name === 'all threads' ? null : name, Number(id));
}
