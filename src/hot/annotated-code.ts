/** All instructions of one compilation with what is known of each: samples, jumps, loops, polls, frames. In columns, for those who draw it. */
import { Flow, type Frame, isPoll, Trait } from '../model/instructions.js';
import { controlFlow } from '../model/loops.js';
import type { CodeHeat } from './hot-results.js';

interface AnnotatedLoop {
	/** Numbers of its first and last instruction; what lies between may belong to no loop. */
	readonly from: number;
	readonly to: number;
	/** The instruction that it is entered at. */
	readonly header: number;
	/** 1 for an outermost loop. */
	readonly depth: number;
	/** Whether some instruction outside of inner loops polls for a safepoint; null of code that is no JVM's. */
	readonly hasPoll: boolean | null;
	/** Samples seen in it, inner loops included. */
	readonly samples: number;
}

export interface AnnotatedCode {
	readonly heat: CodeHeat;
	/** Bytes from the start of the code. */
	readonly offset: readonly number[];
	readonly text: readonly string[];
	readonly seen: readonly number[];
	/** null: samples are not moved. */
	readonly analysed: readonly number[] | null;
	/** The instruction that a jump or branch goes to, -1 where it goes nowhere in this code. */
	readonly jump: readonly number[];
	/** How many loops are around it. */
	readonly depth: readonly number[];
	/** In `positions`, -1 where nothing is known. */
	readonly position: readonly number[];
	readonly positions: readonly (readonly Frame[])[];
	/** What the JVM printed beside instructions. */
	readonly comments: readonly { readonly instruction: number; readonly texts: readonly string[] }[];
	/** Instructions that poll for a safepoint: in loops, or before a return. */
	readonly polls: readonly { readonly instruction: number; readonly kind: 'loop' | 'return' }[];
	/** Outer loops first. */
	readonly loops: readonly AnnotatedLoop[];
}

/** null where the text of the code is not there. */
export function annotateCode(heat: CodeHeat): AnnotatedCode | null {
	const { code, instructions, seen, analysed } = heat;
	if (instructions === null) {
		return null;
	}
	const { length, address, flow, target } = instructions;
	const numbers = new Map<number, number>();
	for (let i = 0; i < length; i++) {
		numbers.set(address[i]!, i);
	}
	const all = Array.from({ length }, (_, i) => i);
	const { depth, loops } = loopsOf(heat, length);
	return {
		heat,
		offset: all.map((i) => address[i]! - code.start),
		text: instructions.text,
		seen: [...seen],
		analysed: analysed === null ? null : [...analysed],
		jump: all.map((i) => (flow[i] === Flow.Jump || flow[i] === Flow.Branch ? (numbers.get(target[i]!) ?? -1) : -1)),
		depth,
		position: [...instructions.position],
		positions: instructions.positions,
		comments: all.flatMap((i) => (instructions.comments[i]!.length > 0 ? [{ instruction: i, texts: instructions.comments[i]! }] : [])),
		polls: all.flatMap((i) => {
			const traits = instructions.traits[i]!;
			const kind = (traits & Trait.Poll) !== 0 ? 'loop' : (traits & Trait.ReturnPoll) !== 0 ? 'return' : null;
			return kind === null ? [] : [{ instruction: i, kind }];
		}),
		loops,
	};
}

function loopsOf({ code, instructions, seen }: CodeHeat, length: number): { depth: number[]; loops: AnnotatedLoop[] } {
	const depth = new Array<number>(length).fill(0);
	if (instructions === null) {
		return { depth, loops: [] };
	}
	const { starts, loops, loopOfBlock } = controlFlow(instructions);
	loopOfBlock.forEach((loop, block) => {
		depth.fill(loops[loop]?.depth ?? 0, starts[block], starts[block + 1]);
	});
	const annotated = loops.map((loop, number): AnnotatedLoop => {
		let from = length;
		let to = -1;
		let samples = 0;
		let hasPoll = false;
		for (const member of loop.blocks) {
			const end = starts[member + 1]!;
			from = Math.min(from, starts[member]!);
			to = Math.max(to, end - 1);
			for (let i = starts[member]!; i < end; i++) {
				samples += seen[i]!;
				hasPoll ||= loopOfBlock[member] === number && isPoll(instructions, i);
			}
		}
		return { from, to, header: starts[loop.header] ?? from, depth: loop.depth, hasPoll: code.arePollsKnown === false ? null : hasPoll, samples };
	});
	return { depth, loops: annotated.sort((a, b) => a.depth - b.depth || a.from - b.from) };
}
