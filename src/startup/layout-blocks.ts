/** Basic blocks on a layout: whose they are and in what they lie, and by what a function's blocks are known again in another build. */
import { lastAtOrBelow } from '../model/binary-search.js';
import { BLOCK_IS_LANDING_PAD, BLOCK_JUMPS_INDIRECTLY, BLOCK_RETURNS, BLOCK_TAIL_CALLS, type BlockMap } from '../model/block-map.js';
import type { LayoutBlocks, TextLayout } from '../model/text-layout.js';
import { functionStarts } from './function-starts.js';

/** Blocks of functions that the layout does not have are left out. */
export function layoutBlocks({ functionStarts: entries, firstBlock, ids, starts, sizes, flags, calls, compilers }: BlockMap, layout: TextLayout): LayoutBlocks {
	const addresses = functionStarts(layout);
	const byAddress = Uint32Array.from(addresses.keys()).sort((a, b) => addresses[a]! - addresses[b]!);
	const sorted = Float64Array.from(byAddress, (f) => addresses[f]!);
	const functionAt = (address: number): number => {
		const at = lastAtOrBelow(sorted, address);
		return at < 0 ? -1 : byAddress[at]!;
	};
	const rows: { block: number; owner: number; part: number; offset: number }[] = [];
	for (let f = 0; f < entries.length; f++) {
		const owner = functionAt(entries[f]!);
		if (owner < 0 || addresses[owner] !== entries[f]) {
			continue;
		}
		for (let block = firstBlock[f]!; block < firstBlock[f + 1]!; block++) {
			const part = functionAt(starts[block]!);
			if (part >= 0) {
				rows.push({ block, owner, part, offset: starts[block]! - addresses[part]! });
			}
		}
	}
	rows.sort((a, b) => a.part - b.part || a.offset - b.offset || sizes[a.block]! - sizes[b.block]! || a.block - b.block);
	return {
		functions: Int32Array.from(rows, ({ owner }) => owner),
		ids: Int32Array.from(rows, ({ block }) => ids[block]!),
		parts: Int32Array.from(rows, ({ part }) => part),
		offsets: Float64Array.from(rows, ({ offset }) => offset),
		sizes: Float64Array.from(rows, ({ block }) => sizes[block]!),
		flags: Uint8Array.from(rows, ({ block }) => flags[block]!),
		calls: rows.map(({ block }) => calls[block]!),
		compilers,
	};
}

/** Of each function that has blocks these, by place in the columns: as they lie, the part of the function itself first. */
export function blocksByFunction({ functions, parts }: LayoutBlocks): Map<number, number[]> {
	const byFunction = new Map<number, number[]>();
	functions.forEach((f, i) => {
		const own = byFunction.get(f);
		if (own === undefined) {
			byFunction.set(f, [i]);
		} else {
			own.push(i);
		}
	});
	for (const [f, own] of byFunction) {
		if (own.some((i) => parts[i] !== f)) {
			own.sort((a, b) => Number(parts[a] !== f) - Number(parts[b] !== f) || a - b);
		}
	}
	return byFunction;
}

/** What is known of a function's blocks. */
export interface BlockStamp {
	readonly blocks: number;
	/** Hash of what does not change when blocks are put elsewhere: their ids, how they end, where their calls are. 8 hexadecimal digits. */
	readonly shape: string;
	/** Hash of the same and their sizes, which change with the jumps between blocks that are put elsewhere. */
	readonly code: string;
}

/** `own`: the blocks of one function, in any order. */
export function stampOf({ ids, sizes, flags, calls }: LayoutBlocks, own: readonly number[]): BlockStamp {
	let shape = HASH_START;
	let code = HASH_START;
	for (const i of own.toSorted((a, b) => ids[a]! - ids[b]!)) {
		shape = hashed(hashed(shape, ids[i]!), lastingFlags(flags[i]!));
		const ends = calls[i] ?? null;
		if (ends !== null) {
			shape = hashed(shape, ends.length);
			// Before a landing pad that begins a section clang puts an instruction of its own.
			for (const end of (flags[i]! & BLOCK_IS_LANDING_PAD) === 0 ? ends : []) {
				shape = hashed(shape, end);
			}
		}
		code = hashed(code, sizes[i]!);
	}
	return { blocks: own.length, shape: hexOf(shape), code: hexOf(hashed(code, shape)) };
}

/** Whether a block runs on into the next one changes with its place, and where it does not, whether a tail call of the next one is put into the jump of this one. */
function lastingFlags(flags: number): number {
	const returns = (flags & BLOCK_TAIL_CALLS) === 0 ? flags & BLOCK_RETURNS : 0;
	return returns | (flags & (BLOCK_IS_LANDING_PAD | BLOCK_JUMPS_INDIRECTLY));
}

const HASH_START = 0x811c9dc5;

/** FNV-1a of the four bytes of a number. */
function hashed(hash: number, value: number): number {
	let result = hash;
	for (let shift = 0; shift < 32; shift += 8) {
		result = Math.imul(result ^ ((value >>> shift) & 255), 0x01000193);
	}
	return result >>> 0;
}

function hexOf(hash: number): string {
	return hash.toString(16).padStart(8, '0');
}
