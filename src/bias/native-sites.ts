/** Calls of compiled code that lead into native code: where a thread sampled there came from. */
import { isReachedByJavaCalls } from '../model/generated-code.js';
import { Flow, type Frame, type Instructions } from '../model/instructions.js';
import type { FittedChain } from './fitted-chain.js';
import type { SampledNative } from './prediction-input.js';
import { framesAt, inNative, Place } from './safepoint-places.js';
import type { Call } from './seen-callers.js';

interface NativeSite {
	/** Position in the given chains. */
	readonly chain: number;
	readonly block: number;
	/** Executions. */
	readonly weight: number;
}

const WORD = /[a-z]{4,}/g;
/** Instructions before a call through a register among which the loaded address is named. */
const BEFORE = 4;

/** Calls into native code, by what is called. */
interface NativeSites {
	/** The one that was seen on the stack; null where its code has no chain. */
	readonly at: (call: Call) => (NativeSite & { readonly isVm: boolean }) | null;
	/** Calls into the VM. */
	readonly vm: readonly NamedSite[];
	/** Calls of stubs and functions. */
	readonly leaf: readonly NamedSite[];
}

interface NamedSite extends NativeSite {
	/** Of the name of what is called. */
	readonly words: readonly string[];
}

export function nativeSites(chains: readonly FittedChain[]): NativeSites {
	const vm: NamedSite[] = [];
	const leaf: NamedSite[] = [];
	const words = new Map<string, readonly string[]>();
	chains.forEach(({ graph, executions, method }, chain) => {
		const { length, place, from } = graph.blocks;
		for (let block = 0; block < length; block++) {
			if (place[block] === Place.VmCall || place[block] === Place.LeafCall) {
				const site = { chain, block, weight: executions[block]!, words: calledWords(method.instructions, from[block + 1]! - 1, words) };
				(place[block] === Place.VmCall ? vm : leaf).push(site);
			}
		}
	});
	const numbers = new Map(chains.map(({ method }, chain) => [method, chain]));
	const at: NativeSites['at'] = ({ method, instruction }) => {
		const chain = numbers.get(method);
		if (chain === undefined) {
			return null;
		}
		const { blockOf, blocks } = chains[chain]!.graph;
		const block = blockOf[instruction]!;
		return { chain, block, weight: 1, isVm: blocks.place[block] === Place.VmCall };
	};
	return { vm, leaf, at };
}

/** Where a thread goes on that comes back from native code: behind the call, or into what a stub found for it; -1: it stops at once. */
export function goesOnAt({ graph }: FittedChain, block: number, isVm: boolean): number {
	const { place, fall } = graph.blocks.at(block);
	return isVm ? -1 : place === Place.JavaCall ? block : fall;
}

/** Samples of native code that came by the same calls. */
interface NativeGroup {
	readonly sites: readonly NativeSite[];
	/** Where they stop of which no call has to be followed: in native methods. */
	readonly frames: readonly Frame[];
	readonly isVm: boolean;
	count: number;
}

/** Runtime stubs whose work in the JVM's library this is, by a word of their names (`_new_array_Java`, `monitorenter`). */
const STUBS_OF: Readonly<Record<string, RegExp>> = {
	allocation: /^(?:array|instance|multianewarray)$/,
	'garbage collection': /^(?:array|instance|multianewarray)$/,
	monitors: /^monitor/,
};

/**
 * Which calls threads in native code may have come from. Of stubs and functions: those that share a word of four letters or more with what was sampled. Where none does,
 * all of them for a stub that Java calls do not reach, and none for a library, which native methods and the JVM call, and compiled code hardly ever. Into the JVM's library: those whose stub is there for
 * what was done; of all else, such as loading classes, compiled code does not tell the call, and nobody is blamed. Thousands of functions share few such sets of calls.
 */
