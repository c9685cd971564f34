/** What an agent's log says of compiled code beside its bytes: relocations, safepoints, and which bytecodes of which methods addresses belong to. */
import { RangeReader, readRange, type Source } from '../../bytes/source.js';
import { ConstantPool } from '../shared/java/constant-pool.js';
import { OPCODES } from '../shared/java/opcodes.js';
import type { AgentLoad, AgentLog, AgentMethod } from './read.js';

/** A described address: the state after the instruction that ends there. */
interface DescribedPc {
	/** Bytes from the start of the code. */
	readonly offset: number;
	/** The innermost method first. */
	readonly frames: readonly { readonly method: number; readonly bci: number }[];
}

/** Described addresses, ascending, as columns: of large code there are tens of thousands, and they are asked for again and again. */
export class DescribedAddresses implements Iterable<DescribedPc> {
	readonly length: number;
	/** Bytes from the start of the code. */
	readonly offset: Uint32Array;
	/** Where the frames of each begin, and of the last end. */
	readonly firstFrame: Uint32Array;
	/** Of each frame, the innermost of an address first. */
	readonly method: Uint32Array;
	readonly bci: Int32Array;

	constructor(offset: Uint32Array, firstFrame: Uint32Array, method: Uint32Array, bci: Int32Array) {
		this.length = offset.length;
		this.offset = offset;
		this.firstFrame = firstFrame;
		this.method = method;
		this.bci = bci;
	}

	/** Whether frames are described there: code of no method has none. */
	hasFrames(i: number): boolean {
		return this.firstFrame[i + 1]! > this.firstFrame[i]!;
	}

	*[Symbol.iterator](): Iterator<DescribedPc> {
		for (let i = 0; i < this.length; i++) {
			const frames = [];
			for (let frame = this.firstFrame[i]!; frame < this.firstFrame[i + 1]!; frame++) {
				frames.push({ method: this.method[frame]!, bci: this.bci[frame]! });
			}
			yield { offset: this.offset[i]!, frames };
		}
	}
}

export interface LoadDetails {
	/** Offsets behind the instructions with an oop map: where a thread can be stopped, or calls what may stop. */
	readonly oopMaps: readonly number[];
	readonly described: DescribedAddresses;
}

/** Of what is read through at once. */
const passing = new RangeReader();

/** Relocations alone, which stand first; good until more of a log is read. */
export function readRelocationBytes(source: Source, { details }: AgentLoad): Uint8Array {
	// Descriptions, the most of it, stand behind them.
	const head = passing.read(source, details.offset, details.offset + Math.min(details.sizeBytes, USUAL_RELOCATION_BYTES));
	const size = head.length < 4 ? 0 : new DataView(head.buffer, head.byteOffset, 4).getUint32(0, true);
	const end = Math.min(4 + size, details.sizeBytes);
	const bytes = end <= head.length ? head : passing.read(source, details.offset, details.offset + end);
	return bytes.subarray(4, 4 + size);
}

const USUAL_RELOCATION_BYTES = 2048;

/** What is damaged is left out; described addresses ascend. */
export function readLoadDetails(source: Source, { details }: AgentLoad): LoadDetails {
	const bytes = passing.read(source, details.offset, details.offset + details.sizeBytes);
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
	let at = 0;
	const next = (): number => {
		at += 4;
		return at > bytes.length ? 0 : view.getUint32(at - 4, true);
	};
	const relocationBytes = Math.min(next(), bytes.length - at);
	at = (at + relocationBytes + 7) & ~7;
	const oopMaps: number[] = [];
	for (let left = next(); left > 0 && at < bytes.length; left--) {
		oopMaps.push(next());
	}
	return { oopMaps, described: readDescribed(view, at) };
}

