/** The result of `assay order simulate` as JSON: see docs/json.md. */
import type { PageCounts, PageMap, Simulation, TraceSummary } from '../startup/results.js';
import type { JsonSink } from './json-stream.js';

export function writeSimulateJson(json: JsonSink, { recordedOn, traces, layouts }: Simulation): void {
	json.field('recordedOn', recordedOn);
	json.field('traces', traces.map(traceJson));
	json.beginList('layouts');
	for (const { name, kind, counts, byTrace, listedSections } of layouts) {
		json.item({
			name,
			...countsJson(counts),
			kind,
			listedSections,
			byTrace: byTrace.map(({ name: trace, lost, counts: own, map }) => ({ trace, ...countsJson(own), lost, map: mapJson(map) })),
		});
	}
	json.closeTo(json.depth - 1);
}

export function traceJson({ name, weight, functions, executedBytes, unplaced, ambiguous, unknownNames }: TraceSummary): unknown {
	return { name, weight, functions, executedBytes, unplaced, ambiguous, unknownNames };
}

export function countsJson({ textPages, entryPages, execPages, wholeFunctionPages, windows64k, areaUnderCurve }: PageCounts): PageCounts {
	return { textPages, entryPages, execPages, wholeFunctionPages, windows64k, areaUnderCurve };
}

function mapJson({ firstPage, pages, newPageAt }: PageMap): unknown {
	return { firstPage, pages: pages.join(''), newPageAt: [...newPageAt] };
}
