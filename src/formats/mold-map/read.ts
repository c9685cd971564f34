/**
 * Link maps of mold (`-Map=FILE`): columns VMA (hexadecimal), size (decimal), alignment, then an output section, an input section (indented by 8) or a symbol (by 16,
 * without a size). Symbols are demangled unless mold is given `--no-demangle`; the section of a function then tells its name. Read as mold 1.10 writes it.
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { InputError, type Problem, SkippedLines } from '../../model/problem.js';
import { isMappingSymbol, type OutputSection, SymbolCollector, type SymbolTable } from '../../model/symbol-table.js';
import { addSymbols, type MappedSection, outputSection, placedSections } from '../shared/link-map.js';

const LINE = /^ *(?:0x)?([0-9a-f]+) +(\d+) +(\d+) ( *)(\S.*)$/;
const HEAD = /^ *VMA +Size Align Out +In +Symbol$/;
const INPUT = /^(.+):\((.+)\)$/;

export function isMoldMap(head: string): boolean {
	return HEAD.test(head.split('\n', 1)[0]!);
}

/** Throws an {@link InputError} when the map tells of no code. */
export function readMoldMap(source: Source): { table: SymbolTable; problems: Problem[] } {
	const skipped = new SkippedLines(source.name, 'expected a line of a link map of mold');
	const sections: OutputSection[] = [];
	const inputs: MappedSection[] = [];
	forEachLine(source, (line, offset, number) => {
		const [, addressText = '', sizeText = '', alignmentText = '', indent = '', name = ''] = LINE.exec(line) ?? [];
		const address = Number.parseInt(addressText, 16);
		const sizeBytes = Number(sizeText);
		if (name === '' || !Number.isSafeInteger(address) || !Number.isSafeInteger(sizeBytes)) {
			if (line !== '' && !HEAD.test(line)) {
				skipped.add(number, offset);
			}
			return;
		}
		const alignment = Math.max(1, Number(alignmentText));
		if (indent.length < 8) {
			sections.push(outputSection(name, address, sizeBytes, alignment));
			return;
		}
		const section = sections.length - 1;
		if (sections[section]?.isExecutable !== true) {
			return;
		}
		if (indent.length < 16) {
			const [, file = name, own = ''] = INPUT.exec(name) ?? [];
			inputs.push({ file, name: own, address, sizeBytes, alignment, section, symbols: [] });
		} else if (!isMappingSymbol(name)) {
			inputs.at(-1)?.symbols.push({ name, address });
		}
	});
	const symbols = new SymbolCollector();
	const demangled = addSymbols(inputs, true, symbols);
	if (symbols.count === 0) {
		throw new InputError({
			severity: 'error',
			file: source.name,
			message: 'holds no symbol of code',
			action: 'give the map that mold -Map writes, or the program itself with --elf',
		});
	}
	return {
		table: {
			kind: 'mold-map',
			name: source.name,
			machine: null,
			isRelocatable: null,
			entry: null,
			sections,
			symbols: symbols.columns(),
			inputSections: placedSections(inputs),
			readCode: null,
		},
		problems: [...skipped.problems(), ...demangledProblems(source.name, demangled)],
	};
}

function demangledProblems(file: string, count: number): Problem[] {
	return count === 0
		? []
		: [
				{
					severity: 'warning',
					file,
					message: `${count} symbols are demangled and were left out`,
					action: 'link with -Wl,--no-demangle, or give the program with --elf',
				},
			];
}