/** The count, then each with its frames; what is cut ends them. */
function readDescribed(view: DataView, from: number): DescribedAddresses {
	const end = view.byteLength;
	const next = (at: number): number => (at + 4 <= end ? view.getUint32(at, true) : 0);
	const wanted = next(from);
	let count = 0;
	let frames = 0;
	for (let at = from + 4; count < wanted && at < end; count++) {
		const own = Math.min(next(at + 4), Math.max(0, Math.ceil((end - at - 8) / 8)));
		frames += own;
		at += 8 + 8 * own;
	}
	const offset = new Uint32Array(count);
	const firstFrame = new Uint32Array(count + 1);
	const method = new Uint32Array(frames);
	const bci = new Int32Array(frames);
	let at = from + 4;
	let isInOrder = true;
	for (let i = 0, frame = 0; i < count; i++) {
		offset[i] = next(at);
		isInOrder &&= i === 0 || offset[i]! >= offset[i - 1]!;
		const until = Math.min(frames, frame + next(at + 4));
		at += 8;
		for (; frame < until; frame++, at += 8) {
			method[frame] = next(at);
			bci[frame] = next(at + 4);
		}
		firstFrame[i + 1] = frame;
	}
	const described = new DescribedAddresses(offset, firstFrame, method, bci);
	return isInOrder ? described : inOrder(described);
}

function inOrder(described: DescribedAddresses): DescribedAddresses {
	const sorted = [...described].sort((a, b) => a.offset - b.offset);
	const firstFrame = [0];
	for (const { frames } of sorted) {
		firstFrame.push(firstFrame.at(-1)! + frames.length);
	}
	return new DescribedAddresses(
		Uint32Array.from(sorted, ({ offset }) => offset),
		Uint32Array.from(firstFrame),
		Uint32Array.from(sorted.flatMap(({ frames }) => frames.map(({ method }) => method))),
		Int32Array.from(sorted.flatMap(({ frames }) => frames.map(({ bci }) => bci))),
	);
}

/** Kinds of HotSpot's relocations that say where calls go and threads stop (relocInfo.hpp, the same numbers in JDK 8 to 25). */
const RELOCATION_NAMES: Readonly<Record<number, RelocationKind>> = {
	2: 'virtual_call',
	3: 'optimized virtual_call',
	4: 'static_call',
	6: 'runtime_call',
	10: 'poll',
	11: 'poll_return',
	14: 'runtime_call',
};
const DATA_PREFIX = 15;
type Architecture = 'x86-64' | 'aarch64';
const UNIT_BYTES: Readonly<Record<Architecture, number>> = { 'x86-64': 1, aarch64: 4 };

/** How many bits of a relocation's word its type has, and its format. */
interface RelocationLayout {
	readonly typeBits: number;
	readonly formatBits: number;
}

/** JDK 19 added types (for virtual threads), JDK 21 formats (for ZGC's barriers): relocInfo.hpp, relocInfo_x86.hpp, relocInfo_aarch64.hpp. */
export function relocationLayout(vmVersion: string, architecture: Architecture): RelocationLayout {
	const major = majorVersion(vmVersion);
	return { typeBits: major < 19 ? 4 : 5, formatBits: (major < 21 ? 1 : 2) + (architecture === 'x86-64' ? 1 : 0) };
}

/** Of `java.vm.version`: `17.0.15+6`, `25-beta+36-ea`; HotSpot had numbers of its own up to JDK 8: `25.412-b08`. */
function majorVersion(vmVersion: string): number {
	return /^\d+\.\d+-b\d+/.test(vmVersion) ? 8 : Number.parseInt(vmVersion, 10) || 0;
}

export type RelocationKind = 'virtual_call' | 'optimized virtual_call' | 'static_call' | 'runtime_call' | 'poll' | 'poll_return';

/**
 * Relocations are words of 16 bits: a type in the upper bits, below it bits of a format and the distance from the one before in units of an instruction's
 * alignment. Words of data stand before the relocation that they belong to. Constants, if there are any, come first: their relocations lie before the code
 * (`codeOffset` bytes of them). They ascend. `take` has the bytes from the start of the code to the instruction; false ends it, and is the result then.
 */
