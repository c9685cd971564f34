/**
 * The instructions of a compilation in the log of assay's agent. Where they go and where threads stop is there at once; texts, what the JVM would print beside
 * them and the bytecodes that they belong to are made for code that somebody looks at.
 */
import type { DecodedCode } from '../disassembly/decoded-code.js';
import type { DescribedAddresses, LoadDetails, RelocationKind } from '../formats/agent-log/details.js';
import { inheritedPositions } from '../formats/shared/hotspot/inherited-positions.js';
import { completeInstructions, traitOf } from '../formats/shared/hotspot/instruction-comments.js';
import { firstWhere } from '../model/binary-search.js';
import type { FlowColumns } from '../model/flow-columns.js';
import { DebugInfo, Flow, type Frame, type Instructions, instructionAt } from '../model/instructions.js';
import { DecodedInstructions, isBarrierBetween, textsOf } from './decoded-instructions.js';

/** A bytecode that instructions belong to, as the JVM prints it and as a frame. */
export interface Described {
	/** Small, and another for each. */
	readonly number: number;
	readonly comment: string;
	readonly frame: Frame;
}

/** Relocations, ascending: the instruction that each is of. */
export interface PlacedRelocations {
	readonly length: number;
	readonly instruction: readonly number[];
	readonly kind: readonly RelocationKind[];
}

/** What the log says of a compilation, and of what lies elsewhere. */
export interface CodeNotes {
	/** May be read anew each time. */
	details(): LoadDetails;
	/** The same for what is made of it once. */
	detailsOnce(): LoadDetails;
	/** Read anew each time; good until those of other code are read. */
	relocations(): PlacedRelocations;
	/** Headings by the number of the instruction that they stand before. */
	readonly labels: ReadonlyMap<number, string>;
	/** Of native wrappers the JVM prints no oop maps: their thread is stopped outside of Java. */
	readonly hasOopMaps: boolean;
	/** `{runtime_call StubRoutines::…}` of a call's target; of its text where that does not tell one. */
	runtimeCall(target: number, text: () => string): string;
	/** {@link traitOf} that, at a call. */
	traitOfRuntimeCall(target: number, text: () => string): number;
	nameOf(method: number): string;
	describe(method: number, bci: number): Described;
	bytecodeAt(method: number, bci: number): string | null;
	/** The name of the method that a bytecode calls, without its holder; null where it calls none, or nothing says it. */
	calledAt(method: number, bci: number): string | null;
	/** Whether the bytecode is a call that C2 inlines late. */
	isLateCall(method: number, bci: number): boolean;
}

const COMMENTS: Readonly<Record<RelocationKind, string>> = {
	virtual_call: '{virtual_call}',
	'optimized virtual_call': '{optimized virtual_call}',
	static_call: '{static_call}',
	runtime_call: '{runtime_call}',
	poll: '{poll}',
	poll_return: '{poll_return}',
};
const NO_COMMENTS: readonly string[] = [];
const NO_FRAMES: readonly Frame[] = [];

/** Of a stub or codelet, of which nothing is told but its bytes. */
export function instructionsAlone(decoded: DecodedCode): Instructions {
	const { length, address, end, flow, target } = decoded;
	return completeInstructions({
		...{ length, address, end, flow, target },
		text: textsOf(decoded),
		position: new Int32Array(length).fill(-1),
		positions: [],
		comments: new Array<readonly string[]>(length).fill(NO_COMMENTS),
	});
}

export class AgentInstructions extends DecodedInstructions implements Instructions {
	private readonly start: number;
	private readonly notes: CodeNotes;
	private debugBits: Uint8Array | null = null;
	private callsAt: ReadonlyMap<number, number> | null = null;
	private allComments: readonly (readonly string[])[] | null = null;
	private chains: { readonly position: Int32Array; readonly positions: readonly (readonly Frame[])[] } | null = null;

