/** Stores of many runs as functions: what assay collect, query, compact and diff --store do, and the object that they print with --json in `result`. docs/store.md explains the tables. */
import path from 'node:path';
import type { CollectResult, CompactResult, DiffStoreResult, QueryResult } from '../answers/results.js';
import { UsageError } from '../model/problem.js';
import type { FailCondition } from '../profdiff/findings.js';
import type { LogFile } from '../recording/log-file.js';
import type { TrinoOptions } from '../store/engine/trino.js';
import { failCondition } from './fail-condition.js';
import type { RecordingInput } from './recording.js';
import { type CallOptions, filesOf, processOf, told } from './run.js';

/** Options of {@link collect}. */
export interface CollectOptions extends CallOptions {
	/** What the run is of: service, build, host and any others. The environment is not asked, as the command does. */
	readonly labels?: Readonly<Record<string, string>> | undefined;
	/** Told what is done. */
	readonly onProgress?: ((what: string) => void) | undefined;
}

/**
 * Writes what is known of a run into a store. To collect it again changes nothing; many may collect into one store at once. As `assay collect`.
 *
 * @param recording A recording, its folder, or a file. Of several JVMs each is a run, unless one was chosen.
 * @param store A folder; made where it is not there.
 * @returns The runs, and how many rows each table got of them.
 * @throws InputError when nothing of the recording can be read, or the store cannot be written.
 * @example
 * const { runs } = await collect('examples/a', 'store', { labels: { service: 'shop', build: '1.4' } });
 * console.log(runs[0].rows.decisions); // → 206
 */
export async function collect(recording: RecordingInput, store: string, options: CollectOptions = {}): Promise<CollectResult> {
	const { collectRecording } = await import('../store/collect.js');
	const { labels = {}, onProblem, onProgress } = options;
	const [file, ...others] = filesOf(recording);
	if (file === undefined || others.length > 0) {
		throw new UsageError('a run is collected from one folder, archive or file');
	}
	const { mergedLabels, parseLabels } = await import('../store/labels.js');
	const checked = mergedLabels(
		parseLabels(
			Object.entries(labels).map(([name, value]) => `${name}=${value}`),
			'labels',
		),
	);
	const collected = await collectRecording(file, { store: placeOf(store), labels: checked, processId: processOf(recording), onProgress });
	for (const problem of collected.flatMap(({ problems }) => problems)) {
		onProblem?.(problem);
	}
	return { store, runs: collected.map(({ problems: _, ...run }) => ({ ...run, rows: run.rows as Record<string, number> })) };
}

/** Which runs a question is about, and who answers it. */
export interface QueryOptions extends CallOptions {
	/** `build=1.4`, `host!=db1`: only runs with these labels. */
	readonly where?: readonly string[] | undefined;
	/** Days, both inclusive: `2026-01-31`. */
	readonly since?: string | undefined;
	readonly until?: string | undefined;
	/** Parameters of the question. */
	readonly set?: Readonly<Record<string, number>> | undefined;
	/** A Trino that sees the same files; left out: DuckDB, here. */
	readonly trino?: TrinoOptions | undefined;
	/** What DuckDB may take; left out: 2e9. */
	readonly memoryBytes?: number | undefined;
	/** Ends the statement. */
	readonly signal?: AbortSignal | undefined;
	/** Percent; null where the engine does not tell. */
	readonly onProgress?: ((percent: number | null) => void) | undefined;
}

/**
 * Asks a store: a question by its name, or SQL over its tables. As `assay query`.
 *
 * @param store The folder that {@link collect} filled.
 * @param question One of {@link storeQuestions}, or a SELECT.
 * @returns Columns with units, and rows; whole numbers beyond 2^53 are text.
 * @throws InputError when there are no runs, or with what the engine says; UsageError for a question that there is not.
 * @example
 * await collect('examples/a', 'asked', { labels: { build: '1.4' } });
 * const { columns, rows } = await query('asked', 'refused', { where: ['build=1.4'] });
 * console.log(columns.length, rows.length > 0);
 * const counted = await query('asked', 'SELECT count(*) AS n FROM decisions');
 * console.log(counted.rows[0]); // → [ 206 ]
 */
export async function query(store: string, question: string, options: QueryOptions = {}): Promise<QueryResult> {
	const { ALL_DAYS, answerQuery } = await import('../store/query.js');
	const { parseConditions } = await import('../store/sql-text.js');
	const { where = [], since = ALL_DAYS.from, until = ALL_DAYS.to, set = {}, trino, memoryBytes = 2e9, signal, onProgress } = options;
	for (const day of [since, until]) {
		if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) {
			throw new UsageError(`a day is written as 2026-01-31, not "${day}"`);
		}
	}
	const engine = trino === undefined ? null : (await import('../store/engine/trino.js')).openTrino(trino);
	try {
		const answer = await answerQuery(
			placeOf(store),
			{
				question: /^\s*\w+\s*$/.test(question) ? { name: question.trim() } : { sql: question },
				conditions: parseConditions(where, 'where'),
				days: { from: since, to: until },
				parameters: new Map(Object.entries(set)),
				duckDb: { threads: 2, memoryBytes },
				signal,
				onProgress,
			},
			engine,
		);
		return told<QueryResult>(answer, options);
	} finally {
		engine?.close();
	}
}

