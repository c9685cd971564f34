/** What a program ran first, as symbols in that order: from its dump, or from what profilers and tracers recorded. */
import { openDemangler } from '../../demangling/demangler.js';
import { type Problem, UsageError } from '../../model/problem.js';
import { type OpenedTrace, openFunctionTraces } from '../../recording/open-function-traces.js';
import { uniteTraces } from '../../startup/unite-traces.js';
import type { OrderDecodeResult } from '../results.js';
import type { Streamed } from '../streamed.js';
import { type DecodedOrder, decodeResult } from './decode-result.js';
import { fileOf } from './open-layout.js';

export interface DecodeRequest {
	/** Dumps, profiles with temporal traces, lists of functions. */
	readonly files: readonly string[];
	/** Maps of the build, assay's or clang's. */
	readonly maps?: readonly string[] | undefined;
	/** The program that ran, for recordings that hold addresses. */
	readonly program?: string | undefined;
	/** Only this trace, from 0; left out: all, united in order. */
	readonly trace?: number | undefined;
	/** Say what mangled symbols of C++ and Rust mean. */
	readonly demangle?: boolean | undefined;
	/** Relative paths start here. */
	readonly workingDirectory: string;
}

export interface DecodeAnswer extends DecodedOrder {
	/** An error stands for a part that could not be used. */
	readonly problems: readonly Problem[];
	result(): Streamed<OrderDecodeResult>;
}

/** Throws an InputError for a file that cannot be used, a UsageError when there is no such trace. */
export async function decodeOrder({ files, maps = [], program, trace, demangle = false, workingDirectory }: DecodeRequest): Promise<DecodeAnswer> {
	const file = (name: string) => fileOf(name, workingDirectory);
	const opened = await openFunctionTraces(files.map(file), { maps: maps.map(file), program: program === undefined ? null : file(program) });
	const traces = trace === undefined ? opened.traces : [chosenTrace(opened.traces, trace)];
	const decoded = {
		functions: [...uniteTraces(traces)].map((position) => opened.functions[position]!),
		traces,
		collisions: opened.collisions,
		sharedNames: opened.sharedNames,
		demangle: demangle ? await openDemangler() : null,
	};
	return { ...decoded, problems: opened.problems, result: () => decodeResult(decoded) };
}

function chosenTrace(traces: readonly OpenedTrace[], number: number): OpenedTrace {
	const trace = traces[number];
	if (trace === undefined) {
		throw new UsageError(traces.length === 0 ? 'there is no trace' : `there is no trace ${number}: they are numbered 0 to ${traces.length - 1}`);
	}
	return trace;
}
