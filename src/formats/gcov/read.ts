/**
 * Profiles of GCC: `.gcda`, what a program counted, and `.gcno`, which function has which number, of GCC 12 and later (until 11 lengths were in words). Records: a tag and a
 * length in bytes, then as much; numbers in the byte order of the machine. A length of counters below 0 stands for that many bytes of zeros. The format: gcov-io.h of GCC 12.
 *
 * `-fprofile-reorder-functions` adds a counter of one value to each function: the place of its first execution among those of the whole program, from 1; 0: it never ran.
 */
import { readRange, type Source } from '../../bytes/source.js';
import { InputError } from '../../model/problem.js';

const DATA_MAGIC = 0x67636461;
const NOTE_MAGIC = 0x67636e6f;
const TAG_FUNCTION = 0x01000000;
/** The eighth of the counters, which are 2 << 16 apart. */
const TAG_TIME_PROFILER = 0x01a10000 + 7 * 0x20000;
const MAX_BYTES = 1 << 28;
const OLDEST = 12;

export interface GcovFunction {
	/** Number of the function; the same in both files. */
	readonly ident: number;
	/** Place of its first execution in the program, from 1; 0: it did not run; null where that was not counted. */
	readonly place: number | null;
}

export interface GcovNote {
	readonly ident: number;
	readonly symbol: string;
	/** Source file, and line from 1. */
	readonly file: string;
	readonly line: number;
}

/** Of a compilation: both files have the same stamp. */
export interface GcovFile<T> {
	readonly stamp: number;
	readonly functions: readonly T[];
}

/** Whether the first bytes of a file, as Latin-1 text, are those of a `.gcda` file. */
export function isGcda(head: string): boolean {
	return head.startsWith('adcg') || head.startsWith('gcda');
}

/** Throws an {@link InputError} when it is no such file, of a GCC before 12, or cut. */
export function readGcda(source: Source): GcovFile<GcovFunction> {
	const functions: { ident: number; place: number | null }[] = [];
	const stamp = forEachRecord(source, DATA_MAGIC, 'gcda', 1, (tag, words) => {
		if (tag === TAG_FUNCTION) {
			// A function of which nothing was kept has no record.
			if (words.view.byteLength >= 4) {
				functions.push({ ident: words.number(), place: null });
			}
		} else if (tag === TAG_TIME_PROFILER) {
			const last = functions.at(-1);
			if (last !== undefined) {
				last.place = words.view.byteLength < 8 ? 0 : Number(words.view.getBigInt64(0, words.isLittle));
			}
		}
	});
	return { stamp, functions };
}

/** Throws an {@link InputError} when it is no such file, of a GCC before 12, or cut. */
export function readGcno(source: Source): GcovFile<GcovNote> {
	const functions: GcovNote[] = [];
	const stamp = forEachRecord(source, NOTE_MAGIC, 'gcno', 1, (tag, words) => {
		if (tag === TAG_FUNCTION) {
			const ident = words.number();
			// Checksums of its lines and of its graph.
			words.number();
			words.number();
			const symbol = words.text();
			words.number();
			functions.push({ ident, symbol, file: words.text(), line: words.number() });
		}
	});
	return { stamp, functions };
}

/** Numbers and texts of a record; beyond its end there are zeros. */
class Words {
	readonly view: DataView;
	readonly isLittle: boolean;
	private at = 0;

	constructor(view: DataView, isLittle: boolean) {
		this.view = view;
		this.isLittle = isLittle;
	}

	number(): number {
		const value = this.at + 4 <= this.view.byteLength ? this.view.getUint32(this.at, this.isLittle) : 0;
		this.at += 4;
		return value;
	}

	/** With its length in front, a NUL at its end. */
	text(): string {
		const length = this.number();
		const start = this.view.byteOffset + Math.min(this.at, this.view.byteLength);
		const bytes = Buffer.from(this.view.buffer, start, Math.max(0, Math.min(length, this.view.byteLength - this.at)));
		this.at += length;
		const end = bytes.indexOf(0);
		return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
	}
}

function forEachRecord(source: Source, magic: number, kind: 'gcda' | 'gcno', checksums: number, take: (tag: number, words: Words) => void): number {
	const refuse = (message: string, action: string, offsetBytes?: number): InputError =>
		new InputError({ severity: 'error', file: source.name, ...(offsetBytes === undefined ? {} : { offsetBytes }), message, action });
	if (source.sizeBytes > MAX_BYTES) {
		throw refuse(`has ${source.sizeBytes} bytes, at most ${MAX_BYTES} are read`, 'give the folder of one program');
	}
	const bytes = readRange(source, 0, source.sizeBytes);
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const isLittle = view.byteLength >= 4 && view.getUint32(0, true) === magic;
	if (view.byteLength < 16 || view.getUint32(0, isLittle) !== magic) {
		throw refuse(`is no .${kind} file of GCC`, 'give the folder that the program was compiled in');
	}
	const version = view.getUint32(4, isLittle);
	const major = 10 * ((version >>> 24) - 0x41) + ((version >>> 16) & 255) - 0x30;
	if (major < OLDEST || major > 99) {
		throw refuse('was written by a GCC before 12', 'profiles of GCC 12 and later are read');
	}
	let at = 12 + 4 * checksums;
	if (kind === 'gcno') {
		// The folder that it was compiled in, and whether blocks that never run are told.
		at += 4 + (at + 4 <= view.byteLength ? view.getUint32(at, isLittle) : 0) + 4;
		if (at > view.byteLength) {
			throw refuse('is cut', 'compile the program again', view.byteLength);
		}
	}
	while (at + 8 <= view.byteLength) {
		const tag = view.getUint32(at, isLittle);
		const length = view.getInt32(at + 4, isLittle);
		if (tag === 0) {
			break;
		}
		const size = Math.max(0, length);
		if (at + 8 + size > view.byteLength) {
			throw refuse('is cut', 'run the program again, and let it end', at);
		}
		take(tag, new Words(new DataView(bytes.buffer, bytes.byteOffset + at + 8, size), isLittle));
		at += 8 + size;
	}
	return view.getUint32(8, isLittle);
}
