/** The result of `assay diff`: docs/schema/diff.json. Filters take items away; noise is always there. */
import type { ThreadTime } from '../hot/thread-time.js';
import { namesakeIn, splitMethodName } from '../model/method-name.js';
import type { ThreadClass } from '../model/thread-class.js';
import type { Change, Place } from '../profdiff/changes.js';
import type { ComparedMethod } from '../profdiff/compare-runs.js';
import type { Move } from '../profdiff/moves.js';
import { beforeAfter, countChanges } from '../profdiff/results.js';
import { wilsonInterval } from '../statistics/shares.js';
import type { DiffReport } from './diff-report.js';
import type { DiffResult } from './results.js';
import { roundShare } from './rounding.js';
import { type Frozen, mapped, type Streamed } from './streamed.js';

/** Items of the result's lists. */
export type DiffChangeJson = Frozen<DiffResult['changes'][number]>;
export type DiffRunJson = Frozen<DiffResult['runsA'][number]>;
export type DiffNoiseTestJson = NonNullable<Frozen<DiffResult['summary']['noiseTest']>>;

export function diffResult(report: DiffReport): Streamed<DiffResult> {
	const { comparison, runsA, runsB, changeHandles, methodHandles } = report;
	const { changed, noise, inTheirOwnRight } = countChanges(comparison.changes);
	return {
		runsA: runsA.map(runRow),
		runsB: runsB.map(runRow),
		summary: {
			changed,
			inTheirOwnRight,
			noise,
			noiseTest: comparison.noiseTest,
			runsNeeded: report.runsNeeded,
			methodsCompared: comparison.methods.length,
			methodsWithoutSamples: comparison.unsampledMethods,
			rewordedRefusals: comparison.rewordedRefusals,
			hasProfiles: comparison.hasProfiles,
		},
		differentFlags: report.differentFlags,
		threadTime: threadTimeRows(report.threadTime),
		causes: report.causes.map(({ side, finding: { kind, text, place = null, handles, command } }) => ({ side, kind, text, place, handles, command })),
		methods: mapped(comparison.methods.filter(report.isShownMethod), (method) => methodRow(method, report)),
		changes: mapped(comparison.changes.filter(report.isShownChange), (change) => changeRow(change, report)),
		shifts: comparison.shifts.map((shift) => ({
			kind: shift.kind,
			text: shift.text,
			flags: shift.text === null ? null : report.deciding(shift.text),
			countsA: shift.countsA,
			countsB: shift.countsB,
			moreIn: shift.isMoreInA ? ('A' as const) : ('B' as const),
			changes: comparison.changes.filter((change) => change.shift === shift).map((change) => changeHandles.get(change)!),
		})),
		moves: comparison.moves
			.filter((move) => move.what === 'phase' || report.isShownChange(move.lost) || report.isShownChange(move.gained))
			.map((move) => moveRow(move, changeHandles)),
		failed: report.failed,
		findings: report.findings.map(({ condition, change, method }) => ({
			condition: condition.what,
			threshold: condition.threshold,
			handle: change === null ? methodHandles.get(method?.name ?? '')! : changeHandles.get(change)!,
		})),
	};
}

/** By class, most samples first. */
export function threadTimeRows(time: DiffReport['threadTime']): Frozen<DiffResult['threadTime']> {
	if (time === null) {
		return null;
	}
	const side = (of: ThreadTime, threadClass: ThreadClass): ThreadShare => {
		const row = of.classes.find((one) => one.class === threadClass);
		const share = row?.share ?? wilsonInterval(0, of.counted);
		return { samples: row?.samples ?? 0, ...roundShare(share) };
	};
	const classes = new Set([...time.a.classes, ...time.b.classes].map((row) => row.class));
	return [...classes]
		.map((threadClass) => ({ class: threadClass, a: side(time.a, threadClass), b: side(time.b, threadClass) }))
		.sort((x, y) => Math.max(y.a.percent, y.b.percent) - Math.max(x.a.percent, x.b.percent));
}

type ThreadShare = NonNullable<Frozen<DiffResult['threadTime']>>[number]['a'];

function runRow({ name, logKind, kind, compilations, methods, logFiles, otherFiles, duplicateIds, profile }: DiffRunJson): DiffRunJson {
	return { name, logKind, kind, compilations, methods, logFiles, otherFiles, duplicateIds, profile };
}

function methodRow(method: ComparedMethod, { methodHandles, facets }: DiffReport) {
	return {
		handle: methodHandles.get(method.name)!,
		...nameRow(method.name),
		periodShareA: method.shareA,
		periodShareB: method.shareB,
		periodSharesA: method.sharesA,
		periodSharesB: method.sharesB,
		compileIdsA: method.compileIdsA,
		compileIdsB: method.compileIdsB,
		hotInA: method.hotInA,
		hotInB: method.hotInB,
		...facets.get(method.name),
	};
}

export function changeRow(change: Change, { changeHandles: handles, absences }: Pick<DiffReport, 'changeHandles' | 'absences'>): DiffChangeJson {
	const { runsA, ofA, runsB, ofB, noise, pValue, periodShareA, periodShareB, categories, cause } = change;
	return {
		handle: handles.get(change)!,
		...nameRow(change.methodName),
		kind: change.kind,
		...beforeAfter(change),
		where: change.where.map(placeRow),
		...(change.kind === 'optimization' ? phasesOf(change.phases) : {}),
		...(change.kind === 'callsite' ? { reasonsBefore: change.reasonsBefore, reasonsAfter: change.reasonsAfter } : {}),
		...(change.kind === 'compilation' ? { absence: absences.get(change) ?? null } : {}),
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

/** Of several methods of a name the one that is meant. */
function nameRow(name: string) {
	const namesake = namesakeIn(name);
	return { ...splitMethodName(name), ...(namesake === null ? {} : { namesake }) };
}

function phasesOf(phases: readonly string[]): Pick<DiffChangeJson, 'phase' | 'phases'> {
	const phase = phases.at(-1);
	return phase === undefined ? {} : { phase, phases };
}

function placeRow({ methodName, bci, source }: Place) {
	return { ...(methodName === null ? { method: null, signature: null } : splitMethodName(methodName)), bci, ...(source === undefined ? {} : { source }) };
}

function moveRow(move: Move, handles: ReadonlyMap<Change, string>): Frozen<DiffResult['moves'][number]> {
	const method = nameRow(move.methodName);
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
		changes: [handles.get(move.lost)!, handles.get(move.gained)!],
	};
}