	/** `columns`: those of the code; `start`: the address that offsets count from. */
	constructor(decoded: DecodedCode, columns: FlowColumns, start: number, notes: CodeNotes) {
		super(decoded);
		this.start = start;
		this.notes = notes;
		const { flow } = columns;
		const { length, instruction, kind } = notes.relocations();
		for (let k = 0; k < length; k++) {
			const i = instruction[k]!;
			this.traits[i] = this.traits[i]! | (kind[k] === 'runtime_call' ? this.traitOfRuntimeCall(i, columns) : traitOf(COMMENTS[kind[k]!], flow[i]!));
		}
	}

	get labels(): ReadonlyMap<number, string> {
		return this.notes.labels;
	}

	get debugInfo(): Uint8Array {
		this.debugBits ??= this.makeDebugInfo();
		return this.debugBits;
	}

	calledName(i: number): string | null {
		const { notes, decoded, start } = this;
		const { described } = notes.details();
		const before = i === 0 ? 0 : decoded.endAt(i - 1) - start;
		for (let at = firstWhere(described.length, (k) => described.offset[k]! > before); at < described.length; at++) {
			const owner = endingAt(decoded, start, described.offset[at]!);
			if (owner > i) {
				break;
			}
			const frame = described.firstFrame[at]!;
			const isNone = owner < i || !described.hasFrames(at) || described.bci[frame]! < 0;
			const name = isNone ? null : notes.calledAt(described.method[frame]!, described.bci[frame]!);
			if (name !== null) {
				return name;
			}
		}
		return null;
	}

	methods(): ReadonlySet<string> {
		const { method } = this.notes.details().described;
		return new Set(Array.from(new Set(method), (number) => this.notes.nameOf(number)));
	}

	runtimeCalls(i: number): string[] {
		this.callsAt ??= this.countRuntimeCalls();
		const count = this.callsAt.get(i) ?? 0;
		return count === 0 ? [] : new Array<string>(count).fill(this.relocationComment(i, 'runtime_call'));
	}

	/** How many relocations of that kind each instruction begins with. */
	private countRuntimeCalls(): ReadonlyMap<number, number> {
		const counts = new Map<number, number>();
		const { length, instruction, kind } = this.notes.relocations();
		for (let k = 0; k < length; k++) {
			if (kind[k] === 'runtime_call') {
				counts.set(instruction[k]!, (counts.get(instruction[k]!) ?? 0) + 1);
			}
		}
		return counts;
	}

	lateCalls(): readonly number[] {
		const { notes, decoded, start } = this;
		const { described } = notes.detailsOnce();
		const result: number[] = [];
		for (let at = 0; at < described.length; at++) {
			const frame = described.firstFrame[at]!;
			const i =
				described.hasFrames(at) && notes.isLateCall(described.method[frame]!, described.bci[frame]!) ? endingAt(decoded, start, described.offset[at]!) : -1;
			if (i >= 0 && i !== result.at(-1)) {
				result.push(i);
			}
		}
		return result;
	}

	describedWhere(isWanted: (bci: number, method: () => string) => boolean): readonly number[] {
		const { notes, decoded, start } = this;
		const { described } = notes.details();
		const result: number[] = [];
		for (let at = 0; at < described.length; at++) {
			const frame = described.firstFrame[at]!;
			if (described.hasFrames(at) && isWanted(described.bci[frame]!, () => notes.nameOf(described.method[frame]!))) {
				const i = endingAt(decoded, start, described.offset[at]!);
				if (i >= 0 && i !== result.at(-1)) {
					result.push(i);
				}
			}
		}
		return result;
	}

	belongToLateCall(instructions: Int32Array, isWanted: (bci: number, method: () => string) => boolean): boolean {
		const { notes, decoded, start } = this;
		const { described } = notes.detailsOnce();
		const { length, offset, firstFrame, method, bci } = described;
		return instructions.some((i) => {
			const before = i === 0 ? 0 : decoded.endAt(i - 1) - start;
			let at = firstWhere(length, (k) => offset[k]! > before);
			while (at < length && !described.hasFrames(at)) {
				at++;
			}
			const owner = at < length ? endingAt(decoded, start, offset[at]!) : -1;
			for (const end = owner < 0 ? 0 : decoded.endAt(owner) - start; at < length && offset[at]! <= end; at++) {
				const frame = firstFrame[at]!;
				if (described.hasFrames(at) && (notes.isLateCall(method[frame]!, bci[frame]!) || isWanted(bci[frame]!, () => notes.nameOf(method[frame]!)))) {
					return true;
				}
			}
			return false;
		});
	}

