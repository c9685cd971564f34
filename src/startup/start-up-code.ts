/**
 * Code that every program runs before main and that no compiler instruments: crt1.o's entry, what crtbegin.o does before constructors. Lists of functions of
 * instrumented programs lack it. Left where it is, it costs each run the pages that it lies in.
 */
import type { TextLayout } from '../model/text-layout.js';
import { functionsByName, type LaidTrace } from './trace-on-layout.js';

const ALWAYS_RUN = ['_start', 'frame_dummy'];

/** The traces that tell functions only, with the start-up code first where it is missing; and its names. */
export function withStartUpCode(traces: readonly LaidTrace[], layout: TextLayout): { traces: LaidTrace[]; added: readonly string[] } {
	if (layout.machOArchitecture !== null) {
		// dyld starts the program; what it runs is not in it.
		return { traces: [...traces], added: [] };
	}
	const functions = functionsByName(layout);
	const added = new Set<string>();
	const completed = traces.map((trace) => {
		const sections = new Set(Array.from(trace.functions, (f) => layout.functionSections[f]));
		const missing = ALWAYS_RUN.flatMap((name) => {
			const named = functions.get(name) ?? [];
			const [f] = named;
			return trace.ranges === null && named.length === 1 && f !== undefined && !sections.has(layout.functionSections[f]) ? [{ name, f }] : [];
		});
		for (const { name } of missing) {
			added.add(name);
		}
		return missing.length === 0 ? trace : { ...trace, functions: Int32Array.from([...missing.map(({ f }) => f), ...trace.functions]) };
	});
	return { traces: completed, added: [...added] };
}
