/** Calls of compiled code that lead into native code: where a thread sampled there came from. */
import { Flow, type Instructions } from '../model/instructions.js';
import type { FittedChain } from './fitted-chain.js';
import type { SampledNative } from './prediction-input.js';
import { Place } from './safepoint-places.js';

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
	/** Calls into the VM. */
	readonly vm: readonly NativeSite[];
	/** Calls of stubs and functions. */
	readonly leaf: readonly LeafSite[];
}

interface LeafSite extends NativeSite {
	/** Of the name of what is called. */
	readonly words: readonly string[];
}

export function nativeSites(chains: readonly FittedChain[]): NativeSites {
	const vm: NativeSite[] = [];
	const leaf: LeafSite[] = [];
	chains.forEach(({ graph, executions, method }, chain) => {
		graph.blocks.forEach(({ place, to }, block) => {
			const site = { chain, block, weight: executions[block]! };
			if (place === Place.VmCall) {
				vm.push(site);
			} else if (place === Place.LeafCall) {
				leaf.push({ ...site, words: calledWords(method.instructions, to - 1) });
			}
		});
	});
	return { vm, leaf };
}

/** Samples of native code that came by the same calls. */
interface NativeGroup {
	readonly sites: readonly NativeSite[];
	readonly isVm: boolean;
	count: number;
}

/**
 * Which calls threads in native code may have come from: of stubs and functions those that share a word of four letters or more with what was sampled, all of
 * them where none does. Thousands of functions share few such sets of calls.
 */
export function groupsOf({ vm, leaf }: NativeSites, natives: readonly SampledNative[]): NativeGroup[] {
	const known = new Set(leaf.flatMap(({ words }) => words));
	const groups = new Map<string, NativeGroup>();
	for (const { symbol, library, isVm, count } of natives) {
		const words = new Set(`${symbol} ${library.slice(library.lastIndexOf('/') + 1)}`.toLowerCase().match(WORD) ?? []);
		const shared = [...words].filter((word) => known.has(word)).sort();
		const key = isVm ? 'vm' : shared.join(' ');
		let group = groups.get(key);
		if (group === undefined) {
			const sites = isVm ? vm : shared.length === 0 ? leaf : leaf.filter((site) => site.words.some((word) => words.has(word)));
			group = { sites, isVm, count: 0 };
			groups.set(key, group);
		}
		group.count += count;
	}
	return [...groups.values()];
}

/** Words in the name of what is called; what stands beside an earlier call is of that one. */
function calledWords({ comments, flow }: Instructions, call: number): string[] {
	let from = call;
	while (from > 0 && from > call - BEFORE && flow[from - 1] !== Flow.Call) {
		from--;
	}
	const names = comments
		.slice(from, call + 1)
		.flat()
		.filter((comment) => comment.startsWith('{runtime_call'))
		.map((comment) => comment.toLowerCase().replace('runtime_call', ''));
	return names.flatMap((name) => name.match(WORD) ?? []);
}
