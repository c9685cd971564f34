/** What the compiler decided in the compilations of a run, as a part of the result of `assay report`: docs/schema/report.json. */
import { splitMethodName } from '../model/method-name.js';
import type { CompilationOverview } from '../profdiff/overview.js';
import type { DecisionsView } from './decisions.js';
import { inliningRows, optimizationRows } from './profdiff-result.js';
import type { ReportResult } from './results.js';
import { mapped, type Streamed } from './streamed.js';

export function decisionsResult({ evidence, overview, filter }: DecisionsView): Streamed<NonNullable<ReportResult['decisions']>> {
	return {
		run: evidence,
		compilations: mapped(
			overview.compilations.filter((compilation) => filter.isShownCompilation(compilation)),
			compilationRow,
		),
		otherCompilations: overview.otherCompilations,
		otherCompilationsShare: overview.otherShare,
		otherTime: overview.otherTime,
		findings: overview.findings.map(({ kind, unit, node, ...rest }) => ({
			kind,
			handle: `c${unit.compileId}`,
			callee: node.methodName === null ? null : splitMethodName(node.methodName).method,
			bci: node.bci,
			...('reason' in rest ? { reason: rest.reason } : { receivers: rest.receivers, topTwo: rest.topTwo }),
		})),
	};
}

function compilationRow({ unit, share, calls, optimizations, trees }: CompilationOverview) {
	return {
		handle: `c${unit.compileId}`,
		compileId: unit.compileId,
		...splitMethodName(unit.methodName),
		multiMethodKey: unit.multiMethodKey,
		period: unit.period,
		periodShare: share,
		calls,
		optimizations,
		inliningTree: inliningRows(trees.inlining),
		optimizationTree: optimizationRows(trees.optimization),
	};
}
