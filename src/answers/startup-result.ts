/** What a report tells of a program's start-up: docs/schema/report.json. The maps of pages are in the result of `assay order simulate`, and in the page. */
import { countsJson } from './order/simulate-result.js';
import type { ReportResult } from './results.js';
import type { OpenedStartup } from './startup.js';
import type { Frozen } from './streamed.js';

export type StartupResult = Frozen<NonNullable<ReportResult['startup']>>;

export function startupResult({ program, traces, simulation, startUpCode, maps, leftOut }: OpenedStartup): StartupResult {
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
