/** Looks at the beginning of a file, to tell what it holds. */
import fs from 'node:fs';

/** The first bytes of a file as Latin-1 text, unpacked if it is compressed; throws an error of the operating system. */
export async function readHead(filePath: string, headBytes: number): Promise<string> {
	const descriptor = fs.openSync(filePath, 'r');
	try {
		const buffer = Buffer.alloc(headBytes);
		const head = buffer.subarray(0, fs.readSync(descriptor, buffer, 0, headBytes, 0));
		if (head[0] !== 0x1f || head[1] !== 0x8b) {
			return head.toString('latin1');
		}
		const { constants, gunzipSync } = await import('node:zlib');
		try {
			// A part of a compressed file: what it unpacks to so far.
			return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 64 << 20 }).toString('latin1', 0, headBytes);
		} catch {
			return '';
		}
	} finally {
		fs.closeSync(descriptor);
	}
}
