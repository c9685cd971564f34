/** A file that something was found in: on the disk, a member of an archive, or one that several readers look at and that was opened for all of them. */
import fs from 'node:fs';
import { readRange, type Source } from '../bytes/source.js';
import { type OpenedFile, openFile } from './file-source.js';
import { readHead } from './read-head.js';

/** A file by its path, and by what messages call it. */
export interface LogFile {
	readonly filePath: string;
	/** What messages call it. */
	readonly name: string;
	/** Opened already: who opened it closes it. */
	readonly source?: Source;
	/** A member of an archive. */
	readonly isArchived?: boolean;
}

/** Throws an InputError when it cannot be read. */
export async function openLogFile({ filePath, name, source }: LogFile): Promise<OpenedFile> {
	return source === undefined ? openFile(filePath, name) : { source: lent(source, name), problems: [] };
}

/** The first bytes as Latin-1 text, unpacked if it is compressed; throws an error of the operating system. */
export async function headOfFile({ filePath, source }: LogFile, headBytes: number): Promise<string> {
	return source === undefined ? readHead(filePath, headBytes) : Buffer.from(readRange(source, 0, headBytes)).toString('latin1');
}

/** False also where there is no way to tell: opening it will say why. */
export function isFolder({ filePath, source }: LogFile): boolean {
	try {
		return source === undefined && fs.statSync(filePath).isDirectory();
	} catch {
		return false;
	}
}

function lent(source: Source, name: string): Source {
	const read: Source['read'] = (target, offset, length, position) => source.read(target, offset, length, position);
	return { name, sizeBytes: source.sizeBytes, read, close() {}, lends: source.lends ?? source };
}
