/** What a compiler was told of the branches of bytecode: how often each was taken while the profile was made. */

/** Of a branch of the bytecode, when it was compiled. */
export interface BranchCounts {
	readonly taken: number;
	readonly notTaken: number;
	/** Where it goes if it is taken. */
	readonly targetBci: number;
}

/** Of one compilation, by {@link branchKey}. */
export type BranchProfile = ReadonlyMap<string, BranchCounts>;

/** A branch of a method where that is inlined: `bcis` are those of the branch and of the calls that it is inlined at, the innermost first. */
export function branchKey(method: string, bcis: readonly number[]): string {
	return `${method} ${bcis.join(' ')}`;
}
