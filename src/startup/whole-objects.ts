/**
 * Objects that were compiled without -ffunction-sections in a program of others that were with it, such as libgcc_eh.a: the linker moves all their functions together.
 * Where two functions touch, no padding between them tells. But the symbol table names the source file of local functions, and where the assembler padded between two
 * functions of a file, none of them has a section of its own; only what is rarely run is apart, as `f.cold`.
 */

/** A function as the symbol table has it, by address. */
export interface FunctionOfFile {
	/** Null where no local symbol tells it. */
	readonly file: string | null;
	readonly isCold: boolean;
}

/**
 * Marks functions that touch the one before them and share its section, for that. `isShared[i]` is 1 where function i is known to share the section of the
 * one before it, `isGapless[i]` where nothing is between them.
 */
export function markWholeObjects(functions: readonly FunctionOfFile[], isShared: Uint8Array, isGapless: Uint8Array): void {
	let first = -1;
	let last = -1;
	let file: string | null = null;
	const close = (): void => {
		if (first >= 0 && isShared.subarray(first + 1, last + 1).includes(1)) {
			for (let i = first + 1; i <= last; i++) {
				isShared[i] = Math.max(isShared[i]!, isGapless[i]!);
			}
		}
		first = -1;
	};
	functions.forEach((one, i) => {
		const isApart = i > 0 && isShared[i] === 0 && isGapless[i] === 0;
		if (one.isCold || isApart || (one.file !== null && one.file !== file)) {
			close();
			file = one.isCold ? null : one.file;
		}
		if (!one.isCold && one.file !== null && one.file === file) {
			first = first < 0 ? i : first;
			last = i;
		}
	});
	close();
}
