/** Instructions of decoded code: where they go is there at once, texts are made for code that somebody looks at. */
import type { DecodedCode } from '../disassembly/decoded-code.js';
import { isBarrier } from '../formats/shared/hotspot/inherited-positions.js';

export abstract class DecodedInstructions {
	readonly length: number;
	readonly address: Float64Array;
	readonly end: Float64Array;
	readonly flow: Uint8Array;
	readonly target: Float64Array;
	readonly traits: Uint8Array;
	protected readonly decoded: DecodedCode;
	private texts: readonly string[] | null = null;

	/** Those who extend it fill `traits`. */
	constructor(decoded: DecodedCode) {
		const { length, address, end, flow, target } = decoded;
		this.decoded = decoded;
		this.length = length;
		this.address = address;
		this.end = end;
		this.flow = flow;
		this.target = target;
		this.traits = new Uint8Array(length);
	}

	get text(): readonly string[] {
		this.texts ??= textsOf(this.decoded);
		return this.texts;
	}

	/** Nothing was left out. */
	wrongCalls(): readonly number[] {
		return [];
	}

	textAt(i: number): string {
		return i < this.length ? this.decoded.text(i) : '';
	}

	formAt(i: number): string {
		return i < this.length ? this.decoded.form(i) : '';
	}
}

export function textsOf(decoded: DecodedCode): string[] {
	return Array.from({ length: decoded.length }, (_, i) => decoded.text(i));
}

/** Whether what is described at `to` says nothing of `from`, before it. `labels`: headings by the number of the instruction that they stand before. */
export function isBarrierBetween(labels: ReadonlyMap<number, string>, from: number, to: number): boolean {
	for (const [i, label] of labels) {
		if (i > from && i <= to && isBarrier(label)) {
			return true;
		}
	}
	return false;
}
