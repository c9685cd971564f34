/**
 * The bytes of printed code, and where in the text the JVM says something of them: what read-text.ts reads, in one pass over the bytes of the text, and without
 * making strings of it. What is said is read where somebody asks, which is of few instructions.
 */
import { isJavaCall } from '../shared/hotspot/instruction-comments.js';
import type { TextForm } from './scan.js';

/** What the JVM says from an address on. */
export const Said = {
	/** `;   {poll}`. */
	Poll: 1,
	/** `;   {poll_return}`. */
	ReturnPoll: 2,
	/** `;   {runtime_call …}`. */
	RuntimeCall: 3,
	/** `;   {static_call}`, `;   {optimized virtual_call}`. */
	JavaCall: 4,
	/** A frame: `; - T::f@30 (line 1)`. */
	Frame: 5,
	/** `; ImmutableOopMap {rbp=Oop }`. */
	OopMap: 6,
	/** `;*invokevirtual next {reexecute=0 …}`: a bytecode that calls. */
	Call: 7,
	/** The same, which the interpreter executes once more. */
	CallAgain: 8,
	/** Another bytecode that it executes once more. */
	Again: 9,
	/** `[Stub Code]`: begins here. */
	Label: 10,
} as const;

/** Columns, in the order of the text. */
interface Remarks {
	readonly length: number;
	readonly address: Float64Array;
	/** {@link Said} of each. */
	readonly said: Uint8Array;
	/** The line that says it: its first byte behind blanks, and the byte behind its last. */
	readonly from: Int32Array;
	readonly to: Int32Array;
}

export interface MachineCodeBytes {
	readonly address: number;
	readonly bytes: Uint8Array;
	/** Frames of one note follow each other. */
	readonly remarks: Remarks;
	/** Lines with an address that hold neither bytes nor a remark. */
	readonly lostLines: number;
}

const [SPACE, SEMICOLON, COLON, NEWLINE, BRACKET, BRACE, DASH, BAR, ZERO, X] = [0x20, 0x3b, 0x3a, 0x0a, 0x5b, 0x7b, 0x2d, 0x7c, 0x30, 0x78];
const [STAR, LARGE_I, LARGE_O] = [0x2a, 0x49, 0x4f];
const MACHINE_CODE = '[MachCode]';
/** The value of a digit in ASCII; 16: none. The JVM writes small letters. */
const DIGITS = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : 16));

/** Null where the text has no machine code, or code that does not lie together and in order: read-text.ts reads these. Never throws on content. */
export function readMachineCodeBytes(text: Buffer, { indent }: Pick<TextForm, 'indent'>): MachineCodeBytes | null {
	const reader = new BytesReader(text);
	for (let start = 0; start < text.length; ) {
		const newline = text.indexOf(NEWLINE, start);
		const next = newline < 0 ? text.length : newline;
		let end = next;
		while (end > start && isBlank(text[end - 1]!)) {
			end--;
		}
		if (end > start + indent && !reader.line(start + indent, end)) {
			return null;
		}
		start = next + 1;
	}
	return reader.result();
}

function isBlank(byte: number): boolean {
	return byte === SPACE || (byte >= 0x09 && byte <= 0x0d);
}

class BytesReader {
	private readonly text: Buffer;
	private isMachineCode = false;
	private start = Number.NaN;
	private readonly code: Uint8Array;
	private length = 0;
	/** Where the last note is; NaN: nothing that is said belongs to one. */
	private note = Number.NaN;
	private label: readonly [from: number, to: number] | null = null;
	private readonly remarks = new RemarksBuilder();
	private lostLines = 0;

	constructor(text: Buffer) {
		this.text = text;
		// A byte takes two digits.
		this.code = new Uint8Array(text.length >> 1);
	}

	/** Whether the text goes on as it has to. Without blanks at its end. */
	line(start: number, end: number): boolean {
		const { text } = this;
		let at = start;
		while (text[at] === SPACE) {
			at++;
		}
		const byte = text[at];
		if (byte === SEMICOLON) {
			this.comment(at, end);
		} else if (byte === ZERO && text[at + 1] === X) {
			return this.addressLine(at, end);
		} else if (at === start && byte === BRACKET) {
			this.section(at, end);
		}
		return true;
	}

	result(): MachineCodeBytes | null {
		if (this.length === 0) {
			return null;
		}
		const { start, length, lostLines } = this;
		return { address: start, bytes: this.code.slice(0, length), remarks: this.remarks.result(), lostLines };
	}

	private section(from: number, to: number): void {
		const line = this.text.toString('latin1', from, to);
		if (line === MACHINE_CODE) {
			this.isMachineCode = true;
		} else if (!line.startsWith('[/') && line !== '[Disassembly]' && !line.startsWith('[Constant Pool')) {
			this.label = [from, to];
		}
	}

