/** What raw and indexed profiles share: views of their bytes, and how they are refused. */
import { readRange, type Source } from '../../bytes/source.js';
import { InputError } from '../../model/problem.js';

/** Shorter where the file ends. */
export function viewOf(source: Source, start: number, lengthBytes: number): DataView {
	const bytes = readRange(source, start, start + lengthBytes);
	return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function unusable(source: Source, message: string, action: string): InputError {
	return new InputError({ severity: 'error', file: source.name, message, action });
}

export interface ProfileErrors {
	cut(source: Source, what: string): InputError;
	damaged(source: Source, offsetBytes: number, message: string): InputError;
}

/** `form`: raw or indexed; the rest says how to come by a whole one. */
export function profileErrors(form: string, afterCut: string, afterDamage: string): ProfileErrors {
	const article = form === 'indexed' ? 'an' : 'a';
	return {
		cut: (source, what) =>
			unusable(source, `is ${article} ${form} profile that ends within ${what} (after ${source.sizeBytes} bytes)`, `copy it again, or ${afterCut}`),
		damaged: (source, offsetBytes, message) =>
			new InputError({
				severity: 'error',
				file: source.name,
				offsetBytes,
				message: `is a damaged ${form} profile: ${message}`,
				action: `nothing of it is used; ${afterDamage}`,
			}),
	};
}
