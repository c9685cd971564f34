import type { FileMapping } from '../model/page-faults.js';
import type { CodeSection } from '../model/symbol-table.js';
import { PAGE_BYTES } from './results.js';

/** An address in a mapping of a program's file, as linked; null where nothing in its page is code: a fault brings in a whole page. */
export function linkedAddress(address: number, { start, fileOffset }: FileMapping, code: readonly CodeSection[]): number | null {
	const offset = address - start + fileOffset;
	const page = offset - (offset % PAGE_BYTES);
	const section = code.find(({ fileOffset: begin, sizeBytes }) => begin !== null && begin < page + PAGE_BYTES && begin + sizeBytes > page);
	return section === undefined || section.fileOffset === null ? null : offset - section.fileOffset + section.address;
}
