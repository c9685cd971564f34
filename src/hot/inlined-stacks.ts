/**
 * Where samples are, as stacks: the compiled method, the chain of inlining at the instruction; what is in no compilation by its reason,
 * and inside of that by library and function.
 */
import { lastAtOrBelow } from '../model/binary-search.js';
import type { SamplePlace } from '../model/samples.js';
import { REASONS, type Reason } from './attribute.js';
import type { CodeHeat, HotReport } from './hot-results.js';
import { countedByTime } from './sample-columns.js';

export interface InlinedStacks {
	readonly names: readonly string[];
	/** Positions in `names`, the outermost frame first. */
	readonly stacks: readonly { readonly frames: readonly number[]; readonly samples: number }[];
	/** Of each counted sample its position in `stacks`: in the order of the columns of samples. */
	readonly ofSample: readonly number[];
}

export function inlinedStacks({ code, attribution }: HotReport): InlinedStacks {
	const { samples, numbered, map, target, reason } = attribution;
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
	const chains = new Map<CodeHeat, Map<number, number>>();
	const stackAt = (heat: CodeHeat, address: number): number => {
		const { instructions } = heat;
		const at = instructions === null ? -1 : lastAtOrBelow(instructions.address, address);
		const position = instructions === null || at < 0 || address >= instructions.end[at]! ? -1 : (instructions.position[at] ?? -1);
		const ofHeat = chains.get(heat) ?? new Map<number, number>();
		chains.set(heat, ofHeat);
		const stack = ofHeat.get(position) ?? stackOf(namesAt(heat, position).map(numberOf));
		ofHeat.set(position, stack);
		return stack;
	};
	const ofSample = countedByTime(attribution).map((i) => {
		const piece = map.code[target[i]!];
		const why = REASONS[reason[i]!];
		const heat = piece === undefined || piece.compileId === null ? undefined : heats.get(piece);
		const stack =
			heat !== undefined
				? stackAt(heat, numbered.addresses[numbered.of[i]!]!)
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

/** The outermost first. */
function namesAt({ code, instructions }: CodeHeat, position: number): string[] {
	const frames = instructions?.positions[position];
	return frames === undefined ? [code.name] : frames.map(({ method }) => method).reverse();
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
