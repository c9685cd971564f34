/** Looks at the beginning of a file, to tell what it holds. */
import fs from 'node:fs';
import { bytesToUnpack, compressionOf, unpackStart } from './compression.js';

/** The first bytes of a file as Latin-1 text, unpacked if it is compressed, none of a pipe or a device; throws an error of the operating system. */
export async function readHead(filePath: string, headBytes: number): Promise<string> {
	// A pipe that nobody writes to would be waited for.
	const descriptor = fs.openSync(filePath, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
	try {
		if (!fs.fstatSync(descriptor).isFile()) {
			return '';
		}
		const head = readStart(descriptor, headBytes);
		const compression = compressionOf(head);
		if (compression === undefined) {
			return head.toString('latin1');
		}
		// A part of a compressed file: what it unpacks to so far.
		const start = await unpackStart(readStart(descriptor, bytesToUnpack(compression, headBytes)), compression, headBytes);
		return start.toString('latin1');
	} finally {
		fs.closeSync(descriptor);
	}
}

function readStart(descriptor: number, lengthBytes: number): Buffer {
	const buffer = Buffer.alloc(lengthBytes);
	return buffer.subarray(0, fs.readSync(descriptor, buffer, 0, lengthBytes, 0));
}
