/**
 * The stacks that a profiler would show that sees threads only at safepoints: of each sample the frames at the polls that its thread reaches next, below the callers that
 * the sample had. The same walks as {@link predict} makes; where the samples have no stacks, only what is inlined into a compilation is known of its callers.
 */
import type { Frame } from '../model/instructions.js';
import { samplesByBlock } from './fitted-chain.js';
import { spreadNative } from './native-sites.js';
import { placesOf, type SampledCode, type SampledNative } from './prediction-input.js';
import type { PrintedMethod } from './printed-method.js';
import { framesAt, Place } from './safepoint-places.js';
import type { Walks } from './walks.js';

/** Who called a compilation: names of methods, the innermost first. */
export interface KnownCallers {
	readonly names: readonly string[];
	/** Whether the innermost frame that called is a method: the interpreter, for one, does not say which. */
	readonly isMethod: boolean;
}

/** Samples of a compilation that the same callers lead to; `callers` null: not known. */
export interface CalledCode extends SampledCode {
	readonly callers: KnownCallers | null;
}

/** Samples of native code that a call of a compilation leads to. */
export interface NativeCall {
	readonly code: Omit<CalledCode, 'counts'>;
	/** Position of the call. */
	readonly instruction: number;
	readonly count: number;
}

/** Samples with their callers, as far as the profile has stacks. */
export interface StackInput {
	readonly hasStacks: boolean;
	/** Where samples are: names, the outermost first; what is no method, in round brackets, only at the end. */
	readonly stacks: readonly { readonly names: readonly string[]; readonly samples: number }[];
	readonly called: readonly CalledCode[];
	readonly nativeCalls: readonly NativeCall[];
	/** Without a stack. */
	readonly native: readonly SampledNative[];
}

/** Receives a stack, the innermost frame first; empty: nothing describes it. */
type Show = (names: readonly string[], amount: number) => void;

interface Outcome {
	readonly stops: readonly { readonly names: readonly string[]; readonly share: number }[];
	readonly returns: number;
}

const RETURNS_AT_ONCE: Outcome = { stops: [], returns: 1 };
const DEEPEST = 40;
/** Rarer ways through callees are put where the call was made. */
const RAREST = 1e-4;

/** Every amount of samples is shown somewhere. */
export function predictedStacks({ hasStacks, called, nativeCalls, native }: StackInput, walks: Walks, show: Show): void {
	const paths = new Paths(walks, hasStacks);
	const cold = new Set(walks.input.cold.map(({ method }) => method));
	for (const row of called) {
		if (cold.has(row.method)) {
			for (const { frames, count } of placesOf(row)) {
				show(below(namesOf(frames), row.callers), count);
			}
			continue;
		}
		paths.follow(row, samplesByBlock(walks.chain(row.method).graph, row.counts), show);
	}
	for (const { code, instruction, count } of nativeCalls) {
		const { graph } = walks.chain(code.method);
		const block = graph.blockOf[instruction]!;
		const { place, fall, to } = graph.blocks.at(block);
		if (place === Place.LeafCall && fall >= 0) {
			const starts = new Float64Array(graph.blocks.length);
			starts[fall] = count;
			paths.follow(code, starts, show);
		} else {
			show(below(namesOf(framesAt(code.method.instructions, Math.min(instruction, to - 1), place)), code.callers), count);
		}
	}
	const { sampled } = walks.input;
	const chains = sampled.map(({ method }) => walks.chain(method));
	const starts = spreadNative(chains, native, (frames, amount) => show(namesOf(frames), amount));
	sampled.forEach((row, i) => {
		paths.follow({ ...row, callers: null }, starts[i]!, show);
	});
}

class Paths {
	private readonly walks: Walks;
	/** Whether frames of callees stand below those of the code that calls: without stacks the samples in callees have no callers either. */
	private readonly isNested: boolean;
	private readonly outcomes = new Map<PrintedMethod, Outcome>();
	private readonly open = new Set<PrintedMethod>();

