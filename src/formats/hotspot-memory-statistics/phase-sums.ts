/** Adds up the table at the peak while it goes by: bytes by arena, and whether the rows are whole. */
import { phaseColumns, phaseRow } from './details.js';

export class PhaseSums {
	/** null before the head of the table. */
	arenas: readonly string[] | null = null;
	bytes: number[] = [];
	totalBytes = 0;
	/** Rows whose arenas do not sum to their total. */
	badRows = 0;

	/** false: the line is none of the table. */
	take(line: string): boolean {
		if (this.arenas === null) {
			this.arenas = phaseColumns(line);
			this.bytes = this.arenas?.map(() => 0) ?? [];
			return this.arenas !== null;
		}
		const row = phaseRow(line, this.arenas);
		if (row === null) {
			return false;
		}
		let sum = 0;
		row.byArena.bytes.forEach((value, i) => {
			this.bytes[i] = this.bytes[i]! + value;
			sum += value;
		});
		this.totalBytes += row.totalBytes;
		if (sum !== row.totalBytes) {
			this.badRows++;
		}
		return true;
	}
}
