/** The tables of `assay export`, in the order in which they are written. */
export const TABLE_NAMES = ['compilations', 'inlining', 'samples', 'regions', 'safepoints', 'memory', 'arenas'] as const;
export type TableName = (typeof TABLE_NAMES)[number];
