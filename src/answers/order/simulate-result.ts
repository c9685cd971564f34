/** The result of `assay order simulate`: docs/schema/order-simulate.json. */
import type { PageCounts, PageMap, Simulation, TraceSummary } from '../../startup/results.js';
import type { OrderSimulateResult } from '../results.js';
import { mapped, type Streamed } from '../streamed.js';

export function simulateResult({ recordedOn, traces, layouts }: Simulation): Streamed<OrderSimulateResult> {
	return {
		recordedOn,
		traces: traces.map(traceJson),
		layouts: mapped(layouts, ({ name, kind, counts, byTrace, listedSections }) => ({
			name,
			...countsJson(counts),
			kind,
			listedSections,
			byTrace: byTrace.map(({ name: trace, lost, counts: own, map }) => ({ trace, ...countsJson(own), lost, map: mapJson(map) })),
		})),
	};
}

export function traceJson({ name, weight, functions, executedBytes, unplaced, ambiguous, unknownNames, loaded }: TraceSummary) {
	return {
		name,
		weight,
		functions,
		executedBytes,
		unplaced,
		ambiguous,
		unknownNames: [...unknownNames],
		loaded: loaded === null ? null : { slide: `0x${loaded.slide.toString(16)}`, by: loaded.by, share: loaded.share },
	};
}

export function countsJson(counts: PageCounts): PageCounts {
	const { textPages, entryPages, execPages, wholeFunctionPages, windows64k, areaUnderCurve, codePages, codeExecPages, codeWindows64k } = counts;
	return { textPages, entryPages, execPages, wholeFunctionPages, windows64k, areaUnderCurve, codePages, codeExecPages, codeWindows64k };
}

function mapJson({ pageBytes, firstPage, pages, newPageAt, touchedAt, firstFunctions }: PageMap) {
	return { pageBytes, firstPage, pages: pages.join(''), newPageAt: [...newPageAt], touchedAt: [...touchedAt], firstFunctions };
}
