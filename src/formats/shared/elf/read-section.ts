/** A section of an ELF file by its name; what assay order cc embeds of its map lies in one. */
import { readRange, type Source } from '../../../bytes/source.js';
import { readSectionTable } from './section-table.js';

const MAX_SECTION_BYTES = 1 << 30;

/** The section's bytes, as far as the file has them; null when the file is no ELF file, is damaged, or has no such section. */
export function readElfSection(source: Source, name: string): Uint8Array | null {
	const table = readSectionTable(source);
	const section = table.kind === 'unusable' ? undefined : table.headers[table.names.indexOf(name)];
	return section === undefined || section.sizeBytes > MAX_SECTION_BYTES ? null : readRange(source, section.offset, section.offset + section.sizeBytes);
}
