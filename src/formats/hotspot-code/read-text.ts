/**
 * The printed text of one piece of code: instructions as a disassembler wrote them (hsdis, in any syntax)
 *
 *       0x00007f2565400ec0:   mov    %eax,-0x14000(%rsp)           ;*iload_1 {reexecute=0 rethrow=0 return_oop=0}
 *                                                                 ; - T::f@2 (line 3)
 *
 * or, without hsdis, its bytes between [MachCode] and [/MachCode], in rows that begin where the JVM has something to say:
 *
 *       0x00007f9bc5400f48: ;   {poll}
 *       0x00007f9bc5400f48: 0300 0041 | 8b45 10
 */

import { readRange, type Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import { unescapeXml } from '../../bytes/xml-text.js';
import { firstWhere } from '../../model/binary-search.js';
import type { Row } from './instructions.js';
import type { LoggedCode, TextForm } from './scan.js';

export interface CodeText {
	/** Disassembled instructions. */
	readonly rows: readonly Row[];
	/** Bytes to be disassembled; empty when there are rows. */
	readonly chunks: readonly MachineCodeChunk[];
	/** Lines with an address that hold neither. */
	readonly lostLines: number;
}

/** Bytes that lie together, with what the JVM said about them. */
export interface MachineCodeChunk {
	readonly address: number;
	readonly bytes: Uint8Array;
	/** What was said about the bytes from each address on. */
	readonly notes: readonly MachineCodeNote[];
}

interface MachineCodeNote {
	readonly address: number;
	readonly comments: string[];
	readonly label: string | null;
}

/** Groups of two bytes; the last one may be cut. */
const HEX_ROW = /^(?:[0-9a-f]{4}[ |]+)*[0-9a-f]{2,4}[ |]*$/;

/** Begins neither a line of code nor a comment nor a heading: the rest of a line after its address. */
const CONTINUATION = /^ *(?!0x[0-9a-f]+:)[a-z0-9.{(*%$),]/;

/** Of one piece; no code that is real has more. */
export const MOST_TEXT_BYTES = 64 << 20;

/** Reads up to {@link MOST_TEXT_BYTES} of each range of one piece. Never throws on content. */
export function readCodeText(source: Source, code: LoggedCode, form: TextForm): CodeText {
	const reader = new TextReader();
	const { textRanges } = code;
	/** The last line of a range: another thread may have written in the middle of it. */
	let cutLine = '';
	for (let i = 0; i < textRanges.length; i += 2) {
		const from = textRanges[i]!;
		const bytes = readRange(source, from, Math.min(textRanges[i + 1]!, from + MOST_TEXT_BYTES));
		const lines = decodeUtf8(bytes, 0, bytes.length)
			.split(/\r?\n/)
			.map((line) => line.slice(form.indent))
			.filter((line) => line.trimEnd() !== '');
		const [first = ''] = lines;
		if (cutLine !== '' && CONTINUATION.test(first)) {
			lines[0] = cutLine + first;
		} else if (cutLine !== '') {
			lines.unshift(cutLine);
		}
		cutLine = i + 2 < textRanges.length ? (lines.pop() ?? '') : '';
		for (const line of lines) {
			reader.take((form.isEscaped ? unescapeXml(line) : line).trimEnd());
		}
	}
	return reader.result();
}

class TextReader {
	private readonly rows: Row[] = [];
	private readonly bytes: { address: number; bytes: number[] }[] = [];
	private readonly notes: MachineCodeNote[] = [];
	private comments: string[] = [];
	private label: string | null = null;
	private isMachineCode = false;
	private lostLines = 0;

	take(line: string): void {
		const start = firstNonBlank(line);
		if (line.charCodeAt(start) === 0x3b) {
			this.comments.push(commentText(line, start));
		} else if (line.charCodeAt(start) === 0x30 && line.charCodeAt(start + 1) === 0x78) {
			this.addressLine(line, start);
		} else if (start === 0 && line.startsWith('[')) {
			this.section(line);
		}
	}

	result(): CodeText {
		return { rows: this.rows, chunks: this.isMachineCode ? this.chunks() : [], lostLines: this.lostLines };
	}

	private section(line: string): void {
		if (line === '[MachCode]') {
			this.isMachineCode = true;
		} else if (!line.startsWith('[/') && line !== '[Disassembly]' && !line.startsWith('[Constant Pool')) {
			this.label = labelOf(line);
		}
	}

	private addressLine(line: string, start: number): void {
		const colon = line.indexOf(':', start);
		const address = colon < 0 ? Number.NaN : Number.parseInt(line.slice(start + 2, colon), 16);
		// Code lies below 2^47; what is no exact number is damaged.
		if (!Number.isSafeInteger(address)) {
			this.lostLines++;
			return;
		}
		const rest = line.slice(colon + 1).trimStart();
		if (rest.startsWith('0x')) {
			// A constant.
			return;
		}
		if (this.isMachineCode) {
			this.machineCodeLine(address, rest);
			return;
		}
		const semicolon = rest.indexOf(';');
		const text = (semicolon < 0 ? rest : rest.slice(0, semicolon)).trimEnd().replace(/\s+/g, ' ');
		if (text === '') {
			this.lostLines++;
			return;
		}
		this.comments = semicolon < 0 ? [] : [commentText(rest, semicolon)];
		this.rows.push({ address, end: Number.NaN, text, comments: this.comments, label: this.label });
		this.label = null;
	}

	private machineCodeLine(address: number, rest: string): void {
		if (this.label !== null || rest.startsWith(';')) {
			this.comments = rest.startsWith(';') ? [commentText(rest, 0)] : [];
			this.notes.push({ address, comments: this.comments, label: this.label });
			this.label = null;
		}
		if (rest.startsWith(';')) {
			return;
		}
		// Of a last group of less than four bytes HotSpot prints the address alone.
		if (rest === '') {
			return;
		}
		if (!HEX_ROW.test(rest)) {
			this.lostLines++;
			return;
		}
		const digits = rest.replace(/[ |]/g, '');
		const row: number[] = [];
		for (let i = 0; i + 1 < digits.length; i += 2) {
			row.push(Number.parseInt(digits.slice(i, i + 2), 16));
		}
		const last = this.bytes.at(-1);
		if (last !== undefined && last.address + last.bytes.length === address) {
			last.bytes.push(...row);
		} else {
			this.bytes.push({ address, bytes: row });
		}
	}

	private chunks(): MachineCodeChunk[] {
		const notes = this.notes.toSorted((a, b) => a.address - b.address);
		const firstAt = (address: number): number => firstWhere(notes.length, (i) => notes[i]!.address >= address);
		return this.bytes.map(({ address, bytes }) => ({
			address,
			bytes: Uint8Array.from(bytes),
			notes: notes.slice(firstAt(address), firstAt(address + bytes.length)),
		}));
	}
}

/** `Stub Code` of `[Stub Code]`. */
export function labelOf(line: string): string {
	return line.replace(/^\[(.*)\].*/, '$1');
}

/** `;   {poll}` and `; - T::f@30 (line 1)` without the semicolon; a bytecode keeps its star: `*goto {…}`. */
function commentText(line: string, semicolon: number): string {
	return line.slice(semicolon + 1).trim();
}

function firstNonBlank(line: string): number {
	let at = 0;
	while (line.charCodeAt(at) === 0x20) {
		at++;
	}
	return at;
}
