/**
 * Lists of basic blocks as clang takes them with `-fbasic-block-sections=list=` and lld with `--lto-basic-block-sections=`, version 1 of the format (source: the head of
 * LLVM's BasicBlockSectionsProfileReader): `v1`, then for each function `f NAME ALIAS…` and `c ID ID…`, the blocks that stay in its section, the first of the function first.
 *
 * Lines that begin with `#` are skipped by both. In them stands what a list is known to be stale by: who compiled what the list was made of, and for each function how many
 * blocks it had and hashes of these.
 */

/** A function and what it is known by. */
export interface WrittenFunction {
	readonly names: readonly string[];
	readonly blocks: readonly number[];
	readonly stamp: { readonly blocks: number; readonly shape: string; readonly code: string };
}

/** Of the comments; the compiler knows nothing of it. */
const BLOCK_LIST_HEAD = '# assay block list 1';

export function blockListText({ functions, compilers }: { readonly functions: readonly WrittenFunction[]; readonly compilers: readonly string[] }): string {
	const lines = [BLOCK_LIST_HEAD, ...compilers.map((compiler) => `# compiler ${compiler}`), 'v1'];
	for (const { names, blocks, stamp } of functions) {
		lines.push(`f ${names.join(' ')}`, `# of ${stamp.blocks} blocks, shape ${stamp.shape}, code ${stamp.code}`, `c ${blocks.join(' ')}`);
	}
	return `${lines.join('\n')}\n`;
}