/** A named question about a store. */
export interface StoreQuestion {
	readonly name: string;
	readonly title: string;
	readonly about: string;
	/** With their values where nothing else is said. */
	readonly parameters: readonly { readonly name: string; readonly value: number; readonly meaning: string }[];
	/** With places for days, labels and parameters. */
	readonly sql: string;
}

/**
 * The questions that {@link query} knows by name. As `assay query --list`.
 *
 * @returns In the order in which they are listed.
 * @example
 * const questions = await storeQuestions();
 * console.log(questions[0].name, questions[0].parameters[0].name); // → flips top
 */
export async function storeQuestions(): Promise<StoreQuestion[]> {
	const { QUESTION_NAMES, readQuestion } = await import('../store/questions.js');
	return QUESTION_NAMES.map((one) => {
		const { name, title, about, parameters, sql } = readQuestion(one);
		return { name, title, about, parameters, sql };
	});
}

/** Options of {@link compact}. */
export interface CompactOptions extends CallOptions {
	/** What DuckDB may take; left out: 2e9. */
	readonly memoryBytes?: number | undefined;
	/** Told what is done. */
	readonly onProgress?: ((what: string) => void) | undefined;
}

/**
 * Puts the runs of each day together in few large files of a new store. The old one is only read. As `assay compact`.
 *
 * @param store The folder that {@link collect} filled.
 * @param into A new folder, or one that was compacted into before: then what is new is added.
 * @returns Rows, files and bytes of each table, before and after.
 * @throws InputError when the new store cannot be written, or rows would be lost.
 * @example
 * await collect('examples/a', 'loose');
 * const { runs } = await compact('loose', 'compacted');
 * console.log(runs); // → 1
 */
export async function compact(store: string, into: string, { memoryBytes = 2e9, onProgress, onProblem }: CompactOptions = {}): Promise<CompactResult> {
	const { compactStore } = await import('../store/compact.js');
	const { result, problems } = await compactStore({ store: placeOf(store), into: placeOf(into), duckDb: { threads: 2, memoryBytes }, onProgress });
	for (const problem of problems) {
		onProblem?.(problem);
	}
	return result;
}

/** Options of {@link diffStore}. */
export interface DiffStoreOptions extends CallOptions {
	/** The false discovery rate: which part of the changes may be chance (0.05). */
	readonly rate?: number | undefined;
	/** Tell also what differs by no more than chance. */
	readonly withNoise?: boolean | undefined;
	/** Only methods with this in their name. */
	readonly method?: string | undefined;
	/** Only calls that were or became `inlined`, `direct` or `indirect`. */
	readonly decision?: string | undefined;
	/** Conditions as of `--fail-on`, `lost-inlining:0.5`: tell in `failed` and `findings` whether one holds. */
	readonly failOn?: readonly string[] | undefined;
	readonly signal?: AbortSignal | undefined;
}

/**
 * Which decisions changed between two sides of a store, each all runs that have its labels. As `assay diff --store`.
 *
 * @param store The folder that {@link collect} filled.
 * @param a Labels of one side: `['build=1.3']`.
 * @param b Of the other.
 * @returns Calls with the part of the runs in which they are inlined, p and false discovery rate.
 * @throws InputError when a side has no runs.
 * @example
 * await collect('examples/a', 'sides', { labels: { build: '1.3' } });
 * await collect('examples/b', 'sides', { labels: { build: '1.4' } });
 * const { a, summary } = await diffStore('sides', ['build=1.3'], ['build=1.4']);
 * console.log(a.runs, summary.changed); // → 1 0
 */
export async function diffStore(store: string, a: readonly string[], b: readonly string[], options: DiffStoreOptions = {}): Promise<DiffStoreResult> {
	const { answerStoreDiff } = await import('../store/diff.js');
	const { parseConditions } = await import('../store/sql-text.js');
	const { rate, withNoise = false, method, decision, failOn = [], signal } = options;
	const conditions: FailCondition[] = failOn.map(failCondition);
	const request = { a: parseConditions(a, 'a'), b: parseConditions(b, 'b'), filter: { method, decision }, conditions, withNoise, rate, signal };
	return told<DiffStoreResult>(await answerStoreDiff(placeOf(store), request), options);
}

function placeOf(folder: string): LogFile {
	return { filePath: path.resolve(folder), name: folder };
}
