/**
 * ELF files (System V ABI, "Object Files"; 32 and 64 bit, both byte orders): `.symtab` or else `.dynsym`, the bytes of the code, and which names the
 * debug information knows.
 */
import { readRange, type Source } from '../../../bytes/source.js';
import { decodeUtf8 } from '../../../bytes/string-table.js';
import { InputError, type Problem } from '../../../model/problem.js';
import { isMappingSymbol, type OutputSection, SymbolCollector, type SymbolTable } from '../../../model/symbol-table.js';
import { long, readSectionTable, type SectionTable, SHN_XINDEX, SHT_NOBITS, stringAt, tableBytes } from './section-table.js';

const SHT_SYMTAB = 2;
const SHT_DYNSYM = 11;
const SHF_EXECINSTR = 4;
const SHF_COMPRESSED = 0x800;
const STT_SECTION = 3;
const STT_FILE = 4;
const STT_TLS = 6;
const STB_LOCAL = 0;
const SHN_UNDEF = 0;
const SHN_LORESERVE = 0xff00;
const ET_REL = 1;
const ET_DYN = 3;
const EM_ARM = 40;
const MACHINES: Record<number, string> = {
	3: '386',
	8: 'MIPS',
	20: 'PPC',
	21: 'PPC64',
	22: 'S390',
	40: 'ARM',
	62: 'X86_64',
	183: 'AARCH64',
	243: 'RISCV',
	258: 'LOONGARCH',
};

export function isElf(head: string): boolean {
	return head.startsWith('\u007fELF');
}

/** The symbols of the code. Throws an {@link InputError} when the file is no ELF file or has no symbol table. */
export function readElfSymbols(source: Source): { table: SymbolTable; problems: Problem[] } {
	const problems: Problem[] = [];
	const elf = sectionTable(source);
	if (elf.headers.length < elf.expectedHeaders) {
		problems.push({
			severity: 'error',
			file: source.name,
			offsetBytes: source.sizeBytes,
			message: `the file ends within its section headers (${elf.headers.length} of ${elf.expectedHeaders})`,
			action: 'the sections before that are used; copy the file again',
		});
	}
	const tableIndex = symbolTableIndex(elf);
	if (tableIndex < 0) {
		throw unusable(source, 'has no symbol table', 'give the program before strip, or the listing of nm -n --print-size of it');
	}
	if (elf.type === ET_REL) {
		throw unusable(source, 'is an object file, its code has no addresses yet', 'give the linked program');
	}
	if (elf.headers[tableIndex]!.type === SHT_DYNSYM) {
		problems.push({
			severity: 'warning',
			file: source.name,
			message: 'has only dynamic symbols (.dynsym): functions that are not exported are missing',
			action: 'give the program before strip',
		});
	}
	const sections = elf.headers.map(
		(header, i): OutputSection => ({
			name: elf.names[i]!,
			address: header.address,
			sizeBytes: header.sizeBytes,
			alignment: Math.max(1, header.alignment),
			isExecutable: (header.flags & SHF_EXECINSTR) !== 0,
			fileOffset: header.type === SHT_NOBITS ? null : header.offset,
		}),
	);
	const symbols = readSymbols(elf, tableIndex, problems);
	const table: SymbolTable = {
		kind: 'elf',
		name: source.name,
		machine: MACHINES[elf.machine] ?? `${elf.machine}`,
		isRelocatable: elf.type === ET_DYN,
		entry: elf.entry === 0 ? null : elf.entry,
		sections,
		symbols: symbols.columns(),
		inputSections: null,
		readCode: (address, lengthBytes) => readCode(elf, address, lengthBytes),
	};
	return { table, problems };
}

/**
 * Which of `names` stand in the strings of the debug information: functions that the sources had, whether or not code of their own is left. Null
 * when there is no debug information that can be read.
 */
export function debugNames(source: Source, names: ReadonlySet<string>): ReadonlySet<string> | null {
	const elf = sectionTable(source);
	const index = elf.names.indexOf('.debug_str');
	const header = elf.headers[index];
	if (header === undefined || header.sizeBytes === 0 || (header.flags & SHF_COMPRESSED) !== 0) {
		return null;
	}
	const found = new Set<string>();
	const chunkBytes = 1 << 20;
	const end = header.offset + header.sizeBytes;
	let position = header.offset;
	while (position < end) {
		const bytes = readRange(source, position, Math.min(end, position + chunkBytes));
		if (bytes.length === 0) {
			break;
		}
		let start = 0;
		for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, start)) {
			if (at - start < 4096) {
				const text = decodeUtf8(bytes, start, at);
				if (names.has(text)) {
					found.add(text);
				}
			}
			start = at + 1;
		}
		// A string longer than a chunk is nobody's name.
		position += start === 0 ? bytes.length : start;
	}
	return found;
}

