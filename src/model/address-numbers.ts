/**
 * The distinct addresses of samples, numbered from 0 in order of first appearance: ten million samples lie at some ten thousand addresses, and
 * what is known of an address is then a place in an array.
 */
import { HIGH_WORD, LOW_WORD, type Samples } from './samples.js';

export interface AddressNumbers {
	/** For each sample the number of its address. */
	readonly of: Int32Array;
	/** By number: the address as a double, exact up to 2^53 on both sides of 0. */
	readonly addresses: Float64Array;
}

export function numberAddresses({ address, length }: Samples): AddressNumbers {
	// The words of 32 bits: reading a number of 64 bits makes an object.
	const words = new Int32Array(address.buffer, address.byteOffset, 2 * length);
	const of = new Int32Array(length);
	let addresses = new Float64Array(1 << 10);
	let slots = slotsFor(addresses, 0);
	let count = 0;
	for (let i = 0; i < length; i++) {
		const value = words[2 * i + HIGH_WORD]! * 2 ** 32 + (words[2 * i + LOW_WORD]! >>> 0);
		let slot = slotOf(value, slots.length);
		let number = slots[slot]!;
		while (number >= 0 && addresses[number] !== value) {
			slot = (slot + 1) & (slots.length - 1);
			number = slots[slot]!;
		}
		if (number < 0) {
			number = count++;
			addresses[number] = value;
			slots[slot] = number;
			if (count === addresses.length) {
				const larger = new Float64Array(2 * count);
				larger.set(addresses);
				addresses = larger;
				slots = slotsFor(addresses, count);
			}
		}
		of[i] = number;
	}
	return { of, addresses: addresses.slice(0, count) };
}

/** The slots of the numbered addresses, and as many free ones and more. */
function slotsFor(addresses: Float64Array, count: number): Int32Array<ArrayBuffer> {
	const slots = new Int32Array(4 * addresses.length).fill(-1);
	for (let number = 0; number < count; number++) {
		let slot = slotOf(addresses[number]!, slots.length);
		while (slots[slot]! >= 0) {
			slot = (slot + 1) & (slots.length - 1);
		}
		slots[slot] = number;
	}
	return slots;
}

/** `slotCount` is a power of two. */
function slotOf(address: number, slotCount: number): number {
	const hash = Math.imul((address | 0) ^ (address / 2 ** 32), 0x9e3779b1);
	return (hash ^ (hash >>> 15)) & (slotCount - 1);
}