	private addressLine(from: number, end: number): boolean {
		const { text } = this;
		let address = 0;
		let at = from + 2;
		for (let digit = DIGITS[text[at]!]!; at < end && digit < 16; digit = DIGITS[text[at]!]!) {
			address = address * 16 + digit;
			at++;
		}
		const hasDigits = at > from + 2;
		while (at < end && text[at] !== COLON) {
			at++;
		}
		if (!hasDigits || at === end || !Number.isSafeInteger(address)) {
			this.lostLines++;
			return true;
		}
		at++;
		while (at < end && isBlank(text[at]!)) {
			at++;
		}
		const isConstant = text[at] === ZERO && text[at + 1] === X && at < end;
		if (isConstant) {
			return true;
		}
		if (!this.isMachineCode) {
			return false;
		}
		const isComment = text[at] === SEMICOLON && at < end;
		if (this.label !== null || isComment) {
			if (address < this.note) {
				return false;
			}
			this.note = address;
			if (this.label !== null) {
				this.remarks.add(address, Said.Label, ...this.label);
				this.label = null;
			}
		}
		if (isComment) {
			this.comment(at, end);
			return true;
		}
		return at === end || this.row(address, at, end);
	}

	/** Groups of two bytes; the last one may be cut. */
	private row(address: number, from: number, end: number): boolean {
		const { text, code } = this;
		const before = this.length;
		let to = before;
		let at = from;
		let isWhole = true;
		while (at < end) {
			const group = at;
			let high = 16;
			for (let digit = DIGITS[text[at]!]!; at < end && digit < 16; digit = DIGITS[text[at]!]!) {
				if (high === 16) {
					high = digit;
				} else {
					code[to++] = high * 16 + digit;
					high = 16;
				}
				at++;
			}
			const digits = at - group;
			while (at < end && (text[at] === SPACE || text[at] === BAR)) {
				at++;
			}
			isWhole = digits === 4 ? at === end || at > group + 4 : at === end && (digits === 2 || digits === 3);
			if (!isWhole) {
				break;
			}
		}
		if (!isWhole) {
			this.lostLines++;
			return true;
		}
		if (before === 0) {
			this.start = address;
		}
		this.length = to;
		return address === this.start + before;
	}

	private comment(semicolon: number, end: number): void {
		const { text } = this;
		let at = semicolon + 1;
		while (at < end && isBlank(text[at]!)) {
			at++;
		}
		if (Number.isNaN(this.note)) {
			return;
		}
		const said = saidBy(text, at, end);
		if (said !== null) {
			this.remarks.add(this.note, said, at, end);
		}
	}
}

function saidBy(text: Buffer, from: number, to: number): number | null {
	switch (text[from]) {
		case DASH:
			return text[from + 1] === SPACE ? Said.Frame : null;
		case BRACE:
			return saidInBraces(text, from, to);
		case STAR:
			return saidOfBytecode(text, from, to);
		case LARGE_I:
		case LARGE_O:
			return begins(text, from, to, 'ImmutableOopMap') || begins(text, from, to, 'OopMap') ? Said.OopMap : null;
		default:
			return null;
	}
}

function saidInBraces(text: Buffer, from: number, to: number): number | null {
	// Most of what stands there is none of these.
	switch (text[from + 1]) {
		case 0x70: {
			const comment = text.toString('latin1', from, to);
			return comment === '{poll}' ? Said.Poll : comment === '{poll_return}' ? Said.ReturnPoll : null;
		}
		case 0x72:
			return begins(text, from, to, '{runtime_call') ? Said.RuntimeCall : null;
		case 0x73:
		case 0x76:
			return isJavaCall(text.toString('latin1', from, to)) ? Said.JavaCall : null;
		case 0x6f:
			return text[from + 2] === 0x70 && isJavaCall(text.toString('latin1', from, to)) ? Said.JavaCall : null;
		default:
			return null;
	}
}

function saidOfBytecode(text: Buffer, from: number, to: number): number | null {
	const isAgain = isSaidIn(text, from, to, 'reexecute=1');
	if (begins(text, from, to, '*invoke')) {
		return isAgain ? Said.CallAgain : Said.Call;
	}
	return isAgain ? Said.Again : null;
}

/** Words of ASCII. */
function begins(text: Buffer, from: number, to: number, word: string): boolean {
	for (let i = 0; i < word.length; i++) {
		if (from + i >= to || text[from + i] !== word.charCodeAt(i)) {
			return false;
		}
	}
	return true;
}

function isSaidIn(text: Buffer, from: number, to: number, word: string): boolean {
	const first = word.charCodeAt(0);
	for (let at = from; at + word.length <= to; at++) {
		if (text[at] === first && begins(text, at, to, word)) {
			return true;
		}
	}
	return false;
}

class RemarksBuilder {
	private length = 0;
	private address = new Float64Array(64);
	private said = new Uint8Array(64);
	private from = new Int32Array(64);
	private to = new Int32Array(64);

	add(address: number, said: number, from: number, to: number): void {
		if (this.length === this.said.length) {
			const size = 2 * this.length;
			const { address: a, said: s, from: f, to: t } = this;
			[this.address, this.said, this.from, this.to] = [new Float64Array(size), new Uint8Array(size), new Int32Array(size), new Int32Array(size)];
			this.address.set(a);
			this.said.set(s);
			this.from.set(f);
			this.to.set(t);
		}
		this.address[this.length] = address;
		this.said[this.length] = said;
		this.from[this.length] = from;
		this.to[this.length] = to;
		this.length++;
	}

	result(): Remarks {
		const { length, address, said, from, to } = this;
		return { length, address: address.slice(0, length), said: said.slice(0, length), from: from.slice(0, length), to: to.slice(0, length) };
	}
}
