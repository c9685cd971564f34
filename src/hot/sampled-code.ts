/** A piece of code with its samples. Few of its instructions have some: they are kept as positions and counts, and as a column for those who look. */
import type { GeneratedCode } from '../model/generated-code.js';
import type { Instructions } from '../model/instructions.js';
import { RecentColumns, type Remakable } from '../model/recent-columns.js';
import type { CodeHeat } from './hot-results.js';

/** A column in which most rows are 0. */
export class SparseColumn implements Remakable {
	readonly length: number;
	/** Ascending. */
	private readonly rows: Int32Array;
	private readonly values: Float64Array;
	private column: Float64Array | null = null;

	constructor(length: number, values: ReadonlyMap<number, number>) {
		this.length = length;
		this.rows = Int32Array.from(values.keys()).sort();
		this.values = Float64Array.from(this.rows, (row) => values.get(row)!);
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

/** Room for one column at a time, for a pass over many of them. */
export class ScratchColumn {
	private room = new Float64Array(1 << 12);
	private written: readonly SparseColumn[] = [];

	/** The sum of columns of one length; it is another one's from the next call on. */
	with(...columns: readonly SparseColumn[]): Float64Array {
		for (const column of this.written) {
			column.clearIn(this.room);
		}
		const length = columns[0]?.length ?? 0;
		if (length > this.room.length) {
			this.room = new Float64Array(2 * length);
		}
		for (const column of columns) {
			column.addTo(this.room);
		}
		this.written = columns;
		return this.room.subarray(0, length);
	}
}

export class SampledCode implements CodeHeat {
	readonly code: GeneratedCode;
	readonly instructions: Instructions | null;
	readonly labels: ReadonlyMap<number, string>;
	readonly samples: number;
	readonly outside: number;
	readonly timeline: readonly number[];
	readonly seenAt: SparseColumn;
	/** null where samples are not moved, or not yet. */
	analysedAt: SparseColumn | null = null;

	constructor(rows: Omit<CodeHeat, 'seen' | 'analysed'>, seenAt: SparseColumn) {
		this.code = rows.code;
		this.instructions = rows.instructions;
		this.labels = rows.labels;
		this.samples = rows.samples;
		this.outside = rows.outside;
		this.timeline = rows.timeline;
		this.seenAt = seenAt;
	}

	get seen(): Float64Array {
		return this.seenAt.dense();
	}

	get analysed(): Float64Array | null {
		return this.analysedAt === null ? null : this.analysedAt.dense();
	}
}

/** The code of a compilation in which no sample lies. */
export function unsampledCode(rows: Pick<CodeHeat, 'code' | 'instructions' | 'labels'>): CodeHeat {
	return new SampledCode({ ...rows, samples: 0, outside: 0, timeline: [] }, new SparseColumn(rows.instructions?.length ?? 0, new Map()));
}

/** The same samples in instructions that are spelled otherwise. */
export function withInstructions(heat: CodeHeat, instructions: Instructions | null): CodeHeat {
	return Object.create(heat, { instructions: { value: instructions, enumerable: true } }) as CodeHeat;
}
