/** Reads what the runtime of an instrumented program wrote: one dump for each image of the process, one after the other (docs/order-formats.md). */
import { readRange, type Source } from '../../bytes/source.js';
import type { OrderDump, OrderDumpModule } from '../../model/order-dump.js';
import { combineHashes } from '../../model/order-map.js';
import { InputError, type Problem } from '../../model/problem.js';
import { crc32 } from './crc32.js';
import { BYTE_ORDER_MARK, ENTRY_BYTES, FIELD, FLAG_FILE_BACKED, FLAG_RING, HEADER_BYTES, MAGIC, MODULE_BYTES, REASONS, VERSION } from './layout.js';

const RETAKE = 'it is not used; run the program again';
/** Of one table; a buffer holds 131,072 entries by default. */
const MAX_TABLE_BYTES = 1 << 30;

/** Whether a file is a dump of assay's runtime, by its first bytes. */
export function isOrderDump(head: Uint8Array): boolean {
	return head.length >= MAGIC.length && [...MAGIC].every((letter, i) => head[i] === letter.charCodeAt(0));
}

/**
 * All dumps of a file. A dump that is damaged, truncated or of another version is not used, and reported; InputError when none is left. Dumps of
 * machines of either byte order are read.
 */
export function readOrderDumps(source: Source): { readonly dumps: readonly OrderDump[]; readonly problems: readonly Problem[] } {
	const dumps: OrderDump[] = [];
	const problems: Problem[] = [];
	let position = 0;
	while (position < source.sizeBytes) {
		const at = position;
		const report = (message: string, action: string, severity: Problem['severity'] = 'error'): void => {
			problems.push({ severity, file: source.name, offsetBytes: at, message, action });
		};
		const header = readRange(source, at, at + HEADER_BYTES);
		const sizeBytes = readDump(source, at, header, dumps, report);
		if (sizeBytes === null) {
			break;
		}
		position += sizeBytes;
	}
	if (dumps.length === 0) {
		throw new InputError(
			problems[0] ?? {
				severity: 'error',
				file: source.name,
				message: 'the file is empty, a dump of the assay runtime is expected',
				action: 'nothing was read',
			},
		);
	}
	return { dumps, problems };
}

type Report = (message: string, action: string, severity?: Problem['severity']) => void;

/** Reads one dump and gives its size, or null when what follows it cannot be found. */
function readDump(source: Source, at: number, header: Uint8Array, dumps: OrderDump[], report: Report): number | null {
	if (!isOrderDump(header)) {
		report(`"${MAGIC}" is expected, the first bytes of a dump of the assay runtime`, at === 0 ? 'nothing was read' : 'the rest of the file is not read');
		return null;
	}
	if (header.length < HEADER_BYTES) {
		report(`the dump is truncated: its header has ${HEADER_BYTES} bytes, ${header.length} are there`, RETAKE);
		return null;
	}
	const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
	const isLittle = view.getUint32(FIELD.byteOrder, true) === BYTE_ORDER_MARK;
	if (!isLittle && view.getUint32(FIELD.byteOrder, false) !== BYTE_ORDER_MARK) {
		report('the byte order mark of the dump is damaged', RETAKE);
		return null;
	}
	const u32 = (offset: number): number => view.getUint32(offset, isLittle);
	const u64 = (offset: number): bigint => view.getBigUint64(offset, isLittle);
	if (u32(FIELD.version) !== VERSION) {
		report(`the dump has version ${u32(FIELD.version)}, this assay reads ${VERSION}`, 'it is not used; take the assay that came with the runtime');
		return null;
	}
	const sizeBytes = Number(u64(FIELD.sizeBytes));
	const modulesOffset = Number(u64(FIELD.modulesOffset));
	const entriesOffset = Number(u64(FIELD.entriesOffset));
	const moduleCount = u32(FIELD.moduleCount);
	const entryCount = u32(FIELD.entryCount);
	const modulesBytes = moduleCount * MODULE_BYTES;
	const entriesBytes = entryCount * ENTRY_BYTES;
	const fits = (offset: number, length: number): boolean => offset >= HEADER_BYTES && length <= MAX_TABLE_BYTES && offset + length <= sizeBytes;
	if (!fits(modulesOffset, modulesBytes) || !fits(entriesOffset, entriesBytes) || u32(FIELD.headerBytes) !== HEADER_BYTES) {
		report('the header of the dump is damaged: its tables do not lie inside it', RETAKE);
		return null;
	}
	if (at + sizeBytes > source.sizeBytes) {
		report(`the dump is truncated: it has ${sizeBytes} bytes, ${source.sizeBytes - at} are there`, RETAKE);
		return null;
	}
	const moduleTable = readRange(source, at + modulesOffset, at + modulesOffset + modulesBytes);
	const entryTable = readRange(source, at + entriesOffset, at + entriesOffset + entriesBytes);
	const flags = u32(FIELD.flags);
	const isFileBacked = (flags & FLAG_FILE_BACKED) !== 0;
	// What a running program writes into cannot have a checksum.
	if (!isFileBacked && checksumOf(header, moduleTable, entryTable) !== u32(FIELD.checksum)) {
		report('the checksum of the dump is wrong: it was damaged', RETAKE);
		return sizeBytes;
	}
	const modules = readModules(moduleTable, isLittle);
	const buildId = u64(FIELD.buildId).toString(16).padStart(16, '0');
	if (buildId !== combineHashes(modules.map(({ hash }) => hash))) {
		report('the modules of the dump are damaged: they do not make its build id', RETAKE);
		return sizeBytes;
	}
	const capacity = u32(FIELD.capacity);
	const logged = isFileBacked ? loggedSoFar(view, isLittle) : u32(FIELD.logged);
	const isRing = (flags & FLAG_RING) !== 0;
	const kept = Math.min(logged, capacity, entryCount);
	if (!isFileBacked && kept !== entryCount) {
		report(`the dump has ${entryCount} entries, its header says ${kept}`, RETAKE);
		return sizeBytes;
	}
	const first = isRing && logged > capacity && capacity > 0 ? logged % capacity : 0;
	const entries = readEntries(entryTable, kept, first, isLittle);
	const unfit = misfits(entries, modules);
	if (unfit > 0) {
		report(`${unfit} of ${kept} entries of the dump name no function of its modules`, 'they are left out', 'warning');
	}
	dumps.push({
		buildId,
		processId: u32(FIELD.processId),
		reason: REASONS[u32(FIELD.reason)] ?? 'unknown',
		timeNs: u64(FIELD.timeNs),
		isRing,
		capacityEntries: capacity,
		loggedEntries: logged,
		lostEntries: logged - kept,
		unwrittenEntries: kept - entries.count,
		modules,
		moduleIds: entries.moduleIds.slice(0, entries.fitting),
		functionIds: entries.functionIds.slice(0, entries.fitting),
	});
	return sizeBytes;
}

