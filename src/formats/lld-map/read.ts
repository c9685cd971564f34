/**
 * Link maps of lld (`-Map=FILE`, `-Wl,-Map,FILE`): columns VMA, LMA, size, alignment, then an output section, an input section (indented by 8) or a
 * symbol (by 16). The only listing that tells which input section a function came from, and the alignment of each.
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { InputError, type Problem, SkippedLines } from '../../model/problem.js';
import { isMappingSymbol, type OutputSection, type PlacedInputSection, SymbolCollector, type SymbolTable } from '../../model/symbol-table.js';
import { isCodeSection } from '../shared/link-map.js';

const LINE = /^ *([0-9a-f]+) +([0-9a-f]+) +([0-9a-f]+) +(\d+) ( *)(\S.*)$/;
const HEAD = /^ *VMA +LMA +Size Align Out +In +Symbol$/;

export function isLldMap(head: string): boolean {
	return HEAD.test(head.split('\n', 1)[0]!);
}

/** Throws an {@link InputError} when the map tells of no code. */
export function readLldMap(source: Source): { table: SymbolTable; problems: Problem[] } {
	const skipped = new SkippedLines(source.name, 'expected a line of a link map of lld');
	const sections: OutputSection[] = [];
	const inputSections: PlacedInputSection[] = [];
	const symbols = new SymbolCollector();
	forEachLine(source, (line, offset, number) => {
		const [, addressText = '', , sizeText = '', alignmentText = '', indent = '', name = ''] = LINE.exec(line) ?? [];
		const address = Number.parseInt(addressText, 16);
		const sizeBytes = Number.parseInt(sizeText, 16);
		if (name === '' || !Number.isSafeInteger(address) || !Number.isSafeInteger(sizeBytes)) {
			if (line !== '' && !HEAD.test(line)) {
				skipped.add(number, offset);
			}
			return;
		}
		const alignment = Math.max(1, Number(alignmentText));
		if (indent.length < 8) {
			sections.push({ name, address, sizeBytes, alignment, isExecutable: isCodeSection(name), fileOffset: null });
			return;
		}
		const section = sections.length - 1;
		if (sections[section]?.isExecutable !== true) {
			return;
		}
		if (indent.length < 16) {
			inputSections.push({ name, address, sizeBytes, alignment, section });
		} else if (!isMappingSymbol(name)) {
			symbols.add(name, address, sizeBytes, section, false, fileOf(inputSections.at(-1)?.name));
		}
	});
	if (symbols.count === 0) {
		throw new InputError({
			severity: 'error',
			file: source.name,
			message: 'holds no symbol of code',
			action: 'give the map that ld.lld -Map writes, or the program itself with --elf',
		});
	}
	const table: SymbolTable = {
		kind: 'lld-map',
		name: source.name,
		machine: null,
		isRelocatable: null,
		entry: null,
		sections,
		symbols: symbols.columns(),
		inputSections,
		readCode: null,
	};
	return { table, problems: skipped.problems() };
}

/** `build/alter.o:(.text.f)` → `build/alter.o` */
function fileOf(inputSection: string | undefined): string | null {
	const end = inputSection?.lastIndexOf(':(') ?? -1;
	return inputSection === undefined || end <= 0 ? null : inputSection.slice(0, end);
}
