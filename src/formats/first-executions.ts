/** What readers of rows give (perf, uftrace, lists), as traces of functions: with the program's symbols where the user named it. */
import type { Source } from '../bytes/source.js';
import type { ReadTraces } from '../model/function-trace.js';
import type { FileMapping } from '../model/page-faults.js';
import { InputError, type Problem } from '../model/problem.js';
import type { SymbolTable } from '../model/symbol-table.js';
import { readDtraceCalls } from './dtrace-calls/read.js';
import { readInstructionList } from './executed-instructions/read.js';
import { readFunctionList } from './function-list/read.js';
import { readPerfDataOrder } from './perf-data/read-order.js';
import { readPerfOrder } from './perf-order/read.js';
import { nameFunctions, nameInstructions } from './shared/name-functions.js';
import type { PerfOrder } from './shared/perf-order.js';
import { readSimpleperfSamples } from './simpleperf/read.js';
import { readUftraceText } from './uftrace/read-text.js';
import { readXrayYaml } from './xray-log/read.js';

/** `beside`: of the memory map that lies beside the file. */
export function tracesOfPerf(source: Source, symbols: SymbolTable | null, beside: readonly FileMapping[] = []): ReadTraces {
	return namedRows(source, readPerfOrder(source), symbols, beside);
}

/** Throws an {@link InputError} where nothing can be read. */
export function tracesOfPerfData(source: Source, symbols: SymbolTable | null, beside: readonly FileMapping[] = []): ReadTraces {
	const read = readPerfDataOrder(source);
	const error = read.problems.find(({ severity }) => severity === 'error');
	if (read.rows.length === 0 && error !== undefined) {
		throw new InputError(error);
	}
	return namedRows(source, read, symbols, beside);
}

function namedRows(source: Source, { rows, mappings, problems }: PerfOrder, symbols: SymbolTable | null, beside: readonly FileMapping[]): ReadTraces {
	const read = nameFunctions(source.name, rows, symbols, [...mappings, ...beside]);
	return { ...read, problems: [...problems, ...read.problems] };
}

export function tracesOfSimpleperf(source: Source, symbols: SymbolTable | null): ReadTraces {
	return namedRows(source, readSimpleperfSamples(source), symbols, []);
}

export function tracesOfDtrace(source: Source, symbols: SymbolTable | null): ReadTraces {
	const { rows, problems } = readDtraceCalls(source);
	const read = nameFunctions(source.name, rows, symbols);
	return { ...read, problems: [...problems, ...read.problems] };
}

export function tracesOfXray(source: Source, symbols: SymbolTable | null): ReadTraces {
	const { rows, problems } = readXrayYaml(source);
	const read = nameFunctions(source.name, rows, symbols);
	return { ...read, problems: [...problems, ...read.problems] };
}

export function tracesOfUftrace(source: Source, symbols: SymbolTable | null): ReadTraces {
	const { rows, problems } = readUftraceText(source);
	const read = nameFunctions(source.name, rows, symbols);
	return { ...read, problems: [...problems, ...read.problems] };
}

/** Each function that has an executed instruction. Throws an {@link InputError} without symbols. */
export function tracesOfInstructions(source: Source, symbols: SymbolTable | null, beside: readonly FileMapping[] = []): ReadTraces {
	const { instructions, mappings, problems } = readInstructionList(source);
	const read = nameInstructions(source.name, instructions, symbols, [...mappings, ...beside]);
	return { ...read, problems: [...problems, ...read.problems] };
}

export function tracesOfList(source: Source, symbols: SymbolTable | null, beside: readonly FileMapping[] = []): ReadTraces {
	const { rows, isLayout, problems } = readFunctionList(source);
	const read = nameFunctions(source.name, rows, symbols, beside);
	const more: Problem[] = isLayout
		? [
				{
					severity: 'warning',
					file: source.name,
					message: 'was written by llvm-profdata order: a layout, not the order in which functions ran',
					action: 'it is taken as it is; decode the .profdata itself for the order of execution',
				},
			]
		: [];
	return { ...read, problems: [...problems, ...read.problems, ...more] };
}
