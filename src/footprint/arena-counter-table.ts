/**
 * Bytes by phase and arena: as they are, and as they were at the peak. Copying the table at each new peak would cost more than all the rest; instead what
 * changed since the peak is noted, and taken back when somebody asks. After many changes the copy is made after all.
 */
export class ArenaCounterTable {
	currentBytes = 0;
	peakBytes = 0;
	/** By phase, then arena; holes where a phase allocated nothing. */
	private readonly rows: (number[] | undefined)[] = [];
	private readonly changes: number[] = [];
	private copy: (number[] | undefined)[] | null = null;
	private cells = 0;

	/** Adds bytes, or takes them away; true when the sum is higher than ever. */
	add(phase: number, arena: number, bytes: number): boolean {
		let row = this.rows[phase];
		if (row === undefined) {
			row = [];
			this.rows[phase] = row;
		}
		while (row.length <= arena) {
			row.push(0);
			this.cells++;
		}
		row[arena] = row[arena]! + bytes;
		this.currentBytes += bytes;
		if (this.currentBytes > this.peakBytes) {
			this.peakBytes = this.currentBytes;
			this.changes.length = 0;
			this.copy = null;
			return true;
		}
		if (this.copy === null) {
			this.changes.push(phase, arena, bytes);
			if (this.changes.length > 3 * Math.max(1024, this.cells)) {
				this.copy = this.atPeak();
				this.changes.length = 0;
			}
		}
		return false;
	}

	current(): (number[] | undefined)[] {
		return this.rows.map((row) => row?.slice());
	}

	/** The table at the first moment when the sum was {@link peakBytes}. */
	atPeak(): (number[] | undefined)[] {
		if (this.copy !== null) {
			return this.copy;
		}
		const rows = this.current();
		for (let i = this.changes.length - 3; i >= 0; i -= 3) {
			const row = rows[this.changes[i]!]!;
			const arena = this.changes[i + 1]!;
			row[arena] = row[arena]! - this.changes[i + 2]!;
		}
		return rows;
	}
}
