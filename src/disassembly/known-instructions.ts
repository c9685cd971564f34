/**
 * Instructions of x86-64 that were decoded before, by their bytes: compiled code repeats most of them. No encoding is the beginning of another, so that a tree of
 * bytes finds one and its length at once. What stands relative to the next instruction is kept as a distance, so that a form, what is known of an encoding,
 * does not depend on where it lies.
 */
import { Flow } from '../model/instructions.js';
import type { DecodedCode } from './decoded-code.js';
import type { DisassembledInstruction } from './disassembled-instruction.js';

/** What the text of a form depends on, besides its bytes. */
const Kind = { Nothing: 0, Target: 1, Data: 2 } as const;

const MOST_NODES = 1 << 20;
const ROOT = 0;
/** `jmp` and `call` by their byte, `jcc` by their second one. */
const JUMP_OPCODES = 0x200;

/** Decodes the instruction that begins at `at`; data, which is no encoding, where none does. */
export type DecodeOne = (bytes: Uint8Array, at: number, address: number) => { readonly decoded: DisassembledInstruction; readonly isData: boolean };

export class KnownInstructions {
	private readonly decodeOne: DecodeOne;
	/** Node and byte → node; open addressing. */
	private keys = new Int32Array(1 << 16).fill(-1);
	private children = new Int32Array(1 << 16);
	/** Of each node the form of the encoding that ends there, -1 for none. */
	private formOfNode = new Int32Array(1 << 15).fill(-1);
	private nodes = 1;
	private readonly forms = new Forms();
	/** By opcode, `call `: jumps and calls with a distance of 32 bits, of which hardly two are equal; -1: not decoded before. */
	private readonly jumps = new Int32Array(JUMP_OPCODES).fill(-1);
	/** Of bytes that are no instruction. */
	private readonly data = new Int32Array(256).fill(-1);
	private sizes = new Uint8Array(1 << 12);
	private found = new Int32Array(1 << 12);

	constructor(decodeOne: DecodeOne) {
		this.decodeOne = decodeOne;
	}

	/** All of the bytes, the first of which lies at `address`; addresses have to be exact in a double. */
	decode(bytes: Uint8Array, address: number): DecodedCode {
		const length = this.divide(bytes, address);
		const addresses = new Float64Array(length);
		const end = new Float64Array(length);
		const flow = new Uint8Array(length);
		const target = new Float64Array(length).fill(Number.NaN);
		const form = this.found.slice(0, length);
		const { forms } = this;
		let at = 0;
		for (let i = 0; i < length; i++) {
			const sizeBytes = this.sizes[i]!;
			addresses[i] = address + at;
			const next = address + at + sizeBytes;
			end[i] = next;
			flow[i] = forms.flow[form[i]!]!;
			if (flow[i] !== Flow.Next) {
				target[i] = this.targetOf(bytes, at, sizeBytes, form[i]!, next);
			}
			at += sizeBytes;
		}
		return { length, address: addresses, end, flow, target, text: (i) => forms.textOf(form[i]!, end[i]!, target[i]!) };
	}

	/** How long each instruction is, and its form. */
	private divide(bytes: Uint8Array, address: number): number {
		let count = 0;
		for (let at = 0; at < bytes.length; count++) {
			if (count === this.sizes.length) {
				this.makeRoom();
			}
			let sizeBytes = 0;
			let form = -1;
			const jumpSize = jumpSizeAt(bytes, at);
			if (jumpSize > 0) {
				form = this.jumps[opcodeAt(bytes, at)]!;
				sizeBytes = jumpSize;
			} else {
				let node = ROOT;
				for (let i = at; i < bytes.length && node >= 0 && form < 0; i++) {
					node = this.child(node, bytes[i]!);
					form = node < 0 ? -1 : this.formOfNode[node]!;
					sizeBytes = i + 1 - at;
				}
			}
			if (form < 0 || !isAddress(this.targetOf(bytes, at, sizeBytes, form, address + at + sizeBytes))) {
				const { decoded, isData } = this.decodeOne(bytes, at, address + at);
				sizeBytes = decoded.sizeBytes;
				form = isData ? this.dataForm(bytes[at]!, decoded) : this.add(bytes, at, decoded);
			}
			this.sizes[count] = sizeBytes;
			this.found[count] = form;
			at += sizeBytes;
		}
		return count;
	}

	private targetOf(bytes: Uint8Array, at: number, sizeBytes: number, form: number, end: number): number {
		if (this.forms.kind[form] !== Kind.Target) {
			return this.forms.kind[form] === Kind.Nothing ? this.forms.distance[form]! : Number.NaN;
		}
		return end + (jumpSizeAt(bytes, at) === sizeBytes ? distanceAt(bytes, at + sizeBytes - 4) : this.forms.distance[form]!);
	}

