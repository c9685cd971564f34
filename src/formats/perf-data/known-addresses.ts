/** What is known of addresses, by their two words: a table with open addressing, since a map keyed by numbers of 64 bits is slow. */

const SMALLEST = 1 << 6;

export class KnownAddresses {
	/** By position: the number of the place, and the number as a frame of a stack, -1 where it was none yet. */
	place = new Int32Array(0);
	frame = new Int32Array(0);
	private low = new Int32Array(0);
	private high = new Int32Array(0);
	private isTaken = new Uint8Array(0);
	private count = 0;

	/** The position of an address; -1: it is not known. */
	find(low: number, high: number): number {
		const { count, isTaken } = this;
		if (count === 0) {
			return -1;
		}
		const mask = isTaken.length - 1;
		for (let at = hash(low, high) & mask; isTaken[at] === 1; at = (at + 1) & mask) {
			if (this.low[at] === low && this.high[at] === high) {
				return at;
			}
		}
		return -1;
	}

	/** Adds one that is not known; its position holds until the next is added. */
	add(low: number, high: number, place: number): number {
		if (2 * this.count >= this.isTaken.length) {
			this.grow();
		}
		return this.put(low, high, place, -1);
	}

	clear(): void {
		if (this.count > 0) {
			this.isTaken.fill(0);
			this.count = 0;
		}
	}

	private put(low: number, high: number, place: number, frame: number): number {
		const { isTaken } = this;
		const mask = isTaken.length - 1;
		let at = hash(low, high) & mask;
		while (isTaken[at] === 1) {
			at = (at + 1) & mask;
		}
		isTaken[at] = 1;
		this.low[at] = low;
		this.high[at] = high;
		this.place[at] = place;
		this.frame[at] = frame;
		this.count++;
		return at;
	}

	private grow(): void {
		const { low, high, place, frame, isTaken } = this;
		const capacity = Math.max(SMALLEST, 2 * isTaken.length);
		this.low = new Int32Array(capacity);
		this.high = new Int32Array(capacity);
		this.place = new Int32Array(capacity);
		this.frame = new Int32Array(capacity);
		this.isTaken = new Uint8Array(capacity);
		this.count = 0;
		for (let at = 0; at < isTaken.length; at++) {
			if (isTaken[at] === 1) {
				this.put(low[at]!, high[at]!, place[at]!, frame[at]!);
			}
		}
	}
}

function hash(low: number, high: number): number {
	const mixed = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
	return mixed ^ (mixed >>> 15);
}
