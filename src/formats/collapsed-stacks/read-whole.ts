/** Collapsed stacks with all their frames, for flame graphs; the format is described in read.ts. */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import type { ObservedCalls } from '../../model/observed-profile.js';
import { type Problem, SkippedLines } from '../../model/problem.js';
import { type WholeStacks, WholeStacksBuilder } from '../../model/whole-stacks.js';
import { frameOfSpelling, shownFrame } from '../shared/java/frame-spelling.js';

const LINE = /^(.*) (\d{1,15})$/;
const PC = /^0x[0-9a-f]{1,16}$/;
const THREAD = /^\[.*\]$/;

/** Never throws on content. */
export function readWholeStacks(source: Source): WholeStacks & { readonly problems: readonly Problem[] } {
	const skipped = new SkippedLines(source.name, 'expected frames with semicolons between them, a blank, and a number of samples');
	const builder = new WholeStacksBuilder();
	forEachLine(source, (line, offsetBytes, number) => {
		const [, text, count] = LINE.exec(line.trimEnd()) ?? [];
		if (text === undefined) {
			if (line.trim() !== '') {
				skipped.add(number, offsetBytes);
			}
			return;
		}
		const spelled = text.split(';').filter((frame, i) => frame !== '' && !PC.test(frame) && !(i === 0 && THREAD.test(frame)));
		builder.add(
			spelled.map((frame) => builder.name(shownFrame(frame))),
			Number(count),
		);
	});
	return { ...builder.build(), problems: skipped.problems() };
}

/** The same by thread, with methods as other profiles call them. */
export function readCallsByThread(source: Source): ObservedCalls[] {
	const rows = new Map<string, { thread: string | null; names: readonly string[]; samples: number }>();
	const methods = new Map<string, string>();
	const methodOf = (frame: string): string => {
		const method = methods.get(frame) ?? frameOfSpelling(frame).method;
		methods.set(frame, method);
		return method;
	};
	forEachLine(source, (line) => {
		const [, text, count] = LINE.exec(line.trimEnd()) ?? [];
		if (text === undefined) {
			return;
		}
		let row = rows.get(text);
		if (row === undefined) {
			const frames = text.split(';').filter((frame) => frame !== '' && !PC.test(frame));
			const thread = frames[0] !== undefined && THREAD.test(frames[0]) ? frames[0].replace(/^\[(.*?)(?: tid=\d+)?\]$/, '$1') : null;
			row = { thread, names: frames.slice(thread === null ? 0 : 1).map(methodOf), samples: 0 };
			rows.set(text, row);
		}
		row.samples += Number(count);
	});
	return [...rows.values()];
}
