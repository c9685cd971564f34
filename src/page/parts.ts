/** The parts of a page: JSON, compressed; into one file, or kept for the server. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export interface PartWriter {
	write(name: string, value: unknown): Promise<void>;
}

export interface KeptParts extends PartWriter {
	/** Compressed with gzip, by name. */
	readonly parts: ReadonlyMap<string, Buffer>;
}

const compress = promisify(gzip);

export function keptParts(): KeptParts {
	const parts = new Map<string, Buffer>();
	return {
		parts,
		async write(name, value) {
			parts.set(name, await compress(JSON.stringify(value), { level: 9 }));
		},
	};
}

/** A browser unpacks one part to show one compilation. */
const GROUP_BYTES = 1 << 18;

/** Writes named values in groups of some size; the result is the part of each name. */
export async function partGroups(values: AsyncIterable<readonly [string, unknown]>, prefix: string, parts: PartWriter): Promise<Record<string, string>> {
	const result: Record<string, string> = {};
	let group: Record<string, unknown> = {};
	let bytes = 0;
	let number = 0;
	const flush = async (): Promise<void> => {
		if (Object.keys(group).length > 0) {
			await parts.write(`${prefix}${number++}`, group);
		}
		group = {};
		bytes = 0;
	};
	for await (const [name, value] of values) {
		result[name] = `${prefix}${number}`;
		group[name] = value;
		bytes += JSON.stringify(value).length;
		if (bytes >= GROUP_BYTES) {
			await flush();
		}
	}
	await flush();
	return result;
}
