/** Writes jitdumps for tests, in either byte order. */

interface Header {
	readonly isLittleEndian?: boolean;
	readonly processId?: number;
	readonly machine?: number;
	readonly version?: number;
	readonly flags?: number;
}

/** Each method appends a record; stamps are nanoseconds. */
export class DumpWriter {
	private readonly parts: Uint8Array[] = [];
	private readonly isLittleEndian: boolean;

	constructor({ isLittleEndian = true, processId = 1, machine = 62, version = 1, flags = 0 }: Header) {
		this.isLittleEndian = isLittleEndian;
		this.parts.push(this.words([0x4a695444, 4], [version, 4], [40, 4], [machine, 4], [0, 4], [processId, 4], [0, 8], [flags, 8]));
	}

	get bytes(): Uint8Array {
		return Uint8Array.from(this.parts.flatMap((part) => [...part]));
	}

	record(id: number, stampNs: number, ...payload: Uint8Array[]): this {
		const size = payload.reduce((sum, { length }) => sum + length, 16);
		this.parts.push(this.words([id, 4], [size, 4], [stampNs, 8]), ...payload);
		return this;
	}

	load(stampNs: number, address: number, index: number, name: string, code: Uint8Array): this {
		const fixed = this.words([1, 4], [1, 4], [address, 8], [address, 8], [code.length, 8], [index, 8]);
		return this.record(0, stampNs, fixed, Buffer.from(`${name}\0`), code);
	}

	move(stampNs: number, from: number, to: number, size: number, index: number): this {
		return this.record(1, stampNs, this.words([1, 4], [1, 4], [to, 8], [from, 8], [to, 8], [size, 8], [index, 8]));
	}

	/** Address, line, discriminator, file: of one character FF that of the entry before. */
	lines(stampNs: number, address: number, entries: readonly (readonly [number, number, number, string])[]): this {
		const rows = entries.flatMap(([at, line, discriminator, file]) => [this.words([at, 8], [line, 4], [discriminator, 4]), Buffer.from(`${file}\0`, 'latin1')]);
		return this.record(2, stampNs, this.words([address, 8], [entries.length, 8]), ...rows);
	}

	close(stampNs: number): this {
		return this.record(3, stampNs);
	}

	unwinding(stampNs: number): this {
		return this.record(4, stampNs, this.words([8, 8], [4, 8], [0, 8]), new Uint8Array(8));
	}

	private words(...values: readonly (readonly [value: number, sizeBytes: number])[]): Uint8Array {
		const result = new Uint8Array(values.reduce((sum, [, sizeBytes]) => sum + sizeBytes, 0));
		const view = new DataView(result.buffer);
		let at = 0;
		for (const [value, sizeBytes] of values) {
			if (sizeBytes === 4) {
				view.setUint32(at, value, this.isLittleEndian);
			} else {
				view.setBigUint64(at, BigInt(value), this.isLittleEndian);
			}
			at += sizeBytes;
		}
		return result;
	}
}
