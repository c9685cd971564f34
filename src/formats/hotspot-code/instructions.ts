/** Rows of a disassembly → instructions in columns: where each goes, and which bytecode it belongs to. */
import { flowOfInstruction } from '../../model/instruction-flow.js';
import type { Frame, Instructions } from '../../model/instructions.js';
import { inheritedPositions } from '../shared/hotspot/inherited-positions.js';
import { completeInstructions } from '../shared/hotspot/instruction-comments.js';

export interface Row {
	readonly address: number;
	/** NaN: up to the next row. */
	readonly end: number;
	readonly text: string;
	/** Without semicolons, one a line as printed. */
	readonly comments: readonly string[];
	/** `[Stub Code]`, `[Exception Handler]`: what begins here. */
	readonly label: string | null;
}

export interface PrintedCode {
	readonly instructions: Instructions;
	/** Headings by the number of the instruction that they stand before. */
	readonly labels: ReadonlyMap<number, string>;
}

/** Frames by the comment that says them, null for one that says none: many pieces of code name the same. */
export type ParsedFrames = Map<string, Frame | null>;

/** ` - java.util.HashMap::getNode@28 (line 578)`, ` - (reexecute)  T::f@30 (line 1)`; an address of a hidden class may be in the name. */
const FRAME_START = /^- +(?:\(reexecute\) +)?/;
const FRAME_END = /@(-?\d+)(?: \(line (-?\d+)\))?$/;

/**
 * Of two rows with one address the later counts. `codeEnd` is the byte after the last instruction. `parsed` can be shared by all code of a log.
 */
export function instructionsOfRows(unsorted: readonly Row[], codeEnd: number, parsed: ParsedFrames = new Map()): PrintedCode {
	const rows = inOrder(unsorted);
	const { length } = rows;
	const address = Float64Array.from(rows, (row) => row.address);
	const end = new Float64Array(length);
	const flow = new Uint8Array(length);
	const target = new Float64Array(length);
	const own = new Int32Array(length);
	const frames = new FrameTable(parsed);
	const labels = new Map<number, string>();
	let next = codeEnd;
	for (let i = length - 1; i >= 0; i--) {
		const row = rows[i]!;
		end[i] = row.end > row.address ? row.end : Math.max(next, row.address + 1);
		next = row.address;
		const goes = flowOfInstruction(row.text);
		flow[i] = goes.flow;
		target[i] = goes.target;
		own[i] = frames.positionOf(row.comments);
		if (row.label !== null) {
			labels.set(i, row.label);
		}
	}
	return {
		instructions: completeInstructions({
			length,
			address,
			end,
			text: rows.map(({ text }) => text),
			flow,
			target,
			position: inheritedPositions(own, labels),
			positions: frames.positions,
			comments: rows.map(({ comments }) => comments),
		}),
		labels,
	};
}

function inOrder(rows: readonly Row[]): readonly Row[] {
	if (rows.every((row, i) => i === 0 || row.address > rows[i - 1]!.address)) {
		return rows;
	}
	return [...new Map(rows.map((row) => [row.address, row])).values()].sort((a, b) => a.address - b.address);
}

/** The chains of frames that comments say, each once. */
export class FrameTable {
	readonly positions: Frame[][] = [];
	private readonly numbers = new Map<string, number>();
	private readonly parsed: ParsedFrames;

	constructor(parsed: ParsedFrames) {
		this.parsed = parsed;
	}

	/** Number of the chain of frames among comments; -1 where there is none. */
	positionOf(comments: readonly string[]): number {
		if (comments.length === 0) {
			return -1;
		}
		const lines = comments.filter((comment) => comment.startsWith('- '));
		if (lines.length === 0) {
			return -1;
		}
		const key = lines.join('\n');
		let number = this.numbers.get(key);
		if (number === undefined) {
			const chain = lines.flatMap((line) => parsedFrame(line, this.parsed) ?? []);
			number = chain.length === 0 ? -1 : this.positions.push(chain) - 1;
			this.numbers.set(key, number);
		}
		return number;
	}
}

/** The frame that a comment says, null for one that says none; `parsed` is looked into, and kept. */
export function parsedFrame(comment: string, parsed: ParsedFrames): Frame | null {
	let frame = parsed.get(comment);
	if (frame === undefined) {
		frame = parseFrame(comment);
		parsed.set(comment, frame);
	}
	return frame;
}

function parseFrame(comment: string): Frame | null {
	const start = FRAME_START.exec(comment)?.[0].length ?? -1;
	const end = start < 0 ? null : FRAME_END.exec(comment);
	const method = end === null ? '' : comment.slice(start, end.index);
	const separator = method.lastIndexOf('::', method.length - 3);
	if (end === null || separator < 1) {
		return null;
	}
	const [, bci, line] = end;
	return { method: `${method.slice(0, separator)}.${method.slice(separator + 2)}`, bci: Number(bci), line: line === undefined ? null : Number(line) };
}
