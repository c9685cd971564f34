/**
 * Logs of XRay (`clang -fxray-instrument`) as `llvm-xray convert -f yaml -symbolize --no-demangle -instr_map=PROGRAM LOG` prints them: a header, then a line for each
 * record, those of a thread together. https://llvm.org/docs/XRay.html; tried with logs of the basic mode of LLVM 22.
 *   - { type: 0, func-id: 5, function: main, cpu: 0, thread: 17269, process: 17269, kind: function-enter, tsc: 1795475017476557618, data: '' }
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import type { ListedFunction } from '../../model/listed-function.js';
import { type Problem, SkippedLines } from '../../model/problem.js';

const RECORD = /^ *- \{ type: \d+, func-id: (\d+), function: /;
const REST = /^, cpu: \d+, thread: \d+, (?:process: \d+, )?kind: ([a-z-]+), tsc: (\d+)/;
const HEAD = /^---\s*\nheader: *\n +version: +\d+\s*\n +type: +\d+\s*\n +constant-tsc:/;
/** What stands before the records, and the end. */
const OTHER = /^(?:---|\.\.\.|header:|records:| {2}[a-z-]+: +\S+)? *$/;

export function isXrayYaml(head: string): boolean {
	return HEAD.test(head);
}

export interface XrayLog {
	/** A row for each function, the first to be entered first. */
	readonly rows: readonly ListedFunction[];
	readonly problems: readonly Problem[];
}

/** Never throws on content. */
export function readXrayYaml(source: Source): XrayLog {
	const skipped = new SkippedLines(source.name, 'expected a record of llvm-xray convert -f yaml');
	const first = new Map<string, { readonly tsc: string; readonly line: number }>();
	let numbers = 0;
	forEachLine(source, (line, offset, number) => {
		const [head = '', id] = RECORD.exec(line) ?? [];
		const end = head === '' ? -1 : line.lastIndexOf(', cpu: ');
		const [, kind = '', tsc = ''] = end < head.length ? [] : (REST.exec(line.slice(end)) ?? []);
		if (kind === '') {
			if (!OTHER.test(line)) {
				skipped.add(number, offset);
			}
			return;
		}
		if (!kind.startsWith('function-enter')) {
			return;
		}
		const name = unquoted(line.slice(head.length, end));
		if (name === id) {
			numbers++;
			return;
		}
		const known = first.get(name);
		if (known === undefined || isLess(tsc, known.tsc)) {
			first.set(name, { tsc, line: number });
		}
	});
	const byTime = [...first].sort(([, a], [, b]) => (a.tsc === b.tsc ? a.line - b.line : isLess(a.tsc, b.tsc) ? -1 : 1));
	const problems = [...skipped.problems()];
	const convert = 'convert the log with llvm-xray convert -f yaml -symbolize --no-demangle -instr_map=PROGRAM LOG';
	if (numbers > 0) {
		problems.push({
			severity: 'error',
			file: source.name,
			message: `functions are named by numbers: ${numbers} of its records were left out`,
			action: convert,
		});
	}
	return { rows: byTime.map(([symbol]) => ({ symbol, module: null, address: null })), problems };
}

/** YAML quotes names that could be something else: `'5'`, `'f(int, int)'`. */
function unquoted(text: string): string {
	return text.length > 1 && text.startsWith("'") && text.endsWith("'") ? text.slice(1, -1).replaceAll("''", "'") : text;
}

/** Numbers of 64 bits in decimal digits. */
function isLess(a: string, b: string): boolean {
	return a.length === b.length ? a < b : a.length < b.length;
}
