/**
 * The tops of stacks that `perf record --call-graph dwarf,BYTES` copies: of generated code the caller stands there, at a distance that the code tells; of native code
 * what the generated code was that called it.
 * Layout behind the call chain: `u64 abi; u64 registers[]; u64 size; u8 stack[size]; u64 copied`.
 */
import { LEFT_FOR_KERNEL, type StackTops } from '../../model/samples.js';
import { unsigned } from './bytes.js';
import { FrameChains, UNKNOWN } from './frame-chain.js';
import { type SampledEvent, skipReadFormat } from './header.js';
import type { NativeMethods } from './native-methods.js';
import { type AddressSpace, NEAR_BYTES } from './processes.js';
import type { StackCopy } from './unwind.js';

/** A 64-bit program's registers. */
const ABI_64 = 2;
/** So many words below the place that the frame pointer points to the interpreter has its method (`interpreter_frame_method_offset` of HotSpot's frame_x86.hpp). */
const METHOD_SLOTS = 3;
/** Nothing is mapped below. */
const LEAST_ADDRESS = 1 << 16;
/** So many words below the return address into generated code the function that it called has its own. */
const FRAME_SLOTS = 48;
/** From the return address into a wrapper or stub on so many words are looked at for what called that. */
const CALLER_SLOTS = 64;
const FIRST_CAPACITY = 1 << 10;
/** Words that a slot can count. */
const MOST_BYTES = 8 * 0xffff;

export class StackTopsReader {
	private sample = new Int32Array(FIRST_CAPACITY);
	private slot = new Uint16Array(FIRST_CAPACITY);
	private address = new Float64Array(FIRST_CAPACITY);
	private length = 0;
	private readonly nativeMethods = new Map<number, string>();
	private readonly ofMethodWord: number[] = [];
	private readonly rowOfMethodWord: number[] = [];
	private readonly methodWord: number[] = [];
	private readonly methods: NativeMethods;
	private readonly chains = new FrameChains();
	private copiedBytes = 0;

	constructor(methods: NativeMethods) {
		this.methods = methods;
	}

	get isEmpty(): boolean {
		return this.length === 0;
	}

	/**
	 * What a copied stack tells of one sample. Where the program was in generated code the words near the
	 * program counter are kept, where it was in native code those that lie among the generated code of `space`, from the call that left it on.
	 */
	take(copy: StackCopy, sample: number, space: AddressSpace, isKernel: boolean): void {
		const { view, at: stack, code, stackPointer, framePointer } = copy;
		this.copiedBytes = Math.max(this.copiedBytes, copy.roomBytes);
		const isGenerated = space.isGenerated(code);
		if (isGenerated && isKernel) {
			this.add(sample, LEFT_FOR_KERNEL, code);
		}
		const first = this.length;
		const words = copy.sizeBytes >> 3;
		if (isGenerated) {
			this.addNear(view, stack, words, code, space, sample);
			this.addMethodWord(copy, framePointer ?? 0, space, sample, -1);
			return;
		}
		this.addGenerated(view, stack, 0, words, space, sample);
		if (this.length === first) {
			return;
		}
		const above = this.chains.slotOfCall({ view, at: stack, words, stackPointer, framePointer, space });
		if (above !== UNKNOWN) {
			this.length = first;
			this.addGenerated(view, stack, above, Math.min(words, above + CALLER_SLOTS), space, sample);
		}
		this.takeCalled(copy, space, sample, first, above === UNKNOWN ? this.length : Math.min(first + 1, this.length));
	}

	/** What was called where the rows from `first` to before `last` return to: a native method, or the method that was interpreted there. */
	private takeCalled(copy: StackCopy, space: AddressSpace, sample: number, first: number, last: number): void {
		const { view, at: stack, code, framePointer } = copy;
		let [slot, method, methodSlot] = [-1, this.methods.at(space, code), -1];
		for (let row = first; row < last; row++) {
			const call = this.slot[row]!;
			// A function that was called has its own return address nearest below, if it is not what runs.
			for (slot = Math.max(slot + 1, call - FRAME_SLOTS); slot < call; slot++) {
				const found = this.methods.at(space, unsigned(view, stack + 8 * slot));
				if (found !== null) {
					[method, methodSlot] = [found, slot];
				}
			}
			if (method !== null && (methodSlot < 0 || methodSlot >= call - FRAME_SLOTS)) {
				this.nativeMethods.set(row, method);
			}
			this.addMethodWord(copy, call === 0 ? (framePointer ?? 0) : unsigned(view, stack + 8 * (call - 1)), space, sample, row);
		}
	}