function sectionTable(source: Source): SectionTable {
	const read = readSectionTable(source);
	if (read.kind === 'unusable') {
		throw unusable(source, read.message, read.action);
	}
	return read;
}

function symbolTableIndex({ headers }: SectionTable): number {
	const index = headers.findIndex(({ type, sizeBytes }) => type === SHT_SYMTAB && sizeBytes > 0);
	return index >= 0 ? index : headers.findIndex(({ type, sizeBytes }) => type === SHT_DYNSYM && sizeBytes > 0);
}

function readSymbols(elf: SectionTable, tableIndex: number, problems: Problem[]): SymbolCollector {
	const { source, is64, isLittle, headers, machine } = elf;
	const header = headers[tableIndex]!;
	const bytes = tableBytes(source, header);
	const entryBytes = is64 ? 24 : 16;
	const count = Math.floor(bytes.length / entryBytes);
	const expected = Math.floor(header.sizeBytes / entryBytes);
	if (count < expected) {
		problems.push({
			severity: 'error',
			file: source.name,
			offsetBytes: source.sizeBytes,
			message: `the file ends within its symbol table (${count} of ${expected} symbols)`,
			action: 'the symbols before that are used; copy the file again',
		});
	}
	const stringHeader = headers[header.link];
	const strings = stringHeader === undefined ? new Uint8Array(0) : tableBytes(source, stringHeader);
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const extended = headers.find(({ type, link }) => type === 18 && link === tableIndex);
	const extendedBytes = extended === undefined ? null : tableBytes(source, extended);
	const symbols = new SymbolCollector();
	let file: string | null = null;
	let outside = 0;
	let unnamed = 0;
	for (let i = 1; i < count; i++) {
		const at = i * entryBytes;
		const info = view.getUint8(at + (is64 ? 4 : 12));
		const type = info & 15;
		const nameOffset = view.getUint32(at, isLittle);
		const isLocal = info >> 4 === STB_LOCAL;
		if (type === STT_FILE) {
			file = stringAt(strings, nameOffset) || null;
			continue;
		}
		let section = view.getUint16(at + (is64 ? 6 : 14), isLittle);
		if (section === SHN_XINDEX && extendedBytes !== null && (i + 1) * 4 <= extendedBytes.length) {
			section = new DataView(extendedBytes.buffer, extendedBytes.byteOffset).getUint32(i * 4, isLittle);
		} else if (section >= SHN_LORESERVE) {
			continue;
		}
		const target = headers[section];
		if (type === STT_SECTION || type === STT_TLS || section === SHN_UNDEF || target === undefined || (target.flags & SHF_EXECINSTR) === 0) {
			continue;
		}
		let address = is64 ? long(view, at + 8, isLittle) : view.getUint32(at + 4, isLittle);
		// The lowest bit of an address tells Thumb code.
		address -= machine === EM_ARM ? address % 2 : 0;
		const sizeBytes = is64 ? long(view, at + 16, isLittle) : view.getUint32(at + 8, isLittle);
		const end = target.address + target.sizeBytes;
		if (address < target.address || address >= end || !Number.isSafeInteger(address)) {
			// Labels at the end (etext) are no functions.
			outside += address === end ? 0 : 1;
			continue;
		}
		if (nameOffset >= strings.length) {
			unnamed++;
			continue;
		}
		const name = stringAt(strings, nameOffset);
		if (name !== '' && !isMappingSymbol(name)) {
			symbols.add(name, address, Math.min(sizeBytes, end - address), section, isLocal, isLocal ? file : null);
		}
	}
	const skipped = (number: number, message: string): void => {
		if (number > 0) {
			problems.push({ severity: 'warning', file: source.name, message: `${number} symbols ${message}`, action: 'they are left out' });
		}
	};
	skipped(outside, 'lie outside of their section, or beyond 2^53');
	skipped(unnamed, 'have names outside of the string table');
	return symbols;
}

function readCode({ source, headers }: SectionTable, address: number, lengthBytes: number): Uint8Array {
	const header = headers.find(
		({ flags, type, address: start, sizeBytes }) => (flags & SHF_EXECINSTR) !== 0 && type !== SHT_NOBITS && address >= start && address < start + sizeBytes,
	);
	if (header === undefined) {
		return new Uint8Array(0);
	}
	const start = header.offset + (address - header.address);
	return readRange(source, start, Math.min(start + lengthBytes, header.offset + header.sizeBytes));
}

function unusable(source: Source, message: string, action: string): InputError {
	return new InputError({ severity: 'error', file: source.name, message, action });
}
