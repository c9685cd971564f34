/**
 * The main class that a jar names in META-INF/MANIFEST.MF. A jar is a zip (APPNOTE 6.3): its directory stands at the end, and is all
 * that is read, besides the manifest.
 */
import fs from 'node:fs';
import { inflateRawSync } from 'node:zlib';

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_HEADER_BYTES = 30;
const LONGEST_COMMENT = 0xffff;
const LARGEST_DIRECTORY = 64 << 20;
const LARGEST_MANIFEST = 1 << 20;
const MANIFEST = 'META-INF/MANIFEST.MF';

/** Null when the file is no jar, cannot be read, or names none. Never throws. */
export function jarMainClass(jarPath: string): string | null {
	let descriptor = -1;
	try {
		descriptor = fs.openSync(jarPath, 'r');
		const manifest = readManifest(descriptor);
		// A long value goes on in lines that begin with a blank.
		return manifest === null ? null : (/^Main-Class: *(\S+)/m.exec(manifest.replace(/\r?\n /g, ''))?.[1] ?? null);
	} catch {
		return null;
	} finally {
		if (descriptor >= 0) {
			fs.closeSync(descriptor);
		}
	}
}

function readManifest(descriptor: number): string | null {
	const { size } = fs.fstatSync(descriptor);
	const tail = readAt(descriptor, Math.max(0, size - END_BYTES - LONGEST_COMMENT), Math.min(size, END_BYTES + LONGEST_COMMENT));
	let end = tail.length - END_BYTES;
	while (end >= 0 && tail.readUInt32LE(end) !== END_OF_DIRECTORY) {
		end--;
	}
	if (end < 0) {
		return null;
	}
	const directory = readAt(descriptor, tail.readUInt32LE(end + 16), Math.min(tail.readUInt32LE(end + 12), LARGEST_DIRECTORY));
	for (let at = 0; at + ENTRY_BYTES <= directory.length && directory.readUInt32LE(at) === DIRECTORY_ENTRY; ) {
		const nameBytes = directory.readUInt16LE(at + 28);
		if (directory.toString('latin1', at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes).toUpperCase() === MANIFEST) {
			return readEntry(descriptor, directory.readUInt32LE(at + 42), directory.readUInt32LE(at + 20), directory.readUInt16LE(at + 10));
		}
		at += ENTRY_BYTES + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
	}
	return null;
}

function readEntry(descriptor: number, headerOffset: number, sizeBytes: number, method: number): string {
	const header = readAt(descriptor, headerOffset, LOCAL_HEADER_BYTES);
	const start = headerOffset + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
	const bytes = readAt(descriptor, start, Math.min(sizeBytes, LARGEST_MANIFEST));
	return (method === 0 ? bytes : inflateRawSync(bytes, { maxOutputLength: LARGEST_MANIFEST })).toString('utf8');
}

function readAt(descriptor: number, position: number, length: number): Buffer {
	const buffer = Buffer.alloc(length);
	return buffer.subarray(0, fs.readSync(descriptor, buffer, 0, length, position));
}
