/**
 * The names in a raw profile of LLVM (InstrProfSymtab): pieces of (size, packed size, bytes), sizes as ULEB128, each piece packed with zlib or,
 * packed size 0, plain; names with \x01 between them; zero bytes between pieces. Records name a function by the first eight bytes of the MD5 of its
 * name, so a damaged name is nobody's.
 */
import { unzlibSync } from 'fflate';
import { nameHash } from '../../bytes/name-hash.js';
import { decodeUtf8 } from '../../bytes/string-table.js';

const SEPARATOR = 1;
/** Deflate packs at best 1032 bytes into one. */
const BEST_PACKING = 1032;
const LONGEST_ULEB128 = 8;

/** Names by hash; or, a sentence about what is wrong with the section. */
export function readNamesSection(bytes: Uint8Array): Map<bigint, string> | string {
	const names = new Map<bigint, string>();
	let at = 0;
	const number = (): number => {
		let value = 0;
		for (let i = 0; i < LONGEST_ULEB128; i++) {
			const byte = bytes[at++];
			if (byte === undefined) {
				return -1;
			}
			value += (byte & 0x7f) * 2 ** (7 * i);
			if (byte < 0x80) {
				return value;
			}
		}
		return -1;
	};
	for (;;) {
		while (bytes[at] === 0) {
			at++;
		}
		if (at >= bytes.length) {
			return names;
		}
		const start = at;
		const sizeBytes = number();
		const packedBytes = number();
		if (sizeBytes < 0 || packedBytes < 0) {
			return `the sizes of the names at byte ${start} of their section make no sense`;
		}
		const stored = packedBytes === 0 ? sizeBytes : packedBytes;
		if (at + stored > bytes.length || (packedBytes > 0 && sizeBytes > packedBytes * BEST_PACKING)) {
			return `the names at byte ${start} of their section say that they have ${stored} bytes, and ${bytes.length - at} are left`;
		}
		const piece = bytes.subarray(at, at + stored);
		at += stored;
		const plain = packedBytes === 0 ? piece : unpack(piece, sizeBytes);
		if (plain === null) {
			return `the packed names at byte ${start} of their section are damaged`;
		}
		addNames(plain, names);
	}
}

function addNames(bytes: Uint8Array, names: Map<bigint, string>): void {
	let start = 0;
	while (start < bytes.length) {
		const found = bytes.indexOf(SEPARATOR, start);
		const end = found < 0 ? bytes.length : found;
		if (end > start) {
			names.set(nameHash(bytes.subarray(start, end)), decodeUtf8(bytes, start, end));
		}
		start = end + 1;
	}
}

/** Null when the bytes are no zlib stream (RFC 1950) of this size, or its checksum does not fit. */
function unpack(packed: Uint8Array, sizeBytes: number): Uint8Array | null {
	if (packed.length < 6) {
		return null;
	}
	try {
		const plain = unzlibSync(packed, { out: new Uint8Array(sizeBytes) });
		const checksum = new DataView(packed.buffer, packed.byteOffset + packed.length - 4).getUint32(0);
		return plain.length === sizeBytes && adler32(plain) === checksum ? plain : null;
	} catch {
		return null;
	}
}

/** RFC 1950, section 9. fflate does not look at it. */
function adler32(bytes: Uint8Array): number {
	let a = 1;
	let b = 0;
	for (let i = 0; i < bytes.length; ) {
		// So many sums stay below 2^32 before the remainder has to be taken.
		for (const end = Math.min(i + 5552, bytes.length); i < end; i++) {
			a += bytes[i]!;
			b += a;
		}
		a %= 65521;
		b %= 65521;
	}
	return b * 65536 + a;
}
