/**
 * Instructions of x86-64 that were decoded before, by their bytes: compiled code repeats most of them. No encoding is the beginning of another, so that a tree of
 * bytes finds one and its length at once. What stands relative to the next instruction is kept as a distance.
 */
import { Flow, type FlowKind } from '../model/instructions.js';
import type { DisassembledInstruction } from './disassembled-instruction.js';

/** What its text depends on, besides its bytes. */
const Kind = { Unknown: 0, Nothing: 1, Target: 2, Data: 3 } as const;
type KindOf = (typeof Kind)[keyof typeof Kind];

const MOST_NODES = 1 << 20;
const ROOT = 0;

export class KnownInstructions {
	/** Node and byte → node; open addressing. */
	private keys = new Int32Array(1 << 16).fill(-1);
	private children = new Int32Array(1 << 16);
	private nodes = 1;
	private readonly kind: KindOf[] = [Kind.Unknown];
	private readonly text: string[] = [''];
	private readonly distance: number[] = [0];
	private readonly flow: FlowKind[] = [Flow.Next];
	/** By opcode, `call `: jumps and calls with a distance of 32 bits, of which hardly two are equal. */
	private readonly jumps = new Map<number, { readonly text: string; readonly flow: FlowKind }>();

	/** null: not decoded before, or where it goes cannot be told in a double. */
	find(bytes: Uint8Array, at: number, address: number): DisassembledInstruction | null {
		const jumpSize = jumpSizeAt(bytes, at);
		if (jumpSize > 0) {
			const jump = this.jumps.get(opcodeAt(bytes, at));
			return jump === undefined ? null : jumpTo(address, jumpSize, jump.text, jump.flow, address + jumpSize + distanceAt(bytes, at + jumpSize - 4));
		}
		let node = ROOT;
		for (let i = at; i < bytes.length; i++) {
			node = this.child(node, bytes[i]!);
			if (node < 0) {
				return null;
			}
			const kind = this.kind[node]!;
			if (kind === Kind.Unknown) {
				continue;
			}
			const sizeBytes = i + 1 - at;
			const text = this.text[node]!;
			const flow = this.flow[node]!;
			if (kind === Kind.Nothing) {
				return { address, sizeBytes, text, flow, target: Number.NaN };
			}
			const to = address + sizeBytes + this.distance[node]!;
			return kind === Kind.Target
				? jumpTo(address, sizeBytes, text, flow, to)
				: { address, sizeBytes, text: `${text}${dataAddress(to)}`, flow, target: Number.NaN };
		}
		return null;
	}

	add(bytes: Uint8Array, at: number, { address, sizeBytes, text, flow, target }: DisassembledInstruction): void {
		const end = address + sizeBytes;
		if (jumpSizeAt(bytes, at) === sizeBytes && target === end + distanceAt(bytes, at + sizeBytes - 4)) {
			this.jumps.set(opcodeAt(bytes, at), { text: text.slice(0, text.lastIndexOf('0x')), flow });
		}
		if (jumpSizeAt(bytes, at) > 0 || this.nodes + sizeBytes > MOST_NODES || !(Number.isNaN(target) || Number.isSafeInteger(target))) {
			return;
		}
		let node = ROOT;
		for (let i = at; i < at + sizeBytes; i++) {
			const next = this.child(node, bytes[i]!);
			node = next < 0 ? this.addChild(node, bytes[i]!) : next;
		}
		this.flow[node] = flow;
		const data = text.indexOf(DATA);
		this.kind[node] = data >= 0 ? Kind.Data : Number.isNaN(target) ? Kind.Nothing : Kind.Target;
		this.text[node] = data >= 0 ? text.slice(0, data) : Number.isNaN(target) ? text : text.slice(0, text.lastIndexOf('0x'));
		this.distance[node] = (data >= 0 ? Number.parseInt(text.slice(data + DATA.length), 16) : target) - end;
	}

	private child(node: number, byte: number): number {
		const key = node * 256 + byte;
		for (let slot = this.slotOf(key); ; slot = (slot + 1) & (this.keys.length - 1)) {
			const found = this.keys[slot]!;
			if (found === key || found < 0) {
				return found < 0 ? -1 : this.children[slot]!;
			}
		}
	}

	private addChild(node: number, byte: number): number {
		if (this.nodes * 2 > this.keys.length) {
			this.grow();
		}
		this.put(node * 256 + byte, this.nodes);
		this.kind.push(Kind.Unknown);
		this.text.push('');
		this.distance.push(0);
		this.flow.push(Flow.Next);
		return this.nodes++;
	}

	private grow(): void {
		const { keys, children } = this;
		this.keys = new Int32Array(2 * keys.length).fill(-1);
		this.children = new Int32Array(2 * keys.length);
		for (let i = 0; i < keys.length; i++) {
			if (keys[i]! >= 0) {
				this.put(keys[i]!, children[i]!);
			}
		}
	}

	private put(key: number, child: number): void {
		let slot = this.slotOf(key);
		while (this.keys[slot]! >= 0) {
			slot = (slot + 1) & (this.keys.length - 1);
		}
		this.keys[slot] = key;
		this.children[slot] = child;
	}

	/** Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4). */
	private slotOf(key: number): number {
		return (Math.imul(key, 0x9e3779b1) >>> 7) & (this.keys.length - 1);
	}
}

const DATA = ' # 0x';

/** What is behind the text of an instruction that reads relative to the next one. */
export function dataAddress(address: number): string {
	return `${DATA}${address.toString(16).padStart(16, '0')}`;
}

function jumpTo(address: number, sizeBytes: number, text: string, flow: FlowKind, target: number): DisassembledInstruction | null {
	return target < 0 || !Number.isSafeInteger(target) ? null : { address, sizeBytes, text: `${text}0x${target.toString(16)}`, flow, target };
}

/** `call`, `jmp` and `jcc` with 32 bits; 0 for all else, and where the bytes end. */
function jumpSizeAt(bytes: Uint8Array, at: number): number {
	const first = bytes[at]!;
	const size = first === 0xe8 || first === 0xe9 ? 5 : first === 0x0f && (bytes[at + 1]! & 0xf0) === 0x80 ? 6 : 0;
	return at + size <= bytes.length ? size : 0;
}

function opcodeAt(bytes: Uint8Array, at: number): number {
	return bytes[at] === 0x0f ? 0x0f00 | bytes[at + 1]! : bytes[at]!;
}

function distanceAt(bytes: Uint8Array, at: number): number {
	return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}
