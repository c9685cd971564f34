/**
 * First pass over a file of Graal's optimization log (`-Djdk.graal.OptimizationLog=Directory`, Graal 22.3 to 25): one JSON
 * object a line, one line a compilation, such as
 *   {"methodName":"java.lang.String.length()","compilationId":"512","inliningTree":{…},"optimizationTree":{…}}
 * Only the two first fields and the byte range of each line are taken; a line is 5 kB to 5 MB and its trees are rarely needed.
 * Lines end with \n, \r\n or \r. With `OptimizationLog=Stdout` the lines stand among those of the program, or behind what it had printed of a line.
 */
import { CLOSE_BRACE, COLON, COMMA, ExactJsonReader, JsonSyntaxError, OPEN_BRACE } from '../../bytes/exact-json.js';
import { newBytes, readRange, type Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import type { Problem } from '../../model/problem.js';

export interface ScannedUnit {
	readonly compileId: string;
	/** As logged, with the multi-method key. */
	readonly fullName: string;
	readonly startByte: number;
	/** Without the line end. */
	readonly endByte: number;
	/** How many line ends before this line are \r\n. */
	readonly crlfBefore: number;
	/** From 1. */
	readonly line: number;
}

export interface ScanProblem extends Problem {
	/** An integer that Graal's own reader cannot hold: its tools stop here. */
	readonly isFatalToReference: boolean;
}

export interface ScanResult {
	readonly units: ScannedUnit[];
	/** One for each line that is no compilation unit: the lines that were skipped. */
	readonly problems: ScanProblem[];
}

const CHUNK_BYTES = 1 << 19;
/** A line's head is looked at through a window that grows from here… */
const FIRST_WINDOW_BYTES = 4 << 10;
/** …to here: the two fields come first in every log that Graal writes. */
const LAST_WINDOW_BYTES = 256 << 20;
/** So far in its line a unit behind what a program had printed is looked for. */
const OUTPUT_WINDOW_BYTES = 1 << 16;
const LF = 10;
const CR = 13;

export interface ScanOptions {
	readonly chunkBytes?: number;
	/** The file may be what a program printed: its own lines are told by one problem for all. */
	readonly isOutput?: boolean;
}

/** Reads the heads of all lines. Never throws on content; an Error of the operating system passes through. Memory: a chunk and the units. */
export function scanOptimizationLog(source: Source, { chunkBytes = CHUNK_BYTES, isOutput = false }: ScanOptions = {}): ScanResult {
	const scan = new Scan(source, isOutput);
	const chunk = newBytes(Math.min(chunkBytes, Math.max(source.sizeBytes, 1)));
	let position = 0;
	for (;;) {
		const count = source.read(chunk, 0, chunk.length, position);
		if (count === 0) {
			break;
		}
		scan.takeChunk(count === chunk.length ? chunk : chunk.subarray(0, count), position);
		position += count;
	}
	scan.finish(position);
	return scan.result;
}

class Scan {
	readonly result: ScanResult = { units: [], problems: [] };
	private readonly head = new UnitHeadReader();
	private readonly source: Source;
	/** Where the current line starts in the file. */
	private lineStart = 0;
	private line = 1;
	private crlfCount = 0;
	/** The last chunk ended with \r: a \n at the start of the next one belongs to it. */
	private afterCr = false;
	private readonly isOutput: boolean;
	private readonly outputLines = { first: 0, count: 0 };

	constructor(source: Source, isOutput: boolean) {
		this.source = source;
		this.isOutput = isOutput;
	}

	takeChunk(chunk: Uint8Array, chunkStart: number): void {
		let from = 0;
		if (this.afterCr && chunk[0] === LF) {
			from = 1;
			this.lineStart++;
			this.crlfCount++;
		}
		this.afterCr = false;
		let carriageReturn = chunk.indexOf(CR, from);
		for (;;) {
			let end = chunk.indexOf(LF, from);
			let next = end + 1;
			let isCrlf = false;
			if (carriageReturn >= 0 && carriageReturn < from) {
				carriageReturn = chunk.indexOf(CR, from);
			}
			if (carriageReturn >= 0 && (end < 0 || carriageReturn < end)) {
				isCrlf = end === carriageReturn + 1;
				end = carriageReturn;
				next = isCrlf ? end + 2 : end + 1;
				this.afterCr = next === chunk.length && !isCrlf;
			}
			if (end < 0) {
				return;
			}
			this.takeLine(chunk, chunkStart, end);
			this.lineStart = chunkStart + next;
			this.line++;
			if (isCrlf) {
				this.crlfCount++;
			}
			from = next;
		}
	}

	finish(fileEnd: number): void {
		if (this.lineStart < fileEnd) {
			this.readHead(this.lineStart, fileEnd);
		}
		const { first, count } = this.outputLines;
		if (count > 0) {
			this.result.problems.push({
				severity: 'warning',
				file: this.source.name,
				line: first,
				message: `${count === 1 ? 'this line is no compilation unit' : `${count} lines from this one on are no compilation units`} (output of the program?)`,
				action: `${count === 1 ? 'it is' : 'they are'} skipped`,
				isFatalToReference: false,
			});
		}
	}

	private takeLine(chunk: Uint8Array, chunkStart: number, end: number): void {
		const start = this.lineStart - chunkStart;
		if (start >= 0) {
			const unit = this.isOutput ? this.unitIn(chunk, start, end) : start;
			if (unit >= 0) {
				this.record(this.head.read(chunk, unit, end), chunkStart + end, chunkStart + unit);
			}
		} else {
			this.readHead(this.lineStart, chunkStart + end);
		}
	}

	/** Where in a line that a program may have printed a unit begins; -1: it is the program's, and counted. */
	private unitIn(bytes: Uint8Array, start: number, end: number): number {
		if (bytes[start] === OPEN_BRACE) {
			return start;
		}
		const unit = Buffer.from(bytes.buffer, bytes.byteOffset, end).indexOf(HEAD_START, start);
		if (unit < 0) {
			const { outputLines } = this;
			outputLines.first = outputLines.count === 0 ? this.line : outputLines.first;
			outputLines.count++;
		}
		return unit;
	}

	/** Reads the head of a line that no single chunk holds. */
	private readHead(lineStart: number, end: number): void {
		let start = lineStart;
		if (this.isOutput) {
			const window = readRange(this.source, start, Math.min(end, start + OUTPUT_WINDOW_BYTES));
			const unit = this.unitIn(window, 0, window.length);
			if (unit < 0) {
				return;
			}
			start += unit;
		}
		let windowBytes = FIRST_WINDOW_BYTES;
		for (;;) {
			const window = readRange(this.source, start, Math.min(end, start + windowBytes));
			const outcome = this.head.read(window, 0, window.length);
			const wantsMore = outcome instanceof JsonSyntaxError && outcome.reason === 'end' && start + window.length < end;
			if (!wantsMore || window.length < Math.min(windowBytes, end - start)) {
				this.record(outcome, end, start);
				return;
			}
			if (windowBytes >= LAST_WINDOW_BYTES) {
				this.record(`the first ${windowBytes >> 20} MiB of the line hold no methodName and compilationId`, end, start);
				return;
			}
			windowBytes *= 8;
		}
	}

	private record(outcome: HeadOutcome, lineEnd: number, unitStart: number): void {
		if (outcome === this.head) {
			this.result.units.push({
				compileId: this.head.compileId,
				fullName: this.head.fullName,
				startByte: unitStart,
				endByte: lineEnd,
				crlfBefore: this.crlfCount,
				line: this.line,
			});
			return;
		}
		const error = outcome instanceof JsonSyntaxError ? outcome : undefined;
		this.result.problems.push({
			severity: 'warning',
			file: this.source.name,
			line: this.line,
			offsetBytes: unitStart + (error?.offset ?? 0),
			message: `this line is no compilation unit: ${error?.message ?? outcome}`,
			action: 'the line is skipped',
			isFatalToReference: error?.reason === 'number',
		});
	}
}

/** The reader itself when both fields are there, else why not. */
type HeadOutcome = UnitHeadReader | JsonSyntaxError | string;

const METHOD_NAME = 0;
const COMPILATION_ID = 1;
const HEAD_START = Buffer.from('{"methodName":"');
const HEAD_MIDDLE = Buffer.from('","compilationId":"');

/** Reads `methodName` and `compilationId` from the start of a line and stops as soon as it has both. */
export class UnitHeadReader {
	compileId = '';
	fullName = '';
	private readonly json = new ExactJsonReader(['methodName', 'compilationId']);

	read(bytes: Uint8Array, start: number, end: number): HeadOutcome {
		return this.readUsualForm(bytes, start, end) ? this : this.readAnyForm(bytes, start, end);
	}

	/** The form that Graal writes: both fields first, without blanks; nothing to unescape. */
	readUsualForm(bytes: Uint8Array, start: number, end: number): boolean {
		if (!startsWith(bytes, start, end, HEAD_START)) {
			return false;
		}
		const nameStart = start + HEAD_START.length;
		const nameEnd = plainStringEnd(bytes, nameStart, end);
		if (nameEnd < 0 || !startsWith(bytes, nameEnd, end, HEAD_MIDDLE)) {
			return false;
		}
		const idStart = nameEnd + HEAD_MIDDLE.length;
		const idEnd = plainStringEnd(bytes, idStart, end);
		if (idEnd < 0) {
			return false;
		}
		this.fullName = decodeUtf8(bytes, nameStart, nameEnd);
		this.compileId = decodeUtf8(bytes, idStart, idEnd);
		return true;
	}

	readAnyForm(bytes: Uint8Array, start: number, end: number): HeadOutcome {
		const json = this.json.reset(bytes, start, end);
		const values: [unknown, unknown] = [undefined, undefined];
		try {
			json.expect(OPEN_BRACE);
			let isOpen = !json.accept(CLOSE_BRACE);
			while (isOpen) {
				const key = json.stringId();
				json.expect(COLON);
				const value = json.value();
				if (key === METHOD_NAME || key === COMPILATION_ID) {
					values[key] = value;
				}
				if (values[0] !== undefined && values[1] !== undefined) {
					break;
				}
				isOpen = json.accept(COMMA);
				if (!isOpen) {
					json.expect(CLOSE_BRACE);
				}
			}
		} catch (error) {
			if (error instanceof JsonSyntaxError) {
				return error;
			}
			throw error;
		}
		const [fullName, compileId] = values;
		if (typeof fullName !== 'string') {
			return `expected a string as methodName, found ${fullName === undefined ? 'none' : describe(fullName)}`;
		}
		if (typeof compileId !== 'string') {
			return `expected a string as compilationId, found ${compileId === undefined ? 'none' : describe(compileId)}`;
		}
		this.fullName = fullName;
		this.compileId = compileId;
		return this;
	}
}

function describe(value: unknown): string {
	if (value === null || typeof value !== 'object') {
		return String(value);
	}
	return Array.isArray(value) ? 'a list' : value instanceof Map ? 'an object' : 'a number';
}

function startsWith(bytes: Uint8Array, start: number, end: number, prefix: Uint8Array): boolean {
	if (start + prefix.length > end) {
		return false;
	}
	for (let i = 0; i < prefix.length; i++) {
		if (bytes[start + i] !== prefix[i]) {
			return false;
		}
	}
	return true;
}

/** The offset of the closing quote of a string without escapes and control characters, or -1. */
function plainStringEnd(bytes: Uint8Array, start: number, end: number): number {
	for (let i = start; i < end; i++) {
		const byte = bytes[i]!;
		if (byte === 0x22) {
			return i;
		}
		if (byte === 0x5c || byte < 0x20) {
			return -1;
		}
	}
	return -1;
}