	get comments(): readonly (readonly string[])[] {
		this.allComments ??= this.makeComments();
		return this.allComments;
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
		if (this.chains !== null || i < 0 || i >= this.length) {
			return this.positions[this.position[i]!] ?? NO_FRAMES;
		}
		const { decoded } = this;
		const { described } = this.notes.details();
		const before = i === 0 ? 0 : decoded.endAt(i - 1) - this.start;
		let at = firstWhere(described.length, (k) => described.offset[k]! > before);
		while (at < described.length && !described.hasFrames(at)) {
			at++;
		}
		const owner = at < described.length ? endingAt(decoded, this.start, described.offset[at]!) : -1;
		if (owner < 0 || isBarrierBetween(this.notes.labels, i, owner)) {
			return NO_FRAMES;
		}
		const result: Frame[] = [];
		const endOfOwner = decoded.endAt(owner);
		for (; at < described.length && described.offset[at]! + this.start <= endOfOwner; at++) {
			result.push(...this.describedAt(described, at).map(({ frame }) => frame));
		}
		return result;
	}

	/** What stands beside a described address, the innermost first. */
	private describedAt({ firstFrame, method, bci }: DescribedAddresses, at: number): Described[] {
		const result: Described[] = [];
		for (let frame = firstFrame[at]!; frame < firstFrame[at + 1]!; frame++) {
			result.push(this.notes.describe(method[frame]!, bci[frame]!));
		}
		return result;
	}

	/** The name of the innermost bytecode there; null where none is described, or a synchronized method is entered. */
	private bytecodeOf(described: DescribedAddresses, at: number): string | null {
		const frame = described.firstFrame[at]!;
		return !described.hasFrames(at) || described.bci[frame]! < 0 ? null : this.notes.bytecodeAt(described.method[frame]!, described.bci[frame]!);
	}

	/** Names are looked up where they matter: at calls. */
	private traitOfRuntimeCall(i: number, { flow, target }: FlowColumns): number {
		return flow[i] === Flow.Call ? this.notes.traitOfRuntimeCall(target[i]!, () => this.decoded.text(i)) : 0;
	}

	private relocationComment(i: number, kind: RelocationKind): string {
		return kind === 'runtime_call' ? this.notes.runtimeCall(this.target[i]!, () => this.decoded.text(i)) : COMMENTS[kind];
	}

	private makeDebugInfo(): Uint8Array {
		const { notes, decoded, start } = this;
		const result = new Uint8Array(this.length);
		const { described, oopMaps } = notes.detailsOnce();
		const { offset } = described;
		// All ascend: each is looked for from the one before on.
		let from = 0;
		for (let at = 0; at < offset.length; at++) {
			if (described.hasFrames(at)) {
				from = endingFrom(decoded, start, offset[at]!, from);
				if (from < result.length && offset[at]! > 0) {
					result[from] = result[from]! | DebugInfo.Frames;
				}
			}
		}
		let before = 0;
		from = 0;
		for (const at of notes.hasOopMaps ? oopMaps : []) {
			from = endingFrom(decoded, start, at, at < before ? 0 : from);
			before = at;
			if (from < result.length && at > 0) {
				result[from] = result[from]! | DebugInfo.OopMap;
			}
		}
		return result;
	}

