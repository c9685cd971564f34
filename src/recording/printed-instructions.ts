/**
 * The instructions of machine code that the JVM printed as bytes. Where they go and where threads stop is there at once; texts, comments and the bytecodes that
 * they belong to are read from the log for code that somebody looks at.
 */
import type { DecodedCode } from '../disassembly/decoded-code.js';
import { type ParsedFrames, parsedFrame } from '../formats/hotspot-code/instructions.js';
import { endingIn, firstBehind, startingIn } from '../formats/hotspot-code/machine-code.js';
import { type MachineCodeBytes, Said } from '../formats/hotspot-code/machine-code-bytes.js';
import { labelOf } from '../formats/hotspot-code/read-text.js';
import { firstWhere } from '../model/binary-search.js';
import { Flow, type Frame, type Instructions, traitOf } from '../model/instructions.js';
import { DecodedInstructions, isBarrierBetween } from './decoded-instructions.js';

/** The text that the bytes were read from. */
export interface PrintedText {
	/** What its bytes say. */
	decode(bytes: Uint8Array): string;
	/** Some of its bytes, read anew. */
	bytesAt(from: number, to: number): Uint8Array;
	/** All that is said, read anew. */
	whole(): Instructions;
	/** Shared by all code of a log. */
	readonly frames: ParsedFrames;
}

const NO_FRAMES: readonly Frame[] = [];

export class PrintedInstructions extends DecodedInstructions implements Instructions {
	/** Headings by the number of the instruction that they stand before. */
	readonly labels: ReadonlyMap<number, string>;
	private readonly printed: PrintedText;
	/** Of each line that names a frame the instruction, and where it is in the text. */
	private readonly described: Int32Array;
	private readonly from: Int32Array;
	private readonly to: Int32Array;
	private readonly frameLines: number;
	private readonly isAscending: boolean;
	/** Frames by the first line that names them. */
	private readonly known = new Map<number, readonly Frame[]>();
	private read: Instructions | null = null;

	/** `text`: the bytes of the printed text. */
	constructor(decoded: DecodedCode, { address: start, bytes, remarks }: MachineCodeBytes, text: Buffer, printed: PrintedText) {
		super(decoded);
		this.printed = printed;
		const labels: [number, string][] = [];
		this.described = new Int32Array(remarks.length);
		this.from = new Int32Array(remarks.length);
		this.to = new Int32Array(remarks.length);
		const textOf = (k: number): string => printed.decode(text.subarray(remarks.from[k]!, remarks.to[k]!));
		let frames = 0;
		let first = 0;
		let isAscending = true;
		for (let k = 0; k < remarks.length; k++) {
			const unit = remarks.address[k]!;
			if (unit < start || unit >= start + bytes.length) {
				continue;
			}
			first = firstBehind(decoded, first, unit);
			const said = remarks.said[k]!;
			if (said === Said.Frame) {
				const owner = endingIn(decoded, first, unit);
				isAscending &&= frames === 0 || owner >= this.described[frames - 1]!;
				this.described[frames] = owner;
				this.from[frames] = remarks.from[k]!;
				this.to[frames] = remarks.to[k]!;
				frames++;
			} else if (said === Said.Label) {
				labels.push([first, labelOf(textOf(k))]);
			} else {
				const i = startingIn(decoded, first, unit, said !== Said.RuntimeCall);
				const comment = said === Said.Poll ? '{poll}' : said === Said.ReturnPoll ? '{poll_return}' : textOf(k);
				this.traits[i] = this.traits[i]! | traitOf(comment, this.flow[i] ?? Flow.Next);
			}
		}
		this.frameLines = frames;
		this.isAscending = isAscending;
		this.labels = new Map(labels.reverse());
	}

	get comments(): readonly (readonly string[])[] {
		return this.whole().comments;
	}

	get position(): Int32Array {
		return this.whole().position;
	}

	get positions(): readonly (readonly Frame[])[] {
		return this.whole().positions;
	}

	frames(i: number): readonly Frame[] {
		if (this.read !== null || !this.isAscending || i < 0 || i >= this.length) {
			return this.whole().frames(i);
		}
		let line = firstWhere(this.frameLines, (k) => this.described[k]! >= i);
		while (line < this.frameLines) {
			const owner = this.described[line]!;
			if (isBarrierBetween(this.labels, i, owner)) {
				return NO_FRAMES;
			}
			const next = firstWhere(this.frameLines, (k) => this.described[k]! > owner);
			const frames = this.framesOf(line, next);
			if (frames.length > 0) {
				return frames;
			}
			// Lines that name no method say nothing.
			line = next;
		}
		return NO_FRAMES;
	}

	private framesOf(line: number, next: number): readonly Frame[] {
		let frames = this.known.get(line);
		if (frames === undefined) {
			const [from, to] = [this.from[line]!, this.to[next - 1]!];
			const bytes = this.printed.bytesAt(from, to);
			const comments = Array.from({ length: next - line }, (_, k) =>
				this.printed.decode(bytes.subarray(this.from[line + k]! - from, this.to[line + k]! - from)),
			);
			frames = comments.flatMap((comment) => parsedFrame(comment, this.printed.frames) ?? []);
			this.known.set(line, frames);
		}
		return frames;
	}

	private whole(): Instructions {
		this.read ??= this.printed.whole();
		return this.read;
	}
}
