/**
 * The tops of stacks that `perf record --call-graph dwarf,BYTES` copies: of generated code the caller stands there, at a distance that the code tells.
 * Layout behind the call chain: `u64 abi; u64 registers[]; u64 size; u8 stack[size]; u64 copied`.
 */
import type { StackTops } from '../../model/samples.js';
import { unsigned } from './bytes.js';
import { type SampledEvent, skipReadFormat } from './header.js';

/** A 64-bit program's registers. */
const ABI_64 = 2;
/** Code that calls each other lies so near: a JVM's is at most 240 MB, and reserved as one. */
const NEAR_BYTES = 2 ** 28;
/** Words that a slot can count. */
const MOST_BYTES = 8 * 0xffff;

export class StackTopsReader {
	private readonly sample: number[] = [];
	private readonly slot: number[] = [];
	private readonly address: number[] = [];

	get isEmpty(): boolean {
		return this.sample.length === 0;
	}

	/** What a record tells of one sample, in user mode; nothing where it is damaged, or the program's code was interrupted elsewhere. */
	take(view: DataView, at: number, size: number, event: SampledEvent, sample: number): void {
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
		for (let slot = 0; 8 * slot + 8 <= copied; slot++) {
			const word = unsigned(view, stack + 8 + 8 * slot);
			if (Math.abs(word - code) < NEAR_BYTES) {
				this.sample.push(sample);
				this.slot.push(slot);
				this.address.push(word);
			}
		}
	}

	build(): StackTops {
		return { sample: Int32Array.from(this.sample), slot: Uint16Array.from(this.slot), address: Float64Array.from(this.address) };
	}
}
