/** Calls of compiled code that lead into native code: where a thread sampled there came from. */
import { Flow, type Instructions } from '../model/instructions.js';
import type { FittedChain } from './fitted-chain.js';
import type { SampledNative } from './prediction-input.js';
import { Place } from './safepoint-places.js';

export interface NativeSite {
	/** Position in the given chains. */
	readonly chain: number;
	readonly block: number;
	/** Executions. */
	readonly weight: number;
}

const WORD = /[a-z]{4,}/g;
/** Instructions before a call through a register among which the loaded address is named. */
const BEFORE = 4;

/** Calls of stubs and functions that share a word of four letters or more with what was sampled; all of them where none does. */
export function leafSites(chains: readonly FittedChain[], { symbol, library }: SampledNative): NativeSite[] {
	const words = new Set(`${symbol} ${library.slice(library.lastIndexOf('/') + 1)}`.toLowerCase().match(WORD) ?? []);
	const named: NativeSite[] = [];
	const all: NativeSite[] = [];
	chains.forEach(({ graph, executions, method }, chain) => {
		graph.blocks.forEach(({ place, to }, block) => {
			if (place !== Place.LeafCall) {
				return;
			}
			const site = { chain, block, weight: executions[block]! };
			all.push(site);
			if (calledWords(method.instructions, to - 1).some((word) => words.has(word))) {
				named.push(site);
			}
		});
	});
	return named.length > 0 ? named : all;
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

export function vmSites(chains: readonly FittedChain[]): NativeSite[] {
	return chains.flatMap(({ graph, executions }, chain) =>
		graph.blocks.flatMap(({ place }, block) => (place === Place.VmCall ? [{ chain, block, weight: executions[block]! }] : [])),
	);
}