	private makeComments(): readonly (readonly string[])[] {
		const { notes, decoded, start } = this;
		const result = new Array<readonly string[]>(this.length).fill(NO_COMMENTS);
		const note = (i: number, more: readonly string[]): void => {
			result[i] = result[i] === NO_COMMENTS ? more : [...result[i]!, ...more];
		};
		const { length, instruction, kind } = notes.relocations();
		for (let k = 0; k < length; k++) {
			note(instruction[k]!, [this.relocationComment(instruction[k]!, kind[k]!)]);
		}
		const { described, oopMaps } = notes.details();
		for (let at = 0; at < described.length; at++) {
			const i = endingAt(decoded, start, described.offset[at]!);
			if (i >= 0 && described.hasFrames(at)) {
				const bytecode = described.bci[described.firstFrame[at]!]! < 0 ? 'synchronization entry' : this.bytecodeOf(described, at);
				note(i, [...(bytecode === null ? [] : [`*${bytecode}`]), ...this.describedAt(described, at).map(({ comment }) => comment)]);
			}
		}
		for (const offset of notes.hasOopMaps ? oopMaps : []) {
			const i = endingAt(decoded, start, offset);
			if (i >= 0) {
				note(i, ['ImmutableOopMap']);
			}
		}
		return result;
	}

	private makeChains(): { readonly position: Int32Array; readonly positions: readonly (readonly Frame[])[] } {
		const { notes, decoded, start } = this;
		const own = new Int32Array(this.length).fill(-1);
		const chains = new Chains();
		const { described } = notes.details();
		const { offset, firstFrame, method, bci } = described;
		let i = 0;
		for (let at = 0; at < offset.length; at++) {
			i = endingFrom(decoded, start, offset[at]!, i);
			if (i >= own.length || offset[at] === 0 || !described.hasFrames(at)) {
				continue;
			}
			// Where two addresses are described by one instruction, all that is said counts.
			let chain = own[i]! < 0 ? Chains.NONE : chains.of(own[i]!);
			for (let frame = firstFrame[at]!; frame < firstFrame[at + 1]!; frame++) {
				chain = chains.with(chain, notes.describe(method[frame]!, bci[frame]!));
			}
			own[i] = chains.positionOf(chain);
		}
		return { position: inheritedPositions(own, notes.labels), positions: chains.positions };
	}
}

/** Chains of inlining, each once: numbers of a tree whose edges are frames, the innermost first. */
class Chains {
	static readonly NONE = 0;
	readonly positions: (readonly Frame[])[] = [];
	/** Of each position. */
	private readonly chains: number[] = [];
	private readonly next = new Map<number, number>();
	private readonly before = [Chains.NONE];
	private readonly last: (Frame | null)[] = [null];
	private readonly position = [-1];

	of(position: number): number {
		return this.chains[position]!;
	}

	with(chain: number, { number, frame }: Described): number {
		const key = chain * MOST_DESCRIBED + number;
		let longer = this.next.get(key);
		if (longer === undefined) {
			longer = this.before.push(chain) - 1;
			this.last.push(frame);
			this.position.push(-1);
			this.next.set(key, longer);
		}
		return longer;
	}

	positionOf(chain: number): number {
		if (this.position[chain] === -1) {
			const frames: Frame[] = [];
			for (let at = chain; at !== Chains.NONE; at = this.before[at]!) {
				frames.push(this.last[at]!);
			}
			this.position[chain] = this.positions.push(frames.reverse()) - 1;
			this.chains.push(chain);
		}
		return this.position[chain]!;
	}
}

/** No log describes more bytecodes; the key of a chain and one of them has to be exact in a double. */
const MOST_DESCRIBED = 2 ** 24;

/** -1 where none begins. */
export function startingAt({ address }: FlowColumns, wanted: number): number {
	return instructionAt(address, wanted);
}

/** The first from one on that ends there or behind; the number of instructions behind the last. */
function endingFrom(code: DecodedCode, start: number, offset: number, from: number): number {
	let at = from;
	while (at < code.length && code.endAt(at) < start + offset) {
		at++;
	}
	return at;
}

/** The first that ends there or behind: C1 keeps data among its code, in which ends are not known. -1 behind the last. */
function endingAt(code: DecodedCode, start: number, offset: number): number {
	const at = offset > 0 ? firstWhere(code.length, (i) => code.endAt(i) >= start + offset) : -1;
	return at < code.length ? at : -1;
}
