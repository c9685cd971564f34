/** Where the code of a linked ELF file lies: in the file, and at which addresses of the file, which debug information speaks of. */
import type { Source } from '../../../bytes/source.js';
import { readSectionTable, SHT_NOBITS } from './section-table.js';

const SHF_EXECINSTR = 4;
const MACHINES: Readonly<Record<number, 'x86-64' | 'aarch64'>> = { 62: 'x86-64', 183: 'aarch64' };

export interface CodeLayout {
	/** null: code that is not disassembled here. */
	readonly machine: 'x86-64' | 'aarch64' | null;
	/** NaN where the offset is not in code. */
	addressOf(offset: number): number;
}

/** null: it is no ELF file, or a damaged one. */
export function readCodeLayout(source: Source): CodeLayout | null {
	const table = readSectionTable(source);
	if (table.kind === 'unusable') {
		return null;
	}
	const code = table.headers.filter(({ flags, type }) => (flags & SHF_EXECINSTR) !== 0 && type !== SHT_NOBITS);
	return {
		machine: MACHINES[table.machine] ?? null,
		addressOf(offset) {
			const section = code.find((one) => offset >= one.offset && offset < one.offset + one.sizeBytes);
			return section === undefined ? Number.NaN : offset - section.offset + section.address;
		},
	};
}
