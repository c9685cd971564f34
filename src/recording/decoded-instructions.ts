/** Instructions of decoded code: where they go is there at once, texts are made for code that somebody looks at. */
import type { DecodedCode } from '../disassembly/decoded-code.js';
import { isBarrier } from '../formats/shared/hotspot/inherited-positions.js';
import type { FlowColumns } from '../model/flow-columns.js';

export abstract class DecodedInstructions {
	readonly length: number;
	readonly traits: Uint8Array;
	protected readonly decoded: DecodedCode;
	private texts: readonly string[] | null = null;

	/** Those who extend it fill `traits`. */
	constructor(decoded: DecodedCode) {
		this.decoded = decoded;
		this.length = decoded.length;
		this.traits = new Uint8Array(this.length);
	}

	get address(): Float64Array {
		return this.decoded.address;
	}

	get end(): Float64Array {
		return this.decoded.end;
	}

	get flow(): Uint8Array {
		return this.decoded.flow;
	}

	get target(): Float64Array {
		return this.decoded.target;
	}

	targetAt(i: number): number {
		return this.decoded.targetAt(i);
	}

	callEndingAt(address: number): number {
		return this.decoded.callEndingAt(address);
	}

	look<T>(use: (columns: FlowColumns) => T): T {
		return this.decoded.look(use);
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
