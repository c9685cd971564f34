/** A JSON file that has to be in memory as a whole. */

import { readRange, type Source } from '../../bytes/source.js';
import type { Problem } from '../../model/problem.js';

/** No longer text fits into one string. */
const MAX_BYTES = 500 << 20;

/** Its value; null with the problem where it is none. Never throws on content. */
export function readWholeJson(source: Source): { readonly value: unknown; readonly problems: readonly Problem[] } {
	const failed = (offsetBytes: number | null, message: string, action: string): { value: null; problems: Problem[] } => ({
		value: null,
		problems: [{ severity: 'error', file: source.name, ...(offsetBytes === null ? {} : { offsetBytes }), message, action }],
	});
	if (source.sizeBytes > MAX_BYTES) {
		return failed(null, `has ${source.sizeBytes} bytes, and at most ${MAX_BYTES} bytes of JSON can be read at once`, 'record a shorter time');
	}
	const text = new TextDecoder().decode(readRange(source, 0, source.sizeBytes));
	try {
		return { value: JSON.parse(text), problems: [] };
	} catch (error) {
		const { message } = error as Error;
		const position = Number(/ position (\d{1,15})/.exec(message)?.[1] ?? text.length);
		const offset = new TextEncoder().encode(text.slice(0, position)).length;
		return failed(offset, `expected JSON (${message.replace(/ in JSON at position .*$/, '').slice(0, 120)})`, 'is the file cut off? It cannot be read');
	}
}
