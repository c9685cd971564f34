/** Descriptions of functions' frames, as `.eh_frame` has them. */

export const u32 = (value: number): Buffer => {
	const bytes = Buffer.alloc(4);
	bytes.writeInt32LE(value | 0);
	return bytes;
};

/** A record with its length. */
export const frameRecord = (...parts: readonly (Buffer | string)[]): Buffer => {
	const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
	const padded = Buffer.concat([body, Buffer.alloc(-body.length & 3)]);
	return Buffer.concat([u32(padded.length), padded]);
};

/** `augmentation`: letters; `data`: what they bring. */
export const commonInformation = (augmentation: string, data: readonly number[], version = 1, instructions: readonly number[] = []): Buffer =>
	frameRecord(
		u32(0),
		Buffer.from([version]),
		augmentation,
		Buffer.from([0, 1, 0x78, 16, ...(augmentation.startsWith('z') ? [data.length, ...data] : []), ...instructions]),
	);

/** Descriptions of a section that begins at `address`: a function's addresses of 4 bytes, relative to where they stand, and what tells of its frames. */
export function frameSection(
	first: Buffer,
	address: number,
	functions: readonly (readonly [start: number, length: number, instructions?: readonly number[]])[],
): Buffer {
	let all = first;
	for (const [start, length, instructions = []] of functions) {
		const at = all.length + 4;
		all = Buffer.concat([all, frameRecord(u32(at), u32(start - (address + at + 4)), u32(length), Buffer.from([0, ...instructions]))]);
	}
	return Buffer.concat([all, u32(0)]);
}
