/**
 * Link maps of GNU ld and of gold (`-Map=FILE`): below `Linker script and memory map` (gold: `Memory map`) a line for each output section, indented by one for
 * each section of an object file, and by 16 for each global symbol, without a size. Long names stand on a line of their own before the numbers. Alignments are
 * not told, local symbols neither, and symbols are demangled unless the linker is given `--no-demangle`: functions are known by their sections then, so the
 * map is useful for programs compiled with `-ffunction-sections`. Read as binutils 2.40 write it.
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import type { Problem } from '../../model/problem.js';
import { isMappingSymbol, type OutputSection, SymbolCollector, type SymbolTable } from '../../model/symbol-table.js';
import { addSymbols, demangledProblems, type MappedSection, outputSection, placedSections, tableOfMap } from '../shared/link-map.js';

const START = /^(?:Linker script and memory map|Memory map)$/;
const HEADS =
	/^(?:Archive member included |As-needed library included |Discarded input sections|Merging program properties|Memory Configuration|Linker script and memory map$|Memory map$)/;
/** ` .text.main   0x00000000000011d0       0x3a z.o`; the first two may be on the line before. */
const PLACED = /^( ?)(\.\S+)? +0x([0-9a-f]+) +0x([0-9a-f]+)(?: (\S.*))?$/;
const NAME_ALONE = /^( ?)(\.\S+)$/;
const SYMBOL = /^ {16}0x([0-9a-f]+) {16}(\S.*)$/;
/** What the script of GNU ld says between the sections. */
const SCRIPT = /=|^(?:PROVIDE|ASSERT|\[)/;

export function isGnuMap(head: string): boolean {
	const [, first = ''] = /^\s*(\S[^\n]*)/.exec(head) ?? [];
	return HEADS.test(first.trimEnd());
}

/** Throws an {@link InputError} when the map tells of no code. */
export function readGnuMap(source: Source): { table: SymbolTable; problems: Problem[] } {
	const sections: OutputSection[] = [];
	const inputs: MappedSection[] = [];
	let isStarted = false;
	let before = { indent: '', name: '' };
	forEachLine(source, (line) => {
		if (!isStarted) {
			isStarted = START.test(line.trimEnd());
			return;
		}
		const alone = NAME_ALONE.exec(line.trimEnd());
		if (alone !== null) {
			before = { indent: alone[1]!, name: alone[2]! };
			return;
		}
		const [, symbolAddress = '', symbol = ''] = SYMBOL.exec(line.trimEnd()) ?? [];
		if (symbol !== '') {
			const last = inputs.at(-1);
			const address = Number.parseInt(symbolAddress, 16);
			if (last !== undefined && last.section === sections.length - 1 && !SCRIPT.test(symbol) && !isMappingSymbol(symbol)) {
				last.symbols.push({ name: symbol, address });
			}
			return;
		}
		const [, ownIndent = '', ownName, addressText = '', sizeText = '', file = ''] = PLACED.exec(line.trimEnd()) ?? [];
		const { indent, name } = ownName === undefined ? before : { indent: ownIndent, name: ownName };
		before = { indent: '', name: '' };
		const address = Number.parseInt(addressText, 16);
		const sizeBytes = Number.parseInt(sizeText, 16);
		if (name === '' || !Number.isSafeInteger(address) || !Number.isSafeInteger(sizeBytes)) {
			return;
		}
		if (indent === '') {
			sections.push(outputSection(name, address, sizeBytes, 1));
		} else if (sections.at(-1)?.isExecutable === true) {
			inputs.push({ file, name, address, sizeBytes, alignment: null, section: sections.length - 1, symbols: [] });
		}
	});
	const symbols = new SymbolCollector();
	const demangled = addSymbols(inputs, false, symbols);
	const writes = 'ld -Map or gold -Map writes of a program compiled with -ffunction-sections';
	return {
		table: tableOfMap(source, 'gnu-map', writes, sections, symbols, placedSections(inputs)),
		problems: demangledProblems(source.name, demangled, 'left out'),
	};
}
