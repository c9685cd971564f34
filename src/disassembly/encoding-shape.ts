/**
 * Which bytes of an encoding of x86-64 tell how long it is and what it does: prefixes, opcode, ModRM and SIB (Intel SDM volume 2, chapter 2). What follows,
 * displacement and immediate, are only numbers in it.
 */

/** `66`, `f2`, `f3`, `lock`, and segments. */
const PREFIX = setOf([0x66, 0xf2, 0xf3, 0xf0, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65]);
/** Of the one-byte map those with ModRM, but `8f`, which may be XOP. */
const HAS_MODRM = setOf([
	...[0x00, 0x08, 0x10, 0x18, 0x20, 0x28, 0x30, 0x38].flatMap((first) => between(first, first + 3)),
	...[0x63, 0x69, 0x6b, 0x80, 0x81, 0xc0, 0xc1, 0xc6, 0xc7, 0xf6, 0xf7, 0xfe, 0xff],
	...[...between(0x83, 0x8e), ...between(0xd0, 0xd3), ...between(0xd8, 0xdf)],
]);
/** Those with an immediate alone. */
const HAS_IMMEDIATE = setOf([
	...[0x04, 0x0c, 0x14, 0x1c, 0x24, 0x2c, 0x34, 0x3c].flatMap((first) => between(first, first + 1)),
	...[0x68, 0x6a, 0xa8, 0xa9, 0xc2, ...between(0xb0, 0xbf)],
]);
/** Relative jumps and calls. */
const JUMPS = setOf([...between(0x70, 0x7f), ...between(0xe0, 0xe3), 0xe8, 0xe9, 0xeb]);
/** Of the map behind `0f` those with ModRM, whatever the prefix; but `0f`, whose immediate is an opcode, and `c2`, where it is a part of the mnemonic. */
const HAS_MODRM_0F = setOf([
	...[0x18, 0x1f, 0xa3, 0xa4, 0xa5, 0xab, 0xac, 0xad, 0xae, 0xaf, 0xc0, 0xc1, 0xc3, 0xc4, 0xc5, 0xc6],
	...[...between(0x10, 0x17), ...between(0x28, 0x2f), ...between(0x40, 0x76), 0x7e, 0x7f, ...between(0x90, 0x9f)],
	...[...between(0xb0, 0xb1), 0xb3, 0xb6, 0xb7, ...between(0xba, 0xbf), ...between(0xd0, 0xfe)],
]);

/** How many bytes from the first on; all where nothing is known of the encoding. The bytes have to be one instruction. */
export function shapeBytes(bytes: Uint8Array, at: number, sizeBytes: number): number {
	let i = at;
	while (PREFIX[bytes[i]!] === 1) {
		i++;
	}
	const hasPrefix = i > at;
	if ((bytes[i]! & 0xf0) === 0x40) {
		i++;
	}
	const opcode = bytes[i]!;
	let modrm = 0;
	if (opcode === 0x0f && (bytes[i + 1]! & 0xf0) === 0x80) {
		return hasPrefix ? sizeBytes : i + 2 - at;
	}
	if (opcode === 0x0f) {
		modrm = HAS_MODRM_0F[bytes[i + 1]!] === 1 ? i + 2 : 0;
	} else if (opcode === 0xc5) {
		modrm = HAS_MODRM_0F[bytes[i + 2]!] === 1 ? i + 3 : 0;
	} else if (opcode === 0xc4) {
		modrm = (bytes[i + 1]! & 0x1f) === 1 && HAS_MODRM_0F[bytes[i + 3]!] === 1 ? i + 4 : 0;
	} else if (HAS_MODRM[opcode] === 1) {
		modrm = i + 1;
	} else if (HAS_IMMEDIATE[opcode] === 1 || (JUMPS[opcode] === 1 && !hasPrefix)) {
		return i + 1 - at;
	}
	if (modrm === 0) {
		return sizeBytes;
	}
	const hasSib = bytes[modrm]! < 0xc0 && (bytes[modrm]! & 7) === 4;
	return Math.min(modrm + (hasSib ? 2 : 1) - at, sizeBytes);
}

function between(first: number, last: number): number[] {
	return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

function setOf(bytes: readonly number[]): Uint8Array {
	const result = new Uint8Array(256);
	for (const byte of bytes) {
		result[byte] = 1;
	}
	return result;
}
