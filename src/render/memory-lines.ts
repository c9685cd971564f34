/** Lines of the reports of `assay memory`: width, headings, names from logs made harmless. */
import { columns, cutLine, shortenMethod, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

export interface MemoryLines {
	readonly terminal: Terminal;
	line(text: string): void;
	heading(text: string): void;
	/** Breaks at blanks; further lines are indented. */
	wrapped(text: string, indent?: string): void;
	/** A method in what is left of a line after `used` columns. */
	method(name: string, used: number): string;
}

export function memoryLines(writer: TextWriter, terminal: Terminal): MemoryLines {
	const line = (text: string): void => writer.line(0, cutLine(text, terminal.width));
	return {
		terminal,
		line,
		heading(text) {
			line('');
			line(terminal.paint('bold', text));
		},
		wrapped(text, indent = '  ') {
			const width = terminal.width ?? Number.POSITIVE_INFINITY;
			let current = '';
			for (const word of visible(text).split(' ')) {
				if (current !== '' && columns(current) + 1 + columns(word) > width) {
					line(current);
					current = `${indent}  ${word}`;
				} else {
					current = current === '' ? `${indent}${word}` : `${current} ${word}`;
				}
			}
			line(current);
		},
		method: (name, used) => shortenMethod(visible(name), terminal.width === null ? null : Math.max(16, terminal.width - used)),
	};
}
