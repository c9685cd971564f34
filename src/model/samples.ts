/** Samples of a profiler, in columns: millions of rows, no object for each. */

/** What a sampled address was said to be by the profiler. */
export interface SamplePlace {
	/** Function; null where the profiler knew none. */
	readonly symbol: string | null;
	/** The file, as the profiler names it: a path, a library, `[kernel.kallsyms]`, a perf map; null for code that belongs to none. */
	readonly library: string | null;
}

/** Samples in columns; times in seconds, addresses as signed 64-bit numbers. */
export interface Samples {
	readonly length: number;
	/** Seconds on the profiler's own clock; all 0 where the profile has no times. */
	readonly timeSeconds: Float64Array;
	/** Program counters as signed 64-bit numbers: those of the kernel are negative. */
	readonly address: BigInt64Array;
	/** Positions in `events`. */
	readonly event: Uint16Array;
	/** Positions in `places`. */
	readonly place: Int32Array;
	/** Process ids; -1 where the profile does not say. */
	readonly processId: Int32Array;
	/** Names of the sampled events, in order of first appearance. */
	readonly events: readonly string[];
	/** What was written behind each event's name: `:u`, `:pp`, or nothing. */
	readonly modifiers: readonly string[];
	readonly places: readonly SamplePlace[];
}

/** Which thread each sample is of; read only for those who ask. */
export interface SampleThreads {
	/** For each sample a position in `threads`. */
	readonly of: Int32Array;
	readonly threads: readonly SampledThread[];
}

/** A thread that was sampled. */
export interface SampledThread {
	/** As the system has it: at most 15 bytes of the thread's name. */
	readonly name: string;
	/** The operating system's number; -1 where the profile does not say. */
	readonly id: number;
}

/** The callers of samples, as a tree: a node is an address called from its parent's. Read only for those who ask. */
export interface SampleStacks {
	/** For each sample its innermost node; -1 where the profile has no stack of it. */
	readonly of: Int32Array;
	/** The caller of each node, always before it; -1 at the outermost. */
	readonly parent: Int32Array;
	/** Position in `places` of the samples. */
	readonly place: Int32Array;
	/** What was sampled in the innermost frame, return addresses in the others; NaN where the profile tells names only. */
	readonly address: Float64Array;
}

/** From copies of the tops of stacks. */
interface UnwoundStacks extends SampleStacks {
	/** The most that was copied of one. */
	readonly copiedBytes: number;
}

/** What is read beside addresses and times only for those who ask: null where nobody did, or the profile does not tell. */
/** A file of code where it lay in memory. */
export interface MappedCode {
	/** Its path, or `[vdso]`, `[kernel.kallsyms]`. */
	readonly name: string;
	readonly start: number;
	/** Behind its last byte. */
	readonly end: number;
	/** Of its first byte in the file. */
	readonly offset: number;
	/** In hexadecimal digits; null where it was not recorded. */
	readonly buildId: string | null;
	/** The number of the file in its file system, where that was recorded instead; left out elsewhere. */
	readonly inode?: number;
}

export interface SampleDetails {
	readonly threads: SampleThreads | null;
	readonly stacks: SampleStacks | null;
	/** Of native code the callers that copied stacks were unwound to, in {@link stacks} too where those were asked for. Left out where there are none. */
	readonly unwound?: UnwoundStacks;
	/** What each sample stands for, in units of its event: nanoseconds of clocks. */
	readonly periods: Float64Array | null;
	/** By the number of a process, in the order of their starts: what lay in its memory at the end. Left out where the profiler does not record it. */
	readonly mappedCode?: ReadonlyMap<number, readonly MappedCode[]>;
	/** Left out where the profiler did not copy stacks. */
	readonly tops?: StackTops;
}

/**
 * Words at the top of the stack that may be return addresses into generated code, for they lie near it, and where generated code was left for the kernel. In
 * ascending order of samples, of one sample from the stack pointer up.
 */
export interface StackTops {
	readonly sample: Int32Array;
	/** Words from the stack pointer on; {@link LEFT_FOR_KERNEL}: no word, but the address of the instruction at which the kernel took over. */
	readonly slot: Uint16Array;
	readonly address: Float64Array;
	/** The most that was copied of one stack. */
	readonly copiedBytes: number;
	/** By row of a sample in native code that generated code called the native method (`java.util.zip.Deflater.deflateBytesBytes`) whose C function that called; left out where there are none. */
	readonly nativeMethods?: ReadonlyMap<number, string>;
	/**
	 * Of samples in the interpreter, and in what it called, where the JVM's structure of the interpreted method lies; of others what happens to stand there. `row`: of the
	 * return address into the interpreter; -1 of samples in it. Left out where there are none.
	 */
	readonly methodWords?: { readonly sample: Int32Array; readonly row: Int32Array; readonly address: Float64Array };
	/** The methods that were interpreted; left out where no agent told of their addresses. */
	readonly interpretedMethods?: InterpretedMethods;
}

