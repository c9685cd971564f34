/** Zstandard streams that come in pieces (zstd-library.ts). A stream that nobody ended, as perf leaves it, is read to its last block. */
import type { ZstdStream } from '../bytes/zstd-stream.js';
import { zstdLibrary } from './zstd-library.js';

/** What opens streams. */
export async function zstdStreams(): Promise<() => ZstdStream> {
	const open = await zstdLibrary();
	return () => {
		const decoder = open();
		return {
			get isDamaged() {
				return decoder.isDamaged;
			},
			push(piece) {
				const pieces = [...decoder.push(piece)];
				if (decoder.isDamaged) {
					decoder.close();
				}
				return pieces;
			},
			end() {
				decoder.close();
				return [];
			},
		};
	};
}
