/** What tells in which order functions ran, as traces: lists with or without addresses, profiles, dumps. */
import { readFunctionList } from '../../formats/function-list/read.js';
import { TRACE_FORMATS } from '../../formats/registry.js';
import type { ExecutionTrace } from '../../model/executed-code.js';
import type { FunctionTrace, TracedFunction } from '../../model/function-trace.js';
import { InputError, type Problem } from '../../model/problem.js';
import { headOfFile, isFolder, type LogFile, openLogFile } from '../../recording/log-file.js';
import { memoryMapBeside } from '../../recording/memory-map-beside.js';
import { type OpenedTraces, type OrderMaps, openFunctionTraces } from '../../recording/open-function-traces.js';

const HEAD_BYTES = 1 << 16;

/** `name` is what a single trace of the file is called; of several each has its own name. */
export async function readFirstExecutions(
	file: LogFile,
	name: string,
	weight: number,
	maps: readonly LogFile[] | OrderMaps,
	program: LogFile | null,
): Promise<{ traces: ExecutionTrace[]; problems: readonly Problem[] }> {
	const head = isFolder(file) ? '' : await headOfFile(file, HEAD_BYTES);
	// Lists tell addresses too, which tell functions of one name apart.
	if (TRACE_FORMATS.find(({ is }) => is(head))?.words !== 'function list') {
		const { functions, traces, problems } = await namedOrByAddress(file, maps, program);
		return { traces: traces.map((trace, i) => executionTrace(functions, trace, traces.length === 1 ? name : `${name} ${i}`, weight)), problems };
	}
	const { source, problems } = await openLogFile(file);
	const list = readFunctionList(source);
	source.close();
	if (list.rows.length === 0) {
		throw new InputError({
			severity: 'error',
			file: file.name,
			message: 'holds neither executed instructions nor functions',
			action: 'give a list of either, in the order of first execution (docs/order.md)',
		});
	}
	const mappings = await memoryMapBeside(file);
	return { traces: [{ name, weight, instructions: null, functions: list.rows, mappings }], problems: [...problems, ...list.problems] };
}

/** Names that a recording has are those of any link of the program; without them addresses are looked up in the one that ran. */
async function namedOrByAddress(file: LogFile, maps: readonly LogFile[] | OrderMaps, program: LogFile | null): Promise<OpenedTraces> {
	try {
		return await openFunctionTraces([file], { maps, program: null });
	} catch (error) {
		if (!(error instanceof InputError) || program === null) {
			throw error;
		}
		return openFunctionTraces([file], { maps, program });
	}
}

function executionTrace(functions: readonly TracedFunction[], trace: FunctionTrace, name: string, weight: number): ExecutionTrace {
	return {
		name,
		weight: weight * trace.weight,
		instructions: null,
		functions: Array.from(trace.order, (position) => {
			const { symbol, module } = functions[position]!;
			return { symbol, module, address: null };
		}),
	};
}
