/** What profilers saw of stacks, in columns: millions of samples, no object for each; stacks and frames once. */
import { TupleTable } from './tuple-table.js';

/** A method as a frame names it. */
export interface StackMethod {
	/** Of Java: holder and name with dots. Of other code as the profiler names it. */
	readonly name: string;
	/** `(I)V`; null where the profile does not say. */
	readonly descriptor: string | null;
	/** The name of Java methods; of other code a row in round brackets: `(native)`, `(kernel)`, `(unknown)`. */
	readonly row: string;
	/** Which class of that name: its number in the profile, and of compilations that are told of there. Left out where the profile does not say. */
	readonly classId?: number;
}

/** A thread of samples with stacks. */
export interface StackThread {
	/** null where the profile does not say. */
	readonly name: string | null;
	/** The operating system's number; -1 where the profile does not say. */
	readonly id: number;
}

/** Frames in columns, each once. */
export interface StackFrames {
	readonly length: number;
	/** Positions in `methods`. */
	readonly method: Int32Array;
	/** -1: unknown, or a native method. */
	readonly line: Int32Array;
	/** Bytecode index; -1 where the profile does not say. */
	readonly bci: Int32Array;
	/** Positions in `kinds`. */
	readonly kind: Int32Array;
	readonly methods: readonly StackMethod[];
	/** As the profiler calls them: `Interpreted`, `JIT compiled`, `Inlined`, `Native`, …; empty where it does not say. */
	readonly kinds: readonly string[];
}

/** Stacks in columns, each once. */
export interface Stacks {
	readonly length: number;
	/** Positions in `frames`, innermost first, of all stacks one after the other. */
	readonly frame: Int32Array;
	/** Where each stack starts in `frame`; one more than there are stacks. */
	readonly starts: Int32Array;
	/** 1: frames are missing at the outer end. */
	readonly isTruncated: Uint8Array;
}

/** Samples with stacks, threads and times, in columns. */
export interface StackSamples {
	readonly length: number;
	/** Nanoseconds from `originEpochNs`; null where the profile has no times. */
	readonly timeNs: Float64Array | null;
	/** Nanoseconds since 1970 by the machine's wall clock; 0 without times. */
	readonly originEpochNs: bigint;
	/** Positions in `events`. */
	readonly event: Uint8Array;
	/** Positions in `threads`. */
	readonly thread: Int32Array;
	/** Positions in `stacks`; -1: the profiler could not walk the stack. */
	readonly stack: Int32Array;
	/** Positions in `states`. */
	readonly state: Uint8Array;
	/** How many samples a row stands for. */
	readonly weight: Float64Array;
	/** 1: the JVM says of the sample that it was taken at a safepoint. */
	readonly isBiased: Uint8Array;
	readonly events: readonly string[];
	readonly threads: readonly StackThread[];
	/** States of threads as the profiler spells them; empty where it does not say. */
	readonly states: readonly string[];
	readonly frames: StackFrames;
	readonly stacks: Stacks;
}

const WAITING = /SLEEP|WAIT|PARK|BLOCK|TERMINATED|^NEW$/i;

/** Whether a thread in this state does not execute; Flight Recorder and thread dumps spell states differently. */
export function isWaitingState(state: string): boolean {
	return WAITING.test(state);
}

export interface SampleRow {
	/** From `originEpochNs`; NaN: unknown. */
	readonly timeNs: number;
	readonly event: number;
	readonly thread: number;
	readonly stack: number;
	readonly state: number;
	readonly weight: number;
	readonly isBiased: boolean;
}

/** Collects stacks and samples row by row; names, frames and stacks get their numbers first. */
export class StackSamplesBuilder {
	/** Nanoseconds since 1970 that the times of samples count from. */
	originEpochNs = 0n;
	private capacity = 1 << 10;
	private count = 0;
	private hasTimes = false;
	private timeNs = new Float64Array(this.capacity);
	private event = new Uint8Array(this.capacity);
	private thread = new Int32Array(this.capacity);
	private stackOf = new Int32Array(this.capacity);
	private state = new Uint8Array(this.capacity);
	private weight = new Float64Array(this.capacity);
	private isBiased = new Uint8Array(this.capacity);
	private readonly events = new Names();
	private readonly states = new Names();
	private readonly kinds = new Names();
	private readonly threads: StackThread[] = [];
	private readonly threadNumbers = new Map<string, number>();
	private readonly methods: StackMethod[] = [];
	private readonly methodNumbers = new Map<string, number>();
	private readonly frames = new TupleTable();
	private readonly stacks = new TupleTable();
	private readonly frameParts = new Int32Array(4);
	private stackParts = new Int32Array(1 << 8);

	/** Samples so far. */
	get size(): number {
		return this.count;
	}

	/** At most 255 events, and 255 states, are told apart. */
	eventNumber(name: string): number {
		return Math.min(this.events.number(name), 255);
	}

	stateNumber(name: string): number {
		return Math.min(this.states.number(name), 255);
	}

