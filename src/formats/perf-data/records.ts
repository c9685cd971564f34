/** The records of a perf.data file as they stand, those that were compressed too. */
import { newBytes, type Source } from '../../bytes/source.js';
import type { ZstdStream } from '../../bytes/zstd-stream.js';
import { type Piece, pieceOf, unsigned } from './bytes.js';

const FINISHED_ROUND = 68;
const TRACING_DATA = 66;
const AUXTRACE = 71;
const COMPRESSED = 81;
const COMPRESSED2 = 83;
/** From here on they are those of Android's simpleperf: none of samples, and their sizes have 32 bits, the upper ones where others have flags. */
const OF_SIMPLEPERF = 32768;
const HEAD_BYTES = 8;
const READ_BYTES = 1 << 20;

/** A record: where it lies. */
export type TakeRecord = (piece: Piece, at: number, type: number, sizeBytes: number) => void;

export interface RecordsRead {
	/** Records that only tell where raw data of tracing units lie. */
	readonly traces: number;
	/** Where reading stopped before the end, and why; null: it did not. */
	readonly stopped: { readonly offsetBytes: number; readonly message: string } | null;
	/** Compressed records that could not be unpacked. */
	readonly notUnpacked: number;
}

interface Rounds {
	/** All records but those of this file's own. */
	readonly take: TakeRecord;
	readonly endRound: () => void;
}

/** Reads the records of [start, end) as they stand. `openZstd` null: compressed ones are counted only. */
export function readRecords(source: Source, start: number, end: number, openZstd: (() => ZstdStream) | null, { take, endRound }: Rounds): RecordsRead {
	let traces = 0;
	let notUnpacked = 0;
	let zstd: ZstdStream | null = null;
	const inner = new Cutter((piece, at, type, size) => {
		// What was compressed holds what came from the buffers only.
		if (type !== COMPRESSED && type !== COMPRESSED2) {
			take(piece, at, type, size);
		}
		return 0;
	});
	const unpack = (packed: Uint8Array): void => {
		zstd ??= openZstd?.() ?? null;
		const pieces = zstd?.push(packed) ?? [];
		notUnpacked += zstd === null || zstd.isDamaged ? 1 : 0;
		for (const bytes of pieces) {
			inner.push(bytes);
		}
	};
	const outer = new Cutter((piece, at, type, size) => {
		switch (type) {
			case FINISHED_ROUND:
				endRound();
				return 0;
			case COMPRESSED:
				unpack(piece.bytes.subarray(at + HEAD_BYTES, at + size));
				return 0;
			case COMPRESSED2:
				if (size >= 16) {
					unpack(piece.bytes.subarray(at + 16, at + Math.min(size, 16 + unsigned(piece.view, at + 8))));
				}
				return 0;
			case AUXTRACE:
				traces++;
				return size >= 16 ? unsigned(piece.view, at + 8) : 0;
			case TRACING_DATA:
				return size >= 12 ? 8 * Math.ceil(piece.view.getUint32(at + 8, true) / 8) : 0;
			default:
				take(piece, at, type, size);
				return 0;
		}
	});
	const stop = Math.min(end, source.sizeBytes);
	let position = start;
	while (position < stop && !outer.isDamaged) {
		const wanted = Math.min(READ_BYTES, stop - position);
		if (outer.skip >= wanted) {
			// Raw data are not read at all.
			const skipped = Math.min(outer.skip, stop - position);
			outer.skip -= skipped;
			position += skipped;
			continue;
		}
		const bytes = newBytes(wanted);
		const count = source.read(bytes, 0, wanted, position);
		if (count === 0) {
			break;
		}
		position += count;
		outer.push(bytes.subarray(0, count));
	}
	for (const bytes of (zstd as ZstdStream | null)?.end() ?? []) {
		inner.push(bytes);
	}
	const offsetBytes = position - outer.restBytes;
	if (outer.isDamaged) {
		return { traces, notUnpacked, stopped: { offsetBytes, message: 'a record has an impossible size' } };
	}
	const isTorn = outer.restBytes > 0 || outer.skip > 0 || end > source.sizeBytes;
	return { traces, notUnpacked, stopped: isTorn ? { offsetBytes, message: 'the file ends within a record, or before its data end' } : null };
}

/** Cuts bytes that come in pieces into records. */
class Cutter {
	isDamaged = false;
	/** Bytes to leave out before the next record. */
	skip = 0;
	private rest: Uint8Array = new Uint8Array(0);
	private readonly take: (...record: Parameters<TakeRecord>) => number;

	/** `take` gives how many bytes behind the record are none. */
	constructor(take: (...record: Parameters<TakeRecord>) => number) {
		this.take = take;
	}

	get restBytes(): number {
		return this.rest.length;
	}

	push(added: Uint8Array): void {
		if (this.isDamaged) {
			return;
		}
		const piece = pieceOf(this.joined(added));
		const { bytes, view } = piece;
		let at = Math.min(this.skip, bytes.length);
		this.skip -= at;
		while (at + HEAD_BYTES <= bytes.length) {
			const type = view.getUint32(at, true);
			const isOther = type >= OF_SIMPLEPERF;
			const size = view.getUint16(at + 6, true) + (isOther ? 0x10000 * view.getUint16(at + 4, true) : 0);
			if (size < HEAD_BYTES) {
				this.isDamaged = true;
				break;
			}
			if (at + size > bytes.length && !isOther) {
				break;
			}
			this.skip = isOther ? size - HEAD_BYTES : this.take(piece, at, type, size);
			at += isOther ? HEAD_BYTES : size;
			const skipped = Math.min(this.skip, bytes.length - at);
			at += skipped;
			this.skip -= skipped;
		}
		this.rest = bytes.subarray(at);
	}

	private joined(added: Uint8Array): Uint8Array {
		const { rest } = this;
		if (rest.length === 0) {
			return added;
		}
		const joined = newBytes(rest.length + added.length);
		joined.set(rest);
		joined.set(added, rest.length);
		return joined;
	}
}