export function groupsOf({ vm, leaf, at }: NativeSites, natives: readonly SampledNative[]): NativeGroup[] {
	const known = new Set(leaf.flatMap(({ words }) => words));
	const groups = new Map<string, NativeGroup>();
	const add = (key: string, made: () => Omit<NativeGroup, 'count'>, count: number): void => {
		const group = groups.get(key) ?? { ...made(), count: 0 };
		group.count += count;
		groups.set(key, group);
	};
	for (const { symbol, library, activity, count, method, call } of natives) {
		if (method !== undefined) {
			const above = call == null ? [] : call.method.instructions.frames(call.instruction);
			const key = `method ${method} ${above.map((frame) => `${frame.method} ${frame.bci}`).join(' ')}`;
			add(key, () => ({ sites: [], frames: [inNative(method), ...above], isVm: true }), count);
			continue;
		}
		const seen = call == null ? null : at(call);
		if (seen !== null) {
			add(`seen ${seen.chain} ${seen.block}`, () => ({ sites: [seen], frames: [], isVm: seen.isVm }), count);
			continue;
		}
		const isVm = activity !== null;
		const words = new Set(`${symbol} ${library.slice(library.lastIndexOf('/') + 1)}`.toLowerCase().match(WORD) ?? []);
		const shared = [...words].filter((word) => known.has(word)).sort();
		const stubs = isVm ? STUBS_OF[activity] : undefined;
		const isNamed = shared.length > 0 || library !== '' || isReachedByJavaCalls(symbol);
		const key = isVm ? `vm ${stubs === undefined ? '' : activity}` : `${isNamed ? 'named' : 'any'} ${shared.join(' ')}`;
		const made = () => ({
			sites: isVm ? vm.filter((site) => site.words.some((word) => stubs?.test(word))) : leafSites(leaf, words, isNamed),
			frames: [],
			isVm,
		});
		add(key, made, count);
	}
	return [...groups.values()];
}

/**
 * Native code runs on to its caller, and from there to the next poll; calls into the VM stop where they were made: these, and what no call tells of, go to `stops`, and what
 * runs in a native method, which is its own. The result is how many threads go on in each block of each chain.
 */
export function spreadNative(
	chains: readonly FittedChain[],
	natives: readonly SampledNative[],
	stops: (frames: readonly Frame[], amount: number, isOwn: boolean) => void,
): Float64Array[] {
	const starts = chains.map(({ graph }) => new Float64Array(graph.blocks.length));
	for (const { sites, frames, isVm, count } of groupsOf(nativeSites(chains), natives)) {
		const total = sites.reduce((sum, { weight }) => sum + weight, 0);
		if (total <= 0) {
			stops(frames, count, frames.length > 0);
			continue;
		}
		for (const { chain, block, weight } of sites) {
			const { method, graph } = chains[chain]!;
			const { to, place } = graph.blocks.at(block);
			const amount = (count * weight) / total;
			const start = goesOnAt(chains[chain]!, block, isVm);
			if (start < 0) {
				stops(framesAt(method.instructions, to - 1, place), amount, false);
			} else {
				const row = starts[chain]!;
				row[start] = row[start]! + amount;
			}
		}
	}
	return starts;
}

function leafSites(leaf: readonly NamedSite[], words: ReadonlySet<string>, isNamed: boolean): readonly NativeSite[] {
	return isNamed ? leaf.filter((site) => site.words.some((word) => words.has(word))) : leaf;
}

/** Words in the name of what is called; what stands beside an earlier call is of that one. `known`: of comments that were seen. */
function calledWords(code: Instructions, call: number, known: Map<string, readonly string[]>): string[] {
	let from = call;
	while (from > 0 && from > call - BEFORE && code.flow[from - 1] !== Flow.Call) {
		from--;
	}
	const words: string[] = [];
	for (let i = from; i <= call; i++) {
		for (const comment of code.runtimeCalls(i)) {
			const ofComment = known.get(comment) ?? comment.toLowerCase().replace('runtime_call', '').match(WORD) ?? [];
			known.set(comment, ofComment);
			words.push(...ofComment);
		}
	}
	return words;
}
