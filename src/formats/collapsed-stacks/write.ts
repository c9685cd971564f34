/** Collapsed stacks, as flame graph tools read them: frames from the outermost to the innermost with semicolons between them, a blank, how many samples. */
import { framesOfNode, type StackedSamples, type StackFrame, threadName, weightOf } from '../../model/stacked-samples.js';

/** A line for each stack, in the order of their texts; `withThreads`: the thread first, in square brackets. */
export function writeCollapsedStacks(stacked: StackedSamples, withThreads: boolean, write: (text: string) => void): void {
	const names = stacked.frames.map(({ name }: StackFrame) => plain(name));
	const threads = stacked.threads.map((thread) => (thread.id < 0 ? `[${plain(threadName(thread))}]` : `[${plain(threadName(thread))} tid=${thread.id}]`));
	const byNode = new Map<number, number>();
	const width = stacked.threads.length;
	for (let i = 0; i < stacked.length; i++) {
		const key = stacked.node[i]! * width + (withThreads ? stacked.thread[i]! : 0);
		byNode.set(key, (byNode.get(key) ?? 0) + weightOf(stacked, i));
	}
	const lines = new Map<string, number>();
	for (const [key, count] of byNode) {
		const frames = framesOfNode(stacked, Math.floor(key / width)).map((frame) => names[frame]!);
		const line = [...(withThreads ? [threads[key % width]!] : []), ...frames].join(';');
		lines.set(line, (lines.get(line) ?? 0) + count);
	}
	for (const line of [...lines.keys()].sort()) {
		write(`${line} ${Math.round(lines.get(line)!)}\n`);
	}
}

/** Semicolons and line ends mean something in this format. */
function plain(name: string): string {
	return name.replace(/[;\u0000-\u001f\u007f]/g, '_');
}
