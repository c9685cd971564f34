/** Blocks of a chain in columns: the code that a large program's calls lead through has a million of them. */
import type { PlaceKind } from './safepoint-places.js';

export interface ChainBlock {
	/** Instructions [from, to). */
	readonly from: number;
	readonly to: number;
	/** What its last instruction is. */
	readonly place: PlaceKind;
	readonly returns: boolean;
	/** The block after it, -1 where execution does not go on there. */
	readonly fall: number;
	/** Where its jump goes to, -1 for none and for jumps out of the code. */
	readonly jump: number;
}

export class ChainBlocks {
	readonly length: number;
	/** The first instruction of each block; behind the last the number of instructions. */
	readonly from: Int32Array;
	readonly fall: Int32Array;
	readonly jump: Int32Array;
	/** {@link PlaceKind}. */
	readonly place: Uint8Array;
	/** 1 where it does. */
	readonly returns: Uint8Array;

	/** `from`: with the number of instructions at its end. The other columns are to be filled. */
	constructor(from: Int32Array) {
		this.length = from.length - 1;
		this.from = from;
		this.fall = new Int32Array(this.length).fill(-1);
		this.jump = new Int32Array(this.length).fill(-1);
		this.place = new Uint8Array(this.length);
		this.returns = new Uint8Array(this.length);
	}

	/** The block of that number, which there has to be. */
	at(block: number): ChainBlock {
		return {
			from: this.from[block]!,
			to: this.from[block + 1]!,
			place: this.place[block] as PlaceKind,
			returns: this.returns[block] === 1,
			fall: this.fall[block]!,
			jump: this.jump[block]!,
		};
	}

	/** Whether execution goes on in two ways behind it. */
	isBranch(block: number): boolean {
		return this.fall[block]! >= 0 && this.jump[block]! >= 0;
	}

	*[Symbol.iterator](): Iterator<ChainBlock> {
		for (let block = 0; block < this.length; block++) {
			yield this.at(block);
		}
	}
}
