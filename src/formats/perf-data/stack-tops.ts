/**
 * The tops of stacks that `perf record --call-graph dwarf,BYTES` copies: of generated code the caller stands there, at a distance that the code tells; of native code
 * what the generated code was that called it.
 * Layout behind the call chain: `u64 abi; u64 registers[]; u64 size; u8 stack[size]; u64 copied`.
 */
import { LEFT_FOR_KERNEL, type StackTops } from '../../model/samples.js';
import { unsigned } from './bytes.js';
import { FrameChains } from './frame-chain.js';
import { type SampledEvent, skipReadFormat } from './header.js';
import type { NativeMethods } from './native-methods.js';
import { type AddressSpace, NEAR_BYTES } from './processes.js';

/** A 64-bit program's registers. */
const ABI_64 = 2;
/** So many words below the return address into generated code the function that it called has its own. */
const FRAME_SLOTS = 48;
/** Words that a slot can count. */
const MOST_BYTES = 8 * 0xffff;

export class StackTopsReader {
	private readonly sample: number[] = [];
	private readonly slot: number[] = [];
	private readonly address: number[] = [];
	private readonly nativeMethods = new Map<number, string>();
	private readonly methods: NativeMethods;
	private readonly chains = new FrameChains();
	private copiedBytes = 0;

	constructor(methods: NativeMethods) {
		this.methods = methods;
	}

	get isEmpty(): boolean {
		return this.sample.length === 0;
	}

	/**
	 * What a record tells of one sample; nothing where it is damaged, or has no program's registers. Where the program was in generated code the words near the
	 * program counter are kept, where it was in native code those that lie among the generated code of `space`, from the call that left it on.
	 */
	take(view: DataView, at: number, size: number, event: SampledEvent, sample: number, space: AddressSpace, isKernel: boolean): void {
		const end = at + size;
		let next = event.hasRead ? skipReadFormat(view, at + event.restAt, end, event.readFormat) : at + event.restAt;
		if (event.hasCallChain) {
			next += next + 8 <= end ? 8 + 8 * unsigned(view, next) : size;
		}
		const stack = next + 8 + 8 * event.registers;
		if (stack + 8 > end || unsigned(view, next) !== ABI_64) {
			return;
		}
		const bytes = unsigned(view, stack);
		if (bytes > MOST_BYTES || bytes % 8 !== 0 || stack + 8 + bytes + 8 > end) {
			return;
		}
		const code = unsigned(view, next + 8 + 8 * event.registerOfCode);
		const copied = Math.min(unsigned(view, stack + 8 + bytes), bytes);
		this.copiedBytes = Math.max(this.copiedBytes, bytes);
		const isGenerated = space.isGenerated(code);
		if (isGenerated && isKernel) {
			this.add(sample, LEFT_FOR_KERNEL, code);
		}
		const first = this.sample.length;
		const words = copied >> 3;
		const register = (number: number): number => unsigned(view, next + 8 + 8 * number);
		const framePointer = event.registerOfFrame < 0 ? null : register(event.registerOfFrame);
		const above = isGenerated ? 0 : this.chains.slotOfCall({ view, at: stack + 8, words, stackPointer: register(event.registerOfStack), framePointer, space });
		for (let slot = Math.max(0, above); slot < words; slot++) {
			const word = unsigned(view, stack + 8 + 8 * slot);
			if (isGenerated ? Math.abs(word - code) < NEAR_BYTES : space.isGenerated(word)) {
				this.add(sample, slot, word);
			}
		}
		if (!isGenerated && this.sample.length > first) {
			this.takeNativeMethod(view, stack + 8, this.slot[first]!, code, space, sample);
		}
	}

	/** What generated code called has its own return address nearest below, if it is not what runs. */
	private takeNativeMethod(view: DataView, stack: number, above: number, code: number, space: AddressSpace, sample: number): void {
		let method: string | null = null;
		for (let slot = above - 1; method === null && slot >= Math.max(0, above - FRAME_SLOTS); slot--) {
			method = this.methods.at(space, unsigned(view, stack + 8 * slot));
		}
		method ??= this.methods.at(space, code);
		if (method !== null) {
			this.nativeMethods.set(sample, method);
		}
	}

	private add(sample: number, slot: number, address: number): void {
		this.sample.push(sample);
		this.slot.push(slot);
		this.address.push(address);
	}

	build(): StackTops {
		const { nativeMethods } = this;
		return {
			sample: Int32Array.from(this.sample),
			slot: Uint16Array.from(this.slot),
			address: Float64Array.from(this.address),
			copiedBytes: this.copiedBytes,
			...(nativeMethods.size === 0 ? {} : { nativeMethods }),
		};
	}
}
