/** Bytes with their view, and words of 64 bits as numbers. */

export interface Piece {
	readonly bytes: Uint8Array;
	readonly view: DataView;
}

export function pieceOf(bytes: Uint8Array): Piece {
	return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
}

/** An unsigned word as a double: exact up to 2^53. */
export function unsigned(view: DataView, at: number): number {
	return view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}

/** A signed word as a double: addresses of the kernel are negative. */
export function signed(view: DataView, at: number): number {
	return view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}

export function hexadecimal(bytes: Uint8Array): string {
	return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Nanoseconds as seconds: the double that is nearest. */
export function secondsAt(view: DataView, at: number): number {
	const high = view.getUint32(at + 4, true);
	const low = view.getUint32(at, true);
	if (high < 2 ** 21) {
		return (high * 2 ** 32 + low) / 1e9;
	}
	const time = (BigInt(high) << 32n) | BigInt(low);
	return Number(`${time / 1_000_000_000n}.${String(time % 1_000_000_000n).padStart(9, '0')}`);
}
