/** The number that stands for a name in LLVM's profiles and order files: the first eight bytes of its MD5, little-endian. */
import { md5 } from '@noble/hashes/legacy.js';

export function nameHash(name: Uint8Array): bigint {
	const digest = md5(name);
	return new DataView(digest.buffer, digest.byteOffset).getBigUint64(0, true);
}
