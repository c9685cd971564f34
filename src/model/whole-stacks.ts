/** Stacks with all their frames and how many samples are in each, by names alone: what flame graphs are drawn from. */
import { UNKNOWN_ROW } from './frame-rows.js';
import { isWaitingState, type StackMethod, type StackSamples } from './stack-samples.js';
import { framesOfNode, type StackedSamples, weightOf } from './stacked-samples.js';
import { TupleTable } from './tuple-table.js';

export interface WholeStacks {
	/** Names, each once: Java methods with dots, other functions as the profile spells them. */
	readonly names: readonly string[];
	/** Positions in `names`, the outermost frame first; the stacks with most samples. */
	readonly stacks: readonly { readonly frames: readonly number[]; readonly samples: number }[];
	/** Of all stacks, those that are not among `stacks` too. */
	readonly samples: number;
	/** In stacks that are too many to be kept. */
	readonly leftOutSamples: number;
}

/** Stacks of samples that are there one by one. */
export interface StacksOfSamples extends WholeStacks {
	/** Of each sample its position in `stacks`; null where some were left out. */
	readonly ofSample: Int32Array | null;
}

/** More distinct stacks can neither be kept nor looked at. */
const MAX_STACKS = 200_000;
/** So many times as many are collected before the light ones are dropped: what comes again later then counts from 0. */
const COLLECTED_FACTOR = 4;
/** Deeper frames are cut off at the outer end: the inner ones tell where time goes. */
const MAX_FRAMES = 1000;
/** Stands for the frames that are missing at the outer end. */
const TRUNCATED = '(truncated)';

/** Collects stacks, each once. */
export class WholeStacksBuilder {
	private readonly maxStacks: number;
	private readonly names: string[] = [];
	private readonly numbers = new Map<string, number>();
	private table = new TupleTable();
	private weights = new Float64Array(1 << 10);
	private readonly parts = new Int32Array(MAX_FRAMES + 1);
	private samples = 0;
	private leftOutSamples = 0;

	constructor(maxStacks = MAX_STACKS) {
		this.maxStacks = maxStacks;
	}

	/** The number of a name. */
	name(text: string): number {
		let number = this.numbers.get(text);
		if (number === undefined) {
			number = this.names.push(text) - 1;
			this.numbers.set(text, number);
		}
		return number;
	}

	/** `frames`: numbers of names, the outermost first. The position of the stack, as long as none is dropped. */
	add(frames: readonly number[], samples: number, isTruncated = false): number {
		const kept = Math.min(frames.length, MAX_FRAMES);
		let length = 0;
		if (isTruncated || kept < frames.length) {
			this.parts[length++] = this.name(TRUNCATED);
		}
		for (let i = frames.length - kept; i < frames.length; i++) {
			this.parts[length++] = frames[i]!;
		}
		const stack = this.table.intern(this.parts, 0, length);
		if (stack >= this.weights.length) {
			const larger = new Float64Array(2 * this.weights.length);
			larger.set(this.weights);
			this.weights = larger;
		}
		this.weights[stack] = this.weights[stack]! + samples;
		this.samples += samples;
		if (this.table.size >= COLLECTED_FACTOR * this.maxStacks) {
			this.dropLight();
		}
		return stack;
	}

	build(): WholeStacks {
		if (this.table.size > this.maxStacks) {
			this.dropLight();
		}
		const { data, starts } = this.table.build();
		const names: string[] = [];
		/** Names of stacks that were dropped are not needed. */
		const numbers = new Int32Array(this.names.length).fill(-1);
		const numberOf = (name: number): number => {
			if (numbers[name] === -1) {
				numbers[name] = names.push(this.names[name]!) - 1;
			}
			return numbers[name]!;
		};
		const stacks = Array.from({ length: this.table.size }, (_, stack) => ({
			frames: Array.from(data.subarray(starts[stack]!, starts[stack + 1]!), numberOf),
			samples: this.weights[stack]!,
		}));
		return { names, stacks, samples: this.samples, leftOutSamples: this.leftOutSamples };
	}

	/** Keeps the heaviest, in the order that they came in. */
	private dropLight(): void {
		const { data, starts } = this.table.build();
		const all = Int32Array.from({ length: this.table.size }, (_, stack) => stack);
		const { weights } = this;
		all.sort((a, b) => weights[b]! - weights[a]! || a - b);
		const kept = all.slice(0, this.maxStacks).sort();
		const table = new TupleTable();
		const keptWeights = new Float64Array(weights.length);
		for (const stack of kept) {
			keptWeights[table.intern(data, starts[stack]!, starts[stack + 1]!)] = weights[stack]!;
		}
		for (const stack of all.subarray(this.maxStacks)) {
			this.leftOutSamples += weights[stack]!;
		}
		this.table = table;
		this.weights = keptWeights;
	}
}

/** Of a profiler's samples of one kind (a position in their `events`), of threads that wait or of the others. */
export function wholeStacksOf(samples: StackSamples, event: number, isWaiting: boolean): WholeStacks {
	const { stacks, frames } = samples;
	const waiting = samples.states.map(isWaitingState);
	/** The last one of samples whose stack could not be walked. */
	const weights = new Float64Array(stacks.length + 1);
	for (let i = 0; i < samples.length; i++) {
		if (samples.event[i] === event && (waiting[samples.state[i]!] ?? false) === isWaiting) {
			const stack = samples.stack[i]!;
			const position = stack < 0 ? stacks.length : stack;
			weights[position] = weights[position]! + samples.weight[i]!;
		}
	}
	const builder = new WholeStacksBuilder();
	const names = frames.methods.map((method) => builder.name(nameOf(method)));
	for (let stack = 0; stack <= stacks.length; stack++) {
		const weight = weights[stack]!;
		if (weight > 0) {
			const inner = stack < stacks.length ? stacks.frame.subarray(stacks.starts[stack]!, stacks.starts[stack + 1]!) : [];
			const spelled = Array.from(inner, (frame) => names[frames.method[frame]!]!).reverse();
			builder.add(spelled.length === 0 ? [builder.name(UNKNOWN_ROW)] : spelled, weight, spelled.length > 0 && stacks.isTruncated[stack] === 1);
		}
	}
	return builder.build();
}

/** What is no Java method stands in round brackets, as in `assay hot`. */
function nameOf({ name, row }: StackMethod): string {
	return !row.startsWith('(') || row === UNKNOWN_ROW || name === '' ? row : `(${name})`;
}

/** Of the samples of `assay hot`, with the frames that `assay export` writes. */
export function wholeStacksOfCode(stacked: StackedSamples): StacksOfSamples {
	const counts = new Float64Array(stacked.nodeFrame.length);
	for (let i = 0; i < stacked.length; i++) {
		const node = stacked.node[i]!;
		counts[node] = counts[node]! + weightOf(stacked, i);
	}
	const builder = new WholeStacksBuilder();
	const names = stacked.frames.map(({ name }) => builder.name(name));
	const stackOfNode = new Int32Array(counts.length);
	counts.forEach((samples, node) => {
		if (samples > 0) {
			stackOfNode[node] = builder.add(
				framesOfNode(stacked, node).map((frame) => names[frame]!),
				samples,
			);
		}
	});
	const whole = builder.build();
	const ofSample = whole.leftOutSamples > 0 ? null : stacked.node.subarray(0, stacked.length).map((node) => stackOfNode[node]!);
	return { ...whole, ofSample };
}