	/** A form that says what was decoded; it is found again unless it is of this place alone. */
	private add(bytes: Uint8Array, at: number, { address, sizeBytes, text, flow, target }: DisassembledInstruction): number {
		const end = address + sizeBytes;
		const jumpSize = jumpSizeAt(bytes, at);
		const isExact = Number.isNaN(target) || isAddress(target);
		if (jumpSize === sizeBytes && isExact && target === end + distanceAt(bytes, at + sizeBytes - 4)) {
			const form = this.forms.add(Kind.Target, text.slice(0, text.lastIndexOf('0x')), flow, 0);
			this.jumps[opcodeAt(bytes, at)] = form;
			return form;
		}
		const data = text.indexOf(DATA);
		const isKept = jumpSize === 0 && isExact && this.nodes + sizeBytes <= MOST_NODES;
		const form =
			!isKept || (data < 0 && Number.isNaN(target))
				? this.forms.add(Kind.Nothing, text, flow, target)
				: data >= 0
					? this.forms.add(Kind.Data, text.slice(0, data), flow, Number.parseInt(text.slice(data + DATA.length), 16) - end)
					: this.forms.add(Kind.Target, text.slice(0, text.lastIndexOf('0x')), flow, target - end);
		if (isKept) {
			const node = this.nodeOf(bytes, at, sizeBytes);
			this.formOfNode[node] = form;
		}
		return form;
	}

	private dataForm(byte: number, { text, flow }: DisassembledInstruction): number {
		if (this.data[byte]! < 0) {
			this.data[byte] = this.forms.add(Kind.Nothing, text, flow, Number.NaN);
		}
		return this.data[byte]!;
	}

	private nodeOf(bytes: Uint8Array, at: number, sizeBytes: number): number {
		let node = ROOT;
		for (let i = at; i < at + sizeBytes; i++) {
			const next = this.child(node, bytes[i]!);
			node = next < 0 ? this.addChild(node, bytes[i]!) : next;
		}
		return node;
	}

	private child(node: number, byte: number): number {
		const { keys } = this;
		const mask = keys.length - 1;
		const key = node * 256 + byte;
		for (let slot = slotOf(key, mask); ; slot = (slot + 1) & mask) {
			const found = keys[slot]!;
			if (found === key) {
				return this.children[slot]!;
			}
			if (found < 0) {
				return -1;
			}
		}
	}

	private addChild(node: number, byte: number): number {
		if (this.nodes * 2 > this.keys.length) {
			this.grow();
		}
		this.put(node * 256 + byte, this.nodes);
		return this.nodes++;
	}

	private grow(): void {
		const { keys, children, formOfNode } = this;
		this.keys = new Int32Array(2 * keys.length).fill(-1);
		this.children = new Int32Array(2 * keys.length);
		this.formOfNode = new Int32Array(keys.length + 1).fill(-1);
		this.formOfNode.set(formOfNode);
		for (let i = 0; i < keys.length; i++) {
			if (keys[i]! >= 0) {
				this.put(keys[i]!, children[i]!);
			}
		}
	}

	private put(key: number, child: number): void {
		const mask = this.keys.length - 1;
		let slot = slotOf(key, mask);
		while (this.keys[slot]! >= 0) {
			slot = (slot + 1) & mask;
		}
		this.keys[slot] = key;
		this.children[slot] = child;
	}

	private makeRoom(): void {
		const { sizes, found } = this;
		this.sizes = new Uint8Array(2 * sizes.length);
		this.sizes.set(sizes);
		this.found = new Int32Array(2 * found.length);
		this.found.set(found);
	}
}

/** What is known of encodings, in columns. */
class Forms {
	kind = new Uint8Array(1 << 12);
	flow = new Uint8Array(1 << 12);
	/** From the end of the instruction to its target or data; of kind Nothing the target itself, NaN for none. */
	distance = new Float64Array(1 << 12);
	private readonly text: string[] = [];

	add(kind: number, text: string, flow: number, distance: number): number {
		const form = this.text.push(text) - 1;
		if (form === this.kind.length) {
			this.kind = twice(this.kind, new Uint8Array(2 * form));
			this.flow = twice(this.flow, new Uint8Array(2 * form));
			this.distance = twice(this.distance, new Float64Array(2 * form));
		}
		this.kind[form] = kind;
		this.flow[form] = flow;
		this.distance[form] = distance;
		return form;
	}

	textOf(form: number, end: number, target: number): string {
		const text = this.text[form]!;
		switch (this.kind[form]) {
			case Kind.Target:
				return `${text}0x${target.toString(16)}`;
			case Kind.Data:
				return `${text}${dataAddress(end + this.distance[form]!)}`;
			default:
				return text;
		}
	}
}

function twice<T extends Uint8Array | Float64Array>(from: T, to: T): T {
	to.set(from);
	return to;
}

/** Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4). */
function slotOf(key: number, mask: number): number {
	return (Math.imul(key, 0x9e3779b1) >>> 7) & mask;
}

/** NaN, no address, is none that could be wrong. */
function isAddress(target: number): boolean {
	return !(target < 0 || target > Number.MAX_SAFE_INTEGER);
}

const DATA = ' # 0x';

/** What is behind the text of an instruction that reads relative to the next one. */
export function dataAddress(address: number): string {
	return `${DATA}${address.toString(16).padStart(16, '0')}`;
}

/** `call`, `jmp` and `jcc` with 32 bits; 0 for all else, and where the bytes end. */
function jumpSizeAt(bytes: Uint8Array, at: number): number {
	const first = bytes[at]!;
	const size = first === 0xe8 || first === 0xe9 ? 5 : first === 0x0f && (bytes[at + 1]! & 0xf0) === 0x80 ? 6 : 0;
	return at + size <= bytes.length ? size : 0;
}

function opcodeAt(bytes: Uint8Array, at: number): number {
	return bytes[at] === 0x0f ? 0x100 | bytes[at + 1]! : bytes[at]!;
}

function distanceAt(bytes: Uint8Array, at: number): number {
	return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}
