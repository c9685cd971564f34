/**
 * What -XX:+PrintInlining tells of the compilers' decisions, JDK 17 to 25: on standard output, or in the LogFile of -XX:+LogCompilation.
 *
 * Lines follow the line of their compilation, but several compiler threads write at a time, in the middle of each other's lines too. A LogFile marks
 * each switch (`<writer thread='N'/>`), so every line is known to belong to the last compilation of its thread, and what
 * was cut is put together where the thread goes on. Standard output has no marks: a line there is counted to the last
 * compilation of the compiler that uses its words, which is right as long as each compiler has one thread.
 *
 * Not in the text: counts, guards, traps, and what failed compilations decided (JDK 17). LogCompilation has them.
 */
import { forEachLineOfBytes } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import type { Problem } from '../../model/problem.js';
import { parseInliningLine } from './line.js';
import { MarkedReader } from './marked-reader.js';
import type { PrintedDecision } from './nesting.js';
import { PlainReader } from './plain-reader.js';

/** All that -XX:+PrintInlining printed, by compilation. */
export interface PrintInlining {
	/** In the order of the file. */
	readonly decisions: readonly PrintedDecision[];
	/** Whether the thread that printed each line is known, and so the compilation that it belongs to. */
	readonly isAttributed: boolean;
	/** Lines that were cut and put together again. */
	readonly repairedLines: number;
	/** Lines that were cut and whose rest was not found, and lines whose place is not known for that. */
	readonly lostLines: number;
	readonly problems: readonly Problem[];
}

const LESS_THAN = 0x3c;

/** Never throws on content. */
export function readPrintInlining(source: Source): PrintInlining {
	let reader: MarkedReader | PlainReader | null = null;
	forEachLineOfBytes(source, (bytes, start, end, offset, number) => {
		const isElement = bytes[start] === LESS_THAN;
		reader ??= isElement ? new MarkedReader(source.name) : new PlainReader(source.name);
		// Of elements only <writer> and </tty> matter.
		if (!isElement || bytes[start + 1] === 0x77 || bytes[start + 1] === 0x2f || reader instanceof PlainReader) {
			reader.line(decodeUtf8(bytes, start, end), offset, number);
		} else {
			reader.element();
		}
	});
	const result = (reader ?? new PlainReader(source.name)) as MarkedReader | PlainReader;
	return { isAttributed: result instanceof MarkedReader, ...result.end() };
}

/** Whether the first bytes of a file are those of this format: standard output, or a LogFile with such lines. */
export function isPrintInlining(head: string): boolean {
	return head.split('\n').some((line) => (parseInliningLine(line)?.verdicts.length ?? 0) > 0);
}
