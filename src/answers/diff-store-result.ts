/** The result of `assay diff --store`: docs/schema/diff-store.json. Its changes are those of `assay diff`, with the false discovery rate of each. */
import type { DiffReport, StoreSides } from './diff-report.js';
import { changeRow, threadTimeRows } from './diff-result.js';
import type { DiffStoreResult } from './results.js';
import { mapped, type Streamed } from './streamed.js';

export function storeDiffResult(report: DiffReport, { name, a, b, rate, calls, differing, q }: StoreSides): Streamed<DiffStoreResult> {
	const { comparison, changeHandles, methodHandles, findings, failed } = report;
	const changed = comparison.changes.filter(({ noise }) => noise !== true).length;
	return {
		store: name,
		a,
		b,
		summary: { falseDiscoveryRate: rate, calls, differing, changed, noise: differing - changed, hasProfiles: comparison.hasProfiles },
		differentFlags: report.differentFlags,
		threadTime: threadTimeRows(report.threadTime),
		changes: mapped(comparison.changes.filter(report.isShownChange), (change) => ({ ...changeRow(change, report), qValue: q.get(change)! })),
		failed,
		findings: findings.map(({ condition, change, method }) => ({
			condition: condition.what,
			threshold: condition.threshold,
			handle: change === null ? methodHandles.get(method?.name ?? '')! : changeHandles.get(change)!,
		})),
	};
}
