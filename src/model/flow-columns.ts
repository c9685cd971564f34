/**
 * Where instructions lie and go, in columns. Most code is looked at once or twice by a pass over all of it: such a pass borrows columns that the next piece of
 * code is written to, so that neither memory nor its collection grow with the code.
 */
export interface FlowColumns {
	readonly address: Float64Array;
	readonly end: Float64Array;
	readonly target: Float64Array;
	readonly flow: Uint8Array;
}

const BYTES_IN_COLUMNS = 3 * Float64Array.BYTES_PER_ELEMENT + Uint8Array.BYTES_PER_ELEMENT;

/** Of one buffer: thousands of small ones keep the collector busy. */
function newColumns(length: number): FlowColumns {
	const buffer = new ArrayBuffer(length * BYTES_IN_COLUMNS);
	return columnsIn(buffer, length);
}

function columnsIn(buffer: ArrayBuffer, length: number): FlowColumns {
	return {
		address: new Float64Array(buffer, 0, length),
		end: new Float64Array(buffer, 8 * length, length),
		target: new Float64Array(buffer, 16 * length, length),
		flow: new Uint8Array(buffer, 24 * length, length),
	};
}

/** Room for the columns of one piece of code at a time. */
export class LentColumns {
	private buffer = new ArrayBuffer(1 << 16);
	private columns: FlowColumns | null = null;
	private owner: object | null = null;
	private borrowers = 0;

	/** The columns are another piece's when `use` is over. */
	lend<T>(owner: object, length: number, fill: (columns: FlowColumns) => void, use: (columns: FlowColumns) => T): T {
		if (this.borrowers > 0 && this.owner !== owner) {
			const own = newColumns(length);
			fill(own);
			return use(own);
		}
		const columns = this.owner === owner && this.columns !== null ? this.columns : this.filled(owner, length, fill);
		this.borrowers++;
		try {
			return use(columns);
		} finally {
			this.borrowers--;
		}
	}

	private filled(owner: object, length: number, fill: (columns: FlowColumns) => void): FlowColumns {
		if (length * BYTES_IN_COLUMNS > this.buffer.byteLength) {
			this.buffer = new ArrayBuffer(2 * length * BYTES_IN_COLUMNS);
		}
		this.columns = columnsIn(this.buffer, length);
		this.owner = owner;
		fill(this.columns);
		return this.columns;
	}
}
