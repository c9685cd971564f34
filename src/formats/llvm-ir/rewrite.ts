/**
 * Puts text into functions of a module of LLVM IR, behind the allocas of their entry blocks, and copies the rest. Everything that would then be untrue
 * is taken away: attributes that promise not to write memory, summaries of ThinLTO, orders of use lists.
 *
 * The entry block is split: `phi`s that name it as predecessor must name what is left of it, the continuation. A new block in front would not need that,
 * but would leave the allocas outside of the entry block, where they cost a frame pointer.
 */
import type { Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import { parseDefine } from './define.js';
import { ascii, endOfBody, find, forEachIrLine, startsWith } from './ir-lines.js';
import { words } from './tokens.js';

export interface IrEdits {
	/** Text before the first function, with its line end. */
	readonly globals: string;
	/** What function number `index` begins with; ends with the label of the continuation. null: it is left as it is. */
	readonly prologue: (index: number) => string | null;
	/** The label that prologues end with. */
	readonly continuation: string;
}

const DEFINE = ascii('define ');
const ATTRIBUTES = ascii('attributes #');
const USE_LIST = ascii('uselistorder');
const USE_LIST_INDENTED = ascii('  uselistorder');
const USE_LIST_LINE = ascii('\n  uselistorder');
const PHI = ascii('phi ');
const PHI_WORD = ascii(' = phi ');
const LF = 10;
const SPACE = 0x20;
const QUOTE = 0x22;
const PERCENT = 0x25;
const EQUALS = 0x3d;
const CLOSE_BRACE = 0x7d;
const CARET = 0x5e;
const FLUSH_BYTES = 1 << 18;

/** Calls `write` with the parts of the new text; they are valid until it returns. */
export function rewriteIr(source: Source, edits: IrEdits, write: (bytes: Uint8Array) => void): void {
	const out = new Output(write);
	const entry = new EntryBlock();
	let state: 'module' | 'entry' | 'body' | 'untouched' = 'module';
	let index = 0;
	let hasGlobals = false;
	let prologue = '';

	const closeEntry = (): void => {
		out.text(entry.with(prologue));
		state = 'body';
	};
	const moduleLine = (bytes: Uint8Array, start: number, end: number): void => {
		const first = bytes[start];
		if (first === 0x64 && startsWith(bytes, start, end, DEFINE)) {
			if (!hasGlobals) {
				out.text(edits.globals);
				hasGlobals = true;
			}
			const text = edits.prologue(index++);
			if (text === null) {
				out.bytes(bytes, start, end);
				state = 'untouched';
				return;
			}
			prologue = text;
			const line = decodeUtf8(bytes, start, end);
			const define = parseDefine(line);
			out.text(define === null ? line : line.slice(0, define.tailStart) + withoutPromises(line.slice(define.tailStart)));
			entry.begin(`%${define?.unnamedParameters ?? 0}`);
			state = 'entry';
		} else if (first === 0x61 && startsWith(bytes, start, end, ATTRIBUTES)) {
			out.text(groupWithoutPromises(decodeUtf8(bytes, start, end)));
		} else if (first === CARET || (first === 0x75 && startsWith(bytes, start, end, USE_LIST))) {
			return;
		} else {
			out.bytes(bytes, start, end);
		}
	};
	const line = (bytes: Uint8Array, start: number, end: number): void => {
		if (isPhi(bytes, start, end)) {
			out.text(withPredecessor(decodeUtf8(bytes, start, end), entry.label, `%${edits.continuation}`));
		} else if (!startsWith(bytes, start, end, USE_LIST_INDENTED)) {
			out.bytes(bytes, start, end);
		}
	};
	const bodyLine = (bytes: Uint8Array, start: number, end: number): undefined => {
		if (bytes[start] === CLOSE_BRACE) {
			state = 'module';
			out.bytes(bytes, start, end);
		} else if (state === 'body') {
			line(bytes, start, end);
		} else if (!startsWith(bytes, start, end, USE_LIST_INDENTED)) {
			out.bytes(bytes, start, end);
		}
	};
	/** The rest of a body, up to its last line, when it is there as a whole: only lines with these words are looked at. */
	const rest = (bytes: Uint8Array, start: number, limit: number): number | undefined => {
		const end = endOfBody(bytes, start, limit);
		if (end < 0 || find(bytes, USE_LIST_LINE, start - 1, end) >= 0) {
			return undefined;
		}
		let copied = start;
		for (let at = state === 'body' ? find(bytes, PHI_WORD, start, end) : -1; at >= 0; at = find(bytes, PHI_WORD, copied, end)) {
			const lineStart = bytes.lastIndexOf(LF, at) + 1;
			const lineEnd = bytes.indexOf(LF, at) + 1;
			out.bytes(bytes, copied, lineStart);
			line(bytes, lineStart, lineEnd);
			copied = lineEnd;
		}
		out.bytes(bytes, copied, end);
		return end;
	};

	forEachIrLine(source, (bytes, start, end, limit) => {
		if (state === 'entry') {
			if (entry.take(decodeUtf8(bytes, start, end))) {
				return undefined;
			}
			closeEntry();
			return rest(bytes, start, limit) ?? bodyLine(bytes, start, end);
		}
		if (state !== 'module') {
			return bodyLine(bytes, start, end);
		}
		moduleLine(bytes, start, end);
		// The line above may have changed it.
		return (state as string) === 'untouched' ? rest(bytes, end, limit) : undefined;
	});
	out.flush();
}

/** `  %name = phi …` */
function isPhi(bytes: Uint8Array, start: number, end: number): boolean {
	let i = start;
	while (bytes[i] === SPACE) {
		i++;
	}
	if (bytes[i] !== PERCENT) {
		return false;
	}
	if (bytes[i + 1] === QUOTE) {
		i = bytes.indexOf(QUOTE, i + 2);
	}
	while (i < end && i >= 0 && bytes[i] !== EQUALS) {
		i++;
	}
	return i >= 0 && startsWith(bytes, i + 2, end, PHI);
}

/** Replaces the predecessor in `[ value, %label ]`: only there does a local name stand between a comma and a closing bracket. */
export function withPredecessor(line: string, label: string, replacement: string): string {
	let result = '';
	let from = 0;
	for (let at = line.indexOf(label); at >= 0; at = line.indexOf(label, at + 1)) {
		const rest = /^\s*\]/.exec(line.slice(at + label.length));
		if (rest !== null && /,\s*$/.test(line.slice(from, at))) {
			result += line.slice(from, at) + replacement;
			from = at + label.length;
		}
	}
	return result + line.slice(from);
}