	threadNumber(name: string | null, id: number): number {
		const key = `${id} ${name ?? '\0'}`;
		let number = this.threadNumbers.get(key);
		if (number === undefined) {
			number = this.threads.length;
			this.threads.push({ name, id });
			this.threadNumbers.set(key, number);
		}
		return number;
	}

	/** `classId` 0: not told. */
	methodNumber(name: string, descriptor: string | null, row: string, classId = 0): number {
		const key = `${name}\0${descriptor ?? '\0'}\0${row}\0${classId}`;
		let number = this.methodNumbers.get(key);
		if (number === undefined) {
			number = this.methods.length;
			this.methods.push(classId === 0 ? { name, descriptor, row } : { name, descriptor, row, classId });
			this.methodNumbers.set(key, number);
		}
		return number;
	}

	frameNumber(method: number, line: number, bci: number, kind: string): number {
		const { frameParts } = this;
		frameParts[0] = method;
		frameParts[1] = line;
		frameParts[2] = bci;
		frameParts[3] = this.kinds.number(kind);
		return this.frames.intern(frameParts, 0, 4);
	}

	/** The row of the method of a frame. */
	methodOfFrame(frame: number): string {
		return this.methods[this.frames.build().data[4 * frame]!]?.row ?? '';
	}

	/** `frames`: numbers of the first `length` frames, innermost first. */
	stackNumber(frames: Int32Array | readonly number[], length: number, isTruncated: boolean): number {
		if (length + 1 > this.stackParts.length) {
			this.stackParts = new Int32Array(2 * length + 1);
		}
		for (let i = 0; i < length; i++) {
			this.stackParts[i] = frames[i]!;
		}
		this.stackParts[length] = isTruncated ? 1 : 0;
		return this.stacks.intern(this.stackParts, 0, length + 1);
	}

	add({ timeNs, event, thread, stack, state, weight, isBiased }: SampleRow): void {
		if (this.count === this.capacity) {
			this.grow();
		}
		const row = this.count++;
		this.hasTimes ||= !Number.isNaN(timeNs);
		this.timeNs[row] = timeNs;
		this.event[row] = event;
		this.thread[row] = thread;
		this.stackOf[row] = stack;
		this.state[row] = state;
		this.weight[row] = weight;
		this.isBiased[row] = isBiased ? 1 : 0;
	}

	build(): StackSamples {
		const { count } = this;
		return {
			length: count,
			timeNs: this.hasTimes ? this.timeNs.subarray(0, count) : null,
			originEpochNs: this.hasTimes ? this.originEpochNs : 0n,
			event: this.event.subarray(0, count),
			thread: this.thread.subarray(0, count),
			stack: this.stackOf.subarray(0, count),
			state: this.state.subarray(0, count),
			weight: this.weight.subarray(0, count),
			isBiased: this.isBiased.subarray(0, count),
			events: this.events.list,
			threads: this.threads,
			states: this.states.list,
			frames: this.buildFrames(),
			stacks: this.buildStacks(),
		};
	}

	private buildFrames(): StackFrames {
		const { data } = this.frames.build();
		const length = this.frames.size;
		const column = (part: number): Int32Array => Int32Array.from({ length }, (_, i) => data[4 * i + part]!);
		return { length, method: column(0), line: column(1), bci: column(2), kind: column(3), methods: this.methods, kinds: this.kinds.list };
	}

	/** The last part of each sequence says whether the stack is truncated. */
	private buildStacks(): Stacks {
		const { data, starts } = this.stacks.build();
		const length = this.stacks.size;
		const frame = new Int32Array(data.length - length);
		const ownStarts = new Int32Array(length + 1);
		const isTruncated = new Uint8Array(length);
		for (let i = 0; i < length; i++) {
			const end = starts[i + 1]! - 1;
			frame.set(data.subarray(starts[i], end), starts[i]! - i);
			ownStarts[i] = starts[i]! - i;
			isTruncated[i] = data[end]!;
		}
		ownStarts[length] = frame.length;
		return { length, frame, starts: ownStarts, isTruncated };
	}

	private grow(): void {
		this.capacity *= 2;
		const larger = <T extends { set(from: T): void }>(column: T, create: (length: number) => T): T => {
			const grown = create(this.capacity);
			grown.set(column);
			return grown;
		};
		this.timeNs = larger(this.timeNs, (length) => new Float64Array(length));
		this.event = larger(this.event, (length) => new Uint8Array(length));
		this.thread = larger(this.thread, (length) => new Int32Array(length));
		this.stackOf = larger(this.stackOf, (length) => new Int32Array(length));
		this.state = larger(this.state, (length) => new Uint8Array(length));
		this.weight = larger(this.weight, (length) => new Float64Array(length));
		this.isBiased = larger(this.isBiased, (length) => new Uint8Array(length));
	}
}

class Names {
	readonly list: string[] = [];
	private readonly numbers = new Map<string, number>();

	number(name: string): number {
		let number = this.numbers.get(name);
		if (number === undefined) {
			number = this.list.length;
			this.list.push(name);
			this.numbers.set(name, number);
		}
		return number;
	}
}
