/** A table as it is written for programs that read tables: named, typed columns, rows made as they are written. */

/** `integer` holds whole numbers up to 2^53; `id` those of 64 bits, with a sign, as text of decimal digits; `text` also what has no number of its own, such as addresses. */
export type ColumnType = 'text' | 'integer' | 'number' | 'boolean' | 'id';
/** null: not known, or there is none. */
export type Cell = string | number | boolean | null;

export interface Column {
	readonly name: string;
	readonly type: ColumnType;
	/** `ms`, `bytes`; left out where it has none. */
	readonly unit?: string;
	/** What it holds. */
	readonly meaning?: string;
}

export interface Table {
	readonly name: string;
	/** What a row is. */
	readonly meaning?: string;
	readonly columns: readonly Column[];
	/** Cells in the order of the columns. May be asked for again. */
	rows(): Iterable<readonly Cell[]>;
}
