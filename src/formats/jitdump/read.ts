/**
 * jitdump (`jit-PID.dump`): what a JIT compiler writes of its code for Linux perf: each piece with its bytes, where it lay from when on, and tables of lines.
 * Source of the format: tools/perf/Documentation/jitdump-specification.txt and tools/perf/util/jitdump.c of Linux.
 *
 * One pass over the records finds the pieces; bytes and lines (read-lines.ts) are read on demand, so memory grows with the number of pieces. As in perf, a piece lies at its
 * `code_addr`, and its bytes are the last `code_size` of its record: a name may hold a NUL.
 */
import { newBytes, readRange, type Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import type { GeneratedCode } from '../../model/generated-code.js';
import type { Problem } from '../../model/problem.js';
import { describeName } from './names.js';

/** The magic number as bytes, little-endian and big-endian. */
const LITTLE = 'DTiJ';
const BIG = 'JiTD';
const HEADER_BYTES = 40;
const PREFIX_BYTES = 16;
const LOAD_BYTES = 56;
const MOVE_BYTES = 64;
const DEBUG_BYTES = 32;
const VERSIONS: readonly number[] = [1, 2];
/** Of a longer one the beginning. */
const LONGEST_NAME_BYTES = 1 << 16;
/** Of more code than that nothing is shown. */
const LONGEST_PIECE_BYTES = 1 << 26;
const BLOCK_BYTES = 1 << 20;

const Id = { Load: 0, Move: 1, DebugInfo: 2, Close: 3, UnwindingInfo: 4 } as const;

const PROCESSOR_CLOCK = 1;

/** e_machine of ELF. */
const MACHINES: Readonly<Record<number, DumpMachine>> = { 62: 'x86-64', 183: 'aarch64' };

type DumpMachine = 'x86-64' | 'aarch64';

export interface DumpedCode extends GeneratedCode {
	/** Where its bytes stand in the file. */
	readonly bytesAt: number;
	/** Where its table of lines stands: the record; null: there is none. */
	readonly linesAt: number | null;
	/** What its lines are relative to, where the piece was moved: where it lay at first. */
	readonly loadedAt: number;
	/** Whether V8 wrote it. */
	readonly isV8: boolean;
}

export interface Jitdump {
	/** In the order of the file; a moved piece stands there again at its new address. `installedSeconds` counts from `firstSeconds`. */
	readonly code: readonly DumpedCode[];
	readonly processId: number | null;
	/** null: another one, whose code is not disassembled. */
	readonly machine: DumpMachine | null;
	readonly isLittleEndian: boolean;
	/** CLOCK_MONOTONIC at the first record and at the last one; null: the stamps are of the processor's own counter, or there is no record. */
	readonly firstSeconds: number | null;
	readonly lastSeconds: number | null;
	readonly problems: readonly Problem[];
}

/** Whether a file begins (as Latin-1) like a jitdump. */
export function isJitdump(head: string): boolean {
	return head.startsWith(LITTLE) || head.startsWith(BIG);
}

/** Never throws on content. */
export function readJitdump(source: Source): Jitdump {
	return new DumpReader(source).read();
}

/** The bytes of a piece; empty where the file has none. */
export function bytesOfCode(source: Source, { bytesAt, start, end }: DumpedCode): Uint8Array {
	return end - start > LONGEST_PIECE_BYTES ? new Uint8Array(0) : readRange(source, bytesAt, bytesAt + (end - start));
}

class DumpReader {
	private readonly source: Source;
	private readonly window: Window;
	private readonly problems: Problem[] = [];
	private readonly code: DumpedCode[] = [];
	private readonly newestOfIndex = new Map<number, DumpedCode>();
	/** Tables of lines whose code comes, by its address. */
	private readonly lines = new Map<number, number>();
	private isLittleEndian = true;
	private hasStamps = true;
	private firstNs: number | null = null;
	private lastNs: number | null = null;
	private damagedRecords = 0;
	private lostMoves = 0;
	private unknownRecords = 0;

	constructor(source: Source) {
		this.source = source;
		this.window = new Window(source);
	}

	read(): Jitdump {
		const header = this.window.at(0, HEADER_BYTES);
		const magic = header === null ? '' : String.fromCharCode(header.getUint8(0), header.getUint8(1), header.getUint8(2), header.getUint8(3));
		if (header === null || !isJitdump(magic)) {
			this.warn('is no jitdump, or cut in its header', 'nothing is read of it');
			return this.result(null, null);
		}
		this.isLittleEndian = magic === LITTLE;
		const version = header.getUint32(4, this.isLittleEndian);
		const headerBytes = header.getUint32(8, this.isLittleEndian);
		const machine = header.getUint32(12, this.isLittleEndian);
		const processId = header.getUint32(20, this.isLittleEndian);
		this.hasStamps = (header.getUint32(this.isLittleEndian ? 32 : 36, this.isLittleEndian) & PROCESSOR_CLOCK) === 0;
		if (!VERSIONS.includes(version)) {
			this.warn(`is version ${version} of jitdump, expected 1 or 2`, 'it is read as far as it is alike');
		}
		if (!this.hasStamps) {
			this.warn("the stamps are of the processor's counter, not of CLOCK_MONOTONIC", 'where an address was used again, the code that came last counts');
		}
		if (MACHINES[machine] === undefined) {
			this.warn(`is of machine ${machine} (ELF), expected x86-64 (62) or AArch64 (183)`, 'its code has names, and is not disassembled');
		}
		this.records(headerBytes >= HEADER_BYTES ? headerBytes : HEADER_BYTES);
		return this.result(processId, MACHINES[machine] ?? null);
	}

	private records(start: number): void {
		const { sizeBytes } = this.source;
		let at = start;
		for (let isClosed = false; at < sizeBytes && !isClosed; ) {
			const prefix = this.window.at(at, PREFIX_BYTES);
			const recordBytes = prefix?.getUint32(4, this.isLittleEndian) ?? 0;
			if (prefix === null || at + recordBytes > sizeBytes) {
				this.problem(at, `the last record is cut: ${sizeBytes - at} bytes are left`, 'what stands before is read');
				return;
			}
			if (recordBytes < PREFIX_BYTES) {
				this.problem(at, `a record of ${recordBytes} bytes, expected ${PREFIX_BYTES} or more`, `the ${sizeBytes - at} bytes from there on are left out`);
				return;
			}
			const id = prefix.getUint32(0, this.isLittleEndian);
			const stamp = wide(prefix, 8, this.isLittleEndian);
			this.record(id, at, recordBytes, stamp);
			isClosed = id === Id.Close;
			at += recordBytes;
		}
	}

	private record(id: number, at: number, recordBytes: number, stampNs: number): void {
		if (id === Id.Load || id === Id.Move) {
			this.firstNs ??= stampNs;
			this.lastNs = Math.max(this.lastNs ?? stampNs, stampNs);
		}
		const isRead =
			id === Id.Load
				? this.load(at, recordBytes, stampNs)
				: id === Id.Move
					? this.move(at, recordBytes, stampNs)
					: id === Id.DebugInfo
						? this.debugInfo(at, recordBytes)
						: true;
		this.damagedRecords += isRead ? 0 : 1;
		this.unknownRecords += id > Id.UnwindingInfo ? 1 : 0;
	}

	private load(at: number, recordBytes: number, stampNs: number): boolean {
		const fixed = recordBytes < LOAD_BYTES ? null : this.window.at(at, LOAD_BYTES);
		if (fixed === null) {
			return false;
		}
		const start = wide(fixed, 32, this.isLittleEndian);
		const sizeBytes = wide(fixed, 40, this.isLittleEndian);
		const index = wide(fixed, 48, this.isLittleEndian);
		const nameBytes = recordBytes - LOAD_BYTES - sizeBytes;
		if (nameBytes < 0 || !Number.isSafeInteger(start + sizeBytes)) {
			return false;
		}
		const linesAt = this.lines.get(start) ?? null;
		this.lines.delete(start);
		if (sizeBytes === 0) {
			return true;
		}
		const { kind, name, compiler, isV8 } = describeName(this.name(at + LOAD_BYTES, nameBytes));
		this.add(index, {
			kind,
			name,
			signature: null,
			compileId: kind === 'compilation' ? String(index) : null,
			compiler,
			level: null,
			osrBci: null,
			start,
			end: start + sizeBytes,
			installedSeconds: this.seconds(stampNs),
			notEntrant: null,
			arePollsKnown: false,
			bytesAt: at + recordBytes - sizeBytes,
			linesAt,
			loadedAt: start,
			isV8,
		});
		return true;
	}

	private move(at: number, recordBytes: number, stampNs: number): boolean {
		const fixed = recordBytes < MOVE_BYTES ? null : this.window.at(at, MOVE_BYTES);
		if (fixed === null) {
			return false;
		}
		const start = wide(fixed, 40, this.isLittleEndian);
		const index = wide(fixed, 56, this.isLittleEndian);
		const moved = this.newestOfIndex.get(index);
		if (moved === undefined) {
			this.lostMoves++;
			return true;
		}
		// What its record says of the size has to be that of the code.
		const end = start + (moved.end - moved.start);
		if (!Number.isSafeInteger(end)) {
			return false;
		}
		this.add(index, { ...moved, start, end, installedSeconds: this.seconds(stampNs) });
		return true;
	}

	private debugInfo(at: number, recordBytes: number): boolean {
		const fixed = recordBytes < DEBUG_BYTES ? null : this.window.at(at, DEBUG_BYTES);
		if (fixed === null) {
			return false;
		}
		this.lines.set(wide(fixed, 16, this.isLittleEndian), at);
		return true;
	}

	private add(index: number, code: DumpedCode): void {
		this.code.push(code);
		this.newestOfIndex.set(index, code);
	}

	/** Without the NUL that ends it. */
	private name(at: number, sizeBytes: number): string {
		const view = this.window.at(at, Math.min(sizeBytes, LONGEST_NAME_BYTES));
		if (view === null) {
			return '';
		}
		let end = view.byteLength;
		while (end > 0 && view.getUint8(end - 1) === 0) {
			end--;
		}
		return decodeUtf8(new Uint8Array(view.buffer, view.byteOffset, end), 0, end);
	}

	/** Since the first record. */
	private seconds(stampNs: number): number | null {
		return this.hasStamps ? (stampNs - (this.firstNs ?? stampNs)) / 1e9 : null;
	}

	private result(processId: number | null, machine: DumpMachine | null): Jitdump {
		const count = (records: number, message: string, action: string): void => {
			if (records > 0) {
				this.warn(`${records} ${message}`, action);
			}
		};
		count(this.damagedRecords, 'records do not hold what they say', 'they are left out');
		count(this.lostMoves, 'records move code that no record loaded', 'they are left out');
		count(this.unknownRecords, 'records are of an unknown kind', 'they are left out');
		return {
			code: this.code,
			processId,
			machine,
			isLittleEndian: this.isLittleEndian,
			firstSeconds: this.hasStamps && this.firstNs !== null ? this.firstNs / 1e9 : null,
			lastSeconds: this.hasStamps && this.lastNs !== null ? this.lastNs / 1e9 : null,
			problems: this.problems,
		};
	}

	private problem(offsetBytes: number, message: string, action: string): void {
		this.problems.push({ severity: 'warning', file: this.source.name, offsetBytes, message, action });
	}

	private warn(message: string, action: string): void {
		this.problems.push({ severity: 'warning', file: this.source.name, message, action });
	}
}

/** A block of the file that moves along with what is read. */
class Window {
	private readonly source: Source;
	private block: Uint8Array = new Uint8Array(0);
	private start = 0;

	constructor(source: Source) {
		this.source = source;
	}

	/** Those bytes, until the next call; null where the file ends before. At most a block. */
	at(position: number, length: number): DataView | null {
		if (position < this.start || position + length > this.start + this.block.length) {
			this.block = this.block.length < BLOCK_BYTES ? newBytes(BLOCK_BYTES) : this.block;
			let filled = 0;
			for (let count = -1; filled < BLOCK_BYTES && count !== 0; filled += count) {
				count = this.source.read(this.block, filled, BLOCK_BYTES - filled, position + filled);
			}
			this.start = position;
			this.block = this.block.subarray(0, filled);
		}
		return position + length > this.start + this.block.length ? null : new DataView(this.block.buffer, this.block.byteOffset + position - this.start, length);
	}
}

/** An unsigned number of 64 bits; above 2^53 the nearest one. */
export function wide(view: DataView, at: number, isLittleEndian: boolean): number {
	const low = view.getUint32(isLittleEndian ? at : at + 4, isLittleEndian);
	const high = view.getUint32(isLittleEndian ? at + 4 : at, isLittleEndian);
	return high * 2 ** 32 + low;
}
