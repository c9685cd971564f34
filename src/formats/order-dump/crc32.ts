/** CRC-32 (ISO-HDLC, as in zip and gzip), the checksum of a dump. */
const TABLE = new Uint32Array(256).map((_, byte) => {
	let value = byte;
	for (let bit = 0; bit < 8; bit++) {
		value = (value & 1) === 0 ? value >>> 1 : (value >>> 1) ^ 0xedb88320;
	}
	return value;
});

/** The checksum of `bytes`, where `before` is that of what came before. */
export function crc32(bytes: Uint8Array, before = 0): number {
	let crc = ~before;
	for (let i = 0; i < bytes.length; i++) {
		crc = TABLE[(crc ^ bytes[i]!) & 0xff]! ^ (crc >>> 8);
	}
	return ~crc >>> 0;
}
