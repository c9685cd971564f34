/**
 * LLVM's bitstream container: blocks of records, abbreviated as the file itself says (llvm.org/docs/BitCodeFormat.html, llvm/Bitstream/BitstreamReader.h). Bits are
 * counted from the lowest of little-endian words of 32.
 */
import { appendTo } from '../../model/append.js';

/** Ends the reading of what is damaged. */
export class BitstreamError extends Error {}

/** What is found, in the order of the file. Numbers of records are valid until `record` returns. */
export interface BitstreamSink {
	/** false: the block is passed over. */
	enter(block: number): boolean;
	leave(block: number): void;
	/** `blob`: bytes [from, to) of the file that belong to the record; -1 without. */
	record(block: number, code: number, values: Int32Array, count: number, blobFrom: number, blobTo: number): void;
}

const END_BLOCK = 0;
const ENTER_SUBBLOCK = 1;
const DEFINE_ABBREV = 2;
const UNABBREV_RECORD = 3;
const BLOCKINFO = 0;
const SET_BID = 1;
const MOST_VALUES = 1 << 16;
const FEW_VALUES = 64;
const MOST_DEPTH = 64;

/** An abbreviation: kinds of its operands, each with a number. */
const Operand = { Literal: 0, Fixed: 1, Vbr: 2, Array: 3, Char6: 4, Blob: 5 } as const;
interface Abbreviation {
	readonly kinds: readonly number[];
	readonly numbers: readonly number[];
	/** Numbers alone, and few: no array, text or letter. Nearly all are. */
	readonly isFlat: boolean;
}

const CHAR6 = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._';

const NO_ABBREVIATIONS: readonly Abbreviation[] = [];

interface OpenBlock {
	readonly id: number;
	readonly width: number;
	/** Of its kind: the first of them, which were there when it began; behind them what it defines itself. */
	readonly ofKind: readonly Abbreviation[];
	readonly countOfKind: number;
	readonly own: Abbreviation[];
	readonly isWanted: boolean;
}

export class BitstreamReader {
	private readonly bytes: Uint8Array;
	private readonly end: number;
	/** Position in bits. */
	private at: number;
	private readonly known = new Map<number, Abbreviation[]>();
	private values = new Int32Array(FEW_VALUES);
	private count = 0;

	/** Bytes from `start` up to `end`. */
	constructor(bytes: Uint8Array, start: number, end: number) {
		this.bytes = bytes;
		this.at = start * 8;
		this.end = end * 8;
	}

	get offsetBytes(): number {
		return Math.min(this.at, this.end) / 8;
	}

	/** Up to the end, or to what is no block at the outermost level. Throws a {@link BitstreamError} on damage. */
	read(sink: BitstreamSink): void {
		const open: OpenBlock[] = [];
		let block: OpenBlock = { id: -1, width: 2, ofKind: NO_ABBREVIATIONS, countOfKind: 0, own: [], isWanted: true };
		/** The block that the records of BLOCKINFO are about. */
		let described = -1;
		while (this.at < this.end) {
			if (open.length === 0 && this.end - this.at < 32) {
				return;
			}
			const id = this.fixed(block.width);
			if (id === END_BLOCK) {
				const parent = open.pop();
				if (parent === undefined) {
					throw new BitstreamError('a block ends that did not begin');
				}
				this.align();
				if (block.isWanted && block.id !== BLOCKINFO) {
					sink.leave(block.id);
				}
				block = parent;
			} else if (id === ENTER_SUBBLOCK) {
				const entered = this.enter(sink, block);
				if (entered !== null) {
					if (open.length >= MOST_DEPTH) {
						throw new BitstreamError('blocks are nested too deep');
					}
					open.push(block);
					block = entered;
				}
			} else if (id === DEFINE_ABBREV) {
				const abbreviation = this.abbreviation();
				if (block.id === BLOCKINFO) {
					appendTo(this.known, described, abbreviation);
				} else {
					block.own.push(abbreviation);
				}
			} else if (open.length === 0) {
				throw new BitstreamError('a record stands outside of all blocks');
			} else {
				const code = id === UNABBREV_RECORD ? this.unabbreviated() : this.abbreviated(abbreviationOf(block, id - 4), block, sink);
				if (block.id === BLOCKINFO) {
					described = code === SET_BID && this.count > 0 ? this.values[0]! : described;
				} else if (code >= 0 && block.isWanted) {
					sink.record(block.id, code, this.values, this.count, -1, -1);
				}
			}
		}
		if (open.length > 0) {
			throw new BitstreamError('the file ends inside of a block');
		}
	}

