/**
 * The tables of a compilation without the line that names it, as people paste them into mails and bug reports: indented, quoted with `>`, with a text around
 * them. Their lines follow each other, so the first one that is none of theirs ends them.
 */
import { UNKNOWN_METHOD } from '../../model/compiler-memory.js';
import type { Problem } from '../../model/problem.js';
import { phaseColumns, phaseRow } from './details.js';
import { type phaseTitle, unquoted } from './phase-title.js';
import { PrintBlock } from './print-block.js';
import type { StatisticRow } from './rows.js';

export class PastedTables {
	private readonly block: PrintBlock;
	private readonly quote: string;
	private arenas: readonly string[] | null = null;
	private isTimeline = false;
	private rows = 0;

	/** Only C2 has phases. */
	constructor(file: string, problems: Problem[], { quote, peakBytes }: NonNullable<ReturnType<typeof phaseTitle>>, offset: number, line: number) {
		const head = { compiler: 'c2', compileId: null, result: null, spelling: UNKNOWN_METHOD, totalBytes: peakBytes, arenas: [], bytes: [] };
		this.block = new PrintBlock(file, problems, head, 'print', offset, line);
		this.quote = quote;
	}

	take(text: string, offset: number, end: number): 'taken' | 'closed' | 'foreign' {
		const line = unquoted(text, this.quote);
		const trimmed = line.trim();
		if (trimmed === '') {
			return 'taken';
		}
		if (/^-{3,24}$/.test(trimmed)) {
			return 'closed';
		}
		if (!this.isPart(line, trimmed)) {
			return 'foreign';
		}
		// Blanks before it say that a line is of the tables.
		this.block.take(` ${trimmed.startsWith('Allocation timel') ? `--- ${trimmed}` : line}`, offset, end);
		return 'taken';
	}

	get totalBytes(): number {
		return this.block.totalBytes;
	}

	/** null: only a title came. */
	finish(): (() => StatisticRow) | null {
		return this.rows === 0 ? null : this.block.finish(true);
	}

	private isPart(line: string, trimmed: string): boolean {
		if (this.isTimeline) {
			return /^(?:[<>]?\d{1,10} |Phase seq\. number|\(\d{1,15} older entries lost\))/.test(trimmed);
		}
		if (this.arenas === null) {
			this.arenas = phaseColumns(line);
			return this.arenas !== null;
		}
		this.isTimeline = /^(?:--- )?Allocation timel/.test(trimmed);
		const isRow = !this.isTimeline && phaseRow(line, this.arenas) !== null;
		this.rows += Number(isRow);
		return this.isTimeline || isRow;
	}
}
