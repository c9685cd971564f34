/**
 * Where bytes come from. A reader of a file format gets a Source, never a path: the same reader then works on files,
 * on archives that were unpacked on the way, on standard input and on bytes in memory.
 *
 * Reads are synchronous: the readers are loops over bytes, and a promise for each block costs more than the block.
 */
export interface Source {
	/** What to call it in messages: a path as the user gave it, or a description. */
	readonly name: string;
	/** Size in bytes. */
	readonly sizeBytes: number;
	/**
	 * Copies up to `length` bytes that start at byte `position` into `target` at `targetOffset`; returns how many were copied,
	 * 0 only at or after the end. Throws an Error when the operating system reports one.
	 */
	read(target: Uint8Array, targetOffset: number, length: number, position: number): number;
	/** Releases what stands behind it. A closed source must not be read. */
	close(): void;
	/** The source that this one lends to another reader: the same bytes. */
	readonly lends?: Source;
}

/** A source over bytes that are in memory already. */
export function memorySource(name: string, bytes: Uint8Array): Source {
	return {
		name,
		sizeBytes: bytes.length,
		read(target, targetOffset, length, position) {
			const part = bytes.subarray(position, position + length);
			target.set(part, targetOffset);
			return part.length;
		},
		close() {},
	};
}

/**
 * Reads exactly the bytes [start, end) or fewer where the source ends before; loops over short reads.
 * The caller bounds the length: the result is one array.
 */
export function readRange(source: Source, start: number, end: number): Uint8Array {
	const stop = Math.min(end, source.sizeBytes);
	if (stop <= start) {
		return new Uint8Array(0);
	}
	// A Node Buffer where there is one: its slices decode text natively.
	const bytes = newBytes(stop - start);
	let filled = 0;
	while (filled < bytes.length) {
		const count = source.read(bytes, filled, bytes.length - filled, start + filled);
		if (count === 0) {
			return bytes.subarray(0, filled);
		}
		filled += count;
	}
	return bytes;
}

/** Reads ranges one after another into the same bytes, for readers that keep nothing of them: fresh memory for each costs more than reading it again from the page cache. */
export class RangeReader {
	private bytes: Uint8Array = newBytes(1 << 16);

	/** As {@link readRange}; the result is good until the next range is read. */
	read(source: Source, start: number, end: number): Uint8Array {
		const wanted = Math.max(0, Math.min(end, source.sizeBytes) - start);
		if (wanted > this.bytes.length) {
			this.bytes = newBytes(2 * wanted);
		}
		let filled = 0;
		while (filled < wanted) {
			const count = source.read(this.bytes, filled, wanted - filled, start + filled);
			if (count === 0) {
				break;
			}
			filled += count;
		}
		return this.bytes.subarray(0, filled);
	}
}

/** Uninitialised bytes: every caller overwrites them before it looks at them. */
export function newBytes(length: number): Uint8Array {
	return Buffer.allocUnsafeSlow(length);
}
