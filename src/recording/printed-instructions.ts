/**
 * The instructions of machine code that the JVM printed as bytes. Where they go and where threads stop is there at once; texts, comments and the bytecodes that
 * they belong to are read from the log for code that somebody looks at.
 */
import type { DecodedCode } from '../disassembly/decoded-code.js';
import { FrameTable, type ParsedFrames, parsedFrame } from '../formats/hotspot-code/instructions.js';
import { endingIn, firstBehind, startingIn } from '../formats/hotspot-code/machine-code.js';
import { type MachineCodeBytes, Said } from '../formats/hotspot-code/machine-code-bytes.js';
import { labelOf } from '../formats/hotspot-code/read-text.js';
import { inheritedPositions } from '../formats/shared/hotspot/inherited-positions.js';
import { methodsOf, nameOfCall, traitOf } from '../formats/shared/hotspot/instruction-comments.js';
import { isLateCall } from '../formats/shared/hotspot/late-calls.js';
import { firstWhere } from '../model/binary-search.js';
import { DebugInfo, Flow, type Frame, type Instructions } from '../model/instructions.js';
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
const VALUE_OF_OFFSET = '*invokestatic '.length;
const INIT_OFFSET = '*invokespecial '.length;
const LETTER_V = 0x76;
const LESS_THAN = 0x3c;
/** A log of LogCompilation escapes what is printed. */
const AMPERSAND = 0x26;

export class PrintedInstructions extends DecodedInstructions implements Instructions {
	/** Headings by the number of the instruction that they stand before. */
	readonly labels: ReadonlyMap<number, string>;
	private readonly printed: PrintedText;
	readonly debugInfo: Uint8Array;
	/** Of each line that names a frame the instruction, and where it is in the text. */
	private readonly frameLines: PlacedLines;
	/** Of each line that names a bytecode that calls. */
	private readonly callLines: PlacedLines;
	/** Of each line that names what is called of the JVM. */
	private readonly runtimeLines: PlacedLines;
	/** Instructions beside which stands a call that C2 inlines late. */
	private readonly lateLines: readonly number[];
	private readonly isAscending: boolean;
	/** Frames by the first line that names them. */
	private readonly known = new Map<number, readonly Frame[]>();
	private read: Instructions | null = null;
	private chains: Pick<Instructions, 'position' | 'positions'> | null = null;

	/** `text`: the bytes of the printed text. */
	constructor(decoded: DecodedCode, { address: start, bytes, remarks }: MachineCodeBytes, text: Buffer, printed: PrintedText) {
		super(decoded);
		const { traits, flow } = this;
		const debugInfo = new Uint8Array(this.length);
		const frameLines: number[] = [];
		const callLines: number[] = [];
		const runtimeLines: number[] = [];
		const lateLines: number[] = [];
		const labels: [number, string][] = [];
		const textOf = (k: number): string => printed.decode(text.subarray(remarks.from[k]!, remarks.to[k]!));
		let first = 0;
		let isAscending = true;
		for (let k = 0; k < remarks.length; k++) {
			const unit = remarks.address[k]!;
			if (unit < start || unit >= start + bytes.length) {
				continue;
			}
			first = firstBehind(decoded, first, unit);
			const said = remarks.said[k]!;
			if (said === Said.Label) {
				labels.push([first, labelOf(textOf(k))]);
			} else if (said <= Said.JavaCall) {
				const i = startingIn(decoded, first, unit, said <= Said.ReturnPoll);
				const comment = said === Said.Poll ? '{poll}' : said === Said.ReturnPoll ? '{poll_return}' : textOf(k);
				traits[i] = traits[i]! | traitOf(comment, flow[i] ?? Flow.Next);
				if (said === Said.RuntimeCall) {
					runtimeLines.push(i, remarks.from[k]!, remarks.to[k]!);
				}
			} else {
				const i = endingIn(decoded, first, unit);
				debugInfo[i] = debugInfo[i]! | debugInfoSaid(said);
				if (said === Said.Frame) {
					isAscending &&= frameLines.length === 0 || i >= frameLines.at(-3)!;
					frameLines.push(i, remarks.from[k]!, remarks.to[k]!);
				} else if (said === Said.Call || said === Said.CallAgain) {
					callLines.push(i, remarks.from[k]!, remarks.to[k]!);
					// Most calls have another name: a look at two bytes, of `*invokestatic valueOf` and `*invokespecial <init>`, saves making their text.
					const from = remarks.from[k]!;
					if (
						(text[from + VALUE_OF_OFFSET] === LETTER_V || text[from + INIT_OFFSET] === LESS_THAN || text[from + INIT_OFFSET] === AMPERSAND) &&
						isLateCall(textOf(k).slice(1))
					) {
						lateLines.push(i);
					}
				}
			}
		}
		this.printed = printed;
		this.debugInfo = debugInfo;
		this.frameLines = new PlacedLines(frameLines);
		this.callLines = new PlacedLines(callLines);
		this.runtimeLines = new PlacedLines(runtimeLines);
		this.lateLines = lateLines;
		this.isAscending = isAscending;
		this.labels = new Map(labels.reverse());
	}

