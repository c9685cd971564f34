/** Sources over files. Compressed files are unpacked once, into memory or an anonymous temporary file, and read like any other. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isatty } from 'node:tty';
import { memorySource, newBytes, type Source } from '../bytes/source.js';
import { InputError, type Problem } from '../model/problem.js';
import { type Compression, compressionOf, unpacked } from './compression.js';
import { reasonOf } from './system-error.js';

/** How many files are kept open at a time. */
const MAX_OPEN_FILES = 64;
const openFiles = new Set<FileSource>();

export interface OpenedFile {
	readonly source: Source;
	/** A compressed file that ends early or is damaged: what could be unpacked is in the source. */
	readonly problems: readonly Problem[];
}

/** Who looks at many files wants only some of them unpacked as a whole. */
export interface UnpackOptions {
	/** How much is unpacked before {@link isWanted} is asked. */
	readonly headBytes: number;
	/** Whether the rest is to be unpacked too; without it the source ends there. */
	readonly isWanted: (head: Buffer) => boolean;
}

/** Nothing that a tool writes packs better: what unpacks to more than this, and to so many times its size, is read no further. */
interface UnpackLimits {
	readonly leastBytes: number;
	readonly mostTimes: number;
}

const UNPACK_LIMITS: UnpackLimits = { leastBytes: 1 << 30, mostTimes: 250 };
/** Read to its end, where it is asked for. */
export const STANDARD_INPUT = '/dev/stdin';

/**
 * Opens a regular file, or standard input, as a source; `name` is what messages call it. Throws an {@link InputError} when it
 * does not exist, is a directory, a pipe or a device, or cannot be read.
 */
export async function openFile(filePath: string, name: string, options: UnpackOptions | null = null, limits = UNPACK_LIMITS): Promise<OpenedFile> {
	try {
		const stats = fs.statSync(filePath);
		if (stats.isDirectory()) {
			throw new UnreadableError(name, 'Is a directory', 'give a file');
		}
		// Other pipes may wait for ever, and devices give bytes without end.
		if (!stats.isFile() && (filePath !== STANDARD_INPUT || isEndless(stats))) {
			throw new UnreadableError(name, 'no regular file', `give a file${filePath === STANDARD_INPUT ? '' : ', or - and the bytes on standard input'}`);
		}
		if (!stats.isFile()) {
			return { source: memorySource(name, fs.readFileSync(filePath)), problems: [] };
		}
		const source = new FileSource(filePath, name, stats.size);
		const head = newBytes(4);
		const compression = compressionOf(head.subarray(0, source.read(head, 0, 4, 0)));
		if (compression !== undefined) {
			try {
				return await unpackSource(source, name, compression, options, limits);
			} finally {
				source.close();
			}
		}
		return { source, problems: [] };
	} catch (error) {
		throw asInputError(error, name);
	}
}

/** Turns an error of the operating system into one for the user; passes any other on. */
export function asInputError(error: unknown, name: string): unknown {
	const { code } = error as NodeJS.ErrnoException;
	if (error instanceof InputError || typeof code !== 'string') {
		return error;
	}
	return new UnreadableError(name, reasonOf(error), 'check the path and your permissions');
}

/** The system does not give the file, so nobody knows what is in it. */
export class UnreadableError extends InputError {
	constructor(file: string, reason: string, action: string) {
		super({ severity: 'error', file, message: `cannot be read (${reason})`, action });
	}
}

/** A regular file as it lies there, not unpacked. */
export function fileSource(filePath: string, name: string, sizeBytes: number): Source {
	return new FileSource(filePath, name, sizeBytes);
}

const PIECE_BYTES = 1 << 14;
/** Of all files together. */
const MOST_PIECES = 1 << 8;

/** Room for pieces of files, used in turn: fresh memory for each costs more than to read it. */
class Pieces {
	private room: Uint8Array | null = null;
	private readonly owners: ({ readonly source: FileSource; readonly number: number } | undefined)[] = [];
	private next = 0;

	/** For a piece of a file; it takes the place of the one that was made first. */
	make(source: FileSource, number: number): Uint8Array {
		this.room ??= newBytes(MOST_PIECES * PIECE_BYTES);
		const at = this.next;
		this.next = (at + 1) % MOST_PIECES;
		const before = this.owners[at];
		before?.source.forget(before.number);
		this.owners[at] = { source, number };
		return this.room.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES);
	}
}

const PIECES = new Pieces();

/** A regular file. It is opened at the first read, and again when too many others were opened in between. */
class FileSource implements Source {
	readonly name: string;
	readonly sizeBytes: number;
	private readonly filePath: string;
	private descriptor = -1;
	/** Pieces that were read, by their number. */
	private readonly pieces = new Map<number, Uint8Array>();

	constructor(filePath: string, name: string, sizeBytes: number, descriptor = -1) {
		this.filePath = filePath;
		this.name = name;
		this.sizeBytes = sizeBytes;
		this.descriptor = descriptor;
	}

