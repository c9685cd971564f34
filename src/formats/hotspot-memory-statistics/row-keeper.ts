/** Rows in the order of the file, in bounded memory: of very many the smallest are let go and counted. */
import type { Problem } from '../../model/problem.js';
import type { StatisticRow, StatisticTable } from './rows.js';

const MAX_ROWS = 50_000;

/** So many times the rows that are kept may wait to be looked through. */
const ROOM = 1.25;

export class RowKeeper {
	readonly tables: StatisticTable[] = [];
	private readonly file: string;
	private readonly problems: Problem[];
	private readonly most: number;
	private rows: StatisticRow[] = [];
	private dropped = 0;
	/** As many as are kept have so many bytes at least, and stand before what comes now. */
	private leastKept = Number.NEGATIVE_INFINITY;

	constructor(file: string, problems: Problem[], most = MAX_ROWS) {
		this.file = file;
		this.problems = problems;
		this.most = most;
	}

	/** The same of a row that is made only if it may stay. */
	addOf(totalBytes: number, make: () => StatisticRow): void {
		if (totalBytes <= this.leastKept) {
			this.dropped++;
		} else {
			this.add(make());
		}
	}

	add(row: StatisticRow): void {
		this.rows.push(row);
		if (this.rows.length >= ROOM * this.most) {
			this.shrink();
		}
	}

	finish(): { rows: readonly StatisticRow[]; dropped: number } {
		if (this.rows.length > this.most) {
			this.shrink();
		}
		if (this.dropped > 0) {
			this.problems.push({
				severity: 'warning',
				file: this.file,
				message: `holds ${this.rows.length + this.dropped} compilations`,
				action: `the ${this.rows.length} most expensive are kept`,
			});
		}
		return { rows: this.rows, dropped: this.dropped };
	}

	private shrink(): void {
		const kept = new Set([...this.rows].sort((a, b) => b.totalBytes - a.totalBytes).slice(0, this.most));
		this.dropped += this.rows.length - kept.size;
		this.rows = this.rows.filter((row) => kept.has(row));
		this.leastKept = this.rows.reduce((least, { totalBytes }) => Math.min(least, totalBytes), Number.POSITIVE_INFINITY);
	}
}
