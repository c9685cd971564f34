/**
 * Rows of a recording to functions of a trace. With the program's symbols an address says which function it is, and of a local function the file; the
 * program may have been loaded elsewhere (PIE): by how much is told by the addresses themselves.
 */
import { firstWhere } from '../../model/binary-search.js';
import { FunctionTracesBuilder, type ReadTraces } from '../../model/function-trace.js';
import type { ListedFunction } from '../../model/listed-function.js';
import { InputError, type Problem } from '../../model/problem.js';
import type { SymbolColumns, SymbolTable } from '../../model/symbol-table.js';

const PAGE_BYTES = 4096;
/** So many addresses are looked at to find out where the program was loaded. */
const ADDRESSES_LOOKED_AT = 500;
const BIASES_TRIED = 200;
/** What no linker symbol holds, and demangled names do. */
const DEMANGLED = /[\s<>(]|::/;

/** One trace of the rows. Throws an {@link InputError} when there is nothing to name the functions by. */
export function nameFunctions(file: string, rows: readonly ListedFunction[], table: SymbolTable | null): ReadTraces {
	const builder = new FunctionTracesBuilder();
	const problems: Problem[] = [];
	const isOther = table === null ? () => false : otherLibraries(table, rows);
	const lookUp =
		table === null
			? null
			: lookUpIn(
					table,
					rows.filter((row) => !isOther(row)),
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

function lookUpIn(table: SymbolTable, rows: readonly ListedFunction[]): LookUp {
	const { symbols } = table;
	const sorted = Int32Array.from(symbols.names.keys()).sort((a, b) => at(symbols.addresses, a) - at(symbols.addresses, b) || a - b);
	const bias = table.isRelocatable === false ? 0 : loadBias(symbols, sorted, rows);
	return (address, name) => {
		const symbol = symbolAt(symbols, sorted, address - bias, name);
		if (symbol < 0) {
			return null;
		}
		const isLocal = symbols.isLocal[symbol] === 1;
		return { symbol: symbols.names[symbol]!, module: isLocal ? (symbols.files[symbol] ?? null) : null, isLocal };
	};
}

/** The symbol that an address of the file belongs to, -1 without one. Of several the one of this name, else a global one, else the first. */
function symbolAt(symbols: SymbolColumns, sorted: Int32Array, address: number, name: string | null): number {
	const last = lastAtOrBelow(symbols, sorted, address);
	if (last < 0) {
		return -1;
	}
	const start = at(symbols.addresses, sorted[last]!);
	let chosen = -1;
	for (let i = last; i >= 0 && at(symbols.addresses, sorted[i]!) === start; i--) {
		const candidate = sorted[i]!;
		const isNamed = symbols.names[candidate] === name;
		if (isNamed || chosen < 0 || symbols.isLocal[candidate] === 0 || symbols.isLocal[chosen] === 1) {
			chosen = candidate;
		}
		if (isNamed) {
			break;
		}
	}
	const sizeBytes = at(symbols.sizes, chosen);
	return address !== start && (sizeBytes === 0 || address >= start + sizeBytes) ? -1 : chosen;
}

/** The difference of addresses in memory and in the file: of the multiples of a page that some row suggests, the one that fits most rows. */
function loadBias(symbols: SymbolColumns, sorted: Int32Array, allRows: readonly ListedFunction[]): number {
	const rows = distinctAddresses(allRows);
	let best = 0;
	let most = rowsExplained(symbols, sorted, rows, 0);
	const suggested = suggestedBiases(symbols, sorted, rows);
	for (const [bias] of [...suggested].sort((a, b) => b[1] - a[1]).slice(0, BIASES_TRIED)) {
		const score = rowsExplained(symbols, sorted, rows, bias);
		// Linux puts a program below the libraries.
		if (score > most || (score === most && score > 0 && bias < best)) {
			best = bias;
			most = score;
		}
	}
	return best;
}

function distinctAddresses(rows: readonly ListedFunction[]): ListedFunction[] {
	const seen = new Map<number, ListedFunction>();
	for (const row of rows) {
		if (row.address !== null && !seen.has(row.address)) {
			seen.set(row.address, row);
			if (seen.size === ADDRESSES_LOOKED_AT) {
				break;
			}
		}
	}
	return [...seen.values()];
}

/** How many rows the program explains if it lies so far from where it was linked; a row whose name says otherwise counts against it. */
function rowsExplained(symbols: SymbolColumns, sorted: Int32Array, rows: readonly ListedFunction[], bias: number): number {
	let score = 0;
	for (const { address, symbol: name, offset = null } of rows) {
		if (address === null) {
			continue;
		}
		const wanted = address - bias;
		const symbol = symbolAt(symbols, sorted, wanted, name);
		if (symbol < 0) {
			continue;
		}
		const isStart = wanted - (offset ?? 0) === at(symbols.addresses, symbol);
		const isEverywhere = name === '_init' || name === '_fini';
		if (name === null || DEMANGLED.test(name)) {
			score += isStart ? 1 : 0;
		} else {
			score += symbols.names[symbol] === name && (offset === null || isStart) ? (isEverywhere ? 1 : 2) : -1;
		}
	}
	return score;
}

/** Differences that lay an address of a row on a function that it may be in, and how many rows suggest each. */
function suggestedBiases(symbols: SymbolColumns, sorted: Int32Array, rows: readonly ListedFunction[]): Map<number, number> {
	const byPageOffset = new Map<number, number[]>();
	const byName = new Map<string, number[]>();
	for (const symbol of sorted) {
		add(byPageOffset, at(symbols.addresses, symbol) % PAGE_BYTES, symbol);
		add(byName, symbols.names[symbol]!, symbol);
	}
	const suggested = new Map<number, number>();
	for (const { address, symbol, offset = null } of rows) {
		if (address === null) {
			continue;
		}
		const start = address - (offset ?? 0);
		const named = symbol === null ? undefined : byName.get(symbol);
		// A name that the program does not have may be one of a library, or a demangled one: then only a known start tells.
		const candidates = named ?? (symbol === null || offset !== null ? byPageOffset.get(start % PAGE_BYTES) : undefined) ?? [];
		const biases = new Set<number>();
		for (const candidate of candidates) {
			const distance = start - at(symbols.addresses, candidate);
			const bias = Math.floor(distance / PAGE_BYTES) * PAGE_BYTES;
			// An address without an offset may lie anywhere in its function.
			if (bias === distance || (named !== undefined && offset === null && distance - bias < at(symbols.sizes, candidate))) {
				biases.add(bias);
			}
		}
		for (const bias of biases) {
			suggested.set(bias, (suggested.get(bias) ?? 0) + 1);
		}
	}
	return suggested;
}

/** The last row of `sorted` whose address is not above; -1 when all are. */
function lastAtOrBelow({ addresses }: SymbolColumns, sorted: Int32Array, address: number): number {
	return firstWhere(sorted.length, (i) => at(addresses, sorted[i]!) > address) - 1;
}

function at(column: Float64Array, index: number): number {
	return column[index]!;
}

function add<Key>(map: Map<Key, number[]>, key: Key, value: number): void {
	const list = map.get(key);
	if (list === undefined) {
		map.set(key, [value]);
	} else {
		list.push(value);
	}
}
