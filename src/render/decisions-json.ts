/** The result of `assay report` as JSON: see docs/json.md. */

import { inliningRows, optimizationRows } from '../answers/profdiff-result.js';
import { splitMethodName } from '../model/method-name.js';
import type { CompilationOverview } from '../profdiff/overview.js';
import type { ReportView } from './decisions-text.js';
import type { JsonSink } from './json-stream.js';

export function writeReportJson(json: JsonSink, { evidence, overview, filter }: ReportView): void {
	json.field('run', evidence);
	json.beginList('compilations');
	for (const compilation of overview.compilations) {
		if (filter.isShownCompilation(compilation)) {
			json.item(compilationRow(compilation));
		}
	}
	json.closeTo(json.depth - 1);
	json.field('otherCompilations', overview.otherCompilations);
	json.field('otherCompilationsShare', overview.otherShare);
	json.field('otherTime', overview.otherTime);
	json.field(
		'findings',
		overview.findings.map(({ kind, unit, node, ...rest }) => ({
			kind,
			handle: `c${unit.compileId}`,
			callee: node.methodName === null ? null : splitMethodName(node.methodName).method,
			bci: node.bci,
			...('reason' in rest ? { reason: rest.reason } : { receivers: rest.receivers, topTwo: rest.topTwo }),
		})),
	);
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
