/**
 * Zstandard streams that come in pieces, by libzstd in WebAssembly (zstddec). Its decoder pulls its input, and has no way to say that it took a piece whole: the
 * rest of what a piece unpacks to comes when the next one is pushed. A stream that nobody ended, as perf leaves it, is read to its last block.
 */
import type { ZSTDDecoder } from 'zstddec/stream';
import type { ZstdStream } from '../bytes/zstd-stream.js';

/** Calls of libzstd with nothing coming out: of pieces that are not damaged there are few. */
const MOST_IDLE = 64;

/** What opens streams. */
export async function zstdStreams(): Promise<() => ZstdStream> {
	const { ZSTDDecoder } = await import('zstddec/stream');
	const decoder = new ZSTDDecoder();
	await decoder.init();
	return () => new Stream(decoder);
}

class Stream implements ZstdStream {
	isDamaged = false;
	private waiting: Uint8Array | null = null;
	private readonly pieces: Generator<Uint8Array>;

	constructor(decoder: ZSTDDecoder) {
		this.pieces = decoder.decodeStreaming(this.input());
	}

	push(piece: Uint8Array): Uint8Array[] {
		if (this.isDamaged || piece.length === 0) {
			return [];
		}
		this.waiting = piece;
		return this.pull(() => this.waiting === null);
	}

	/** Ends it: nothing may be pushed any more. */
	end(): Uint8Array[] {
		// The first byte behind the last block makes the decoder give out what it holds.
		return this.isDamaged ? [] : [...this.push(Uint8Array.of(0)), ...this.pull(() => false)];
	}

	/** What comes out until there is enough, or the end. */
	private pull(isEnough: () => boolean): Uint8Array[] {
		const result: Uint8Array[] = [];
		let idle = 0;
		do {
			const piece = this.next();
			if (piece === null) {
				return result;
			}
			if (piece.length > 0) {
				result.push(piece);
				idle = 0;
			} else if (++idle > MOST_IDLE) {
				this.isDamaged = true;
				return result;
			}
		} while (!isEnough());
		return result;
	}

	private next(): Uint8Array | null {
		try {
			const { value, done } = this.pieces.next();
			return done === true ? null : value;
		} catch {
			// That the frame was not ended.
			return null;
		}
	}

	/** Ends where nothing waits: that is only at the end. */
	private *input(): Generator<Uint8Array> {
		for (let piece = this.waiting; piece !== null; piece = this.waiting) {
			this.waiting = null;
			yield piece;
		}
	}
}
