/** Where the fields of a dump's header are; runtime/assay_order.c has the same numbers (docs/order-formats.md). */
export const MAGIC = 'ASSAYORD';
export const HEADER_BYTES = 128;
export const MODULE_BYTES = 16;
export const ENTRY_BYTES = 8;
export const VERSION = 1;
export const BYTE_ORDER_MARK = 0x01020304;

export const FLAG_RING = 1;
export const FLAG_FILE_BACKED = 2;

export const FIELD = {
	byteOrder: 8,
	version: 12,
	headerBytes: 16,
	flags: 20,
	sizeBytes: 24,
	buildId: 32,
	processStamp: 40,
	processId: 48,
	reason: 52,
	capacity: 56,
	logged: 60,
	modulesOffset: 64,
	moduleCount: 72,
	checksum: 76,
	entriesOffset: 80,
	entryCount: 88,
	pointerBytes: 92,
	timeNs: 104,
	next: 112,
	buffer: 120,
} as const;

export const REASONS = ['unknown', 'exit', 'signal', 'request', 'timer', 'file-backed'] as const;
