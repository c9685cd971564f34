/** Which blocks of the functions that ran did run: what the compiler is told to keep together, and what it puts apart. */
import { BLOCK_FALLS_THROUGH } from '../model/block-map.js';
import type { LayoutBlocks, TextLayout } from '../model/text-layout.js';
import { type BlockStamp, blocksByFunction, stampOf } from './layout-blocks.js';
import { functionsByName, type LaidTrace } from './trace-on-layout.js';

/** A function of which blocks are put apart. */
export interface ListedFunction {
	/** Of the layout. */
	readonly function: number;
	/** The first is what the others are aliases of. */
	readonly names: readonly string[];
	/** Ids of the blocks that stay, the first of the function first. */
	readonly blocks: readonly number[];
	readonly stamp: BlockStamp;
	readonly keptBytes: number;
	readonly coldBytes: number;
}

export interface BlockList {
	readonly functions: readonly ListedFunction[];
	readonly compilers: readonly string[];
	/** Functions that ran and stay whole because another one has their name: the compiler could not tell them apart. */
	readonly sharedNames: readonly string[];
	/** Functions that ran and of which the program tells no blocks: of other compilers, and assembly. */
	readonly untold: number;
}

/** Of traces with executed bytes. Functions are in the order of first execution, blocks as they lie. Functions with fewer bytes to put apart stay whole. */
export function makeBlockList(layout: TextLayout, blocks: LayoutBlocks, traces: readonly LaidTrace[], leastColdBytes: number): BlockList {
	const executed = executedBlocks(blocks, traces);
	const byFunction = blocksByFunction(blocks);
	const named = functionsByName(layout);
	const namesOf = symbolsByFunction(layout);
	const seen = new Set<number>();
	const functions: ListedFunction[] = [];
	const sharedNames: string[] = [];
	let untold = 0;
	for (const f of traces.flatMap((trace) => Array.from(trace.functions))) {
		if (seen.has(f)) {
			continue;
		}
		seen.add(f);
		const own = byFunction.get(f);
		if (own === undefined) {
			untold++;
			continue;
		}
		const kept = keptBlocks(blocks, own, executed);
		const coldBytes = own.reduce((sum, block) => sum + (kept.has(block) ? 0 : blocks.sizes[block]!), 0);
		if (kept.size === 0 || coldBytes < leastColdBytes) {
			continue;
		}
		const names = namesOf.get(f) ?? [];
		if (names.some((name) => named.get(name)!.length > 1)) {
			sharedNames.push(layout.functionNames[f]!);
			continue;
		}
		functions.push({
			function: f,
			names,
			blocks: [...kept].map((block) => blocks.ids[block]!),
			stamp: stampOf(blocks, own),
			keptBytes: [...kept].reduce((sum, block) => sum + blocks.sizes[block]!, 0),
			coldBytes,
		});
	}
	return { functions, compilers: blocks.compilers, sharedNames, untold };
}

/** 1 for each block of which a byte was executed in one of the traces. */
function executedBlocks({ parts, offsets, sizes }: LayoutBlocks, traces: readonly LaidTrace[]): Uint8Array {
	const executed = new Uint8Array(parts.length);
	for (const { ranges } of traces) {
		if (ranges === null) {
			continue;
		}
		let next = 0;
		for (let i = 0; i < ranges.functions.length; i++) {
			const f = ranges.functions[i]!;
			const start = ranges.starts[i]!;
			while (next < parts.length && (parts[next]! < f || (parts[next] === f && offsets[next]! + sizes[next]! <= start))) {
				next++;
			}
			for (let block = next; block < parts.length && parts[block] === f && offsets[block]! < ranges.ends[i]!; block++) {
				executed[block] = sizes[block]! > 0 && offsets[block]! + sizes[block]! > start ? 1 : executed[block]!;
			}
		}
	}
	return executed;
}

/** The first block, those that were executed, and empty ones that lead to these. */
function keptBlocks({ sizes, flags }: LayoutBlocks, own: readonly number[], executed: Uint8Array): Set<number> {
	const kept = new Set<number>();
	if (!own.some((block) => executed[block] === 1)) {
		return kept;
	}
	own.forEach((block, i) => {
		let behind = i;
		while (behind + 1 < own.length && sizes[own[behind]!] === 0 && (flags[own[behind]!]! & BLOCK_FALLS_THROUGH) !== 0) {
			behind++;
		}
		if (i === 0 || executed[own[behind]!] === 1) {
			kept.add(block);
		}
	});
	return kept;
}

/** Names that each function has, those that other objects see first. */
function symbolsByFunction({ symbolNames, symbolFunctions, symbolIsLocal }: TextLayout): Map<number, string[]> {
	const names = new Map<number, string[]>();
	for (const isLocal of [0, 1]) {
		symbolNames.forEach((name, i) => {
			if (symbolIsLocal[i] === isLocal) {
				const own = names.get(symbolFunctions[i]!) ?? [];
				names.set(symbolFunctions[i]!, own);
				if (!own.includes(name)) {
					own.push(name);
				}
			}
		});
	}
	return names;
}