export function forEachRelocation(
	bytes: Uint8Array,
	{ typeBits, formatBits }: RelocationLayout,
	architecture: Architecture,
	codeOffset: number,
	take: (offset: number, kind: RelocationKind) => boolean,
): boolean {
	const otherBits = 16 - typeBits;
	const dataMask = (1 << (otherBits - 1)) - 1;
	const distanceMask = (1 << (otherBits - formatBits)) - 1;
	let offset = -codeOffset;
	for (let at = 0; at + 1 < bytes.length; at += 2) {
		const word = bytes[at]! | (bytes[at + 1]! << 8);
		const type = word >>> otherBits;
		if (type === DATA_PREFIX) {
			// The upper bit of the rest: that many words follow. Without it the word is the data itself.
			const data = word & ((1 << otherBits) - 1);
			const isCount = (data & (1 << (otherBits - 1))) !== 0;
			at += isCount ? 2 * (data & dataMask) : 0;
			continue;
		}
		offset += (word & distanceMask) * UNIT_BYTES[architecture];
		const kind = RELOCATION_NAMES[type];
		if (kind !== undefined && !take(offset, kind)) {
			return false;
		}
	}
	return true;
}

const INVOKESPECIAL = OPCODES.indexOf('invokespecial');
const INVOKESTATIC = OPCODES.indexOf('invokestatic');

/** Lines and bytecodes of methods, read when they are asked for. */
export class MethodDetails {
	private readonly source: Source;
	private readonly log: AgentLog;
	private readonly read = new Map<number, { lines: DataView; bytecode: Uint8Array }>();
	private readonly constants = new Map<number, ConstantPool>();

	constructor(source: Source, log: AgentLog) {
		this.source = source;
		this.log = log;
	}

	/** The line of a bytecode; null where the class file has none. */
	lineOf(method: number, bci: number): number | null {
		const details = this.detailsOf(method);
		if (details === null) {
			return null;
		}
		// At the entry of a synchronized method the index is -1: the first line.
		const wanted = Math.max(bci, 0);
		let bestBci = -1;
		let line: number | null = null;
		for (let at = 0; at + 8 <= details.lines.byteLength; at += 8) {
			const start = details.lines.getUint32(at, true);
			if (start <= wanted && start > bestBci) {
				bestBci = start;
				line = details.lines.getUint32(at + 4, true);
			}
		}
		return line;
	}

	/** `invokevirtual hashCode`, `iload_1`; null where the bytecode is not known. */
	bytecodeAt(method: number, bci: number): string | null {
		const bytecode = this.detailsOf(method)?.bytecode;
		const name = bytecode === undefined ? undefined : OPCODES[bytecode[bci]!];
		if (bytecode === undefined || name === undefined) {
			return null;
		}
		if (!/^(?:invoke|getfield|putfield|getstatic|putstatic)/.test(name)) {
			return name;
		}
		const member = this.constantsOf(this.log.methods[method]!).memberName(bytecode[bci + 1]! * 256 + bytecode[bci + 2]!);
		return member === null ? name : `${name} ${member}`;
	}

	/** Whether a bytecode is an `invokespecial` or `invokestatic`. */
	callsDirectly(method: number, bci: number): boolean {
		const opcode = this.detailsOf(method)?.bytecode[bci];
		return opcode === INVOKESPECIAL || opcode === INVOKESTATIC;
	}

	private detailsOf(number: number): { lines: DataView; bytecode: Uint8Array } | null {
		const known = this.read.get(number);
		const method = this.log.methods[number];
		if (known !== undefined || method === undefined) {
			return known ?? null;
		}
		const lineBytes = method.lineCount * 8;
		const bytes = readRange(this.source, method.linesOffset, method.linesOffset + lineBytes + method.bytecodeBytes);
		const lines = new DataView(bytes.buffer, bytes.byteOffset, Math.min(lineBytes, bytes.length));
		const details = { lines, bytecode: bytes.subarray(lineBytes) };
		this.read.set(number, details);
		return details;
	}

	private constantsOf({ classNumber }: AgentMethod): ConstantPool {
		let constants = this.constants.get(classNumber);
		if (constants === undefined) {
			const extent = this.log.classes[classNumber];
			const bytes = extent === undefined ? new Uint8Array(0) : readRange(this.source, extent.offset, extent.offset + extent.sizeBytes);
			// As many as the bytes hold: each has two or more.
			constants = new ConstantPool(bytes, 0, bytes.length);
			this.constants.set(classNumber, constants);
		}
		return constants;
	}
}
