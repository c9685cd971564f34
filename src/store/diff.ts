/**
 * `assay diff --store`: the report of `assay diff` as far as a store carries it. Its changes are calls, its noise is how runs of one side differ, and what is called a
 * change is so with a false discovery rate over all calls that runs of both sides decided. Trees, optimizations and compilations that only one side has are not told.
 */
import type { DiffReport, StoreSides } from '../answers/diff-report.js';
import { storeDiffResult } from '../answers/diff-store-result.js';
import type { DiffStoreResult } from '../answers/results.js';
import type { RunEvidence } from '../answers/run-evidence.js';
import type { Streamed } from '../answers/streamed.js';
import type { ThreadTime } from '../hot/thread-time.js';
import { explainReason, flagTextOfRuns } from '../model/inlining-reasons.js';
import type { CallsiteKind } from '../model/inlining-tree.js';
import { methodWithParameters, parameterTypes } from '../model/java-descriptor.js';
import { differentFlags, jvmFlags } from '../model/jvm-flags.js';
import { InputError, type Problem } from '../model/problem.js';
import type { Cell } from '../model/table.js';
import { THREAD_CLASSES, type ThreadClass } from '../model/thread-class.js';
import type { CallsiteChange, Change, ChangeCategory, Place } from '../profdiff/changes.js';
import type { ComparedMethod } from '../profdiff/compare-runs.js';
import { changeMatches, type DiffFilter, methodMatches } from '../profdiff/diff-filter.js';
import { type FailCondition, findFindings } from '../profdiff/findings.js';
import type { LogFile } from '../recording/log-file.js';
import { wilsonInterval } from '../statistics/shares.js';
import type { RunOptions } from './engine/result.js';
import { ALL_DAYS, answerQuery } from './query.js';
import { type Condition, conditionText, literal, runsPredicate } from './sql-text.js';

export interface StoreDiffRequest extends RunOptions {
	/** Which runs are on each side. */
	readonly a: readonly Condition[];
	readonly b: readonly Condition[];
	readonly filter: DiffFilter;
	readonly conditions: readonly FailCondition[];
	/** Tell also what is no more than noise. */
	readonly withNoise: boolean;
	/** The false discovery rate; left out: 0.05. */
	readonly rate?: number | undefined;
}

export interface StoreDiffAnswer {
	readonly report: DiffReport;
	readonly problems: readonly Problem[];
	result(): Streamed<DiffStoreResult>;
}

const RATE = 0.05;
/** Nothing is cut. */
const ALL_ROWS = 1_000_000;

type Row = Readonly<Record<string, Cell>>;

/** Throws an {@link InputError} where a side has no runs, or the store none. */
export async function answerStoreDiff(store: LogFile, request: StoreDiffRequest): Promise<StoreDiffAnswer> {
	const { a, b, filter, conditions, withNoise, rate = RATE } = request;
	const [runsA, runsB] = [await runsOf(store, a, request), await runsOf(store, b, request)];
	const asked = async (shown: number, top: number) => {
		const question = { question: { name: 'diff' }, conditions: [], days: ALL_DAYS, sides: { a, b } };
		const { table, problems } = await answerQuery(store, {
			...question,
			...options(request),
			parameters: new Map([
				['rate', shown],
				['top', top],
			]),
		});
		return { rows: rowsOf(table), problems };
	};
	const { rows, problems } = await asked(withNoise ? 1 : rate, ALL_ROWS);
	// How many were compared stands beside each of them.
	const [counts] = rows.length > 0 || withNoise ? rows : (await asked(1, 1)).rows;
	const callees = await calleesOf(store, rows, request);
	const changes = rows.map((row) => changeOf(row, rate, callees)).sort((x, y) => Number(x.change.noise) - Number(y.change.noise));
	const sides: StoreSides = {
		name: store.name,
		a: { where: a.map(conditionText), runs: runsA.length },
		b: { where: b.map(conditionText), runs: runsB.length },
		rate,
		calls: Number(counts?.calls ?? 0),
		differing: Number(counts?.differing ?? 0),
		q: new Map(changes.map(({ change, q }): [Change, number] => [change, q])),
	};
	const report = reportOf(
		sides,
		changes.map(({ change }) => change),
		{ a: runsA, b: runsB },
		filter,
		conditions,
	);
	return { report, problems, result: () => storeDiffResult(report, sides) };
}

function options({ signal, onProgress }: RunOptions): RunOptions {
	return { signal, onProgress };
}

function rowsOf({ columns, rows }: { readonly columns: readonly { readonly name: string }[]; rows(): Iterable<readonly Cell[]> }): Row[] {
	return [...rows()].map((row) => Object.fromEntries(columns.map(({ name }, i) => [name, row[i] ?? null])));
}

