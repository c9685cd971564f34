/**
 * A list of blocks against a program: block ids mean something in one source, compiled by one compiler with one set of flags. What they were made of is known again by
 * hashes of each function's blocks, so that a list for another compile is found before it splits functions anywhere.
 */
import type { LayoutBlocks, TextLayout } from '../model/text-layout.js';
import { type BlockStamp, blocksByFunction, stampOf } from './layout-blocks.js';
import type { LintFinding, OrderLint } from './results.js';
import { functionsByName } from './trace-on-layout.js';

/** A function of a list. */
export interface ListedBlocks {
	readonly names: readonly string[];
	readonly blocks: readonly number[];
	/** Null: the list does not say. */
	readonly stamp: BlockStamp | null;
}

/** `symbols` are functions of the list, `found` those that the program has, `sections` those whose blocks are what they were. */
export function lintBlocks(
	layout: TextLayout,
	blocks: LayoutBlocks,
	list: { readonly functions: readonly ListedBlocks[]; readonly compilers: readonly string[] },
): OrderLint {
	const named = functionsByName(layout);
	const byFunction = blocksByFunction(blocks);
	const findings: LintFinding[] = [];
	const unsplit: string[] = [];
	const seen = new Set<string>();
	let found = 0;
	let fitting = 0;
	let split = 0;
	const others = list.compilers.filter((compiler) => !blocks.compilers.includes(compiler));
	if (others.length > 0) {
		const message = `made of code by ${others.join(', ')}; the program is by ${blocks.compilers.join(', ') || 'a compiler that it does not name'}`;
		findings.push({ kind: 'compiler', symbol: null, message });
	}
	for (const { names, blocks: listed, stamp } of list.functions) {
		const [symbol = ''] = names;
		if (seen.has(symbol)) {
			findings.push({ kind: 'repeated', symbol, message: 'is listed before: the compiler refuses such a list' });
			continue;
		}
		seen.add(symbol);
		const f = names.flatMap((name) => named.get(name) ?? [])[0];
		if (f === undefined) {
			findings.push({ kind: 'missing', symbol, message: 'there is no such function' });
			continue;
		}
		found++;
		const own = byFunction.get(f) ?? [];
		const isSplit = own.some((block) => blocks.parts[block] !== f);
		const why = staleness(stamp, stampOf(blocks, own), isSplit, listed, new Set(own.map((block) => blocks.ids[block]!)));
		if (why === null) {
			fitting++;
		} else {
			findings.push({ kind: 'stale', symbol, message: why });
		}
		split += isSplit ? 1 : 0;
		if (!isSplit) {
			unsplit.push(symbol);
		}
	}
	// A program that was built without the list has no function split.
	if (split > 0) {
		findings.push(...unsplit.map((symbol): LintFinding => ({ kind: 'unsplit', symbol, message: 'was compiled without the list: others are split' })));
	}
	return { symbols: list.functions.length, found, hasDebugNames: true, sections: fitting, coverage: [], findings };
}

/** Null: its blocks are those that the list was made of. */
function staleness(listed: BlockStamp | null, own: BlockStamp, isSplit: boolean, kept: readonly number[], ids: ReadonlySet<number>): string | null {
	if (own.blocks === 0) {
		return 'the program tells no blocks of it';
	}
	const unknown = kept.filter((id) => !ids.has(id));
	if (unknown.length > 0) {
		return `it has no block ${unknown.slice(0, 3).join(', ')}`;
	}
	if (listed === null) {
		return null;
	}
	if (listed.blocks !== own.blocks) {
		return `it has ${own.blocks} blocks, and had ${listed.blocks}`;
	}
	if (listed.shape !== own.shape) {
		return 'its blocks end otherwise, or call elsewhere in them';
	}
	// Jumps of split functions are others than they were.
	return !isSplit && listed.code !== own.code ? 'its blocks have other sizes' : null;
}
