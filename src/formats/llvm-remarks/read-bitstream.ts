/**
 * LLVM's optimization remarks as bitstream: `clang -fsave-optimization-record=bitstream`, and what lies in `__remarks` and `.remarks` sections. Source of the form:
 * llvm/include/llvm/Remarks/BitstreamRemarkContainer.h (LLVM 15 to 22). The texts stand in one table, which comes first (up to LLVM 20) or last (later).
 */
import { readRange, type Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import type { Problem } from '../../model/problem.js';
import { NONE, type Remarks, RemarksBuilder } from '../../model/remarks.js';
import { BitstreamError, BitstreamReader, type BitstreamSink } from './bitstream.js';

const MAGIC = 'RMRK';
const META_BLOCK = 8;
const REMARK_BLOCK = 9;
const STRING_TABLE = 3;
const EXTERNAL_FILE = 4;
const HEADER = 5;
const PLACE = 6;
const ARGUMENT_WITH_PLACE = 8;
const ARGUMENT = 9;
/** A larger file is read as far as this. */
const MOST_BYTES = 2 ** 31 - 1;

export function isBitstreamRemarks(head: string): boolean {
	return head.startsWith(MAGIC);
}

/** Never throws on content. */
export function readBitstreamRemarks(source: Source): { readonly remarks: Remarks; readonly problems: readonly Problem[] } {
	const bytes = readRange(source, 0, MOST_BYTES);
	const problems: Problem[] = [];
	const sink = new RemarksOfBitstream(bytes);
	const reader = new BitstreamReader(bytes, MAGIC.length, bytes.length);
	try {
		reader.read(sink);
	} catch (error) {
		if (!(error instanceof BitstreamError)) {
			throw error;
		}
		problems.push({
			severity: 'error',
			file: source.name,
			offsetBytes: Math.floor(reader.offsetBytes),
			message: `the bitstream is damaged: ${error.message}`,
			action: `the ${sink.builder.size} remarks before it are read`,
		});
	}
	if (source.sizeBytes > MOST_BYTES) {
		problems.push({ severity: 'warning', file: source.name, message: `has more than ${MOST_BYTES} bytes`, action: 'the rest is not read' });
	}
	if (!sink.hasTexts && sink.builder.size > 0) {
		problems.push({
			severity: 'error',
			file: source.name,
			message: `has no table of texts${sink.externalFile === null ? '' : `: it belongs to ${sink.externalFile}`}`,
			action: 'its remarks have no names; write remarks to a file of their own with -fsave-optimization-record=bitstream',
		});
	}
	return { remarks: sink.builder.build(sink.text), problems };
}

class RemarksOfBitstream implements BitstreamSink {
	readonly builder: RemarksBuilder;
	externalFile: string | null = null;
	private readonly bytes: Uint8Array;
	private readonly ends: number[] = [];
	private tableStart = -1;
	private readonly texts: (string | undefined)[] = [];
	private kind = -1;
	private name = NONE;
	private pass = NONE;
	private function = NONE;
	private place = NONE;

	constructor(bytes: Uint8Array) {
		this.bytes = bytes;
		// An argument takes a little more than 7 bytes.
		this.builder = new RemarksBuilder(Math.min(1 << 24, 64 + Math.floor(bytes.length / 7)));
	}

	get hasTexts(): boolean {
		return this.tableStart >= 0;
	}

	enter(block: number): boolean {
		this.kind = -1;
		this.pass = NONE;
		this.name = NONE;
		this.function = NONE;
		this.place = NONE;
		return block === META_BLOCK || block === REMARK_BLOCK;
	}

	leave(block: number): void {
		if (block === REMARK_BLOCK && this.kind >= 0) {
			this.builder.add(this.kind, this.pass, this.name, this.function, this.place);
		}
	}

	record(block: number, code: number, values: Int32Array, count: number, blobFrom: number, blobTo: number): void {
		if (block === META_BLOCK) {
			if (blobFrom >= 0 && code === STRING_TABLE && this.tableStart < 0) {
				this.readTable(blobFrom, blobTo);
			} else if (blobFrom >= 0 && code === EXTERNAL_FILE) {
				this.externalFile = decodeUtf8(this.bytes, blobFrom, blobTo);
			}
			return;
		}
		if (code === HEADER && count >= 4) {
			this.kind = values[0]!;
			this.name = values[1]!;
			this.pass = values[2]!;
			this.function = values[3]!;
		} else if (code === PLACE && count >= 3) {
			this.place = this.builder.addPlace(values[0]!, values[1]!, values[2]!);
		} else if (code === ARGUMENT && count >= 2) {
			this.builder.addArgument(values[0]!, values[1]!, NONE);
		} else if (code === ARGUMENT_WITH_PLACE && count >= 5) {
			this.builder.addArgument(values[0]!, values[1]!, this.builder.addPlace(values[2]!, values[3]!, values[4]!));
		}
	}

	/** Each text ends with a zero. */
	private readTable(from: number, to: number): void {
		this.tableStart = from;
		for (let at = from; at < to; ) {
			const end = this.bytes.indexOf(0, at);
			this.ends.push(end < 0 || end > to ? to : end);
			at = this.ends.at(-1)! + 1;
		}
	}

	readonly text = (number: number): string => {
		const known = this.texts[number];
		if (known !== undefined) {
			return known;
		}
		if (!(number >= 0 && number < this.ends.length)) {
			return '';
		}
		const text = decodeUtf8(this.bytes, number === 0 ? this.tableStart : this.ends[number - 1]! + 1, this.ends[number]!);
		this.texts[number] = text;
		return text;
	};
}