	private enter(sink: BitstreamSink, parent: OpenBlock): OpenBlock | null {
		const id = this.variable(8);
		const width = this.variable(4);
		this.align();
		const words = this.fixed(32) >>> 0;
		if (width < 2 || width > 32) {
			throw new BitstreamError(`a block has ids of ${width} bits`);
		}
		if (id !== BLOCKINFO && !(parent.isWanted && sink.enter(id))) {
			this.at += words * 32;
			if (this.at > this.end) {
				throw new BitstreamError('a block reaches beyond the end');
			}
			return null;
		}
		const ofKind = this.known.get(id) ?? NO_ABBREVIATIONS;
		return { id, width, ofKind, countOfKind: ofKind.length, own: [], isWanted: true };
	}

	private abbreviation(): Abbreviation {
		const kinds: number[] = [];
		const numbers: number[] = [];
		const count = this.variable(5);
		if (count > MOST_VALUES) {
			throw new BitstreamError('an abbreviation is too long');
		}
		for (let i = 0; i < count; i++) {
			const isLiteral = this.fixed(1) === 1;
			const kind = isLiteral ? Operand.Literal : this.fixed(3);
			const number = isLiteral ? this.variable(8) : kind === Operand.Fixed || kind === Operand.Vbr ? this.variable(5) : 0;
			if (kind > Operand.Blob || (kind !== Operand.Literal && number > 32)) {
				throw new BitstreamError('an abbreviation is of no known form');
			}
			kinds.push(kind);
			numbers.push(number);
		}
		return { kinds, numbers, isFlat: count < FEW_VALUES && kinds.every((kind) => kind <= Operand.Vbr) };
	}

	/** Returns the code. */
	private unabbreviated(): number {
		const code = this.variable(6);
		const count = this.variable(6);
		this.count = 0;
		for (let i = 0; i < count; i++) {
			this.push(this.variable(6));
		}
		return code;
	}

	/** Returns the code; -1 when the record was given to the sink already, because it has a blob. */
	private abbreviated(abbreviation: Abbreviation | undefined, block: OpenBlock, sink: BitstreamSink): number {
		if (abbreviation === undefined) {
			throw new BitstreamError('a record has an abbreviation that was not defined');
		}
		if (abbreviation.isFlat) {
			return this.flat(abbreviation);
		}
		const { kinds, numbers } = abbreviation;
		this.count = 0;
		let code = -1;
		for (let i = 0; i < kinds.length; i++) {
			const kind = kinds[i]!;
			if (kind === Operand.Array) {
				const count = this.variable(6);
				for (let n = 0; n < count; n++) {
					this.push(this.scalar(kinds[i + 1] ?? 0, numbers[i + 1] ?? 0));
				}
				break;
			}
			if (kind === Operand.Blob) {
				const length = this.variable(6) >>> 0;
				this.align();
				const from = this.at / 8;
				this.at += length * 8;
				this.align();
				if (this.at > this.end) {
					throw new BitstreamError('a text reaches beyond the end');
				}
				if (block.isWanted && block.id !== BLOCKINFO) {
					sink.record(block.id, code, this.values, this.count, from, from + length);
				}
				return -1;
			}
			const value = this.scalar(kind, numbers[i]!);
			if (i === 0) {
				code = value;
			} else {
				this.push(value);
			}
		}
		return code;
	}

