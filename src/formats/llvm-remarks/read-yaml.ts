/**
 * LLVM's optimization remarks as YAML: `clang -fsave-optimization-record`, `rustc -Zremark-dir`, `opt -pass-remarks-output`. Source of the form:
 * llvm/lib/Remarks/YAMLRemarkSerializer.cpp. What LLVM writes is a small part of YAML: a document a remark, its keys at the line's begin, arguments as a list,
 * places as `{ File: 'a.c', Line: 3, Column: 5 }`, which goes on in the next line where it is long, and texts of more lines as blocks.
 */
import { forEachLineOfBytes } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import { type Problem, SkippedLines } from '../../model/problem.js';
import { NONE, type Remarks, RemarksBuilder } from '../../model/remarks.js';
import { Texts } from './texts.js';

const BLANK = 0x20;
const DASH = 0x2d;
const COLON = 0x3a;
const QUOTE = 0x27;
const DOUBLE_QUOTE = 0x22;
const ZERO = 0x30;
/** `!Passed`, `!AnalysisFPCommute`. */
const KINDS = new Map(['', 'Passed', 'Missed', 'Analysis', 'AnalysisFPCommute', 'AnalysisAliasing', 'Failure'].map((name, number) => [name, number]));
const CHUNK_BYTES = 4 << 20;

export function isYamlRemarks(head: string): boolean {
	return /^--- !(?:Passed|Missed|Analysis|AnalysisFPCommute|AnalysisAliasing|Failure)\r?\nPass: /.test(head);
}

/** Never throws on content. */
export function readYamlRemarks(source: Source): { readonly remarks: Remarks; readonly problems: readonly Problem[] } {
	const reader = new YamlRemarksReader(source.name, source.sizeBytes);
	forEachLineOfBytes(source, (bytes, start, end, offset, line) => reader.take(bytes, start, end, offset, line), CHUNK_BYTES);
	return reader.done();
}

class YamlRemarksReader {
	private readonly builder: RemarksBuilder;
	private readonly texts = new Texts();
	private readonly skipped: SkippedLines;
	private readonly file: string;
	private readonly unfinished: Problem[] = [];
	private bytes: Uint8Array | null = null;
	private view: DataView = new DataView(new ArrayBuffer(0));
	/** Of the remark that is read; -1: none is. */
	private kind = -1;
	private pass = NONE;
	private name = NONE;
	private function = NONE;
	private place = NONE;
	private key = NONE;
	private value = NONE;
	private argumentPlace = NONE;
	/** What an unfinished place belongs to. */
	private placeOf: 'remark' | 'argument' | null = null;
	private placeFile = NONE;
	private placeLine = 0;
	private placeColumn = 0;
	/** Lines of a text of several. */
	private block: string[] | null = null;

	constructor(file: string, sizeBytes: number) {
		this.file = file;
		// An argument takes about 80 bytes.
		this.builder = new RemarksBuilder(Math.min(1 << 24, 64 + Math.floor(sizeBytes / 80)));
		this.skipped = new SkippedLines(file, 'is no line of a remark');
	}

	take(bytes: Uint8Array, start: number, end: number, offset: number, line: number): void {
		if (bytes !== this.bytes) {
			this.bytes = bytes;
			this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		}
		if (end - start === 0) {
			this.block?.push('');
			return;
		}
		if (bytes[start] !== BLANK) {
			this.takeHead(bytes, start, end, offset, line);
		} else if (this.kind < 0) {
			this.skipped.add(line, offset);
		} else if (bytes[start + 1] === BLANK && bytes[start + 2] === DASH && bytes[start + 3] === BLANK) {
			this.endArgument();
			this.takeArgument(bytes, start + 4, end);
		} else if (this.block !== null) {
			this.block.push(decodeUtf8(bytes, start, end).replace(/^ {1,6}/, ''));
		} else if (this.placeOf !== null) {
			this.takePlace(bytes, start, end);
		} else if (startsWith(bytes, start, end, ARGUMENT_PLACE) && this.key !== NONE) {
			this.beginPlace('argument');
			this.takePlace(bytes, start + ARGUMENT_PLACE.length, end);
		} else {
			this.skipped.add(line, offset);
		}
	}

