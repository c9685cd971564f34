/** Collects the stacks of samples as a tree: stacks share what they have in common from the outermost frame on. */
import type { SampleStacks } from './samples.js';

/** Nodes and distinct frames are numbered below this: a pair of them is one exact number. */
const MOST = 2 ** 26;

export class SampleStacksBuilder {
	private readonly of: number[] = [];
	private readonly parent: number[] = [];
	private readonly frame: number[] = [];
	private readonly nodes = new Map<number, number>();
	private readonly frames = new Map<string, number>();
	private readonly places: number[] = [];
	private readonly addresses: number[] = [];

	/** The number of a frame; `key` is any text that stands for it. `address` NaN: not told. */
	frameNumber(key: string, create: (key: string) => { readonly place: number; readonly address: number }): number {
		let number = this.frames.get(key);
		if (number === undefined) {
			const { place, address } = create(key);
			number = this.places.push(place) - 1;
			this.addresses.push(address);
			this.frames.set(key, number);
		}
		return number;
	}

	/** The stack of the next sample: numbers of frames, the outermost first; none: it has no stack. */
	add(stack: readonly number[]): void {
		let node = -1;
		for (const frame of stack) {
			node = this.nodeNumber(node, frame);
		}
		this.of.push(node);
	}

	/** The stack of the sample before, once more. */
	repeat(): void {
		this.of.push(this.of.at(-1) ?? -1);
	}

	/** null: no sample had one. */
	build(): SampleStacks | null {
		if (this.parent.length === 0) {
			return null;
		}
		return {
			of: Int32Array.from(this.of),
			parent: Int32Array.from(this.parent),
			place: Int32Array.from(this.frame, (frame) => this.places[frame]!),
			address: Float64Array.from(this.frame, (frame) => this.addresses[frame]!),
		};
	}

	private nodeNumber(parent: number, frame: number): number {
		const key = (parent + 1) * MOST + frame;
		let node = this.nodes.get(key);
		if (node === undefined) {
			node = this.parent.push(parent) - 1;
			this.frame.push(frame);
			this.nodes.set(key, node);
		}
		return node;
	}
}