/** Calls of these do not run code of the program, or have to stay in the entry block. */
const INTRINSIC = /^\s+(?:%(?:"[^"]*"|[-a-zA-Z$._0-9]+) = )?(?:(?:tail|musttail|notail) )?call [^@]*@llvm\./;
const CALL = /^\s+(?:%(?:"[^"]*"|[-a-zA-Z$._0-9]+) = )?(?:(?:tail|musttail|notail) )?call\b/;
const LIBRARY = /@llvm\.(?:mem(?:cpy|move|set)|gc\.|experimental\.gc|objc)/;
const STAYS = /^\s+%(?:"[^"]*"|[-a-zA-Z$._0-9]+) = alloca\b|@llvm\.(?:localescape|experimental\.convergence\.entry)\b/;
const TERMINATOR = /^\s+(?:%(?:"[^"]*"|[-a-zA-Z$._0-9]+) = )?(?:ret|br|switch|indirectbr|invoke|callbr|resume|catchswitch|catchret|cleanupret|unreachable)\b/;
const LABEL = /^("[^"]*"|[-a-zA-Z$._0-9]+):/;

/** The lines of an entry block as far as allocas may stand: up to its end, or to the first call that may run other functions. */
class EntryBlock {
	/** As predecessors name it. */
	label = '';
	private lines = '';
	/** Where the last line ends that has to stay in front. */
	private split = 0;
	private isFirst = true;

	begin(implicitLabel: string): void {
		this.label = implicitLabel;
		this.lines = '';
		this.split = 0;
		this.isFirst = true;
	}

	/** false: the line is beyond the part that is of interest, and was not taken. */
	take(line: string): boolean {
		if (/^\s*(?:;|$)/.test(line)) {
			this.lines += line;
			return true;
		}
		const label = LABEL.exec(line);
		if (label !== null) {
			if (!this.isFirst) {
				return false;
			}
			this.label = `%${label[1]}`;
			this.lines += line;
			this.split = this.lines.length;
			this.isFirst = false;
			return true;
		}
		this.isFirst = false;
		if (line.startsWith('}') || TERMINATOR.test(line) || (CALL.test(line) && (!INTRINSIC.test(line) || LIBRARY.test(line)))) {
			return false;
		}
		this.lines += line;
		if (STAYS.test(line)) {
			this.split = this.lines.length;
		}
		return true;
	}

	with(prologue: string): string {
		return this.lines.slice(0, this.split) + prologue + this.lines.slice(this.split);
	}
}

/** Promises that a function that logs its first execution does not keep, in the words of LLVM 15 and of 16 to 22. */
const PROMISES = new Set(['nosync', 'speculatable', 'readnone', 'readonly', 'writeonly', 'argmemonly', 'inaccessiblememonly', 'inaccessiblemem_or_argmemonly']);

function isPromise(word: string): boolean {
	return PROMISES.has(word) || word.startsWith('memory(');
}

/** What follows the parameters of a define, up to the line's end. */
function withoutPromises(tail: string): string {
	const all = words(tail);
	return all.some(isPromise) ? ` ${all.filter((word) => !isPromise(word)).join(' ')}\n` : tail;
}

/** LLVM reads no empty group; of attributes in quotes it knows a few, and keeps the others. */
const NO_ATTRIBUTE = '"assay-no-promise"';

/** Groups are shared by functions and calls: of calls to instrumented functions the promises are not true either. */
function groupWithoutPromises(line: string): string {
	const head = /^attributes #\d+ = \{/.exec(line);
	if (head === null) {
		return line;
	}
	const all = words(line.slice(head[0].length).replace(/\}\s*$/, ''));
	const kept = all.filter((word) => !isPromise(word));
	return kept.length === all.length ? line : `${head[0]} ${kept.length === 0 ? NO_ATTRIBUTE : kept.join(' ')} }\n`;
}

/** One for all: modules are rewritten one after the other. */
const OUTPUT = Buffer.allocUnsafeSlow(FLUSH_BYTES);

/** Collects small parts: a write for each line would cost more than the line. */
class Output {
	private readonly write: (bytes: Uint8Array) => void;
	private readonly buffer = OUTPUT;
	private filled = 0;

	constructor(write: (bytes: Uint8Array) => void) {
		this.write = write;
	}

	text(text: string): void {
		if (text !== '') {
			const bytes = Buffer.from(text);
			this.bytes(bytes, 0, bytes.length);
		}
	}

	bytes(bytes: Uint8Array, start: number, end: number): void {
		if (this.filled + end - start > FLUSH_BYTES) {
			this.flush();
		}
		if (end - start > FLUSH_BYTES) {
			this.write(bytes.subarray(start, end));
			return;
		}
		// Lines are short: a loop beats the call of a copy.
		const { buffer } = this;
		if (end - start < 64) {
			for (let i = start, to = this.filled; i < end; i++, to++) {
				buffer[to] = bytes[i]!;
			}
		} else {
			buffer.set(bytes.subarray(start, end), this.filled);
		}
		this.filled += end - start;
	}

	flush(): void {
		if (this.filled > 0) {
			this.write(this.buffer.subarray(0, this.filled));
			this.filled = 0;
		}
	}
}
