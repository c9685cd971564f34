/** PrintInlining's lines on standard output: what several threads and the program wrote, without marks. */

import { type Problem, SkippedLines } from '../../model/problem.js';
import { findCompilationLine } from '../shared/hotspot/compilation-line.js';
import { beginsInliningLine, compilerOf, type InliningLine, isBegin, isCutInliningLine, parseInliningLine, parseReceiverLine, ROOT_COLUMN } from './line.js';
import { Nesting, type PrintedDecision } from './nesting.js';

type Compiler = 'c1' | 'c2';

/** A line of a run of such lines. */
interface RunLine {
	readonly text: string;
	readonly inlining: InliningLine | null;
	readonly compiler: Compiler | null;
	readonly number: number;
	readonly offset: number;
}

interface Cut {
	readonly text: string;
	/** That printed the lines before it. */
	readonly compiler: Compiler;
	readonly number: number;
	readonly offset: number;
}

/** Lines after which the rest of one that was cut is no longer waited for. */
const MAX_DISTANCE = 100;
/** Lines of a run: a compilation has fewer. */
const MAX_RUN = 100_000;

export class PlainReader {
	private readonly decisions: PrintedDecision[] = [];
	private readonly nestings = { c1: new Nesting(), c2: new Nesting() };
	/** The compiler of the last compilation that began. */
	private last: Compiler = 'c1';
	private run: RunLine[] = [];
	private cut: Cut | null = null;
	private repaired = 0;
	private lostLines = 0;
	private readonly lost: SkippedLines;

	constructor(file: string) {
		this.lost = new SkippedLines(file, 'the line of a decision is cut, or the call around it is not there');
	}

	element(): void {}

	line(line: string, offset: number, number: number): void {
		if (this.cut !== null && this.cut.number + MAX_DISTANCE < number) {
			this.lose(this.cut);
			this.cut = null;
		}
		let at = 0;
		for (let found = findCompilationLine(line, 0); found !== null; ) {
			const before = line.slice(at, found.start);
			if (!isPadding(before, found.stampMs)) {
				this.piece(before, offset + at, number, true);
			}
			if (isBegin(line, found.end)) {
				this.endRun();
				this.last = found.level === null || found.level === 4 ? 'c2' : 'c1';
				if (!found.isNative) {
					this.nestings[this.last].begin(found.compileId);
				}
			}
			const next = findCompilationLine(line, found.end);
			at = next?.start ?? line.length;
			found = next;
		}
		if (at < line.length || line === '') {
			this.piece(line.slice(at), offset + at, number, false);
		}
	}

	end(): { decisions: PrintedDecision[]; repairedLines: number; lostLines: number; problems: readonly Problem[] } {
		this.endRun();
		if (this.cut !== null) {
			this.lose(this.cut);
		}
		return { decisions: this.decisions, repairedLines: this.repaired, lostLines: this.lostLines, problems: this.lost.problems() };
	}

	/** A line, or a part of one that the line of a compilation interrupts. */
	private piece(text: string, offset: number, number: number, isInterrupted: boolean): void {
		if (this.cut !== null && (!beginsInliningLine(text) || isRestOfIndent(this.cut.text, text))) {
			const whole = this.cut.text + text;
			if (this.take(whole, this.cut.offset, number, this.cut.compiler)) {
				this.cut = null;
				this.repaired++;
				return;
			}
			if (isInterrupted && !isCutInliningLine(text) && isCutInliningLine(whole)) {
				this.cut = { ...this.cut, text: whole, number };
				return;
			}
		}
		if (this.take(text, offset, number, null) || !isCutInliningLine(text)) {
			return;
		}
		if (this.cut !== null) {
			this.lose(this.cut);
		}
		this.cut = { text, number, offset, compiler: this.run.findLast((line) => line.compiler !== null)?.compiler ?? this.last };
	}

	/** Whether a text is a line. `cutFrom` is the compiler of the lines before it if it was put together. */
	private take(text: string, offset: number, number: number, cutFrom: Compiler | null): boolean {
		const inlining = parseInliningLine(text);
		if (inlining !== null && inlining.verdicts.length > 0) {
			this.run.push({ text, inlining, compiler: compilerOf(inlining) ?? cutFrom, number, offset });
		} else if (parseReceiverLine(text) !== null) {
			this.run.push({ text, inlining: null, compiler: 'c2', number, offset });
		} else {
			return false;
		}
		if (this.run.length >= MAX_RUN) {
			this.endRun();
		}
		return true;
	}

	/** Lines with words of both compilers are counted to that of the line before, else to that of the next. */
	private endRun(): void {
		let compiler = this.run.find((line) => line.compiler !== null)?.compiler ?? this.last;
		for (const line of this.run) {
			compiler = line.compiler ?? compiler;
			const nesting = this.nestings[compiler];
			if (line.inlining !== null) {
				if (!nesting.decide(line.inlining, line.number, this.decisions)) {
					this.lose(line);
				}
				continue;
			}
			const receiver = parseReceiverLine(line.text);
			if (receiver === null || !nesting.addReceiver(receiver.column, receiver.receiver)) {
				this.lose(line);
			}
		}
		this.run = [];
	}

	private lose({ number, offset }: { number: number; offset: number }): void {
		this.lostLines++;
		this.lost.add(number, offset);
	}
}

/** JDK 17 prints the stamp in seven columns. */
function isPadding(text: string, stampMs: number | null): boolean {
	return text.trim() === '' && text.length + String(stampMs).length === 7;
}

/** Whether a line was cut in its indent, and the text is what follows: no line begins so far left. */
function isRestOfIndent(cut: string, text: string): boolean {
	return cut.trim() === '' && (parseInliningLine(text)?.column ?? ROOT_COLUMN) < ROOT_COLUMN;
}
