/** Lists of basic blocks, as assay writes them and as others do, without what a list is known to be stale by: write.ts says where the format is defined. */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { type Problem, SkippedLines } from '../../model/problem.js';

interface ReadFunction {
	/** The first is what the others are aliases of. */
	readonly names: readonly string[];
	/** Distinct ids of the blocks in its clusters, the first of the function first. */
	readonly blocks: readonly number[];
	/** Null: the list does not say what it was made of. */
	readonly stamp: { readonly blocks: number; readonly shape: string; readonly code: string } | null;
	/** From 1. */
	readonly line: number;
}

export interface ReadBlockList {
	readonly functions: readonly ReadFunction[];
	/** Empty where it is not told. */
	readonly compilers: readonly string[];
}

/** Whether the first bytes, as Latin-1 text, are of a list of version 1. */
export function isBlockList(head: string): boolean {
	const first = head.split('\n', 100).find((line) => line.trim() !== '' && !line.startsWith('#'));
	return first?.trim() === 'v1';
}

const STAMP = /^# of (\d{1,9}) blocks, shape ([0-9a-f]{8}), code ([0-9a-f]{8})$/;
const COMPILER = '# compiler ';
/** Modules, paths that are cloned and profiles: they say nothing of what stays. */
const PASSED_OVER = new Set(['m', 'p', 'g', '@', 'v']);

/** Never throws on content. */
export function readBlockList(source: Source): { list: ReadBlockList; problems: Problem[] } {
	const skipped = new SkippedLines(source.name, 'expected v1, f NAME…, c ID… or a comment');
	const functions: { names: string[]; blocks: Set<number>; stamp: ReadFunction['stamp']; line: number }[] = [];
	const compilers: string[] = [];
	forEachLine(source, (text, offset, number) => {
		const line = text.trim();
		const last = functions.at(-1);
		const stamp = STAMP.exec(line);
		if (stamp !== null && last !== undefined) {
			last.stamp = { blocks: Number(stamp[1]), shape: stamp[2]!, code: stamp[3]! };
		} else if (line.startsWith(COMPILER)) {
			compilers.push(line.slice(COMPILER.length));
		} else if (line.startsWith('f ')) {
			functions.push({ names: words(line), blocks: new Set(), stamp: null, line: number });
		} else if (line.startsWith('c ') && last !== undefined && words(line).every((word) => /^\d{1,9}(?:\.\d{1,9})?$/.test(word))) {
			for (const word of words(line)) {
				last.blocks.add(Number.parseInt(word, 10));
			}
		} else if (line !== '' && !line.startsWith('#') && !PASSED_OVER.has(line[0]!)) {
			skipped.add(number, offset);
		}
	});
	return { list: { functions: functions.map((one) => ({ ...one, blocks: [...one.blocks] })), compilers }, problems: skipped.problems() };
}

function words(line: string): string[] {
	return line
		.slice(2)
		.split(' ')
		.filter((word) => word !== '');
}
