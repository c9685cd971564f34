/**
 * What has to be known of a module of LLVM IR text before it can be instrumented: its functions and what is said of them elsewhere in the file
 * (attribute groups and debug information stand at its end). One pass over lines, looking at the first bytes of each; no parser of IR.
 * Text of LLVM 15 to 22. The format: LLVM Language Reference Manual.
 */
import { readRange, type Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import { appendTo } from '../../model/append.js';
import { InputError, type Problem } from '../../model/problem.js';
import { type DefineLine, parseDefine } from './define.js';
import { ascii, endOfBody, find, forEachIrLine, startsWith } from './ir-lines.js';
import { machOSymbol, plainName, words } from './tokens.js';

interface IrFunction extends DefineLine {
	/** All its attributes: words and `"key"="value"`. */
	readonly allAttributes: ReadonlySet<string>;
	/** What `__attribute__((annotate("…")))` says. */
	readonly annotations: readonly string[];
	readonly isResolver: boolean;
	readonly file: string | null;
	readonly line: number | null;
}

export interface IrModule {
	readonly sourceFilename: string | null;
	readonly triple: string | null;
	readonly isBigEndian: boolean;
	readonly pointerBits: 32 | 64;
	/** Whether its code will be Mach-O, so that names get an underscore in front. */
	readonly isMachO: boolean;
	readonly functions: readonly IrFunction[];
	readonly sizeBytes: number;
	/** Global names that begin with this are assay's own: the module was instrumented before. */
	readonly isInstrumented: boolean;
}

/** Names of what instrumentation adds begin so. */
const OWN_PREFIX = '__assay_order_';

/** Systems whose objects are Mach-O. */
const APPLE = /-(?:apple|darwin|macosx?|ios|tvos|watchos|xros|visionos)|-macho/;
const DEFINE = ascii('define ');
const NEXT_DEFINE = ascii('\ndefine ');
const ATTRIBUTES = ascii('attributes #');
const SOURCE_FILENAME = ascii('source_filename = ');
const TARGET = ascii('target ');
const OWN = ascii(`@${OWN_PREFIX}`);
const ANNOTATIONS = ascii('@llvm.global.annotations = ');
const STORE = ascii('  store ');
const AT = 0x40;
const BANG = 0x21;
const SEMICOLON = 0x3b;
const SPACE = 0x20;
const CLOSE_BRACE = 0x7d;
const STAR = 0x2a;

/** Called with the bytes of the module, without the lines at its beginning that only tell the names of its file and of its source's. */
export type TakeBytes = (bytes: Uint8Array) => void;

/** Throws InputError when it is no IR text, of an LLVM before 15, or damaged so that it could not be rewritten. */
export function readIrModule(source: Source, takeBytes: TakeBytes = () => {}): IrModule {
	const found = new ModuleFacts(source);
	let skipBytes = 0;
	forEachIrLine(
		source,
		(bytes, start, end, limit) => {
			const namesFile = (found.isFirstLine && bytes[start] === SEMICOLON) || (start === skipBytes && startsWith(bytes, start, end, SOURCE_FILENAME));
			if (namesFile && found.blockOffset === 0) {
				skipBytes = end;
			}
			return found.line(bytes, start, end, limit);
		},
		(block) => {
			takeBytes(block.subarray(skipBytes));
			skipBytes = 0;
			found.blockOffset += block.length;
		},
	);
	return found.finish();
}

/** The pass, its state and what it found so far. */
class ModuleFacts {
	isFirstLine = true;
	/** Where in the file the lines are that come in. */
	blockOffset = 0;
	private lineOffset = 0;
	private readonly source: Source;
	private readonly functions: DefineLine[] = [];
	private readonly groups = new Map<number, string[]>();
	private readonly resolvers = new Set<string>();
	private readonly strings = new Map<string, string>();
	private readonly subprograms = new Map<number, { file: number; line: number }>();
	private readonly files = new Map<number, string>();
	private annotations: string | null = null;
	private sourceFilename: string | null = null;
	private triple: string | null = null;
	private isBigEndian = false;
	private pointerBits: 32 | 64 = 64;
	/** As the data layout says (`m:o`); null without one. */
	private hasMachONames: boolean | null = null;
	private isInstrumented = false;
	private isIr = false;
	private hasDebugInfo = false;
	/** In which function the lines are; null between functions. */
	private open: DefineLine | null = null;

	constructor(source: Source) {
		this.source = source;
	}

	/** May give the start of a later line, as {@link forEachIrLine} wants it. */
	line(bytes: Uint8Array, start: number, end: number, limit: number): number | undefined {
		this.lineOffset = this.blockOffset + start;
		if (this.open !== null) {
			this.bodyLine(bytes, start, end);
			return undefined;
		}
		this.moduleLine(bytes, start, end);
		this.isFirstLine = false;
		return this.open === null ? undefined : this.body(bytes, end, limit);
	}

	private moduleLine(bytes: Uint8Array, start: number, end: number): void {
		switch (bytes[start]) {
			case 0x64: // d
				if (startsWith(bytes, start, end, DEFINE)) {
					this.define(decodeUtf8(bytes, start, end));
				}
				break;
			case AT:
				this.global(bytes, start, end);
				break;
			case BANG:
				if (this.hasDebugInfo) {
					this.metadata(bytes, start, end);
				}
				break;
			case 0x61: // a
				if (startsWith(bytes, start, end, ATTRIBUTES)) {
					this.group(decodeUtf8(bytes, start, end));
				}
				break;
			case 0x73: // s
				if (startsWith(bytes, start, end, SOURCE_FILENAME)) {
					this.isIr = true;
					this.sourceFilename = plainName(decodeUtf8(bytes, start + SOURCE_FILENAME.length, end).trim());
				}
				break;
			case 0x74: // t
				if (startsWith(bytes, start, end, TARGET)) {
					this.target(decodeUtf8(bytes, start, end));
				}
				break;
			case 0x42: // B
				if (this.isFirstLine && bytes[start + 1] === 0x43 && bytes[start + 2] === 0xc0 && bytes[start + 3] === 0xde) {
					throw this.unusable('LLVM bitcode, IR text is expected', 'turn it into text with llvm-dis, or compile with -S -emit-llvm');
				}
		}
	}

	finish(): IrModule {
		if (this.open !== null) {
			throw this.unusable(`the body of @${this.open.irName} does not end: the file was cut`, 'write it again');
		}
		if (!this.isIr && this.functions.length === 0) {
			throw this.unusable('no LLVM IR text', 'give the output of clang -S -emit-llvm, or of llvm-dis');
		}
		const annotations = this.annotationsOf();
		const isMachO = this.hasMachONames ?? APPLE.test(this.triple ?? '');
		return {
			sourceFilename: this.sourceFilename,
			triple: this.triple,
			isBigEndian: this.isBigEndian,
			pointerBits: this.pointerBits,
			sizeBytes: this.source.sizeBytes,
			isInstrumented: this.isInstrumented,
			isMachO,
			functions: this.functions.map((define) => {
				const debug = define.debugInfo === null ? undefined : this.subprograms.get(define.debugInfo);
				return {
					...define,
					symbol: isMachO ? machOSymbol(define.irName) : define.symbol,
					allAttributes: new Set([...define.attributes, ...define.attributeGroups.flatMap((group) => this.groups.get(group) ?? [])]),
					annotations: annotations.get(define.irName) ?? [],
					isResolver: this.resolvers.has(define.irName),
					file: debug === undefined ? null : (this.files.get(debug.file) ?? null),
					line: debug === undefined || debug.line === 0 ? null : debug.line,
				};
			}),
		};
	}

	private define(text: string): void {
		const define = parseDefine(text);
		if (define === null) {
			throw this.unusable('a function whose first line is not understood', 'write the text with clang, opt or llvm-dis of LLVM 15 to 22', this.lineOffset);
		}
		if (hasTypedPointer(text)) {
			throw this.typedPointers();
		}
		this.isIr = true;
		this.hasDebugInfo ||= define.debugInfo !== null;
		this.open = define;
		this.functions.push(define);
	}

	/** Passes over a body that is there as a whole and has nothing of interest: gives the start of its last line. */
	private body(bytes: Uint8Array, start: number, limit: number): number | undefined {
		const end = endOfBody(bytes, start, limit);
		const isPlain = end >= 0 && find(bytes, NEXT_DEFINE, start - 1, end) < 0 && bytes.subarray(start, end).indexOf(STAR) < 0;
		return isPlain ? end : undefined;
	}

	private bodyLine(bytes: Uint8Array, start: number, end: number): void {
		const first = bytes[start];
		if (first === CLOSE_BRACE) {
			this.open = null;
		} else if (first === SPACE && startsWith(bytes, start, end, STORE)) {
			const star = bytes.indexOf(STAR, start);
			if (star >= 0 && star < end && hasTypedPointer(decodeUtf8(bytes, start, end))) {
				throw this.typedPointers();
			}
		} else if (first === 0x64 && startsWith(bytes, start, end, DEFINE)) {
			throw this.unusable(`the body of @${this.open?.irName} does not end before the next function`, 'write the file again', this.lineOffset);
		}
	}

	private global(bytes: Uint8Array, start: number, end: number): void {
		if (startsWith(bytes, start, end, OWN)) {
			this.isInstrumented = true;
		} else if (startsWith(bytes, start, end, ANNOTATIONS)) {
			this.annotations = decodeUtf8(bytes, start, end);
		}
		// Of long lines, tables of data, the first part tells what they are.
		const text = decodeUtf8(bytes, start, Math.min(end, start + 4096));
		const ifunc = /^@(?:"[^"]*"|[-a-zA-Z$._0-9]+) = (?:[a-z_]+ |[a-z_]+\([^)]*\) )*ifunc /.test(text);
		if (ifunc) {
			const [symbols = ''] = text.split(', partition ', 1);
			const resolver = symbols.match(/@(?:"[^"]*"|[-a-zA-Z$._0-9]+)/g)?.at(-1);
			if (resolver !== undefined) {
				this.resolvers.add(resolver.slice(1));
			}
		}
		const string = /^@("[^"]*"|[-a-zA-Z$._0-9]+) = .*section "llvm\.metadata"/.exec(text);
		const value = string === null ? null : / c"([^"]*)\\00"/.exec(text);
		if (string !== null && value !== null) {
			this.strings.set(string[1]!, value[1]!);
		}
	}

	private metadata(bytes: Uint8Array, start: number, end: number): void {
		// !12 = distinct !DISubprogram(name: "f", …, file: !5, line: 12, …)
		const equals = bytes.indexOf(0x3d, start);
		const kind = equals < 0 || equals >= end ? '' : decodeUtf8(bytes, equals + 2, Math.min(end, equals + 24));
		if (kind.startsWith('distinct !DISubprogram')) {
			const text = decodeUtf8(bytes, start, end).replace(/"[^"]*"/g, '""');
			const file = /[( ]file: !(\d+)/.exec(text);
			const line = /[( ]line: (\d+)/.exec(text);
			if (file !== null) {
				this.subprograms.set(Number(text.slice(1, text.indexOf(' '))), { file: Number(file[1]), line: line === null ? 0 : Number(line[1]) });
			}
		} else if (kind.startsWith('!DIFile(')) {
			const text = decodeUtf8(bytes, start, end);
			const name = /filename: ("[^"]*")/.exec(text);
			if (name !== null) {
				this.files.set(Number(text.slice(1, text.indexOf(' '))), plainName(name[1]!));
			}
		}
	}

	private group(text: string): void {
		const number = /^attributes #(\d+) = \{/.exec(text);
		if (number !== null) {
			this.groups.set(Number(number[1]), words(text.slice(number[0].length).replace(/\}\s*$/, '')));
		}
	}

	private target(text: string): void {
		const value = /^target (datalayout|triple) = "([^"]*)"/.exec(text);
		if (value !== null) {
			this.isIr = true;
		}
		if (value?.[1] === 'triple') {
			this.triple = value[2]!;
		} else if (value?.[1] === 'datalayout') {
			this.isBigEndian = /^E(?:-|$)/.test(value[2]!);
			this.hasMachONames = /(?:^|-)m:o(?:-|$)/.test(value[2]!);
			this.pointerBits = /(?:^|-)p0?:32(?::|-|$)/.test(value[2]!) ? 32 : 64;
		}
	}

	/** What functions are annotated with: `{ ptr @f, ptr @.str, ptr @.str.1, i32 3, ptr null }` for each. */
	private annotationsOf(): Map<string, string[]> {
		const found = new Map<string, string[]>();
		for (const entry of this.annotations?.matchAll(/\{ ptr @("[^"]*"|[-a-zA-Z$._0-9]+), ptr @("[^"]*"|[-a-zA-Z$._0-9]+),/g) ?? []) {
			const [, name, string] = entry as unknown as [string, string, string];
			const text = this.strings.get(string);
			if (text !== undefined) {
				appendTo(found, name, text);
			}
		}
		return found;
	}

	private typedPointers(): InputError {
		return this.unusable(
			'the IR has typed pointers (i8*): it was written by an LLVM before 15',
			'compile with clang 15 or later, or let opt -opaque-pointers of LLVM 14 to 16 write it',
			this.lineOffset,
		);
	}

	private unusable(message: string, action: string, offset?: number): InputError {
		const line = offset === undefined ? {} : { line: lineAt(this.source, offset) };
		const problem: Problem = { severity: 'error', file: this.source.name, ...line, message, action };
		return new InputError(problem);
	}
}

/** A `*` after a type, outside of quoted text and comments. */
function hasTypedPointer(text: string): boolean {
	return /[\w)}>\]]\*+(?=[ ,)]|$)/.test(text.replace(/"[^"]*"/g, 'q').replace(/;[\s\S]*/, ''));
}

/** The number of the line at an offset; only for messages, so it is counted then. */
function lineAt(source: Source, offset: number): number {
	let line = 1;
	for (let position = 0; position < offset; position += 1 << 20) {
		for (const byte of readRange(source, position, Math.min(offset, position + (1 << 20)))) {
			line += byte === 0x0a ? 1 : 0;
		}
	}
	return line;
}
