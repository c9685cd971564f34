/**
 * Rows of a recording to functions of a trace. With the program's symbols an address says which function it is, and of a local function the file; the
 * program may have been loaded elsewhere (PIE): model/load-address.ts finds by how much.
 */
import type { ExecutedInstructions } from '../../model/executed-code.js';
import { FunctionTracesBuilder, type ReadTraces } from '../../model/function-trace.js';
import type { ListedFunction } from '../../model/listed-function.js';
import { DEMANGLED, loadAddressOfInstructions, loadAddressOfRows, notLoaded, symbolAt, symbolsByAddress } from '../../model/load-address.js';
import type { FileMapping } from '../../model/page-faults.js';
import { InputError, type Problem } from '../../model/problem.js';
import { codeSections, type SymbolTable } from '../../model/symbol-table.js';

/** One trace of the rows; `mappings` are what the recording says of where files were loaded. Throws an {@link InputError} when there is nothing to name the functions by. */
export function nameFunctions(file: string, rows: readonly ListedFunction[], table: SymbolTable | null, mappings: readonly FileMapping[] = []): ReadTraces {
	const builder = new FunctionTracesBuilder();
	const problems: Problem[] = [];
	const isOther = table === null ? () => false : otherLibraries(table, rows);
	const lookUp =
		table === null
			? null
			: lookUpIn(
					table,
					rows.filter((row) => !isOther(row)),
					mappings,
				);
	const order: number[] = [];
	let unnamed = 0;
	let demangled = 0;
	/** Names that the program does not have. */
	let others = 0;
	const known = table === null ? null : new Set(table.symbols.names);
	for (const row of rows) {
		const found = lookUp === null || row.address === null || isOther(row) ? null : lookUp(row.address, row.symbol);
		if (found !== null) {
			order.push(builder.functionNumber(found));
		} else if (row.symbol === null || (lookUp !== null && row.address !== null)) {
			unnamed++;
		} else if (known !== null && !known.has(row.symbol)) {
			others++;
		} else if (DEMANGLED.test(row.symbol) && !/^[-+]\[/.test(row.symbol)) {
			demangled++;
		} else {
			order.push(builder.functionNumber({ symbol: row.symbol, module: row.module, isLocal: row.module !== null && !isLibrary(row.module) }));
		}
	}
	if (order.length === 0 && unnamed > 0) {
		throw new InputError({
			severity: 'error',
			file,
			message: table === null ? 'holds addresses and no symbols' : `has ${unnamed} addresses, none of which is a function of ${table.name}`,
			action: table === null ? 'give the program that was recorded: --elf PROGRAM' : 'give the program that was recorded',
		});
	}
	if (order.length === 0 && demangled > 0) {
		throw new InputError({
			severity: 'error',
			file,
			message: `holds demangled names only, which are no symbols`,
			action: 'give the program: --elf PROGRAM, or record names as they are (--no-demangle, --demangle=no)',
		});
	}
	if (demangled > 0) {
		problems.push({
			severity: 'error',
			file,
			message: `${demangled} rows have demangled names, which are no symbols`,
			action: 'they are left out; give the program: --elf PROGRAM, or record names as they are (--no-demangle, --demangle=no)',
		});
	}
	if (unnamed > 0 && table === null) {
		problems.push({
			severity: 'warning',
			file,
			message: `${unnamed} rows have no symbol`,
			action: 'they are left out; --elf PROGRAM names those of the program',
		});
	}
	if (others > 0) {
		problems.push({
			severity: 'warning',
			file,
			message: `${others} rows name functions that ${table?.name} does not have`,
			action: 'they are left out: inlined, or of libraries',
		});
	}
	builder.addTrace(file, 1, order);
	return { ...builder.build(), problems };
}

/** One trace of the functions that have an executed instruction. Throws an {@link InputError} when the program is missing, or nothing says where it was loaded. */
export function nameInstructions(file: string, executed: ExecutedInstructions, table: SymbolTable | null, mappings: readonly FileMapping[]): ReadTraces {
	if (table === null) {
		throw new InputError({ severity: 'error', file, message: 'holds addresses and no symbols', action: 'give the program that was recorded: --elf PROGRAM' });
	}
	const { symbols, name, isRelocatable, entry } = table;
	const sorted = symbolsByAddress(symbols);
	const starts = Float64Array.from(new Set(Array.from(sorted, (symbol) => symbols.addresses[symbol]!)));
	const end = symbols.addresses.reduce((last, address, i) => Math.max(last, address + Math.max(1, symbols.sizes[i]!)), 0);
	const code = codeSections(table.sections);
	const { slide, by } = loadAddressOfInstructions({ name, isRelocatable, entry, code, starts, end }, executed, mappings);
	if (by === null) {
		throw new InputError(notLoaded(file, name));
	}
	const builder = new FunctionTracesBuilder();
	const order: number[] = [];
	for (const address of executed.addresses) {
		const symbol = symbolAt(symbols, sorted, address - slide, null);
		if (symbol >= 0) {
			const isLocal = symbols.isLocal[symbol] === 1;
			order.push(builder.functionNumber({ symbol: symbols.names[symbol]!, module: isLocal ? (symbols.files[symbol] ?? null) : null, isLocal }));
		}
	}
	if (order.length === 0) {
		throw new InputError({
			severity: 'error',
			file,
			message: `has ${executed.addresses.length} addresses, none of which is in a function of ${name}`,
			action: 'give the program that was recorded',
		});
	}
	builder.addTrace(file, 1, order);
	return { ...builder.build(), problems: [] };
}

/** Where the recording tells files, and the program is among them, the others are not it. */
function otherLibraries(table: SymbolTable, rows: readonly ListedFunction[]): (row: ListedFunction) => boolean {
	const program = baseName(table.name).replace(/\.gz$/, '');
	const isProgram = ({ module }: ListedFunction): boolean => module !== null && baseName(module) === program;
	return rows.some(isProgram) ? (row) => row.module !== null && !isProgram(row) : () => false;
}

function baseName(file: string): string {
	return file.slice(file.lastIndexOf('/') + 1);
}

function isLibrary(module: string): boolean {
	return module.startsWith('/') || module.startsWith('[');
}

type LookUp = (address: number, symbol: string | null) => { symbol: string; module: string | null; isLocal: boolean } | null;

function lookUpIn(table: SymbolTable, rows: readonly ListedFunction[], mappings: readonly FileMapping[]): LookUp {
	const { symbols } = table;
	const sorted = symbolsByAddress(symbols);
	const { slide } = loadAddressOfRows({ name: table.name, isRelocatable: table.isRelocatable, code: codeSections(table.sections) }, symbols, rows, mappings);
	return (address, name) => {
		const symbol = symbolAt(symbols, sorted, address - slide, name);
		if (symbol < 0) {
			return null;
		}
		const isLocal = symbols.isLocal[symbol] === 1;
		return { symbol: symbols.names[symbol]!, module: isLocal ? (symbols.files[symbol] ?? null) : null, isLocal };
	};
}