	/** A line that begins at its first letter. */
	private takeHead(bytes: Uint8Array, start: number, end: number, offset: number, line: number): void {
		this.endArgument();
		this.endPlace();
		if (startsWith(bytes, start, end, BEGIN)) {
			this.endRemark();
			this.kind = KINDS.get(decodeUtf8(bytes, start + BEGIN.length, end).trimEnd()) ?? 0;
		} else if (startsWith(bytes, start, end, END)) {
			this.endRemark();
		} else if (this.kind < 0) {
			this.skipped.add(line, offset);
		} else if (startsWith(bytes, start, end, PASS)) {
			this.pass = this.scalar(bytes, start + PASS.length, end);
		} else if (startsWith(bytes, start, end, NAME)) {
			this.name = this.scalar(bytes, start + NAME.length, end);
		} else if (startsWith(bytes, start, end, FUNCTION)) {
			this.function = this.scalar(bytes, start + FUNCTION.length, end);
		} else if (startsWith(bytes, start, end, PLACE)) {
			this.beginPlace('remark');
			this.takePlace(bytes, start + PLACE.length, end);
		} else if (!startsWith(bytes, start, end, ARGUMENTS) && !startsWith(bytes, start, end, HOTNESS)) {
			this.skipped.add(line, offset);
		}
	}

	private takeArgument(bytes: Uint8Array, start: number, end: number): void {
		const colon = bytes.indexOf(COLON, start);
		if (colon < 0 || colon >= end) {
			return;
		}
		this.key = this.texts.numberOf(bytes, this.view, start, colon);
		const at = skipBlanks(bytes, colon + 1, end);
		if (bytes[at] === 0x7c) {
			this.block = [];
			return;
		}
		this.value = this.scalar(bytes, at, end);
	}

	private endArgument(): void {
		if (this.key === NONE) {
			return;
		}
		if (this.placeOf === 'argument') {
			this.endPlace();
		}
		if (this.block !== null) {
			this.value = this.texts.numberOfText(`${this.block.join('\n')}\n`);
			this.block = null;
		}
		this.builder.addArgument(this.key, this.value, this.argumentPlace);
		this.key = NONE;
		this.value = NONE;
		this.argumentPlace = NONE;
	}

	private beginPlace(of: 'remark' | 'argument'): void {
		this.placeOf = of;
		this.placeFile = NONE;
		this.placeLine = 0;
		this.placeColumn = 0;
	}

	/** `File: 'a.c', Line: 30647,`, in any order and number. */
	private takePlace(bytes: Uint8Array, start: number, end: number): void {
		let at = start;
		while (at < end) {
			const letter = bytes[at]!;
			if (letter === 0x46 && startsWith(bytes, at, end, FILE)) {
				at = this.takeFile(bytes, skipBlanks(bytes, at + FILE.length, end), end);
			} else if (letter === 0x4c && startsWith(bytes, at, end, LINE)) {
				at = skipBlanks(bytes, at + LINE.length, end);
				this.placeLine = numberAt(bytes, at, end);
			} else if (letter === 0x43 && startsWith(bytes, at, end, COLUMN)) {
				at = skipBlanks(bytes, at + COLUMN.length, end);
				this.placeColumn = numberAt(bytes, at, end);
			} else if (letter === 0x7d) {
				this.endPlace();
				return;
			} else {
				at++;
			}
		}
	}

	/** Returns where it ends. */
	private takeFile(bytes: Uint8Array, start: number, end: number): number {
		let stop = start + 1;
		const quote = bytes[start]!;
		if (quote === QUOTE || quote === DOUBLE_QUOTE) {
			for (; stop < end; stop++) {
				if (bytes[stop] === quote && !(quote === QUOTE && bytes[stop + 1] === QUOTE)) {
					break;
				}
				stop += bytes[stop] === (quote === QUOTE ? QUOTE : 0x5c) ? 1 : 0;
			}
			stop = Math.min(stop + 1, end);
		} else {
			while (stop < end && bytes[stop] !== 0x2c && bytes[stop] !== 0x7d) {
				stop++;
			}
		}
		this.placeFile = this.scalar(bytes, start, stop);
		return stop;
	}