	calledName(i: number): string | null {
		const [comment] = this.commentsAt(this.callLines, i);
		return comment === undefined ? null : nameOfCall(comment);
	}

	runtimeCalls(i: number): string[] {
		return this.commentsAt(this.runtimeLines, i);
	}

	methods(): ReadonlySet<string> {
		return methodsOf(this.positions);
	}

	lateCalls(): readonly number[] {
		return this.lateLines;
	}

	private commentsAt(lines: PlacedLines, i: number): string[] {
		return lines.of(i).map((line) => this.printed.decode(this.printed.bytesAt(lines.from(line), lines.to(line))));
	}

	get comments(): readonly (readonly string[])[] {
		return this.whole().comments;
	}

	get position(): Int32Array {
		this.chains ??= this.makeChains();
		return this.chains.position;
	}

	get positions(): readonly (readonly Frame[])[] {
		this.chains ??= this.makeChains();
		return this.chains.positions;
	}

	frames(i: number): readonly Frame[] {
		if (this.chains !== null || !this.isAscending || i < 0 || i >= this.length) {
			return this.positions[this.position[i] ?? -1] ?? NO_FRAMES;
		}
		const { frameLines } = this;
		let line = firstWhere(frameLines.length, (k) => frameLines.owner(k) >= i);
		while (line < frameLines.length) {
			const owner = frameLines.owner(line);
			if (isBarrierBetween(this.labels, i, owner)) {
				return NO_FRAMES;
			}
			const next = firstWhere(frameLines.length, (k) => frameLines.owner(k) > owner);
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
			frames = this.commentsOf(line, next).flatMap((comment) => parsedFrame(comment, this.printed.frames) ?? []);
			this.known.set(line, frames);
		}
		return frames;
	}

	/** Those that name frames, in the order of the text. */
	private commentsOf(line: number, next: number): string[] {
		const { frameLines, printed } = this;
		const from = frameLines.from(line);
		const bytes = printed.bytesAt(from, frameLines.to(next - 1));
		return Array.from({ length: next - line }, (_, k) => printed.decode(bytes.subarray(frameLines.from(line + k) - from, frameLines.to(line + k) - from)));
	}

	/** As instructionsOfRows finds them, from the last instruction to the first. */
	private makeChains(): Pick<Instructions, 'position' | 'positions'> {
		const { frameLines } = this;
		if (!this.isAscending) {
			return this.whole();
		}
		const own = new Int32Array(this.length).fill(-1);
		const table = new FrameTable(this.printed.frames);
		const comments = frameLines.length === 0 ? [] : this.commentsOf(0, frameLines.length);
		let next = frameLines.length;
		while (next > 0) {
			const owner = frameLines.owner(next - 1);
			let line = next - 1;
			while (line > 0 && frameLines.owner(line - 1) === owner) {
				line--;
			}
			own[owner] = table.positionOf(comments.slice(line, next));
			next = line;
		}
		return { position: inheritedPositions(own, this.labels), positions: table.positions };
	}

	private whole(): Instructions {
		this.read ??= this.printed.whole();
		return this.read;
	}
}

/** Lines of the text: of each the instruction that it belongs to, its first byte, and the byte behind its last. */
class PlacedLines {
	readonly length: number;
	private readonly columns: Int32Array;

	constructor(rows: readonly number[]) {
		this.length = rows.length / 3;
		this.columns = Int32Array.from(rows);
	}

	owner(line: number): number {
		return this.columns[3 * line]!;
	}

	from(line: number): number {
		return this.columns[3 * line + 1]!;
	}

	to(line: number): number {
		return this.columns[3 * line + 2]!;
	}

	/** Lines of an instruction. */
	of(instruction: number): number[] {
		const result: number[] = [];
		for (let line = 0; line < this.length; line++) {
			if (this.owner(line) === instruction) {
				result.push(line);
			}
		}
		return result;
	}
}

function debugInfoSaid(said: number): number {
	switch (said) {
		case Said.Frame:
			return DebugInfo.Frames;
		case Said.OopMap:
			return DebugInfo.OopMap;
		case Said.CallAgain:
		case Said.Again:
			return DebugInfo.Reexecute;
		default:
			return 0;
	}
}