/** The first that was started stands first. */
async function runsOf(store: LogFile, conditions: readonly Condition[], request: RunOptions): Promise<Row[]> {
	const sql = `SELECT r.run, r.recording, r.runtime, r.flags, r.samples, ${THREAD_CLASSES.map((one) => `r.samples_${one}`).join(', ')}, c.compilations, c.methods, c.compiled
FROM runs r
LEFT JOIN (
	SELECT run, count(*) AS compilations, count(DISTINCT method) AS methods, sum(samples) AS compiled
	FROM compilations WHERE compiler <> 'c1' GROUP BY run
) c ON c.run = r.run
WHERE r.run IN (SELECT run FROM runs WHERE ${runsPredicate(conditions, ALL_DAYS)})
ORDER BY r.started_ms, r.run`;
	const { table } = await answerQuery(store, { ...options(request), question: { sql }, conditions, days: ALL_DAYS, parameters: new Map() });
	const rows = rowsOf(table);
	if (rows.length === 0) {
		const what = conditions.map(({ label, isEqual, value }) => `${label} ${isEqual ? '=' : '<>'} ${literal(value)}`).join(', ');
		throw new InputError({
			severity: 'error',
			file: store.name,
			message: `holds no run with ${what}`,
			action: 'assay query STORE "SELECT * FROM labels" lists labels',
		});
	}
	return rows;
}

/** By compiled method and bytecode indices, what is called there; of calls that lead to others. */
async function calleesOf(store: LogFile, rows: readonly Row[], request: RunOptions): Promise<ReadonlyMap<string, string>> {
	const roots = [...new Set(rows.filter(({ bcis }) => String(bcis).split(' ').length > 2).map(({ root }) => String(root)))];
	if (roots.length === 0) {
		return new Map();
	}
	const sql = `SELECT root, signature, bcis, min(callee) AS callee FROM sites WHERE root IN (${roots.map(literal).join(', ')}) AND callee IS NOT NULL
GROUP BY root, signature, bcis HAVING min(callee) = max(callee)`;
	const { table } = await answerQuery(store, { ...options(request), question: { sql }, conditions: [], days: ALL_DAYS, parameters: new Map() });
	return new Map(rowsOf(table).map(({ root, signature, bcis, callee }) => [`${root} ${signature} ${bcis}`, String(callee)]));
}

function changeOf(row: Row, rate: number, callees: ReadonlyMap<string, string>): { readonly change: CallsiteChange; readonly q: number } {
	const [runsA, ofA, runsB, ofB] = [row.inlined_a, row.runs_a, row.inlined_b, row.runs_b].map(Number) as [number, number, number, number];
	const isLost = runsA / ofA > runsB / ofB;
	const share = (percent: Cell | undefined): number | null => (typeof percent === 'number' ? percent / 100 : null);
	const [periodShareA, periodShareB] = [share(row.cost_a), share(row.cost_b)];
	const category: ChangeCategory = isLost ? 'lost-inlining' : 'new-inlining';
	const reasons = (text: Cell | undefined): string[] => (typeof text === 'string' && text !== '' ? [text] : []);
	const change: CallsiteChange = {
		kind: 'callsite',
		methodName: spelled(String(row.root ?? 'unknown'), row.signature ?? null),
		before: kindOf(row.verdict_a, row.reason_a),
		after: kindOf(row.verdict_b, row.reason_b),
		where: placesOf(row, callees),
		reasonsBefore: reasons(row.reason_a),
		reasonsAfter: reasons(row.reason_b),
		categories: [category],
		...{ runsA, ofA, runsB, ofB, periodShareA, periodShareB },
		noise: Number(row.q) > rate,
		pValue: Number(row.p),
		weight: ((periodShareA ?? 0) + (periodShareB ?? 0)) / 2,
		shift: null,
		cause: null,
	};
	return { change, q: Number(row.q) };
}

/** What `assay diff` calls a call that HotSpot refused: a call that goes through a table says so in its reason. */
function kindOf(verdict: Cell | undefined, reason: Cell | undefined): CallsiteKind | null {
	return verdict === 'refused'
		? reason === 'virtual call' || reason === 'no static binding'
			? 'indirect'
			: 'direct'
		: ((verdict as CallsiteKind | null) ?? null);
}

/** The call, and those that lead to it; where several methods are called at one place, none is told. */
function placesOf({ root, signature, bcis, caller, callee }: Row, callees: ReadonlyMap<string, string>): Place[] {
	const texts = String(bcis ?? '').split(' ');
	return texts.map((text, i): Place => {
		const known = i === texts.length - 1 ? callee : i === texts.length - 2 ? caller : callees.get(`${root} ${signature} ${texts.slice(0, i + 1).join(' ')}`);
		return { methodName: known == null ? null : String(known), bci: Number(text) };
	});
}

/** HotSpot's signatures are descriptors. */
function spelled(name: string, signature: Cell): string {
	return typeof signature !== 'string' ? name : parameterTypes(signature) === null ? `${name}${signature}` : methodWithParameters(name, signature, false);
}

