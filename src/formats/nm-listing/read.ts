/**
 * `nm -n --print-size FILE`, of binutils and of LLVM: lines `ADDRESS [SIZE] TYPE NAME`, hexadecimal. GNU nm leaves sizes of 0 out, LLVM prints them.
 * Sections are not told: the type letter says whether a symbol is code, except for weak ones (W, w), which are code when they have a size.
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { InputError, type Problem, SkippedLines } from '../../model/problem.js';
import { isMappingSymbol, SymbolCollector, type SymbolTable } from '../../model/symbol-table.js';

const LINE = /^([0-9a-f]{8,16}) (?:([0-9a-f]{8,16}) )?([A-Za-z?-]) (\S.*)$/;
const WITHOUT_ADDRESS = /^ {8,}[A-Za-z?-] \S/;
/** Names of files before their symbols, where nm was given several. */
const HEADING = /^\S.*:$|^$/;
const CODE = /[tTiWw]/;

export function isNmListing(head: string): boolean {
	const lines = head.split('\n', 20).slice(0, head.includes('\n') ? -1 : 1);
	return (
		lines.length > 0 &&
		lines.every((line) => HEADING.test(line.trimEnd()) || WITHOUT_ADDRESS.test(line) || LINE.test(line.trimEnd())) &&
		lines.some((line) => line !== '')
	);
}

/** Throws an {@link InputError} when no line tells of code. */
export function readNmListing(source: Source): { table: SymbolTable; problems: Problem[] } {
	const skipped = new SkippedLines(source.name, 'expected a line of nm -n --print-size: address, size, type and name');
	const symbols = new SymbolCollector();
	let sized = 0;
	forEachLine(source, (line, offset, number) => {
		const [, addressText = '', sizeText = '0', type = '', name = ''] = LINE.exec(line) ?? [];
		const address = Number.parseInt(addressText, 16);
		if (type === '' || !Number.isSafeInteger(address)) {
			if (!WITHOUT_ADDRESS.test(line) && !HEADING.test(line)) {
				skipped.add(number, offset);
			}
			return;
		}
		const sizeBytes = Number.parseInt(sizeText, 16);
		const isWeak = type === 'W' || type === 'w';
		if (!CODE.test(type) || (isWeak && sizeBytes === 0) || isMappingSymbol(name) || !Number.isSafeInteger(sizeBytes)) {
			return;
		}
		sized += sizeBytes > 0 ? 1 : 0;
		symbols.add(name, address, sizeBytes, -1, type === 't', null);
	});
	if (symbols.count === 0) {
		throw new InputError({
			severity: 'error',
			file: source.name,
			message: 'holds no symbol of code',
			action: 'give the output of nm -n --print-size PROGRAM, or the program itself with --elf',
		});
	}
	const problems = skipped.problems();
	if (sized === 0) {
		problems.push({
			severity: 'warning',
			file: source.name,
			message: 'tells no sizes',
			action: 'each function is taken to end where the next one begins; list with nm -n --print-size',
		});
	}
	const table: SymbolTable = {
		kind: 'nm',
		name: source.name,
		machine: null,
		isRelocatable: null,
		entry: null,
		sections: [],
		symbols: symbols.columns(),
		inputSections: null,
		readCode: null,
	};
	return { table, problems };
}
