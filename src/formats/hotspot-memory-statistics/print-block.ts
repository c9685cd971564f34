/**
 * The block that print mode and error reports write for a compilation of C2: a head, the table at the peak, the timeline, `---`. Other output may stand
 * between its lines; what is missing then shows in the sums.
 */

import type { Problem } from '../../model/problem.js';
import { splitSpelledMethod } from '../shared/hotspot/spelled-method.js';
import { nameOf, type PrintHead, printHead } from './line-forms.js';
import { PhaseSums } from './phase-sums.js';
import type { RowForm, StatisticRow } from './rows.js';

const BLANK = 0x20;
const DASH = 0x2d;
/** After so many lines of other output the block is taken for one without an end. */
const MAX_FOREIGN_LINES = 1000;

type CompilationHead = Omit<PrintHead, 'hasTables'>;

export class PrintBlock {
	private readonly file: string;
	private readonly problems: Problem[];
	private readonly head: CompilationHead;
	private readonly form: RowForm;
	private readonly offset: number;
	private readonly line: number;
	private end: number;
	private readonly sums = new PhaseSums();
	private isTimeline = false;
	private foreignLines = 0;

	constructor(file: string, problems: Problem[], head: CompilationHead, form: RowForm, offset: number, line: number) {
		this.file = file;
		this.problems = problems;
		this.head = head;
		this.form = form;
		this.offset = offset;
		this.line = line;
		this.end = offset;
	}

	/** A line of the timeline: only its end and a new head matter. */
	skips(bytes: Uint8Array, start: number, end: number): boolean {
		return this.isTimeline && end - start > 8 && bytes[start] === BLANK && bytes[start + 7] === BLANK && bytes[end - 1] !== DASH;
	}

	/** `foreign`: the line is the beginning of something else, and the block has no end. */
	take(text: string, _offset: number, end: number): 'taken' | 'closed' | 'foreign' {
		const trimmed = text.trim();
		if (trimmed === '---') {
			this.end = end;
			return 'closed';
		}
		if (trimmed.startsWith('--- Alloc')) {
			this.isTimeline = true;
		} else if (this.takeRow(text)) {
			this.foreignLines = 0;
		} else if (printHead(text) !== null || ++this.foreignLines > MAX_FOREIGN_LINES) {
			return 'foreign';
		}
		this.end = end;
		return 'taken';
	}

	private takeRow(text: string): boolean {
		if (!text.startsWith(' ')) {
			return false;
		}
		if (this.isTimeline) {
			return true;
		}
		return this.sums.take(text);
	}

	get totalBytes(): number {
		return this.head.totalBytes;
	}

	/** Of a head alone; the result makes its row. */
	finishLine(end: number): () => StatisticRow {
		this.end = end;
		const { head } = this;
		const sum = head.bytes.reduce((a, b) => a + b, 0);
		if (head.compiler === 'c1' && head.compileId !== null && sum !== head.totalBytes) {
			this.warn(`the arenas of c${head.compileId} sum to ${sum}, not to ${head.totalBytes}`, 'the total is taken as printed');
		}
		return () => this.row(head.arenas, head.bytes, false);
	}

	finish(isClosed: boolean): () => StatisticRow {
		const { sums } = this;
		const { totalBytes } = this.head;
		const name = nameOf(this.head);
		if (!isClosed) {
			this.warn(`the tables of ${name} have no end`, 'what was printed of them is taken');
		}
		if (sums.arenas === null && totalBytes > 0) {
			this.warn(`${name} has no table of its arenas`, 'only its total is known');
		} else if (sums.badRows > 0 || sums.totalBytes !== totalBytes) {
			this.warn(
				`the phases of ${name} sum to ${sums.totalBytes}, not to ${totalBytes}`,
				'lines of the table are lost or mixed with other output; the total is as printed',
			);
		}
		return () => this.row(sums.arenas ?? [], sums.bytes, sums.arenas !== null);
	}

	private row(arenas: readonly string[], bytes: readonly number[], hasDetails: boolean): StatisticRow {
		const { compileId, compiler, result, spelling, totalBytes } = this.head;
		return {
			compileId,
			compiler,
			level: null,
			osrBci: null,
			...splitSpelledMethod(spelling),
			totalBytes,
			byArena: { arenas, bytes },
			...this.sums.byPhase(),
			nodes: null,
			result,
			limitBytes: null,
			hitLimit: false,
			seconds: null,
			thread: null,
			timesCompiled: null,
			skipped: null,
			form: this.form,
			spelling,
			line: this.line,
			block: { start: this.offset, end: this.end },
			details: hasDetails ? { start: this.offset, end: this.end } : null,
		};
	}

	private warn(message: string, action: string): void {
		this.problems.push({ severity: 'warning', file: this.file, line: this.line, message, action });
	}
}
