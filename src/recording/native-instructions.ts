/**
 * The instructions of a function of a native program. Where they go is there at once; texts, the chains of inlining of the debug information and what stands beside the
 * instructions are made for code that somebody looks at.
 */
import path from 'node:path';
import type { DecodedCode } from '../disassembly/decoded-code.js';
import { methodsOf } from '../formats/shared/hotspot/instruction-comments.js';
import type { ChainFrame } from '../model/debug-information.js';
import type { Frame, Instructions } from '../model/instructions.js';
import { sourceComment } from '../model/source-comment.js';
import { DecodedInstructions } from './decoded-instructions.js';

/** What the debug information tells. */
export interface NativeNotes {
	/** The innermost frame first; empty where nothing is told. */
	chainAt(address: number): readonly ChainFrame[];
	frameOf(frame: ChainFrame): Frame;
}

interface Positions {
	readonly position: Int32Array;
	readonly positions: readonly (readonly Frame[])[];
	readonly comments: readonly (readonly string[])[];
}

export class NativeInstructions extends DecodedInstructions implements Instructions {
	private readonly notes: NativeNotes;
	private debugBits: Uint8Array | null = null;
	private described: Positions | null = null;

	constructor(decoded: DecodedCode, notes: NativeNotes) {
		super(decoded);
		this.notes = notes;
	}

	get debugInfo(): Uint8Array {
		this.debugBits ??= new Uint8Array(this.length);
		return this.debugBits;
	}

	get position(): Int32Array {
		return this.all().position;
	}

	get positions(): readonly (readonly Frame[])[] {
		return this.all().positions;
	}

	get comments(): readonly (readonly string[])[] {
		return this.all().comments;
	}

	frames(i: number): readonly Frame[] {
		const address = this.address[i];
		return address === undefined ? [] : this.notes.chainAt(address).map((frame) => this.notes.frameOf(frame));
	}

	methods(): ReadonlySet<string> {
		return methodsOf(this.positions);
	}

	/** What a call goes to nothing describes. */
	calledName(): null {
		return null;
	}

	runtimeCalls(): readonly string[] {
		return [];
	}

	lateCalls(): readonly number[] {
		return [];
	}

	private all(): Positions {
		this.described ??= this.describe();
		return this.described;
	}

	private describe(): Positions {
		const { length, notes } = this;
		const positions: (readonly Frame[])[] = [];
		const numbers = new Map<string, number>();
		const position = new Int32Array(length).fill(-1);
		const comments: string[][] = [];
		let before = '';
		this.address.forEach((address, i) => {
			const chain = notes.chainAt(address);
			const key = chain.map(({ function: name, file, line, column }) => `${name}\0${file}\0${line}\0${column}`).join('\n');
			let number = chain.length === 0 ? -1 : numbers.get(key);
			if (number === undefined) {
				number = positions.push(chain.map((frame) => notes.frameOf(frame))) - 1;
				numbers.set(key, number);
			}
			position[i] = number;
			const [inner] = chain;
			comments.push(key === before || inner === undefined || inner.line === 0 ? [] : [sourceComment(placeText(inner))]);
			before = key;
		});
		return { position, positions, comments };
	}
}

function placeText({ file, line, column }: ChainFrame): string {
	return `${file === null ? '?' : path.basename(file)}:${line}${column === 0 ? '' : `:${column}`}`;
}
