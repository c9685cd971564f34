/**
 * Link maps of Mach-O programs, as `ld64.lld -map FILE` and Apple's linkers write them: `# Path`, `# Arch`, then tables of object files, sections and symbols with
 * columns address, size, number of the object file and name. Linkers for Mach-O move what is between two symbols of a section (`.subsections_via_symbols`), so
 * each symbol of `__text` begins a part that an order file moves. The size of a symbol is that of its part, with the padding that the assembler put at its end. The
 * alignment of a part is that of its object's section, or less where its offset in that is a multiple of less: what its address shows when no order moved it.
 *
 * An order file may name a symbol together with its object file (`a.o:_f`, `lib.a(a.o):_f`), which tells local symbols of one name apart. Each symbol is in the table
 * by this name too, behind the plain one.
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { InputError, type Problem, SkippedLines } from '../../model/problem.js';
import { type OutputSection, type PlacedInputSection, SymbolCollector, type SymbolTable } from '../../model/symbol-table.js';
import { alignmentAt } from '../shared/link-map.js';

const HEAD = /^# Path: [^\n]*\n# Arch: /;
const OBJECT_FILE = /^\[ *(\d+)\] (.+)$/;
const SECTION = /^0x([0-9A-Fa-f]+)\s+0x([0-9A-Fa-f]+)\s+(\S+)\s+(\S+)$/;
const SYMBOL = /^0x([0-9A-Fa-f]+)\s+0x([0-9A-Fa-f]+)\s+\[ *(\d+)\] (.+)$/;
const TEXT = '__TEXT,__text';
const MARK = /^ltmp\d+$/;
/** Code has no flag in a map; these are the names of sections that hold it. */
const CODE = new Set(['__text', '__stubs', '__auth_stubs', '__objc_stubs', '__stub_helper', '__StaticInit']);
const MACHINES: Readonly<Record<string, string>> = { x86_64: 'X86_64', arm64: 'AARCH64', arm64e: 'AARCH64', arm64_32: 'AARCH64' };

interface FoundSymbol {
	readonly name: string;
	readonly address: number;
	readonly sizeBytes: number;
	readonly section: number;
	readonly file: string | null;
}

type Table = 'head' | 'files' | 'sections' | 'symbols' | 'other';

export function isLd64Map(head: string): boolean {
	return HEAD.test(head);
}

