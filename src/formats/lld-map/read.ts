/**
 * Link maps of lld (`-Map=FILE`, `-Wl,-Map,FILE`): columns VMA, LMA, size, alignment, then an output section, an input section (indented by 8) or a
 * symbol (by 16). The only listing that tells which input section a function came from, and the alignment of each.
 */
import type { Source } from '../../bytes/source.js';
import type { Problem } from '../../model/problem.js';
import { type OutputSection, type PlacedInputSection, SymbolCollector, type SymbolTable } from '../../model/symbol-table.js';
import { demangledProblems, isDemangled, type MapColumns, mangledName, readColumns, tableOfMap } from '../shared/link-map.js';

const LINE = /^ *([0-9a-f]+) +([0-9a-f]+) +([0-9a-f]+) +(\d+) ( *)(\S.*)$/;
const HEAD = /^ *VMA +LMA +Size Align Out +In +Symbol$/;
/** `build/alter.o:(.text.f)` */
const INPUT = /^(.+):\(([^:]*)\)$/;

export function isLldMap(head: string): boolean {
	return HEAD.test(head.split('\n', 1)[0]!);
}

/** Throws an {@link InputError} when the map tells of no code. */
export function readLldMap(source: Source): { table: SymbolTable; problems: Problem[] } {
	const sections: OutputSection[] = [];
	const inputSections: PlacedInputSection[] = [];
	const symbols = new SymbolCollector();
	let demangled = 0;
	let before: string | null = null;
	const problems = readColumns(source, { linker: 'lld', head: HEAD, parse }, sections, {
		input: (placed) => {
			inputSections.push(placed);
		},
		symbol: ({ name: listed, address, sizeBytes, section }) => {
			const last = inputSections.at(-1);
			const [, file = null, name = ''] = INPUT.exec(last?.name ?? '') ?? [];
			const told = last === undefined ? null : mangledName({ name, address: last.address }, listed, address);
			// Constructors have two names that read alike.
			const mangled = told === before ? null : told;
			before = told;
			demangled += mangled === null && isDemangled(listed) ? 1 : 0;
			symbols.add(mangled ?? listed, address, sizeBytes, section, false, file);
		},
	});
	return {
		table: tableOfMap(source, 'lld-map', 'ld.lld -Map writes', sections, symbols, inputSections),
		problems: [...problems, ...demangledProblems(source.name, demangled, 'unknown to orders, which have mangled names')],
	};
}

function parse(line: string): MapColumns | null {
	const [, address = '', , size = '', alignment = '', indent = '', name = ''] = LINE.exec(line) ?? [];
	return name === '' ? null : { address, sizeBytes: Number.parseInt(size, 16), alignment, indent, name };
}
