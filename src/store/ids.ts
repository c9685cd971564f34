/**
 * The ids of a store: 64 bits of SHA-256, so that tables that were written on different machines join without a service that numbers things. As Parquet and SQL have
 * them they are signed (BIGINT).
 */
import { createHash } from 'node:crypto';

/** Of parts of a name, told apart by a byte that no name holds; null is no empty text. */
export function idOf(...parts: readonly (string | number | null)[]): bigint {
	const text = parts.map((part) => `${part ?? '\u0001'}\u0000`).join('');
	return createHash('sha256').update(text).digest().readBigInt64BE(0);
}

/** So many are kept: some hundred bytes each. */
const MOST_KNOWN = 400_000;

const known = new Map<string, bigint>();

/** The same, computed once: most names come again and again, in the next run too. */
export function knownIdOf(...parts: readonly (string | null)[]): bigint {
	const key = parts.join('\u0000');
	let id = known.get(key);
	if (id === undefined) {
		id = idOf(...parts);
		if (known.size >= MOST_KNOWN) {
			known.clear();
		}
		known.set(key, id);
	}
	return id;
}

/** As files and people call a run: 16 hexadecimal digits. */
export function nameOfId(id: bigint): string {
	return BigInt.asUintN(64, id).toString(16).padStart(16, '0');
}
