/** Columns in which most rows are 0, kept as positions and values: of the instructions of a program few have samples. */
import { firstWhere } from './binary-search.js';
import { RecentColumns, type Remakable } from './recent-columns.js';

/** A column in which most rows are 0. */
export class SparseColumn implements Remakable {
	readonly length: number;
	/** Those that are not 0, ascending. */
	readonly rows: Int32Array;
	/** Of each of them. */
	readonly values: Float64Array;
	private column: Float64Array | null = null;

	constructor(length: number, values: ReadonlyMap<number, number>) {
		this.length = length;
		const rows = new Int32Array(values.size);
		let count = 0;
		for (const row of values.keys()) {
			rows[count++] = row;
		}
		this.rows = rows.sort();
		this.values = new Float64Array(count);
		for (let k = 0; k < count; k++) {
			this.values[k] = values.get(rows[k]!)!;
		}
	}

	/** Of a column in which few rows are not 0. */
	static of(column: Float64Array): SparseColumn {
		const values = new Map<number, number>();
		for (let row = 0; row < column.length; row++) {
			if (column[row] !== 0) {
				values.set(row, column[row]!);
			}
		}
		return new SparseColumn(column.length, values);
	}

	/** Of all rows. */
	get sum(): number {
		return this.values.reduce((sum, value) => sum + value, 0);
	}

	/** Of one row, without making the column. */
	at(row: number): number {
		const { rows, values } = this;
		const k = firstWhere(rows.length, (i) => rows[i]! >= row);
		return rows[k] === row ? values[k]! : 0;
	}

	get sizeBytes(): number {
		return this.length * Float64Array.BYTES_PER_ELEMENT;
	}

	forget(): void {
		this.column = null;
	}

	/** Not to be written to. */
	dense(): Float64Array {
		if (this.column === null) {
			this.column = new Float64Array(this.length);
			this.addTo(this.column);
			RECENT.keep(this);
		}
		return this.column;
	}

	addTo(column: Float64Array): void {
		for (let k = 0; k < this.rows.length; k++) {
			const row = this.rows[k]!;
			column[row] = column[row]! + this.values[k]!;
		}
	}

	clearIn(column: Float64Array): void {
		for (const row of this.rows) {
			column[row] = 0;
		}
	}
}

const RECENT = new RecentColumns(1 << 22);
