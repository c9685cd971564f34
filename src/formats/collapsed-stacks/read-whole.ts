/** Collapsed stacks with all their frames, for flame graphs; the format is described in read.ts. */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { type Problem, SkippedLines } from '../../model/problem.js';

export interface WholeStacks {
	/** Names, each once: Java methods with dots, functions of native code as they are. */
	readonly names: readonly string[];
	/** Positions in `names`, the outermost frame first. */
	readonly stacks: readonly { readonly frames: readonly number[]; samples: number }[];
	readonly samples: number;
	readonly problems: readonly Problem[];
}

/** More distinct stacks cannot be looked at; they are counted. */
const MAX_STACKS = 200_000;
/** Deeper frames are cut off at the outer end: the inner ones tell where time goes. */
const MAX_FRAMES = 1000;
const LINE = /^(.*) (\d{1,15})$/;
const PC = /^0x[0-9a-f]{1,16}$/;
const THREAD = /^\[.*\]$/;

/** Never throws on content. */
export function readWholeStacks(source: Source): WholeStacks {
	const skipped = new SkippedLines(source.name, 'expected frames with semicolons between them, a blank, and a number of samples');
	const names: string[] = [];
	const numbers = new Map<string, number>();
	const stacks = new Map<string, { frames: number[]; samples: number }>();
	let samples = 0;
	let leftOut = 0;
	forEachLine(source, (line, offsetBytes, number) => {
		const [, text, count] = LINE.exec(line.trimEnd()) ?? [];
		if (text === undefined) {
			if (line.trim() !== '') {
				skipped.add(number, offsetBytes);
			}
			return;
		}
		const spelled = text.split(';').filter((frame, i) => frame !== '' && !PC.test(frame) && !(i === 0 && THREAD.test(frame)));
		const frames = spelled.slice(-MAX_FRAMES).map((frame) => {
			const name = nameOf(frame);
			let at = numbers.get(name);
			if (at === undefined) {
				at = names.push(name) - 1;
				numbers.set(name, at);
			}
			return at;
		});
		const key = frames.join();
		const stack = stacks.get(key);
		samples += Number(count);
		if (stack !== undefined) {
			stack.samples += Number(count);
		} else if (stacks.size < MAX_STACKS) {
			stacks.set(key, { frames, samples: Number(count) });
		} else {
			leftOut += Number(count);
		}
	});
	const problems = skipped.problems();
	if (leftOut > 0) {
		problems.push({
			severity: 'warning',
			file: source.name,
			message: `has more than ${MAX_STACKS} different stacks`,
			action: `${leftOut} samples are left out of the flame graph`,
		});
	}
	return { names, stacks: [...stacks.values()], samples, problems };
}

function nameOf(frame: string): string {
	const text = frame.replace(/_\[[ji01k]\]$/, '').replace(/:-?\d+$/, '');
	return /^[\w$/]+(?:\.|::)[\w$<>]+$/.test(text) ? text.replaceAll('/', '.').replace('::', '.') : text;
}
