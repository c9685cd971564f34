/** Sequences of bytes, none of which is the beginning of another → numbers. */

const MOST_NODES = 1 << 20;
const ROOT = 0;

export class ByteTree {
	/** Node and byte → node; open addressing. */
	private keys = new Int32Array(1 << 13).fill(-1);
	private children = new Int32Array(1 << 13);
	/** Of each node the number of the sequence that ends there, -1 for none. */
	private numbers = new Int32Array(1 << 12).fill(-1);
	private nodes = 1;

	/** The number of what the bytes begin with; -1 where that was never added. */
	find(bytes: Uint8Array, at: number): number {
		let node = ROOT;
		for (let i = at; i < bytes.length; i++) {
			node = this.child(node, bytes[i]!);
			if (node < 0) {
				return -1;
			}
			const number = this.numbers[node]!;
			if (number >= 0) {
				return number;
			}
		}
		return -1;
	}

	/** False where there is no room: what is added is bounded. */
	add(bytes: Uint8Array, at: number, sizeBytes: number, number: number): boolean {
		if (this.nodes + sizeBytes > MOST_NODES) {
			return false;
		}
		let node = ROOT;
		for (let i = at; i < at + sizeBytes; i++) {
			const next = this.child(node, bytes[i]!);
			node = next < 0 ? this.addChild(node, bytes[i]!) : next;
		}
		this.numbers[node] = number;
		return true;
	}

	private child(node: number, byte: number): number {
		const { keys } = this;
		const mask = keys.length - 1;
		const key = node * 256 + byte;
		for (let slot = slotOf(key, mask); ; slot = (slot + 1) & mask) {
			const found = keys[slot]!;
			if (found === key) {
				return this.children[slot]!;
			}
			if (found < 0) {
				return -1;
			}
		}
	}

	private addChild(node: number, byte: number): number {
		if (this.nodes * 2 > this.keys.length) {
			this.grow();
		}
		this.put(node * 256 + byte, this.nodes);
		return this.nodes++;
	}

	private grow(): void {
		const { keys, children, numbers } = this;
		this.keys = new Int32Array(2 * keys.length).fill(-1);
		this.children = new Int32Array(2 * keys.length);
		this.numbers = new Int32Array(keys.length + 1).fill(-1);
		this.numbers.set(numbers);
		for (let i = 0; i < keys.length; i++) {
			if (keys[i]! >= 0) {
				this.put(keys[i]!, children[i]!);
			}
		}
	}

	private put(key: number, child: number): void {
		const mask = this.keys.length - 1;
		let slot = slotOf(key, mask);
		while (this.keys[slot]! >= 0) {
			slot = (slot + 1) & mask;
		}
		this.keys[slot] = key;
		this.children[slot] = child;
	}
}

/** Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4). */
function slotOf(key: number, mask: number): number {
	return (Math.imul(key, 0x9e3779b1) >>> 7) & mask;
}