	/** The same for numbers alone: without calls, as a file has millions. */
	private flat({ kinds, numbers }: Abbreviation): number {
		const { bytes, values, end } = this;
		let { at } = this;
		let code = -1;
		for (let i = 0; i < kinds.length; i++) {
			const bits = numbers[i]!;
			let value = bits;
			if (kinds[i] !== Operand.Literal) {
				value = 0;
				const isFixed = kinds[i] === Operand.Fixed;
				const most = isFixed || bits === 0 ? 0 : 1 << (bits - 1);
				let group = most;
				for (let shift = 0; bits > 0 && (shift === 0 || (group & most) !== 0); shift += bits - 1) {
					if (at + bits > end) {
						this.at = at;
						throw new BitstreamError('the file ends inside of a record');
					}
					const byte = at >>> 3;
					const skip = at & 7;
					const low = bytes[byte]! | (bytes[byte + 1]! << 8) | (bytes[byte + 2]! << 16) | (bytes[byte + 3]! << 24);
					const word = skip === 0 ? low : (low >>> skip) | (bytes[byte + 4]! << (32 - skip));
					group = bits === 32 ? word : word & ((1 << bits) - 1);
					at += bits;
					if (shift < 32) {
						value |= (isFixed ? group : group & (most - 1)) << shift;
					}
					if (isFixed || bits === 1) {
						break;
					}
				}
			}
			if (i === 0) {
				code = value;
			} else {
				values[i - 1] = value;
			}
		}
		this.at = at;
		this.count = kinds.length - 1;
		return code;
	}

	private scalar(kind: number, number: number): number {
		switch (kind) {
			case Operand.Literal:
				return number;
			case Operand.Fixed:
				return number === 0 ? 0 : this.fixed(number);
			case Operand.Vbr:
				return number === 0 ? 0 : this.variable(number);
			case Operand.Char6:
				return CHAR6.charCodeAt(this.fixed(6));
			default:
				throw new BitstreamError('an array of arrays');
		}
	}

	private push(value: number): void {
		if (this.count === this.values.length) {
			if (this.count >= MOST_VALUES) {
				throw new BitstreamError('a record is too long');
			}
			const larger = new Int32Array(this.values.length * 2);
			larger.set(this.values);
			this.values = larger;
		}
		this.values[this.count++] = value;
	}

	/** So many bits, at most 32; as a signed number of 32 bits. */
	private fixed(bits: number): number {
		const { at, bytes } = this;
		if (at + bits > this.end) {
			throw new BitstreamError('the file ends inside of a record');
		}
		this.at = at + bits;
		const byte = at >>> 3;
		const shift = at & 7;
		const low = bytes[byte]! | (bytes[byte + 1]! << 8) | (bytes[byte + 2]! << 16) | (bytes[byte + 3]! << 24);
		const word = shift === 0 ? low : (low >>> shift) | (bytes[byte + 4]! << (32 - shift));
		return bits === 32 ? word : word & ((1 << bits) - 1);
	}

	/** Groups of bits, the highest of each saying whether another follows. What has more than 32 bits loses the upper ones. */
	private variable(bits: number): number {
		const most = 1 << (bits - 1);
		let value = 0;
		for (let shift = 0; ; shift += bits - 1) {
			const group = this.fixed(bits);
			if (shift < 32) {
				value |= (group & (most - 1)) << shift;
			}
			if ((group & most) === 0) {
				return value;
			}
		}
	}

	private align(): void {
		this.at = Math.ceil(this.at / 32) * 32;
	}
}

function abbreviationOf({ ofKind, countOfKind, own }: OpenBlock, number: number): Abbreviation | undefined {
	return number < countOfKind ? ofKind[number] : own[number - countOfKind];
}