	/** `frame`: that of the interpreter, if it is one. */
	private addMethodWord(copy: StackCopy, frame: number, space: AddressSpace, sample: number, row: number): void {
		const { view, at: stack, stackPointer } = copy;
		const slot = (frame - stackPointer) / 8 - METHOD_SLOTS;
		if (!Number.isInteger(slot) || slot < 0 || slot >= copy.sizeBytes >> 3) {
			return;
		}
		const word = unsigned(view, stack + 8 * slot);
		if (word % 8 === 0 && word >= LEAST_ADDRESS && word <= Number.MAX_SAFE_INTEGER && Math.abs(word - stackPointer) > MOST_BYTES && !space.isGenerated(word)) {
			this.ofMethodWord.push(sample);
			this.rowOfMethodWord.push(row);
			this.methodWord.push(word);
		}
	}

	/** Words near the code, and those in other generated code: a large code cache has its parts far from each other. */
	private addNear(view: DataView, stack: number, words: number, code: number, space: AddressSpace, sample: number): void {
		const { lowestHigh, highestHigh } = space;
		const high = Math.floor(code / 2 ** 32);
		const [least, most] = [Math.min(lowestHigh, high - 1), Math.max(highestHigh, high + 1)];
		for (let slot = 0; slot < words; slot++) {
			const at = stack + 8 * slot;
			const upper = view.getUint32(at + 4, true);
			if (upper >= least && upper <= most) {
				const word = unsigned(view, at);
				if (Math.abs(word - code) < NEAR_BYTES || space.isGenerated(word)) {
					this.add(sample, slot, word);
				}
			}
		}
	}

	/** Words in generated code. */
	private addGenerated(view: DataView, stack: number, from: number, to: number, space: AddressSpace, sample: number): void {
		const { lowestHigh, highestHigh } = space;
		for (let slot = from; slot < to; slot++) {
			const at = stack + 8 * slot;
			const high = view.getUint32(at + 4, true);
			if (high >= lowestHigh && high <= highestHigh && space.isGenerated(unsigned(view, at))) {
				this.add(sample, slot, unsigned(view, at));
			}
		}
	}

	private add(sample: number, slot: number, address: number): void {
		if (this.length === this.sample.length) {
			this.sample = grown(this.sample, new Int32Array(2 * this.length));
			this.slot = grown(this.slot, new Uint16Array(2 * this.length));
			this.address = grown(this.address, new Float64Array(2 * this.length));
		}
		this.sample[this.length] = sample;
		this.slot[this.length] = slot;
		this.address[this.length] = address;
		this.length++;
	}

	build(): StackTops {
		const { nativeMethods, ofMethodWord, rowOfMethodWord, methodWord } = this;
		return {
			sample: this.sample.slice(0, this.length),
			slot: this.slot.slice(0, this.length),
			address: this.address.slice(0, this.length),
			copiedBytes: this.copiedBytes,
			...(nativeMethods.size === 0 ? {} : { nativeMethods }),
			...(methodWord.length === 0
				? {}
				: { methodWords: { sample: Int32Array.from(ofMethodWord), row: Int32Array.from(rowOfMethodWord), address: Float64Array.from(methodWord) } }),
		};
	}
}

/** What a record has of the stack; null where it is damaged, or has no program's registers. */
export function copiedStack(view: DataView, at: number, size: number, event: SampledEvent): StackCopy | null {
	const end = at + size;
	let next = event.hasRead ? skipReadFormat(view, at + event.restAt, end, event.readFormat) : at + event.restAt;
	if (event.hasCallChain) {
		next += next + 8 <= end ? 8 + 8 * unsigned(view, next) : size;
	}
	const stack = next + 8 + 8 * event.registers;
	if (stack + 8 > end || unsigned(view, next) !== ABI_64) {
		return null;
	}
	const bytes = unsigned(view, stack);
	if (bytes > MOST_BYTES || bytes % 8 !== 0 || stack + 8 + bytes + 8 > end) {
		return null;
	}
	const register = (number: number): number => unsigned(view, next + 8 + 8 * number);
	return {
		view,
		at: stack + 8,
		sizeBytes: Math.min(unsigned(view, stack + 8 + bytes), bytes),
		roomBytes: bytes,
		code: register(event.registerOfCode),
		stackPointer: register(event.registerOfStack),
		framePointer: event.registerOfFrame < 0 ? null : register(event.registerOfFrame),
	};
}

function grown<T extends Int32Array | Uint16Array | Float64Array>(column: T, larger: T): T {
	larger.set(column);
	return larger;
}
