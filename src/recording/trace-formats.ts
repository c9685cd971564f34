/** The formats that tell in which order functions ran, each told by the first bytes of a file. */
import type { Source } from '../bytes/source.js';
import { isFunctionList, readFunctionList } from '../formats/function-list/read.js';
import { isIndexedProfile, readIndexedProfile } from '../formats/llvm-profile/read-indexed.js';
import { isRawProfile, readRawProfile } from '../formats/llvm-profile/read-raw.js';
import { isTextProfile, readTextProfile } from '../formats/llvm-profile/read-text.js';
import { isTemporalTracesText, readTemporalTracesText } from '../formats/llvm-profile/read-traces-text.js';
import { isPerfOrder, readPerfOrder } from '../formats/perf-order/read.js';
import { isUftraceText, readUftraceText } from '../formats/uftrace/read-text.js';
import type { ReadTraces } from '../model/function-trace.js';
import type { Problem } from '../model/problem.js';
import type { SymbolTable } from '../model/symbol-table.js';
import { nameFunctions } from './name-functions.js';

export interface TraceFormat {
	/** What it is called in messages and in JSON. */
	readonly name: string;
	/** Whether the first bytes, as Latin-1, are of this format. */
	readonly detect: (head: string) => boolean;
	/** `symbols` are those of the program, if the user named it. */
	readonly read: (source: Source, symbols: SymbolTable | null) => ReadTraces;
}

/** In the order in which they are tried: what has a magic number first, what could be anything last. */
export const TRACE_FORMATS: readonly TraceFormat[] = [
	{ name: 'LLVM raw profile', detect: isRawProfile, read: readRawProfile },
	{ name: 'LLVM indexed profile', detect: isIndexedProfile, read: readIndexedProfile },
	{ name: 'llvm-profdata traces', detect: isTemporalTracesText, read: readTemporalTracesText },
	{ name: 'LLVM text profile', detect: isTextProfile, read: readTextProfile },
	{ name: 'uftrace text', detect: isUftraceText, read: readUftrace },
	{ name: 'perf script', detect: isPerfOrder, read: readPerf },
	{ name: 'function list', detect: isFunctionList, read: readList },
];

function readPerf(source: Source, symbols: SymbolTable | null): ReadTraces {
	const { rows, problems } = readPerfOrder(source);
	const read = nameFunctions(source.name, rows, symbols);
	return { ...read, problems: [...problems, ...read.problems] };
}

function readUftrace(source: Source, symbols: SymbolTable | null): ReadTraces {
	const { rows, problems } = readUftraceText(source);
	const read = nameFunctions(source.name, rows, symbols);
	return { ...read, problems: [...problems, ...read.problems] };
}

function readList(source: Source, symbols: SymbolTable | null): ReadTraces {
	const { rows, isLayout, problems } = readFunctionList(source);
	const read = nameFunctions(source.name, rows, symbols);
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
