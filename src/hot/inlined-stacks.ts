/** Where samples are, as stacks: the compiled method, the chain of inlining at the instruction; what is in no compilation by its reason. */
import { isNotCounted } from './attribute.js';
import type { HotReport } from './hot-results.js';

export interface InlinedStacks {
	readonly names: readonly string[];
	/** Positions in `names`, the outermost frame first. */
	readonly stacks: readonly { readonly frames: readonly number[]; readonly samples: number }[];
}

export function inlinedStacks({ code, reasons }: HotReport): InlinedStacks {
	const names: string[] = [];
	const numbers = new Map<string, number>();
	const stacks = new Map<string, { frames: number[]; samples: number }>();
	const numberOf = (name: string): number => {
		let number = numbers.get(name);
		if (number === undefined) {
			number = names.push(name) - 1;
			numbers.set(name, number);
		}
		return number;
	};
	const add = (frames: number[], samples: number): void => {
		if (samples > 0) {
			const key = frames.join();
			const stack = stacks.get(key) ?? { frames, samples: 0 };
			stack.samples += samples;
			stacks.set(key, stack);
		}
	};
	for (const { code: piece, instructions, seen, outside } of code) {
		if (piece.compileId === null) {
			continue;
		}
		const chains = instructions?.positions.map((frames) => frames.map(({ method }) => numberOf(method)).reverse()) ?? [];
		const whole = [numberOf(piece.name)];
		for (const [i, samples] of seen.entries()) {
			add(chains[instructions?.position[i] ?? -1] ?? whole, samples);
		}
		add(whole, outside);
	}
	for (const [reason, samples] of reasons) {
		if (!isNotCounted(reason)) {
			add([numberOf(`(${reason === 'native library' ? 'native' : reason})`)], samples);
		}
	}
	return { names, stacks: [...stacks.values()] };
}
