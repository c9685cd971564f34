/**
 * Orders of functions as linkers and BOLT read them.
 *   lld   --symbol-ordering-file: symbols; a line that begins with # is a comment
 *   gold  --section-ordering-file: sections, as -ffunction-sections names them; # as above
 *   ld64  -order_file: symbols with an underscore in front, of local ones `object:symbol`; methods of Objective-C as they are
 *   bolt  -reorder-functions=user -function-order: symbols, no comments; a name stands for all local functions `name/1`, `name/2` that have it
 */
import type { TracedFunction } from '../model/function-trace.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

export const ORDER_FILE_FORMATS = ['lld', 'gold', 'ld64', 'bolt'] as const;
export type OrderFileFormat = (typeof ORDER_FILE_FORMATS)[number];

export interface OrderFileView {
	/** The first to run first. */
	readonly functions: readonly TracedFunction[];
	/** Sentences that go before the functions, as comments. */
	readonly notes: readonly string[];
	/** What a symbol means in the source, or null: a comment before it. Left out: no such comments. */
	readonly demangle?: (symbol: string) => string | null;
}

/** Writes the file, each line of a function once; the result is how many symbols could not be written, as the format has no way to spell them. */
export function writeOrderFile(writer: TextWriter, view: OrderFileView, format: OrderFileFormat): number {
	const written = new Set<string>();
	let unwritable = 0;
	const comment = (text: string): void => {
		if (format !== 'bolt') {
			writer.line(0, `# ${visible(text)}`);
		}
	};
	for (const note of view.notes) {
		comment(note);
	}
	for (const traced of view.functions) {
		const line = lineOf(traced, format);
		if (written.has(line)) {
			continue;
		}
		written.add(line);
		if (!isWritable(line)) {
			unwritable++;
			comment(`no line of this file can name ${line}`);
			continue;
		}
		const meaning = view.demangle?.(traced.symbol) ?? null;
		if (meaning !== null) {
			comment(meaning);
		}
		writer.line(0, line);
	}
	return unwritable;
}

function lineOf({ symbol, module, isLocal, isMachO = false }: TracedFunction, format: OrderFileFormat): string {
	switch (format) {
		case 'gold':
			return `.text.${symbol}`;
		case 'ld64':
			return (isLocal && module !== null ? `${objectOf(module)}:` : '') + (isMachO || isMethod(symbol) ? symbol : `_${symbol}`);
		default:
			return symbol;
	}
}

/** Of Objective-C: no linker name of theirs has an underscore in front. */
function isMethod(symbol: string): boolean {
	return symbol.startsWith('-[') || symbol.startsWith('+[');
}

/** ld64 compares with the last part of the object file's path: `src/a.c` is mostly compiled to `a.o`. */
function objectOf(module: string): string {
	return `${module
		.split(/[/\\]/)
		.at(-1)!
		.replace(/\.[^.]*$/, '')}.o`;
}

/** Readers take a line, without blanks around it, and # for a comment. Control characters would not be what they seem. */
function isWritable(line: string): boolean {
	return line !== '' && !line.startsWith('#') && line.trim() === line && visible(line) === line;
}
