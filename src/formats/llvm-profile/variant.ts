/** The version word of LLVM's profiles: the lower half is the version of the format, the upper half tells what was recorded (VARIANT_MASK_…). */

const bit = (number: number): bigint => 1n << BigInt(number);

const KNOWN = [55, 56, 57, 58, 59, 60, 61, 62, 63].reduce((bits, number) => bits | bit(number), 0n);

export interface ProfileVariant {
	readonly version: number;
	readonly isTemporal: boolean;
	/** Data and names are left to the debug information of the program. */
	readonly isCorrelated: boolean;
	/** A counter is a byte. */
	readonly hasByteCounters: boolean;
	/** Bits that no known LLVM sets. */
	readonly hasUnknown: boolean;
}

export function profileVariant(word: bigint): ProfileVariant {
	return {
		version: Number(word & 0xffffffffn),
		isTemporal: (word & bit(63)) !== 0n,
		isCorrelated: (word & bit(59)) !== 0n,
		hasByteCounters: (word & bit(60)) !== 0n,
		hasUnknown: (((word >> 32n) << 32n) & ~KNOWN) !== 0n,
	};
}
