/**
 * Where samples are, as stacks: the compiled method, the chain of inlining at the instruction; what is in no compilation by its reason,
 * and inside of that by library and function.
 */
import type { SamplePlace } from '../model/samples.js';
import { REASONS, type Reason } from './attribute.js';
import type { CodeHeat, HotReport } from './hot-results.js';
import { countedByTime } from './sample-columns.js';
import { sampledInstructions } from './sampled-instructions.js';

export interface InlinedStacks {
	readonly names: readonly string[];
	/** Positions in `names`, the outermost frame first. */
	readonly stacks: readonly { readonly frames: readonly number[]; readonly samples: number }[];
	/** Of each counted sample its position in `stacks`: in the order of the columns of samples. */
	readonly ofSample: readonly number[];
}

export function inlinedStacks({ code, attribution }: HotReport, instructions = sampledInstructions({ attribution, code })): InlinedStacks {
	const { samples, map, target, reason } = attribution;
	const names: string[] = [];
	const numbers = new Map<string, number>();
	const stacks: { frames: number[]; samples: number }[] = [];
	const known = new Map<string, number>();
	const numberOf = (name: string): number => {
		let number = numbers.get(name);
		if (number === undefined) {
			number = names.push(name) - 1;
			numbers.set(name, number);
		}
		return number;
	};
	const stackOf = (frames: number[]): number => {
		const key = frames.join();
		let stack = known.get(key);
		if (stack === undefined) {
			stack = stacks.push({ frames, samples: 0 }) - 1;
			known.set(key, stack);
		}
		return stack;
	};
	const heats = new Map(code.map((heat) => [heat.code, heat]));
	const rows = countedByTime(attribution);
	const heatOf = (i: number): CodeHeat | undefined => {
		const piece = map.code[target[i]!];
		return piece === undefined || piece.compileId === null ? undefined : heats.get(piece);
	};
	const chains = chainsOf(rows, heatOf, instructions);
	const stackAt = (heat: CodeHeat, instruction: number): number => {
		const chain = chains.get(heat)!.get(instruction)!;
		chain.stack ??= stackOf(chain.names.map(numberOf));
		return chain.stack;
	};
	const ofSample = rows.map((i) => {
		const piece = map.code[target[i]!];
		const why = REASONS[reason[i]!];
		const heat = heatOf(i);
		const stack =
			heat !== undefined
				? stackAt(heat, instructions[i]!)
				: stackOf(
						piece !== undefined && piece.compileId !== null
							? [numberOf(piece.name)]
							: [reasonName(why), ...insideOf(samples.places[samples.place[i]!], why, piece?.name)].map((name) => numberOf(`(${name})`)),
					);
		const row = stacks[stack]!;
		row.samples++;
		return stack;
	});
	return { names, stacks, ofSample };
}

/** The chain of inlining at an instruction. */
interface Chain {
	/** The outermost first. */
	readonly names: readonly string[];
	/** null: no sample was counted for it yet. */
	stack: number | null;
}

/** By code and sampled instruction; what is described of a piece of code is read once for all of them. */
function chainsOf(rows: readonly number[], heatOf: (i: number) => CodeHeat | undefined, instructions: Int32Array): Map<CodeHeat, Map<number, Chain>> {
	const result = new Map<CodeHeat, Map<number, Chain>>();
	for (const i of rows) {
		const heat = heatOf(i);
		if (heat !== undefined) {
			const chains = result.get(heat) ?? new Map<number, Chain>();
			result.set(heat, chains.set(instructions[i]!, { names: [], stack: null }));
		}
	}
	for (const [heat, chains] of result) {
		for (const instruction of chains.keys()) {
			chains.set(instruction, { names: namesAt(heat, instruction), stack: null });
		}
	}
	return result;
}

/** The outermost first. */
function namesAt({ code, instructions }: CodeHeat, instruction: number): string[] {
	const frames = instruction < 0 ? [] : (instructions?.frames(instruction) ?? []);
	return frames.length === 0 ? [code.name] : frames.map(({ method }) => method).reverse();
}

function reasonName(reason: Reason | undefined): string {
	return reason === 'native library' ? 'native' : (reason ?? 'unknown');
}

/** Library and function of native code, the name of a stub; what the profiler knew of it. */
function insideOf(place: SamplePlace | undefined, reason: Reason | undefined, code: string | undefined): string[] {
	const told = place?.symbol?.replace(/\+0x[0-9a-f]+$/, '') ?? '';
	const symbol = told === '[unknown]' ? '' : told;
	switch (reason) {
		case 'native library':
			return [place?.library?.replace(/^.*\//, '') ?? '', symbol].filter((name) => name !== '');
		case 'kernel':
			return symbol === '' ? [] : [symbol];
		case 'stub':
			return [code ?? symbol].filter((name) => name !== '' && name !== 'stub');
		default:
			return [];
	}
}