	read(target: Uint8Array, targetOffset: number, length: number, position: number): number {
		// Who looks here and there comes back to much the same places; a call of the system for each costs more than all else.
		const number = Math.floor(position / PIECE_BYTES);
		const start = position - number * PIECE_BYTES;
		if (start + length > PIECE_BYTES || position + length > this.sizeBytes) {
			return fs.readSync(this.openDescriptor(), target, targetOffset, length, position);
		}
		const piece = this.pieces.get(number) ?? this.readPiece(number);
		const part = piece.subarray(start, start + length);
		target.set(part, targetOffset);
		return part.length;
	}

	private readPiece(number: number): Uint8Array {
		const kept = PIECES.make(this, number);
		const wanted = Math.min(PIECE_BYTES, this.sizeBytes - number * PIECE_BYTES);
		let filled = 0;
		while (filled < wanted) {
			const count = fs.readSync(this.openDescriptor(), kept, filled, wanted - filled, number * PIECE_BYTES + filled);
			if (count === 0) {
				break;
			}
			filled += count;
		}
		const piece = kept.subarray(0, filled);
		this.pieces.set(number, piece);
		return piece;
	}

	forget(number: number): void {
		this.pieces.delete(number);
	}

	/** Open already, or opened now; {@link close} closes it. */
	private openDescriptor(): number {
		if (this.descriptor < 0) {
			this.open();
		}
		return this.descriptor;
	}

	close(): void {
		this.pieces.clear();
		if (this.descriptor >= 0) {
			fs.closeSync(this.descriptor);
			this.descriptor = -1;
			openFiles.delete(this);
		}
	}

	private open(): void {
		this.descriptor = fs.openSync(this.filePath, 'r');
		openFiles.add(this);
		if (openFiles.size > MAX_OPEN_FILES) {
			for (const oldest of openFiles) {
				oldest.close();
				break;
			}
		}
	}
}

const IN_MEMORY_BYTES = 16 << 20;
const FREE_SPACE_TO_LEAVE_BYTES = 512 << 20;

/**
 * Unpacks a source of gzip or Zstandard, which stays open. Up to 16 MiB stay in memory, more goes into a temporary file that has
 * no name any more when it is read, so that nothing is left behind. Stops before the disk is full.
 */
export async function unpackSource(
	packed: Source,
	name: string,
	compression: Compression,
	options: UnpackOptions | null,
	limits = UNPACK_LIMITS,
): Promise<OpenedFile> {
	const mostBytes = mostUnpacked(packed.sizeBytes, limits);
	const problems: Problem[] = [];
	let pieces: Uint8Array[] = [];
	let descriptor = -1;
	let sizeBytes = 0;
	let isUndecided = options !== null;
	try {
		for await (const piece of unpacked(packed, compression)) {
			if (sizeBytes + piece.length > mostBytes) {
				problems.push({
					severity: 'error',
					file: name,
					message: `the compressed file unpacks to more than ${mostBytes} bytes, which no tool's output does`,
					action: `the first ${sizeBytes} bytes are read; unpack it yourself to read all`,
				});
				break;
			}
			sizeBytes += piece.length;
			pieces.push(piece);
			if (isUndecided && options !== null && sizeBytes >= options.headBytes) {
				isUndecided = false;
				if (!options.isWanted(Buffer.concat(pieces).subarray(0, options.headBytes))) {
					break;
				}
			}
			if (descriptor < 0 && sizeBytes <= IN_MEMORY_BYTES) {
				continue;
			}
			if (descriptor < 0) {
				descriptor = anonymousFile();
			}
			assertFreeSpace(name, sizeBytes);
			for (const part of pieces) {
				fs.writeSync(descriptor, part);
			}
			pieces = [];
		}
	} catch (error) {
		if (error instanceof InputError) {
			throw error;
		}
		problems.push({
			severity: 'error',
			file: name,
			message: `the compressed file is damaged or ends too early (${(error as Error).message})`,
			action: `the ${sizeBytes} bytes before that are read`,
		});
	}
	const source = descriptor < 0 ? memorySource(name, Buffer.concat(pieces)) : new FileSource('', name, sizeBytes, descriptor);
	return { source, problems };
}

function mostUnpacked(packedBytes: number, { leastBytes, mostTimes }: UnpackLimits): number {
	return Math.max(leastBytes, packedBytes * mostTimes);
}

/** /dev/zero and the like; terminals end, and /dev/null has. */
function isEndless(stats: fs.Stats): boolean {
	return stats.isCharacterDevice() && !isatty(0) && stats.rdev !== fs.statSync(os.devNull).rdev;
}

function anonymousFile(): number {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-'));
	const file = path.join(folder, 'unpacked');
	const descriptor = fs.openSync(file, 'w+', 0o600);
	fs.unlinkSync(file);
	fs.rmdirSync(folder);
	return descriptor;
}

/** Asks the file system once every 64 MiB. */
function assertFreeSpace(name: string, sizeBytes: number): void {
	if (sizeBytes % (64 << 20) >= 64 << 10) {
		return;
	}
	const { bavail, bsize } = fs.statfsSync(os.tmpdir());
	if (bavail * bsize < FREE_SPACE_TO_LEAVE_BYTES) {
		throw new UnreadableError(name, `it unpacks to more than ${sizeBytes} bytes and the temporary folder is nearly full`, 'unpack it elsewhere, or set TMPDIR');
	}
}
