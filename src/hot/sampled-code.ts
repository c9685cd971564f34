/** A piece of code with its samples. */
import type { GeneratedCode } from '../model/generated-code.js';
import type { Instructions } from '../model/instructions.js';
import { SparseColumn } from '../model/sparse-column.js';
import type { CodeHeat } from './hot-results.js';

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
	slowAt: readonly number[] = [];

	constructor(rows: Omit<CodeHeat, 'seen' | 'analysed' | 'seenAt' | 'analysedAt' | 'slowAt'>, seenAt: SparseColumn) {
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
