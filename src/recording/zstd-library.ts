/**
 * libzstd in WebAssembly (zstddec), driven call by call as zstd.h defines its streaming decompression. The package's own loop frees a decoder, whose window may
 * have 128 MiB, only at the end of whole data; here every decoder is freed, and damage is told by the library's result.
 */
import type { ZSTDDecoder } from 'zstddec/stream';

/** What a decoder unpacks its pieces to. */
export interface ZstdDecoder {
	/** Everything that the piece unpacks to, part by part. What is damaged gives nothing any more. */
	push(piece: Uint8Array): Generator<Uint8Array, void, undefined>;
	readonly isDamaged: boolean;
	/** Whether the last frame is whole. */
	readonly isAtFrameEnd: boolean;
	/** Frees its memory; nothing may be pushed any more. */
	close(): void;
}

/** What is used of the module. */
interface Library {
	readonly memory: { readonly buffer: ArrayBuffer };
	malloc(bytes: number): number;
	free(pointer: number): void;
	ZSTD_createDCtx(): number;
	ZSTD_freeDCtx(decoder: number): void;
	ZSTD_DStreamOutSize(): number;
	ZSTD_decompressStream(decoder: number, output: number, input: number): number;
}

/** ZSTD_inBuffer and ZSTD_outBuffer: pointer, size, position. */
const BUFFER_BYTES = 12;
const SIZE_OFFSET = 4;
const POSITION_OFFSET = 8;
/** Errors are the highest numbers (ZSTD_isError): negative where they are read with a sign. */
const LEAST_ERROR = -4096;

let loading: Promise<Library> | null = null;

/** What opens decoders. */
export async function zstdLibrary(): Promise<() => ZstdDecoder> {
	loading ??= load();
	const library = await loading;
	return () => new Decoder(library);
}

/** Whole data of a known size; null: it is damaged, or of another size. */
export async function zstdUnpacker(): Promise<(bytes: Uint8Array, sizeBytes: number) => Uint8Array | null> {
	const open = await zstdLibrary();
	return (bytes, sizeBytes) => {
		const decoder = open();
		const parts: Uint8Array[] = [];
		let size = 0;
		try {
			for (const part of decoder.push(bytes)) {
				size += part.length;
				if (size > sizeBytes) {
					return null;
				}
				parts.push(part.slice());
			}
			return size === sizeBytes && !decoder.isDamaged ? Buffer.concat(parts) : null;
		} finally {
			decoder.close();
		}
	};
}

async function load(): Promise<Library> {
	const zstddec = await import('zstddec/stream');
	let exported: WebAssembly.Exports | null = null;
	class Opened extends zstddec.ZSTDDecoder {
		override _init = (result: Parameters<ZSTDDecoder['_init']>[0]): void => {
			exported = result.instance.exports;
			zstddec.ZSTDDecoder.prototype._init.call(this, result);
		};
	}
	await withoutFetch(() => new Opened().init());
	if (exported === null) {
		throw new Error('zstddec was opened by someone else');
	}
	return exported as unknown as Library;
}

/** The package takes its own bytes from a data: address where it finds `fetch`, and Node loads a client of HTTP for that, in 30 ms. Without it decodes them. */
function withoutFetch<T>(start: () => T): T {
	const known = Object.getOwnPropertyDescriptor(globalThis, 'fetch');
	if (known?.configurable !== true) {
		return start();
	}
	Object.defineProperty(globalThis, 'fetch', { value: undefined, configurable: true, writable: true });
	try {
		return start();
	} finally {
		Object.defineProperty(globalThis, 'fetch', known);
	}
}

class Decoder implements ZstdDecoder {
	isDamaged = false;
	isAtFrameEnd = true;
	private readonly library: Library;
	private readonly decoder: number;
	private readonly buffers: number;
	private readonly output: number;
	private readonly outputBytes: number;
	private isOpen = true;

	constructor(library: Library) {
		this.library = library;
		this.decoder = library.ZSTD_createDCtx();
		this.buffers = library.malloc(2 * BUFFER_BYTES);
		this.outputBytes = library.ZSTD_DStreamOutSize();
		this.output = library.malloc(this.outputBytes);
	}

	*push(piece: Uint8Array): Generator<Uint8Array, void, undefined> {
		const { library, buffers, output, outputBytes } = this;
		if (!this.isOpen || this.isDamaged || piece.length === 0) {
			return;
		}
		const packed = library.malloc(piece.length);
		try {
			new Uint8Array(library.memory.buffer).set(piece, packed);
			this.setBuffer(buffers, packed, piece.length);
			for (let isMore = true; isMore; ) {
				this.setBuffer(buffers + BUFFER_BYTES, output, outputBytes);
				const before = this.positionOf(buffers);
				const result = library.ZSTD_decompressStream(this.decoder, buffers + BUFFER_BYTES, buffers);
				const length = this.positionOf(buffers + BUFFER_BYTES);
				const read = this.positionOf(buffers);
				this.isAtFrameEnd = result === 0;
				if ((result < 0 && result >= LEAST_ERROR) || (length === 0 && read === before && read < piece.length)) {
					this.isDamaged = true;
					return;
				}
				if (length > 0) {
					yield new Uint8Array(library.memory.buffer).slice(output, output + length);
				}
				// A full buffer may have more behind it.
				isMore = this.isOpen && (read < piece.length || length === outputBytes);
			}
		} finally {
			library.free(packed);
		}
	}

	close(): void {
		if (this.isOpen) {
			this.isOpen = false;
			this.library.ZSTD_freeDCtx(this.decoder);
			this.library.free(this.buffers);
			this.library.free(this.output);
		}
	}

	private setBuffer(at: number, pointer: number, sizeBytes: number): void {
		const view = new DataView(this.library.memory.buffer);
		view.setUint32(at, pointer, true);
		view.setUint32(at + SIZE_OFFSET, sizeBytes, true);
		view.setUint32(at + POSITION_OFFSET, 0, true);
	}

	private positionOf(at: number): number {
		return new DataView(this.library.memory.buffer).getUint32(at + POSITION_OFFSET, true);
	}
}
