/** The result of `assay diff` as JSON: see docs/json.md. Filters take items away; noise is always there. */
import { splitMethodName } from '../model/method-name.js';
import type { Change, Place } from '../profdiff/changes.js';
import type { Move } from '../profdiff/moves.js';
import { beforeAfter, countChanges, type DiffReport, type RunEvidence } from './diff-view.js';
import type { JsonSink } from './json-stream.js';

export function writeDiffJson(json: JsonSink, report: DiffReport): void {
	const { comparison, runsA, runsB, changeHandles, methodHandles, facets } = report;
	const { changed, noise, inTheirOwnRight } = countChanges(comparison.changes);
	json.field('runsA', runsA.map(runRow));
	json.field('runsB', runsB.map(runRow));
	json.field('summary', {
		changed,
		inTheirOwnRight,
		noise,
		byLuck: comparison.byLuck,
		runsNeeded: report.runsNeeded,
		methodsCompared: comparison.methods.length,
		methodsWithoutSamples: comparison.unsampledMethods,
		hasProfiles: comparison.hasProfiles,
	});
	json.beginList('methods');
	for (const method of comparison.methods) {
		if (report.isShownMethod(method)) {
			json.item({
				handle: methodHandles.get(method.name),
				...splitMethodName(method.name),
				periodShareA: method.shareA,
				periodShareB: method.shareB,
				periodSharesA: method.sharesA,
				periodSharesB: method.sharesB,
				compileIdsA: method.compileIdsA,
				compileIdsB: method.compileIdsB,
				hotInA: method.hotInA,
				hotInB: method.hotInB,
				...(facets.has(method.name) ? { a: facets.get(method.name)?.a, b: facets.get(method.name)?.b } : {}),
			});
		}
	}
	json.closeTo(json.depth - 1);
	json.beginList('changes');
	for (const change of comparison.changes) {
		if (report.isShownChange(change)) {
			json.item(changeRow(change, changeHandles));
		}
	}
	json.closeTo(json.depth - 1);
	json.field(
		'moves',
		comparison.moves
			.filter((move) => move.what === 'phase' || report.isShownChange(move.lost) || report.isShownChange(move.gained))
			.map((move) => moveRow(move, changeHandles)),
	);
	json.field('failed', report.failed);
	json.field(
		'findings',
		report.findings.map(({ condition, change, method }) => ({
			condition: condition.what,
			threshold: condition.threshold,
			handle: change === null ? methodHandles.get(method?.name ?? '') : changeHandles.get(change),
		})),
	);
}

/** Items of the result's lists. */
export type DiffChangeJson = ReturnType<typeof changeRow>;
export type DiffRunJson = ReturnType<typeof runRow>;

function runRow({ name, logKind, kind, compilations, methods, logFiles, otherFiles, duplicateIds, profile }: RunEvidence) {
	return { name, logKind, kind, compilations, methods, logFiles, otherFiles, duplicateIds, profile };
}

function changeRow(change: Change, handles: ReadonlyMap<Change, string>) {
	const { runsA, ofA, runsB, ofB, noise, pValue, periodShareA, periodShareB, categories, cause } = change;
	return {
		handle: handles.get(change),
		...splitMethodName(change.methodName),
		kind: change.kind,
		...beforeAfter(change),
		where: change.where.map(placeRow),
		...(change.kind === 'optimization' && change.phases.length > 0 ? { phase: change.phases[change.phases.length - 1], phases: change.phases } : {}),
		...(change.kind === 'callsite' ? { reasonsBefore: change.reasonsBefore, reasonsAfter: change.reasonsAfter } : {}),
		categories,
		cause: cause === null ? null : (handles.get(cause) ?? null),
		runsA,
		ofA,
		runsB,
		ofB,
		noise,
		...(pValue === null ? {} : { pValue }),
		periodShareA,
		periodShareB,
	};
}

function placeRow({ methodName, bci }: Place) {
	return { ...(methodName === null ? { method: null, signature: null } : splitMethodName(methodName)), bci };
}

function moveRow(move: Move, handles: ReadonlyMap<Change, string>) {
	const method = splitMethodName(move.methodName);
	if (move.what === 'phase') {
		return { ...method, what: 'phase', phase: move.phase, from: move.from, to: move.to };
	}
	return {
		...method,
		what: 'callsite',
		callee: move.callee === null ? null : splitMethodName(move.callee).method,
		kind: move.kind,
		from: move.from.map(placeRow),
		to: move.to.map(placeRow),
		changes: [handles.get(move.lost), handles.get(move.gained)],
	};
}
