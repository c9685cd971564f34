/** What a report tells of a program's start-up, as JSON: docs/json.md. The maps of pages are in that of `assay order simulate`, and in the page. */

import { countsJson } from '../answers/order/simulate-result.js';
import type { Simulation } from '../startup/results.js';
import type { StartupResult } from './report-result.js';

export interface StartupView {
	readonly program: { readonly file: string; readonly functions: number } | null;
	readonly traces: readonly { readonly name: string; readonly file: string }[];
	readonly simulation: Simulation | null;
	readonly startUpCode: readonly string[];
	readonly maps: readonly string[];
	readonly leftOut: readonly { readonly file: string; readonly why: string }[];
}

export function startupJson({ program, traces, simulation, startUpCode, maps, leftOut }: StartupView): StartupResult {
	return {
		program: program === null ? null : { file: program.file, functions: program.functions },
		traces: traces.map(({ name, file }, i) => {
			const summary = simulation?.traces[i];
			return {
				name,
				file,
				functions: summary?.functions ?? null,
				executedBytes: summary?.executedBytes ?? null,
				unplaced: summary?.unplaced ?? null,
				ambiguous: summary?.ambiguous ?? null,
			};
		}),
		layouts: (simulation?.layouts ?? []).map(({ name, kind, listedSections, counts, byTrace }) => ({
			name,
			...countsJson(counts),
			kind,
			listedSections,
			byTrace: byTrace.map(({ name: trace, lost, counts: own }) => ({ trace, ...countsJson(own), lost })),
		})),
		startUpCode,
		maps,
		leftOut: leftOut.map(({ file, why }) => ({ file, why })),
	};
}