/** File-backed: the program counts by the address of the next slot. */
function loggedSoFar(view: DataView, isLittle: boolean): number {
	const is32 = view.getUint32(FIELD.pointerBytes, isLittle) === 4;
	const next = is32 ? BigInt(view.getUint32(FIELD.next, isLittle)) : view.getBigUint64(FIELD.next, isLittle);
	const bytes = next - view.getBigUint64(FIELD.buffer, isLittle);
	return bytes < 0n ? 0 : Math.min(Number(bytes / BigInt(ENTRY_BYTES)), 0xffff_ffff);
}

/** Of the whole dump, its checksum taken as 0: header, modules, entries. */
function checksumOf(header: Uint8Array, modules: Uint8Array, entries: Uint8Array): number {
	const blank = new Uint8Array(header);
	blank.fill(0, FIELD.checksum, FIELD.checksum + 4);
	return crc32(entries, crc32(modules, crc32(blank)));
}

function readModules(table: Uint8Array, isLittle: boolean): OrderDumpModule[] {
	const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
	return Array.from({ length: table.length / MODULE_BYTES }, (_, i) => ({
		id: view.getUint32(i * MODULE_BYTES, isLittle),
		functionCount: view.getUint32(i * MODULE_BYTES + 4, isLittle),
		hash: view
			.getBigUint64(i * MODULE_BYTES + 8, isLittle)
			.toString(16)
			.padStart(16, '0'),
	}));
}

interface Entries {
	readonly moduleIds: Uint32Array;
	readonly functionIds: Uint32Array;
	/** How many were written. */
	readonly count: number;
	/** How many of them are left. */
	fitting: number;
}

/** The slots from `first` on, around the end; slots that hold nothing are left out: no module has the id 0. */
function readEntries(table: Uint8Array, kept: number, first: number, isLittle: boolean): Entries {
	const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
	const moduleIds = new Uint32Array(kept);
	const functionIds = new Uint32Array(kept);
	let count = 0;
	for (let i = 0; i < kept; i++) {
		const slot = (first + i) % kept;
		const moduleId = view.getUint32(slot * ENTRY_BYTES, isLittle);
		if (moduleId !== 0) {
			moduleIds[count] = moduleId;
			functionIds[count] = view.getUint32(slot * ENTRY_BYTES + 4, isLittle);
			count++;
		}
	}
	return { moduleIds, functionIds, count, fitting: count };
}

/** Removes entries that name no function of the modules, and gives their number. */
function misfits(entries: Entries, modules: readonly OrderDumpModule[]): number {
	const counts = new Map(modules.map(({ id, functionCount }) => [id, functionCount]));
	const { moduleIds, functionIds, count } = entries;
	let fitting = 0;
	for (let i = 0; i < count; i++) {
		if (functionIds[i]! < (counts.get(moduleIds[i]!) ?? 0)) {
			moduleIds[fitting] = moduleIds[i]!;
			functionIds[fitting] = functionIds[i]!;
			fitting++;
		}
	}
	entries.fitting = fitting;
	return count - fitting;
}
