/** What traces are called: a file's name up to the first dot; where others are called so too, the whole, then the path. */
import path from 'node:path';
import type { ExecutionTrace } from '../../model/executed-code.js';

export interface TraceOfFile {
	/** By the name that the user gave, or that it was found by. */
	readonly file: { readonly name: string };
	readonly trace: ExecutionTrace;
}

/** What a layout or a trace is called where nothing else is called so. */
export function shortName(name: string): string {
	const base = name === '-' ? 'stdin' : path.basename(name);
	return /^[^.]+/.exec(base)?.[0] ?? base;
}

/** Traces with names that tell them apart. */
export function withUniqueNames<T extends TraceOfFile>(traces: readonly T[]): T[] {
	const rename = (all: readonly T[], nameOf: (one: T) => string): T[] => {
		const counts = new Map<string, number>();
		for (const { trace } of all) {
			counts.set(trace.name, (counts.get(trace.name) ?? 0) + 1);
		}
		return all.map((one) => (counts.get(one.trace.name)! > 1 ? { ...one, trace: { ...one.trace, name: nameOf(one) } } : one));
	};
	// Of a file with several traces each has its number behind the name.
	const numbers = new Map(traces.map((one) => [one.trace, one.trace.name.slice(shortName(one.file.name).length)]));
	const byFile = rename(traces, ({ file, trace }) => `${path.basename(file.name)}${numbers.get(trace)!}`);
	const original = new Map(byFile.map((one, i) => [one.trace, traces[i]!.trace]));
	return rename(byFile, ({ file, trace }) => `${file.name}${numbers.get(original.get(trace)!)!}`);
}
