/** Calls of compiled code that lead into native code: where a thread sampled there came from. */
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
			const comments = method.instructions.comments
				.slice(Math.max(0, to - 1 - BEFORE), to)
				.flat()
				.filter((comment) => comment.startsWith('{runtime_call'))
				.join(' ')
				.toLowerCase()
				.replace('runtime_call', '');
			if (comments.match(WORD)?.some((word) => words.has(word))) {
				named.push(site);
			}
		});
	});
	return named.length > 0 ? named : all;
}

export function vmSites(chains: readonly FittedChain[]): NativeSite[] {
	return chains.flatMap(({ graph, executions }, chain) =>
		graph.blocks.flatMap(({ place }, block) => (place === Place.VmCall ? [{ chain, block, weight: executions[block]! }] : [])),
	);
}
