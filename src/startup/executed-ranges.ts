/** Executed bytes: of function `functions[i]` those in [starts[i], ends[i]), counted from its first. By function and start, not touching. */
export interface ExecutedRanges {
	readonly functions: Int32Array;
	readonly starts: Float64Array;
	readonly ends: Float64Array;
}