/** Throws an {@link InputError} when the map tells of no code. */
export function readLd64Map(source: Source): { table: SymbolTable; problems: Problem[] } {
	const skipped = new SkippedLines(source.name, 'expected a line of a link map of Mach-O: address, size, number of the object file and name');
	const sections: OutputSection[] = [];
	const symbols = new SymbolCollector();
	const files = new Map<number, string>();
	const found: FoundSymbol[] = [];
	let architecture = '';
	let table: Table = 'head';
	forEachLine(source, (line, offset, number) => {
		if (line.startsWith('# ')) {
			architecture = line.startsWith('# Arch: ') ? line.slice('# Arch: '.length).trim() : architecture;
			table = tableOf(line) ?? table;
			return;
		}
		if (line === '' || line.startsWith('#') || table === 'other') {
			return;
		}
		if (table === 'files') {
			const [, index, file] = OBJECT_FILE.exec(line) ?? [];
			if (file !== undefined) {
				files.set(Number(index), objectName(file));
				return;
			}
		} else if (table === 'sections') {
			const [, address = '', size = '', segment = '', name = ''] = SECTION.exec(line) ?? [];
			if (name !== '') {
				sections.push({
					name: `${segment},${name}`,
					address: Number.parseInt(address, 16),
					sizeBytes: Number.parseInt(size, 16),
					alignment: 1,
					isExecutable: segment === '__TEXT' && CODE.has(name),
					fileOffset: null,
				});
				return;
			}
		} else if (table === 'symbols') {
			const [, addressText = '', size = '', file = '', name = ''] = SYMBOL.exec(line) ?? [];
			const address = Number.parseInt(addressText, 16);
			if (name !== '' && Number.isSafeInteger(address)) {
				const section = sections.findIndex((one) => address >= one.address && address < one.address + one.sizeBytes);
				if (sections[section]?.isExecutable === true) {
					found.push({ name, address, sizeBytes: Number.parseInt(size, 16), section, file: files.get(Number(file)) ?? null });
				}
				return;
			}
		}
		skipped.add(number, offset);
	});
	if (found.length === 0) {
		throw new InputError({
			severity: 'error',
			file: source.name,
			message: 'holds no symbol of code',
			action: 'give the map that ld64.lld -map or ld -map writes of a program',
		});
	}
	// The assembler for arm64 marks the begin of each section; such a mark may have the size of the part that a function has there.
	const marks = new Map<number, number>();
	for (const { name, address, sizeBytes } of found) {
		if (MARK.test(name)) {
			marks.set(address, Math.max(sizeBytes, marks.get(address) ?? 0));
		}
	}
	const counts = new Map<string, number>();
	for (const { name } of found) {
		counts.set(name, (counts.get(name) ?? 0) + 1);
	}
	const named = new Set(found.flatMap(({ name, address }) => (MARK.test(name) ? [] : [address])));
	for (const { name, address, sizeBytes: told, section, file } of found) {
		if (MARK.test(name) && named.has(address)) {
			continue;
		}
		const sizeBytes = Math.max(told, marks.get(address) ?? 0);
		symbols.add(name, address, sizeBytes, section, counts.get(name) !== 1, file);
		if (file !== null && sections[section]?.name === TEXT) {
			symbols.add(`${file}:${name}`, address, sizeBytes, section, true, file);
		}
	}
	return {
		table: {
			kind: 'ld64-map',
			name: source.name,
			machine: MACHINES[architecture] ?? null,
			machOArchitecture: architecture,
			isRelocatable: true,
			entry: found.find(({ name }) => name === '_main')?.address ?? null,
			sections,
			symbols: symbols.columns(),
			inputSections: partsOf(found, sections, architecture),
			readCode: null,
		},
		problems: skipped.problems(),
	};
}

/** What clang aligns sections of code to, unless a function asks for more. */
const SECTION_ALIGNMENT: Readonly<Record<string, number>> = { x86_64: 16, i386: 16 };

/** One for each address of `__text` that has a symbol, by address. */
function partsOf(found: readonly FoundSymbol[], sections: readonly OutputSection[], architecture: string): PlacedInputSection[] {
	const usual = SECTION_ALIGNMENT[architecture] ?? 4;
	const parts: { name: string; address: number; sizeBytes: number; alignment: number; section: number }[] = [];
	const ofText = found.filter(({ section }) => sections[section]?.name === TEXT).sort((a, b) => a.address - b.address);
	for (const { name, address, sizeBytes, section, file } of ofText) {
		const last = parts.at(-1);
		if (last?.address === address) {
			last.sizeBytes = Math.max(last.sizeBytes, sizeBytes);
			continue;
		}
		const gap = last === undefined ? 0 : address - (last.address + last.sizeBytes);
		parts.push({ name: `${file ?? ''}:(${name})`, address, sizeBytes, alignment: alignmentAt(address, gap, usual), section });
	}
	return parts;
}

function tableOf(heading: string): Table | null {
	const [, name = ''] = /^# ([A-Z][A-Za-z ]*):\s*$/.exec(heading) ?? [];
	switch (name) {
		case '':
			return null;
		case 'Object files':
			return 'files';
		case 'Sections':
			return 'sections';
		case 'Symbols':
			return 'symbols';
		default:
			return 'other';
	}
}

/** As order files name it: `/build/libx.a(a.o)` → `libx.a(a.o)`, also where it is spelled `libx.a[3](a.o)`. */
function objectName(file: string): string {
	const bracket = file.endsWith(')') ? file.lastIndexOf('(') : -1;
	const path = bracket < 0 ? file : file.slice(0, bracket).replace(/\[\d{1,9}\]$/, '');
	const member = bracket < 0 ? '' : file.slice(bracket);
	return path.slice(path.lastIndexOf('/') + 1) + (member.includes('/') ? `(${member.slice(member.lastIndexOf('/') + 1)}` : member);
}