export interface InterpretedMethods {
	/** Of samples in the interpreter. */
	readonly bySample: ReadonlyMap<number, InterpretedMethod>;
	/** Of what it called, by the row of the return address into it. */
	readonly byRow: ReadonlyMap<number, InterpretedMethod>;
}

export interface InterpretedMethod {
	/** Holder and name with dots. */
	readonly name: string;
	/** 0 of a native method. */
	readonly bytecodeBytes: number;
}

/** Not a place on the stack. */
export const LEFT_FOR_KERNEL = 0xffff;

/** Which details to read. */
export type DetailsWanted = 'none' | 'threads' | 'all';

export const NO_DETAILS: SampleDetails = { threads: null, stacks: null, periods: null };

/** Which of the two words of 32 bits of a 64-bit number comes first on this machine. */
export const LOW_WORD = new Int32Array(BigInt64Array.of(1n).buffer)[0] === 1 ? 0 : 1;
export const HIGH_WORD = 1 - LOW_WORD;

/** Collects samples row by row. */
export class SamplesBuilder {
	private capacity: number;
	private length = 0;
	private timeSeconds: Float64Array;
	private address: BigInt64Array;
	private addressWords: Int32Array;
	private event: Uint16Array;
	private place: Int32Array;
	private processId: Int32Array;
	private readonly events: string[] = [];
	private readonly modifiers: string[] = [];
	private readonly eventNumbers = new Map<string, number>();
	private readonly places: SamplePlace[] = [];
	private readonly placeNumbers = new Map<string, number>();

	/** With room for so many samples at first. */
	constructor(capacity = 1 << 12) {
		this.capacity = capacity;
		this.timeSeconds = new Float64Array(capacity);
		this.address = new BigInt64Array(capacity);
		this.addressWords = new Int32Array(this.address.buffer);
		this.event = new Uint16Array(capacity);
		this.place = new Int32Array(capacity);
		this.processId = new Int32Array(capacity);
	}

	/** Samples so far. */
	get size(): number {
		return this.length;
	}

	/** The number of an event. At most 65,536 are told apart; modifiers are kept of the first of a name. */
	eventNumber(name: string, modifier = ''): number {
		let number = this.eventNumbers.get(name);
		if (number === undefined) {
			number = this.events.length;
			this.events.push(name);
			this.modifiers.push(modifier);
			this.eventNumbers.set(name, number);
		}
		return number;
	}

	/** The number of a place; `key` is any text that stands for it. */
	placeNumber(key: string, create: (key: string) => SamplePlace): number {
		let number = this.placeNumbers.get(key);
		if (number === undefined) {
			number = this.places.length;
			this.places.push(create(key));
			this.placeNumbers.set(key, number);
		}
		return number;
	}

	libraryOf(place: number): string | null {
		return this.places[place]!.library;
	}

	add(timeSeconds: number, address: bigint, event: number, place: number, processId = -1): void {
		const low = Number(BigInt.asIntN(32, address));
		this.addWords(timeSeconds, low, Number(BigInt.asIntN(32, address >> 32n)), event, place, processId);
	}

	/** The same with the address as two words of 32 bits: a number of 64 bits for each sample is slow. */
	addWords(timeSeconds: number, low: number, high: number, event: number, place: number, processId: number): void {
		if (this.length === this.capacity) {
			this.grow();
		}
		const row = this.length++;
		this.timeSeconds[row] = timeSeconds;
		this.addressWords[2 * row + LOW_WORD] = low;
		this.addressWords[2 * row + HIGH_WORD] = high;
		this.event[row] = event;
		this.place[row] = place;
		this.processId[row] = processId;
	}

	build(): Samples {
		const { length } = this;
		return {
			length,
			timeSeconds: this.timeSeconds.subarray(0, length),
			address: this.address.subarray(0, length),
			event: this.event.subarray(0, length),
			place: this.place.subarray(0, length),
			processId: this.processId.subarray(0, length),
			events: this.events,
			modifiers: this.modifiers,
			places: this.places,
		};
	}

	private grow(): void {
		this.capacity *= 2;
		const larger = <T extends { set(from: T): void }>(column: T, create: (length: number) => T): T => {
			const grown = create(this.capacity);
			grown.set(column);
			return grown;
		};
		this.timeSeconds = larger(this.timeSeconds, (length) => new Float64Array(length));
		this.address = larger(this.address, (length) => new BigInt64Array(length));
		this.addressWords = new Int32Array(this.address.buffer);
		this.event = larger(this.event, (length) => new Uint16Array(length));
		this.place = larger(this.place, (length) => new Int32Array(length));
		this.processId = larger(this.processId, (length) => new Int32Array(length));
	}
}
