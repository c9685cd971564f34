/**
 * Link maps of mold (`-Map=FILE`): columns VMA (hexadecimal), size (decimal), alignment, then an output section, an input section (indented by 8) or a symbol (by 16,
 * without a size). Symbols are demangled unless mold is given `--no-demangle`; the section of a function then tells its name. Read as mold 1.10 writes it.
 */
import type { Source } from '../../bytes/source.js';
import type { Problem } from '../../model/problem.js';
import { type OutputSection, SymbolCollector, type SymbolTable } from '../../model/symbol-table.js';
import { addSymbols, demangledProblems, type MapColumns, type MappedSection, placedSections, readColumns, tableOfMap } from '../shared/link-map.js';

const LINE = /^ *(?:0x)?([0-9a-f]+) +(\d+) +(\d+) ( *)(\S.*)$/;
const HEAD = /^ *VMA +Size Align Out +In +Symbol$/;
const INPUT = /^(.+):\((.+)\)$/;

export function isMoldMap(head: string): boolean {
	return HEAD.test(head.split('\n', 1)[0]!);
}

/** Throws an {@link InputError} when the map tells of no code. */
export function readMoldMap(source: Source): { table: SymbolTable; problems: Problem[] } {
	const sections: OutputSection[] = [];
	const inputs: MappedSection[] = [];
	const problems = readColumns(source, { linker: 'mold', head: HEAD, parse }, sections, {
		input: ({ name: both, ...placed }) => {
			const [, file = both, name = ''] = INPUT.exec(both) ?? [];
			inputs.push({ ...placed, file, name, symbols: [] });
		},
		symbol: ({ name, address }) => inputs.at(-1)?.symbols.push({ name, address }),
	});
	const symbols = new SymbolCollector();
	const demangled = addSymbols(inputs, true, symbols);
	return {
		table: tableOfMap(source, 'mold-map', 'mold -Map writes', sections, symbols, placedSections(inputs)),
		problems: [...problems, ...demangledProblems(source.name, demangled, 'left out')],
	};
}

function parse(line: string): MapColumns | null {
	const [, address = '', size = '', alignment = '', indent = '', name = ''] = LINE.exec(line) ?? [];
	return name === '' ? null : { address, sizeBytes: Number(size), alignment, indent, name };
}
