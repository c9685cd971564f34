/**
 * `readelf -SsW FILE` (also with -h, -l), of binutils and of LLVM: section headers and symbols of an ELF file as text. `.symtab` is used where both
 * symbol tables are listed.
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { InputError, type Problem, SkippedLines } from '../../model/problem.js';
import { isMappingSymbol, type OutputSection, SymbolCollector, type SymbolTable } from '../../model/symbol-table.js';

const SECTION =
	/^\s*\[\s*(\d+)\] (\S*)\s+([A-Z_0-9]\S*)\s+([0-9a-f]{8,16}) ([0-9a-f]{6,16}) ([0-9a-f]{6,16}) [0-9a-f]{2,} {1,2}([A-Za-z]*)\s+\d+\s+\d+\s+(\d+)$/;
const SYMBOL = /^\s*\d+: ([0-9a-f]{8,16})\s+(0x[0-9a-f]+|\d+) (\S+)\s+(\S+)\s+(\S+)\s+(\S+)(?: (.*))?$/;
const TABLE = /^Symbol table '([^']*)' contains/;
const MACHINE = /^\s+Machine:\s+([\s\S]*)/;
const ENTRY = /^\s+Entry point address:\s+0x([0-9a-f]{1,16})$/;
const TYPE = /^\s+Type:\s+(REL|EXEC|DYN)\b|^Elf file type is (REL|EXEC|DYN)\b/;
const MACHINES: readonly (readonly [RegExp, string])[] = [
	[/X86-64/i, 'X86_64'],
	[/AArch64/i, 'AARCH64'],
	[/80386/, '386'],
	[/^ARM$/, 'ARM'],
	[/RISC-V/, 'RISCV'],
];

export function isReadelfListing(head: string): boolean {
	return /^(?:File: |ELF Header:|There are \d+ section headers|Section Headers:|Symbol table '|Elf file type is)/m.test(head) && !head.startsWith('\u007fELF');
}

/** Throws an {@link InputError} when the listing has no symbols of code. */
export function readReadelfListing(source: Source): { table: SymbolTable; problems: Problem[] } {
	const skipped = new SkippedLines(source.name, 'expected a symbol as readelf -sW lists it');
	const sections: OutputSection[] = [];
	const tables = new Map<string, SymbolCollector>();
	let current: SymbolCollector | null = null;
	let file: string | null = null;
	let machine: string | null = null;
	let isRelocatable: boolean | null = null;
	let entry: number | null = null;
	forEachLine(source, (line, offset, number) => {
		const [, tableName] = TABLE.exec(line) ?? [];
		if (tableName !== undefined) {
			current = new SymbolCollector();
			tables.set(tableName, current);
			file = null;
			return;
		}
		if (current === null) {
			const section = SECTION.exec(line);
			if (section !== null) {
				sections[Number(section[1])] = sectionOf(section);
				return;
			}
			const [, machineText = ''] = MACHINE.exec(line) ?? [];
			machine = machineText === '' ? machine : (MACHINES.find(([pattern]) => pattern.test(machineText))?.[1] ?? machineText);
			const [, entryText] = ENTRY.exec(line) ?? [];
			entry = entryText === undefined ? entry : Number.parseInt(entryText, 16) || null;
			const [, typeA, typeB = typeA] = TYPE.exec(line) ?? [];
			isRelocatable = typeB === undefined ? isRelocatable : typeB === 'DYN';
			return;
		}
		const [, value = '', size = '', type = '', bind, , index = '', name = ''] = SYMBOL.exec(line) ?? [];
		if (type === '') {
			if (/^\s*\d+:/.test(line)) {
				skipped.add(number, offset);
			}
			return;
		}
		if (type === 'FILE') {
			file = name === '' ? null : name;
			return;
		}
		const section = sections[Number(index)];
		const address = Number.parseInt(value, 16);
		const isLocal = bind === 'LOCAL';
		if (section?.isExecutable === true && type !== 'SECTION' && type !== 'TLS' && name !== '' && !isMappingSymbol(name) && Number.isSafeInteger(address)) {
			const end = section.address + section.sizeBytes;
			if (address >= section.address && address < end) {
				current.add(name, address, Math.min(Number(size), end - address), Number(index), isLocal, isLocal ? file : null);
			}
		}
	});
	const symbols = tables.get('.symtab') ?? tables.get('.dynsym');
	if (symbols === undefined || symbols.count === 0) {
		throw new InputError({
			severity: 'error',
			file: source.name,
			message: 'lists no symbol of code',
			action: 'give the output of readelf -SsW PROGRAM, or the program itself with --elf',
		});
	}
	const none: OutputSection = { name: '', address: 0, sizeBytes: 0, alignment: 1, isExecutable: false, fileOffset: null };
	const table: SymbolTable = {
		kind: 'readelf',
		name: source.name,
		machine,
		isRelocatable,
		entry,
		sections: Array.from(sections, (section) => section ?? none),
		symbols: symbols.columns(),
		inputSections: null,
		readCode: null,
	};
	return { table, problems: skipped.problems() };
}

function sectionOf([, , name = '', , address = '', offset = '', size = '', flags = '', alignment = '']: RegExpExecArray): OutputSection {
	return {
		name,
		address: Number.parseInt(address, 16),
		sizeBytes: Number.parseInt(size, 16),
		alignment: Math.max(1, Number(alignment)),
		isExecutable: flags.includes('X'),
		fileOffset: Number.parseInt(offset, 16),
	};
}
