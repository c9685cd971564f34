/** A Zstandard stream that comes in pieces, such as what `perf record -z` writes: whoever knows a decoder opens it. */
export interface ZstdStream {
	/** Takes the next piece, and gives what it unpacks to. Empty when the stream is damaged. */
	push(piece: Uint8Array): Uint8Array[];
	/** What is left. */
	end(): Uint8Array[];
	/** Nothing more can be unpacked. */
	readonly isDamaged: boolean;
}
