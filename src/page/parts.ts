/** The parts of a page: JSON, compressed; into one file, or kept for the server. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export interface PartWriter {
	write(name: string, value: unknown): Promise<void>;
	/** The same of a value that is text already. */
	writeJson(name: string, json: string): Promise<void>;
}

export interface KeptParts extends PartWriter {
	/** Compressed with gzip, by name. */
	readonly parts: ReadonlyMap<string, Buffer>;
}

const compress = promisify(gzip);

export function keptParts(): KeptParts {
	const parts = new Map<string, Buffer>();
	const writeJson = async (name: string, json: string): Promise<void> => {
		// Its place is where it was begun, whichever is compressed first.
		parts.set(name, NOTHING);
		parts.set(name, await compress(json, { level: LEVEL }));
	};
	return { parts, writeJson, write: (name, value) => writeJson(name, JSON.stringify(value)) };
}

const NOTHING = Buffer.alloc(0);
/** At 9 they are a twentieth smaller, and take more than twice the time. */
const LEVEL = 6;

/** A browser unpacks one part to show one compilation. */
const GROUP_BYTES = 1 << 18;
/** Groups that are compressed while the next one is made. */
const MOST_BEGUN = 4;

/** Writes named values in groups of some size; the result is the part of each name. */
export async function partGroups(values: AsyncIterable<readonly [string, unknown]>, prefix: string, parts: PartWriter): Promise<Record<string, string>> {
	const result: Record<string, string> = {};
	const begun: Promise<void>[] = [];
	let group: string[] = [];
	let length = 0;
	let number = 0;
	const flush = async (): Promise<void> => {
		const written = parts.writeJson(`${prefix}${number++}`, `{${group.join()}}`);
		// It is waited for below.
		written.catch(() => undefined);
		begun.push(written);
		group = [];
		length = 0;
		if (begun.length > MOST_BEGUN) {
			await begun.shift();
		}
	};
	for await (const [name, value] of values) {
		result[name] = `${prefix}${number}`;
		const json = JSON.stringify(value);
		group.push(`${JSON.stringify(name)}:${json}`);
		length += json.length;
		if (length >= GROUP_BYTES) {
			await flush();
		}
	}
	if (group.length > 0) {
		await flush();
	}
	await Promise.all(begun);
	return result;
}