	constructor(walks: Walks, isNested: boolean) {
		this.walks = walks;
		this.isNested = isNested;
	}

	follow({ method, callers, from, to }: Omit<CalledCode, 'counts'>, starts: Float64Array, show: Show): void {
		if (!starts.some((count) => count > 0)) {
			return;
		}
		this.walks
			.chain(method)
			.absorb(starts)
			.forEach((amount, block) => {
				if (amount <= 0) {
					return;
				}
				const { stops, returns } = this.ofEnd(method, block, from, to);
				for (const { names, share } of stops) {
					show(names.length === 0 ? [] : this.isNested ? below(names, callers) : names, amount * share);
				}
				if (returns > 0 && callers !== null && callers.isMethod) {
					show(callers.names, amount * returns);
				} else if (returns > 0) {
					for (const { frames, share } of this.walks.callers.of(method, from, to)) {
						show(frames.length === 0 ? [] : below(namesOf(frames), callers), amount * returns * share);
					}
				}
			});
	}

	/** Of a walk that ends with this block. */
	private ofEnd(method: PrintedMethod, block: number, from: number, to: number): Outcome {
		const { place, returns, to: end } = this.walks.chain(method).graph.blocks.at(block);
		if (place === Place.ReturnPoll || returns) {
			return RETURNS_AT_ONCE;
		}
		const names = place === Place.None ? [] : namesOf(framesAt(method.instructions, end - 1, place));
		if (place !== Place.JavaCall) {
			return { stops: [{ names, share: 1 }], returns: 0 };
		}
		const native = this.walks.callers.nativeMethod(method, end - 1, from, to);
		if (native !== null) {
			return { stops: [{ names: this.isNested ? [native, ...names] : [native], share: 1 }], returns: 0 };
		}
		const callees = this.walks.callers.callees(method, end - 1, from, to);
		const stops: { names: readonly string[]; share: number }[] = [];
		let back = callees.length === 0 ? 1 : 0;
		for (const callee of callees) {
			const inner = this.ofCode(callee.method, from, to);
			back += callee.share * inner.returns;
			for (const stop of inner.stops) {
				stops.push({ names: this.isNested && stop.names.length > 0 ? [...stop.names, ...names] : stop.names, share: callee.share * stop.share });
			}
		}
		stops.push({ names, share: back });
		return { stops, returns: 0 };
	}

	/** From the entry on. */
	private ofCode(method: PrintedMethod, from: number, to: number): Outcome {
		const known = this.outcomes.get(method);
		if (known !== undefined) {
			return known;
		}
		if (this.open.has(method) || this.open.size > DEEPEST) {
			return RETURNS_AT_ONCE;
		}
		this.open.add(method);
		const { graph, absorb } = this.walks.chain(method);
		const starts = new Float64Array(graph.blocks.length);
		starts[graph.entry] = 1;
		const stops = new Map<string, { names: readonly string[]; share: number }>();
		let returns = 0;
		let rare = 0;
		absorb(starts).forEach((share, block) => {
			if (share <= 0) {
				return;
			}
			const end = share < RAREST ? null : this.ofEnd(method, block, from, to);
			rare += end === null ? share : 0;
			returns += share * (end?.returns ?? 0);
			for (const stop of end?.stops ?? []) {
				if (share * stop.share < RAREST) {
					rare += share * stop.share;
					continue;
				}
				const key = stop.names.join('\0');
				const row = stops.get(key) ?? { names: stop.names, share: 0 };
				row.share += share * stop.share;
				stops.set(key, row);
			}
		});
		this.open.delete(method);
		const result = { stops: [...stops.values()], returns: returns + rare };
		this.outcomes.set(method, result);
		return result;
	}
}

function namesOf(frames: readonly Frame[]): string[] {
	return frames.map(({ method }) => method);
}

function below(names: readonly string[], callers: KnownCallers | null): readonly string[] {
	return names.length === 0 || callers === null ? names : [...names, ...callers.names];
}
