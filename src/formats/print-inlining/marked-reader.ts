/** PrintInlining's lines in a LogFile: escaped, and with a mark where another thread begins to write. */

import { type Problem, SkippedLines } from '../../model/problem.js';
import { cutCompilationLine, findCompilationLine } from '../shared/hotspot/compilation-line.js';
import { isBegin, isCutInliningLine, parseInliningLine, parseReceiverLine } from './line.js';
import { Nesting, type PrintedDecision } from './nesting.js';

interface Held {
	readonly text: string;
	readonly number: number;
	readonly offset: number;
}

/** A thread. Its last line is held back: it may go on after a switch. */
interface Writer {
	readonly nesting: Nesting;
	held: Held | null;
	wasInterrupted: boolean;
}

/** A longer one is no longer put together. */
const MAX_LINE_LENGTH = 20_000;
const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', apos: "'", quot: '"' };

export class MarkedReader {
	private readonly decisions: PrintedDecision[] = [];
	private readonly writers = new Map<string, Writer>();
	private writer: Writer;
	private isOver = false;
	private repaired = 0;
	private lostLines = 0;
	private readonly lost: SkippedLines;

	constructor(file: string) {
		this.writer = this.writerOf('');
		this.lost = new SkippedLines(file, 'the line of a decision is cut, or the call around it is not there');
	}

	/** An element begins: what the thread printed before is whole. */
	element(): void {
		this.flush(this.writer);
	}

	line(line: string, offset: number, number: number): void {
		if (this.isOver) {
			return;
		}
		const { writer } = this;
		if (line.startsWith('<')) {
			if (line.startsWith('<writer ')) {
				writer.wasInterrupted = true;
				this.writer = this.writerOf(/'([^']*)'/.exec(line)?.[1] ?? '');
			} else {
				this.flush(writer);
				// Fragments of the compilers' logs follow, without this text.
				this.isOver = line === '</tty>';
			}
		} else if (writer.held !== null && writer.wasInterrupted && goesOn(writer.held.text, line)) {
			writer.held = { text: writer.held.text + line, number, offset: writer.held.offset };
			writer.wasInterrupted = false;
			this.repaired++;
		} else {
			this.flush(writer);
			writer.held = { text: line, number, offset };
		}
	}

	end(): { decisions: PrintedDecision[]; repairedLines: number; lostLines: number; problems: readonly Problem[] } {
		for (const writer of this.writers.values()) {
			this.flush(writer);
		}
		return { decisions: this.decisions, repairedLines: this.repaired, lostLines: this.lostLines, problems: this.lost.problems() };
	}

	private flush(writer: Writer): void {
		const { held, nesting } = writer;
		writer.held = null;
		writer.wasInterrupted = false;
		if (held === null) {
			return;
		}
		const text = plainText(held.text);
		const line = parseInliningLine(text);
		if (line !== null && line.verdicts.length > 0) {
			if (!nesting.decide(line, held.number, this.decisions)) {
				this.lose(held);
			}
			return;
		}
		const compilation = findCompilationLine(text, 0);
		if (compilation !== null) {
			if (!compilation.isNative && isBegin(text, compilation.end)) {
				nesting.begin(compilation.compileId);
			}
			return;
		}
		const receiver = parseReceiverLine(text);
		const isKept = receiver !== null && nesting.addReceiver(receiver.column, receiver.receiver);
		if (!isKept && isCutInliningLine(text)) {
			this.lose(held);
		}
	}

	private lose({ number, offset }: Held): void {
		this.lostLines++;
		this.lost.add(number, offset);
	}

	private writerOf(thread: string): Writer {
		let writer = this.writers.get(thread);
		if (writer === undefined) {
			writer = { nesting: new Nesting(), held: null, wasInterrupted: false };
			this.writers.set(thread, writer);
		}
		return writer;
	}
}

/** Whether a thread's line goes on in its next one. */
function goesOn(text: string, next: string): boolean {
	if (text.length > MAX_LINE_LENGTH) {
		return false;
	}
	if (isWholeLine(text)) {
		return /^ {0,4}\S/.test(next) && !/^ {0,8}\d{1,10} {1,8}\d/.test(next);
	}
	return /^ {1,4000}$/.test(text) || isCutInliningLine(text) || cutCompilationLine(text) !== null;
}

function isWholeLine(escaped: string): boolean {
	const text = plainText(escaped);
	const line = parseInliningLine(text);
	return line === null ? findCompilationLine(text, 0) !== null || parseReceiverLine(text) !== null : line.verdicts.length > 0;
}

function plainText(text: string): string {
	return text.includes('&') ? text.replace(/&(lt|gt|amp|apos|quot);/g, (_, name: string) => ENTITIES[name]!) : text;
}
