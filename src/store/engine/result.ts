/** What an engine gives for a statement. */
import type { Cell, ColumnType } from '../../model/table.js';

export interface EngineColumn {
	readonly name: string;
	readonly type: ColumnType;
}

export interface EngineResult {
	readonly columns: readonly EngineColumn[];
	/** Whole numbers that a number of JavaScript cannot hold are text. */
	readonly rows: readonly (readonly Cell[])[];
}

export interface RunOptions {
	/** Ends the statement. */
	readonly signal?: AbortSignal | undefined;
	/** Percent; null where the engine does not tell. */
	readonly onProgress?: ((percent: number | null) => void) | undefined;
}

/** Something that answers SQL over a store. */
export interface Engine {
	readonly name: 'duckdb' | 'trino';
	/** Throws an {@link InputError} with what the engine says. */
	run(sql: string, options?: RunOptions): Promise<EngineResult>;
	close(): void;
}

/** A whole number of 64 bits, or more, from its digits. */
export function wholeNumber(value: bigint): Cell {
	return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value);
}
