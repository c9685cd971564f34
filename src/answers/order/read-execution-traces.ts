/** What ran of a program: executed instructions, or functions by first execution. */
import { isInstructionList, readInstructionList } from '../../formats/executed-instructions/read.js';
import type { ExecutionTrace } from '../../model/executed-code.js';
import type { Problem } from '../../model/problem.js';
import { headOfFile, isFolder, type LogFile, openLogFile } from '../../recording/log-file.js';
import { memoryMapBeside } from '../../recording/memory-map-beside.js';
import type { OrderMaps } from '../../recording/open-function-traces.js';
import { readFirstExecutions } from './read-first-executions.js';

const HEAD_BYTES = 1 << 16;

/** A file may hold several traces; `name` is what the only one is called. `maps` are those of instrumented builds; `program` is the ELF file that ran, where it is one. Throws an InputError when it holds none. */
export async function readExecutionTraces(
	file: LogFile,
	name: string,
	weight: number,
	maps: readonly LogFile[] | OrderMaps,
	program: LogFile | null,
): Promise<{ traces: ExecutionTrace[]; problems: readonly Problem[] }> {
	if (isFolder(file)) {
		return readFirstExecutions(file, name, weight, maps, program);
	}
	const { source, problems: found } = await openLogFile(file);
	try {
		// Standard input can be read once only.
		const shared: LogFile = { ...file, source };
		if (!isInstructionList(await headOfFile(shared, HEAD_BYTES))) {
			const { traces, problems } = await readFirstExecutions(shared, name, weight, maps, program);
			return { traces, problems: [...found, ...problems] };
		}
		const { instructions, mappings, problems } = readInstructionList(source);
		const beside = await memoryMapBeside(file);
		return { traces: [{ name, weight, instructions, functions: null, mappings: [...mappings, ...beside] }], problems: [...found, ...problems] };
	} finally {
		source.close();
	}
}