	private endPlace(): void {
		if (this.placeOf !== null) {
			const place = this.builder.addPlace(this.placeFile, this.placeLine, this.placeColumn);
			if (this.placeOf === 'remark') {
				this.place = place;
			} else {
				this.argumentPlace = place;
			}
			this.placeOf = null;
		}
	}

	private endRemark(): void {
		if (this.kind >= 0 && this.pass !== NONE && this.name !== NONE) {
			this.builder.add(this.kind, this.pass, this.name, this.function, this.place);
		} else if (this.kind >= 0) {
			this.unfinished.push({ severity: 'warning', file: this.file, message: 'a remark without a pass or a name', action: 'it is left out' });
		}
		this.kind = -1;
		this.pass = NONE;
		this.name = NONE;
		this.function = NONE;
		this.place = NONE;
	}

	/** Plain, or in quotes. */
	private scalar(bytes: Uint8Array, from: number, to: number): number {
		let start = skipBlanks(bytes, from, to);
		let end = to;
		while (end > start && bytes[end - 1] === BLANK) {
			end--;
		}
		const quote = bytes[start];
		if (end - start < 2 || quote !== bytes[end - 1] || (quote !== QUOTE && quote !== DOUBLE_QUOTE)) {
			return this.texts.numberOf(bytes, this.view, start, end);
		}
		start++;
		end--;
		for (let at = start; at < end; at++) {
			if (bytes[at] === (quote === QUOTE ? QUOTE : 0x5c)) {
				const text = decodeUtf8(bytes, start, end);
				return this.texts.numberOfText(quote === QUOTE ? text.replaceAll("''", "'") : unescaped(text));
			}
		}
		return this.texts.numberOf(bytes, this.view, start, end);
	}

	done(): { remarks: Remarks; problems: Problem[] } {
		this.endArgument();
		this.endPlace();
		this.endRemark();
		const more = this.unfinished.length - 1;
		const unfinished = this.unfinished.slice(0, 1).map((one) => (more === 0 ? one : { ...one, message: `${more + 1} remarks without a pass or a name` }));
		return { remarks: this.builder.build(this.texts.text), problems: [...this.skipped.problems(), ...unfinished] };
	}
}

const marks = (text: string): Uint8Array => new TextEncoder().encode(text);
const BEGIN = marks('--- !');
const END = marks('...');
const PASS = marks('Pass:');
const NAME = marks('Name:');
const FUNCTION = marks('Function:');
const PLACE = marks('DebugLoc:');
const ARGUMENTS = marks('Args:');
const HOTNESS = marks('Hotness:');
const ARGUMENT_PLACE = marks('    DebugLoc:');
const FILE = marks('File:');
const LINE = marks('Line:');
const COLUMN = marks('Column:');

function startsWith(bytes: Uint8Array, start: number, end: number, mark: Uint8Array): boolean {
	if (end - start < mark.length) {
		return false;
	}
	for (let i = 0; i < mark.length; i++) {
		if (bytes[start + i] !== mark[i]) {
			return false;
		}
	}
	return true;
}

function skipBlanks(bytes: Uint8Array, start: number, end: number): number {
	let at = start;
	while (at < end && bytes[at] === BLANK) {
		at++;
	}
	return at;
}

function numberAt(bytes: Uint8Array, start: number, end: number): number {
	let number = 0;
	for (let at = start; at < end && bytes[at]! >= ZERO && bytes[at]! <= ZERO + 9; at++) {
		number = number * 10 + bytes[at]! - ZERO;
	}
	return number;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0', e: '\u001b', a: '\u0007', b: '\b', v: '\v', f: '\f' };

function unescaped(text: string): string {
	return text.replace(/\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([\s\S]))/g, (_, two, four, eight, one) => {
		const code = two ?? four ?? eight;
		if (code === undefined) {
			return ESCAPES[one] ?? one;
		}
		const point = Number.parseInt(code, 16);
		return point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';
	});
}
