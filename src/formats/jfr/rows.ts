/** Samples of one chunk of a Flight Recorder file, in columns that grow. */
import type { ConstantKey } from './cursor.js';

/** What of a sample's fields is looked at. */
export const Slot = { ticks: 0, thread: 1, stack: 2, state: 3, failed: 4, biased: 5, weight: 6, lost: 7 } as const;

/** Keys in order of first use. */
class Keys {
	readonly keys: ConstantKey[] = [];
	readonly numbers = new Map<ConstantKey, number>();
	private lastKey: ConstantKey = -1;
	private lastNumber = -1;

	number(key: ConstantKey): number {
		if (key === this.lastKey && this.lastNumber >= 0) {
			return this.lastNumber;
		}
		let number = this.numbers.get(key);
		if (number === undefined) {
			number = this.keys.length;
			this.keys.push(key);
			this.numbers.set(key, number);
		}
		this.lastKey = key;
		this.lastNumber = number;
		return number;
	}
}

/** Samples of a chunk before their constants are known. */
export class Rows {
	length = 0;
	readonly values = new Float64Array(8);
	readonly threads = new Keys();
	readonly stacks = new Keys();
	readonly states = new Keys();
	ticks = new Float64Array(1 << 10);
	weight = new Float64Array(1 << 10);
	event = new Uint8Array(1 << 10);
	isBiased = new Uint8Array(1 << 10);
	thread = new Int32Array(1 << 10);
	stack = new Int32Array(1 << 10);
	state = new Int32Array(1 << 10);

	add(event: number, thread: ConstantKey, stack: ConstantKey, state: ConstantKey): void {
		if (this.length === this.ticks.length) {
			this.grow();
		}
		const row = this.length++;
		const { values } = this;
		this.ticks[row] = values[Slot.ticks]!;
		this.weight[row] = Math.max(0, values[Slot.weight]!);
		this.isBiased[row] = values[Slot.biased] === 0 ? 0 : 1;
		this.event[row] = event;
		this.thread[row] = this.threads.number(thread);
		this.stack[row] = this.stacks.number(stack);
		this.state[row] = this.states.number(state);
	}

	private grow(): void {
		const length = 2 * this.ticks.length;
		const larger = <T extends { set(from: T): void }>(column: T, grown: T): T => {
			grown.set(column);
			return grown;
		};
		this.ticks = larger(this.ticks, new Float64Array(length));
		this.weight = larger(this.weight, new Float64Array(length));
		this.event = larger(this.event, new Uint8Array(length));
		this.isBiased = larger(this.isBiased, new Uint8Array(length));
		this.thread = larger(this.thread, new Int32Array(length));
		this.stack = larger(this.stack, new Int32Array(length));
		this.state = larger(this.state, new Int32Array(length));
	}
}
