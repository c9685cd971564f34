/** Bytes of a dump, as the runtime writes them. */
import { crc32 } from '../src/formats/order-dump/crc32.js';
import { BYTE_ORDER_MARK, FIELD, HEADER_BYTES, MAGIC, VERSION } from '../src/formats/order-dump/layout.js';

interface DumpParts {
	readonly modules: readonly { readonly id: number; readonly functionCount: number; readonly hash: string }[];
	/** Slots: module id and function number. */
	readonly entries: readonly (readonly [number, number])[];
	readonly logged?: number;
	readonly capacity?: number;
	readonly flags?: number;
	readonly isLittle?: boolean;
	readonly reason?: number;
	readonly version?: number;
}

export function encodeOrderDump(parts: DumpParts): Uint8Array {
	const { modules, entries, logged = entries.length, capacity = 131_072, flags = 0, isLittle = true, reason = 1, version = VERSION } = parts;
	const entriesOffset = HEADER_BYTES + modules.length * 16;
	const bytes = new Uint8Array(entriesOffset + entries.length * 8);
	const view = new DataView(bytes.buffer);
	bytes.set(new TextEncoder().encode(MAGIC));
	const u32 = (offset: number, value: number): void => view.setUint32(offset, value, isLittle);
	const u64 = (offset: number, value: bigint): void => view.setBigUint64(offset, value & 0xffff_ffff_ffff_ffffn, isLittle);
	u32(FIELD.byteOrder, BYTE_ORDER_MARK);
	u32(FIELD.version, version);
	u32(FIELD.headerBytes, HEADER_BYTES);
	u32(FIELD.flags, flags);
	u64(FIELD.sizeBytes, BigInt(bytes.length));
	u64(
		FIELD.buildId,
		modules.reduce((sum, { hash }) => sum + BigInt(`0x${hash}`), 0n),
	);
	u32(FIELD.processId, 4711);
	u32(FIELD.reason, reason);
	u32(FIELD.capacity, capacity);
	u32(FIELD.logged, logged);
	u64(FIELD.modulesOffset, BigInt(HEADER_BYTES));
	u32(FIELD.moduleCount, modules.length);
	u64(FIELD.entriesOffset, BigInt(entriesOffset));
	u32(FIELD.entryCount, entries.length);
	u32(FIELD.pointerBytes, 8);
	u64(FIELD.next, BigInt(0x7000_0000 + logged * 8));
	u64(FIELD.buffer, BigInt(0x7000_0000));
	u64(FIELD.timeNs, 1_700_000_000_000_000_000n);
	modules.forEach(({ id, functionCount, hash }, i) => {
		u32(HEADER_BYTES + i * 16, id);
		u32(HEADER_BYTES + i * 16 + 4, functionCount);
		u64(HEADER_BYTES + i * 16 + 8, BigInt(`0x${hash}`));
	});
	entries.forEach(([moduleId, functionId], i) => {
		u32(entriesOffset + i * 8, moduleId);
		u32(entriesOffset + i * 8 + 4, functionId);
	});
	if ((flags & 2) === 0) {
		u32(FIELD.checksum, crc32(bytes));
	}
	return bytes;
}