function reportOf(
	sides: StoreSides,
	changes: readonly CallsiteChange[],
	runs: { readonly a: readonly Row[]; readonly b: readonly Row[] },
	filter: DiffFilter,
	conditions: readonly FailCondition[],
): DiffReport {
	const methods = methodsOf(changes);
	const findings = findFindings(conditions, changes, methods);
	const flagsOf = ([first]: readonly Row[]) => jvmFlags(typeof first?.flags === 'string' ? first.flags : null);
	const [flagsA, flagsB] = [flagsOf(runs.a), flagsOf(runs.b)];
	const shown = new Set(methods.filter((method) => methodMatches(filter, method)).map(({ name }) => name));
	const evidence = (rows: readonly Row[], where: readonly string[]): RunEvidence[] =>
		rows.map((row, i) => runOf(row, i === 0 ? where.join(', ') : String(row.recording)));
	const time = { a: threadTimeOf(runs.a), b: threadTimeOf(runs.b) };
	return {
		comparison: {
			changes,
			noiseTest: null,
			shifts: [],
			methods,
			moves: [],
			inlinedInto: new Map(),
			unsampledMethods: 0,
			rewordedRefusals: 0,
			problems: [],
			hasProfiles: [...runs.a, ...runs.b].some(({ samples }) => Number(samples ?? 0) > 0),
			hasCounts: false,
		},
		runsA: evidence(runs.a, sides.a.where),
		runsB: evidence(runs.b, sides.b.where),
		store: sides,
		runsNeeded: 3,
		findings,
		failed: findings.length > 0,
		filter,
		deciding: (reason) => {
			const explanation = explainReason(reason);
			return explanation === null || explanation.isInlined || explanation.flags.length === 0
				? null
				: explanation.flags.map((flag) => flagTextOfRuns(flag, [flagsA, flagsB])).join('; ');
		},
		differentFlags: differentFlags(flagsA, flagsB),
		methodHandles: new Map(methods.map(({ name }, i) => [name, `m${i + 1}`])),
		changeHandles: new Map(changes.map((change, i): [Change, string] => [change, `d${i + 1}`])),
		facets: new Map(),
		threadTime: time.a === null || time.b === null ? null : { a: time.a, b: time.b },
		causes: [],
		absences: new Map(),
		isShownMethod: ({ name }) => shown.has(name),
		isShownChange: (change) => shown.has(change.methodName) && changeMatches(filter, change),
	};
}

/** In the order of their first change. */
function methodsOf(changes: readonly CallsiteChange[]): ComparedMethod[] {
	const methods = new Map<string, ComparedMethod>();
	for (const { methodName: name, periodShareA, periodShareB, weight } of changes) {
		const known = methods.get(name);
		const most = (x: number | null | undefined, y: number | null): number | null => (x == null ? y : y === null ? x : Math.max(x, y));
		methods.set(name, {
			name,
			shareA: most(known?.shareA, periodShareA),
			shareB: most(known?.shareB, periodShareB),
			weight: Math.max(known?.weight ?? 0, weight),
			...{ sharesA: [], sharesB: [], compileIdsA: [], compileIdsB: [], hotInA: null, hotInB: null },
		});
	}
	return [...methods.values()];
}

function runOf({ runtime, compilations, methods, samples, compiled }: Row, name: string): RunEvidence {
	const [totalPeriod, compiledPeriod] = [Number(samples ?? 0), Number(compiled ?? 0)];
	const profile = { name: '', totalPeriod, compiledPeriod, entries: 0, found: 0, sameName: 0, duplicateEntries: 0, forced: false };
	return {
		name,
		logKind: runtime === 'Graal' ? 'Graal' : runtime === 'other' ? 'LLVM' : 'HotSpot',
		kind: null,
		compilations: Number(compilations ?? 0),
		methods: Number(methods ?? 0),
		...{ logFiles: 0, otherFiles: 0, duplicateIds: 0 },
		profile: totalPeriod > 0 ? profile : null,
	};
}

/** Of all runs of a side together; null where none tells. */
function threadTimeOf(runs: readonly Row[]): ThreadTime | null {
	const sums = new Map<ThreadClass, number>(THREAD_CLASSES.map((one) => [one, runs.reduce((sum, row) => sum + Number(row[`samples_${one}`] ?? 0), 0)]));
	const counted = [...sums.values()].reduce((sum, one) => sum + one, 0);
	const classes = [...sums]
		.filter(([, samples]) => samples > 0)
		.sort(([, x], [, y]) => y - x)
		.map(([name, samples]) => ({ class: name, samples, share: wilsonInterval(samples, counted), threads: 0, activities: [] }));
	return counted === 0 ? null : { classes, threads: [], libraries: [], counted };
}
