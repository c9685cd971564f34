/** The stacks of samples, the innermost frame first: those that the kernel walked, and behind them those of the program that copied stacks are unwound to. */
import { SampleStacksBuilder } from '../../model/sample-stacks-builder.js';
import type { SampleDetails } from '../../model/samples.js';
import { startsThread } from '../../model/thread-start.js';
import type { KnownAddresses } from './known-addresses.js';
import type { AddressSpace } from './processes.js';
import type { StackCopy, StackUnwinder } from './unwind.js';

const MAX_FRAMES = 4096;
/** Of the stacks that are unwound: what seldomer ends in a file is not told. */
const LEAST_ENDED = 0.05;

/** A place that is known of an address space. */
export interface KnownPlace {
	readonly known: KnownAddresses;
	readonly at: number;
	readonly address: number;
}

/** What is said of addresses. */
export interface Places {
	placeAt(space: AddressSpace, address: number): number;
	symbolAt(space: AddressSpace, address: number): string;
}

export class SampledStacks {
	private readonly places: Places;
	private readonly builder = new SampleStacksBuilder();
	private frames: number[] = [];
	private readonly unwound: { readonly sample: number; readonly space: AddressSpace }[] = [];
	/** Files of which no table is at hand, with how many stacks end there. */
	private readonly withoutTable = new Map<string, number>();
	private copiedBytes = 0;

	constructor(places: Places) {
		this.places = places;
	}

	/** Of the next sample; who finds it damaged begins once more. */
	begin(): void {
		this.frames = [];
	}

	end(): void {
		this.builder.add(this.frames.reverse());
	}

	push({ known, at, address }: KnownPlace): void {
		if (this.frames.length >= MAX_FRAMES) {
			return;
		}
		if (known.frame[at]! < 0) {
			const place = known.place[at]!;
			known.frame[at] = this.builder.frameNumber(`${address} ${place}`, () => ({ place, address }));
		}
		this.frames.push(known.frame[at]!);
	}

	/** Adds the program's frames; `sampled`: where in the kernel, null outside of it. */
	unwind(unwinder: StackUnwinder, copy: StackCopy, space: AddressSpace, sample: number, sampled: KnownPlace | null): void {
		this.unwound.push({ sample, space });
		this.copiedBytes = Math.max(this.copiedBytes, copy.roomBytes);
		if (sampled !== null && this.frames.length === 0) {
			this.push(sampled);
		}
		unwinder.unwind(copy, space);
		const { length, addresses, isExact, endedIn } = unwinder;
		this.pushAddress(space, copy.code, true);
		for (let i = 0; i < length; i++) {
			this.pushAddress(space, addresses[i]!, isExact[i] === 1);
		}
		// What called it is not asked for where it starts the program.
		if (endedIn !== null && !startsThread(this.places.symbolAt(space, length === 0 ? copy.code : addresses[length - 1]! - 1))) {
			this.withoutTable.set(endedIn.name, (this.withoutTable.get(endedIn.name) ?? 0) + 1);
		}
	}

	/** A return address is that of the instruction behind the call. */
	private pushAddress(space: AddressSpace, address: number, isExact: boolean): void {
		const low = address | 0;
		const high = Math.floor(address / 2 ** 32);
		const known = isExact ? space.known : space.calls;
		const found = known.find(low, high);
		const at = found >= 0 ? found : known.add(low, high, this.places.placeAt(space, isExact ? address : address - 1));
		this.push({ known, at, address });
	}

	/** Of all samples; `unwound`: where programs have some that were unwound. */
	build(): Pick<SampleDetails, 'stacks' | 'unwound'> {
		const stacks = this.builder.build();
		if (stacks === null) {
			return { stacks };
		}
		let hasUnwound = false;
		for (const { sample, space } of this.unwound) {
			// What ran before the runtime's library was there is not told apart.
			if (space.isOfRuntime) {
				stacks.of[sample] = -1;
			} else {
				hasUnwound = true;
			}
		}
		return { stacks: stacks.of.every((node) => node < 0) ? null : stacks, ...(hasUnwound ? { unwound: { ...stacks, copiedBytes: this.copiedBytes } } : {}) };
	}

	/** Where many end. */
	problems(): { readonly message: string; readonly action: string }[] {
		const all = this.unwound.length;
		return [...this.withoutTable]
			.filter(([, stacks]) => stacks > LEAST_ENDED * all)
			.map(([name, stacks]) => ({
				message: `${stacks} of ${all} stacks end in ${name}, whose frames nothing here describes`,
				action: 'give that file too, as it was when the program ran',
			}));
	}
}
