/** `assay query`: a named question, or SQL of the user's own, about a store, by DuckDB here or by a Trino that sees the same files. */
import path from 'node:path';
import type { QueryResult } from '../answers/results.js';
import type { Streamed } from '../answers/streamed.js';
import { InputError, type Problem } from '../model/problem.js';
import type { Column, Table } from '../model/table.js';
import type { LogFile } from '../recording/log-file.js';
import { DEFAULT_DUCKDB, type DuckDbOptions, openDuckDb } from './engine/duckdb.js';
import type { Engine, EngineResult, RunOptions } from './engine/result.js';
import { listStore, runsInFile, type StoreFile, type StoreListing } from './files.js';
import { type Question, readQuestion, renderQuestion } from './questions.js';
import { type Condition, conditionText, type Days, literal, runsPredicate } from './sql-text.js';

export const ALL_DAYS: Days = { from: '0000-01-01', to: '9999-12-31' };

export interface QueryRequest extends RunOptions {
	/** A name, or SQL. */
	readonly question: { readonly name: string } | { readonly sql: string };
	readonly conditions: readonly Condition[];
	readonly days: Days;
	readonly sides?: { readonly a: readonly Condition[]; readonly b: readonly Condition[] };
	readonly parameters: ReadonlyMap<string, number>;
	readonly duckDb?: DuckDbOptions;
}

export interface QueryAnswer {
	readonly question: Question | null;
	readonly table: Table;
	readonly problems: readonly Problem[];
	result(): Streamed<QueryResult>;
}

/** Throws an {@link InputError} for a folder that holds no runs, and with what the engine says. */
export async function answerQuery(store: LogFile, request: QueryRequest, trino: Engine | null = null): Promise<QueryAnswer> {
	const { duckDb = DEFAULT_DUCKDB } = request;
	const question = 'name' in request.question ? readQuestion(request.question.name) : null;
	if (trino !== null) {
		const sql = question === null ? sqlOf(request) : renderQuestion(question, request);
		return answerOf(store.name, question, request, sql, trino, await trino.run(sql, request), []);
	}
	const opened = await openStore(store, request);
	try {
		return await answerHere(store, request, question, opened);
	} catch (error) {
		// Pages that cannot be read show when they are read.
		const checked = isOfDuckDb(error) ? await checkedFiles({ ...opened, folder: store.filePath, name: store.name }, duckDb) : null;
		if (checked === null || checked.problems.length === 0) {
			throw error;
		}
		const engine = await openDuckDb(store.filePath, checked.files, duckDb);
		return answerHere(store, request, question, { engine, files: checked.files, problems: [...opened.problems, ...checked.problems] });
	}
}

async function answerHere(store: LogFile, request: QueryRequest, question: Question | null, { engine, problems }: OpenedStore): Promise<QueryAnswer> {
	try {
		// Days that no chosen run has are not read: a question about a build reads the days of its runs.
		const days = await daysOf(engine, request);
		const sql = question === null ? sqlOf(request) : renderQuestion(question, { ...request, days });
		return answerOf(store.name, question, request, sql, engine, await engine.run(sql, request), problems);
	} finally {
		engine.close();
	}
}

function isOfDuckDb(error: unknown): boolean {
	return error instanceof InputError && error.problem.file === 'DuckDB';
}

function sqlOf({ question }: QueryRequest): string {
	return 'sql' in question ? question.sql : '';
}

interface OpenedStore {
	readonly engine: Engine;
	readonly files: readonly StoreFile[];
	readonly problems: readonly Problem[];
}

/** Files of other programs, and damaged ones, are left out, and told. */
async function openStore(
	store: LogFile,
	{ conditions, days, duckDb = DEFAULT_DUCKDB }: Pick<QueryRequest, 'conditions' | 'days' | 'duckDb'>,
): Promise<OpenedStore> {
	const listing = listStore(store.filePath, store.name, days.from, days.to);
	if (!listing.files.some(({ table }) => table === 'runs')) {
		const [first] = listing.problems;
		throw new InputError({
			severity: 'error',
			file: store.name,
			message: `holds no runs${first === undefined ? '' : `; ${first.file} ${first.message}`}`,
			action: 'collect some: assay collect RECORDING --into STORE',
		});
	}
	const { files, problems, engine } = await readableFiles(listing, duckDb);
	if (conditions.length === 0 && engine !== null) {
		return { engine, files, problems: listing.problems };
	}
	engine?.close();
	const chosen = conditions.length === 0 ? files : await filesOfRuns(store, files, conditions, days, duckDb);
	return { engine: await openDuckDb(store.filePath, chosen, duckDb), files: chosen, problems: [...listing.problems, ...problems] };
}

interface ReadableFiles {
	readonly files: readonly StoreFile[];
	readonly problems: readonly Problem[];
	/** With views over all of them; null where some cannot be read. */
	readonly engine: Engine | null;
}

/** Each file's footer is read when the views are made; what DuckDB cannot read then is found file by file. */
async function readableFiles(listing: StoreListing, duckDb: DuckDbOptions): Promise<ReadableFiles> {
	try {
		return { files: listing.files, problems: [], engine: await openDuckDb(listing.folder, listing.files, duckDb) };
	} catch (error) {
		if (!isOfDuckDb(error)) {
			throw error;
		}
	}
	return { ...(await checkedFiles(listing, duckDb)), engine: null };
}

/** Reads every byte of every file: what cannot be read is left out. */
export async function checkedFiles({ folder, name, files }: StoreListing, duckDb: DuckDbOptions): Promise<{ files: StoreFile[]; problems: Problem[] }> {
	const engine = await openDuckDb(folder, [], duckDb);
	const readable: StoreFile[] = [];
	const problems: Problem[] = [];
	for (const file of files) {
		try {
			await engine.execute(`SELECT bit_xor(hash(COLUMNS(*))) FROM read_parquet(${literal(file.filePath)})`);
			readable.push(file);
		} catch (error) {
			if (!(error instanceof InputError)) {
				throw error;
			}
			const message = 'is damaged: it cannot be read to its end';
			problems.push({ severity: 'error', file: `${name}/${file.name}`, message, action: 'it is not read: take it away, and collect its run again' });
		}
	}
	engine.close();
	return { files: readable, problems };
}

/** Files that hold one of the chosen runs. */
async function filesOfRuns(
	store: LogFile,
	files: readonly StoreFile[],
	conditions: readonly Condition[],
	days: Days,
	duckDb: DuckDbOptions,
): Promise<readonly StoreFile[]> {
	const engine = await openDuckDb(
		store.filePath,
		files.filter(({ table }) => table === 'runs' || table === 'labels'),
		duckDb,
	);
	try {
		const { rows } = await engine.execute(`SELECT DISTINCT name, dt FROM runs WHERE ${runsPredicate(conditions, days)}`);
		const runs = new Set(rows.map(([run]) => run));
		const runDays = new Set(rows.map(([, day]) => day));
		const known = new Map<string, boolean>();
		const holdsOne = (file: StoreFile): boolean => {
			const key = `${file.day} ${path.basename(file.filePath)}`;
			const holds = known.get(key) ?? (runDays.has(file.day) && (runsInFile(file, store.filePath)?.some((run) => runs.has(run)) ?? true));
			known.set(key, holds);
			return holds;
		};
		return files.filter((file) => (file.run === null ? holdsOne(file) : runs.has(file.run)));
	} finally {
		engine.close();
	}
}

async function daysOf(engine: Engine, { conditions, days }: QueryRequest): Promise<Days> {
	const { rows } = await engine.run(`SELECT min(dt), max(dt) FROM runs WHERE ${runsPredicate(conditions, days)}`);
	const [from, to] = rows[0] ?? [];
	return typeof from === 'string' && typeof to === 'string' ? { from, to } : days;
}

function answerOf(
	store: string,
	question: Question | null,
	{ conditions }: QueryRequest,
	sql: string,
	engine: Engine,
	{ columns, rows }: EngineResult,
	problems: readonly Problem[],
): QueryAnswer {
	const described = columns.map(({ name, type }): Column => {
		const known = question?.columns.get(name);
		return {
			name,
			type: type === 'id' ? 'integer' : type,
			...(known?.unit == null ? {} : { unit: known.unit }),
			...(known === undefined ? {} : { meaning: known.meaning }),
		};
	});
	return {
		question,
		table: { name: question?.name ?? 'query', ...(question === null ? {} : { meaning: question.title }), columns: described, rows: () => rows },
		problems,
		result: () => ({
			store,
			question: question?.name ?? null,
			engine: engine.name,
			sql,
			where: conditions.map(conditionText),
			columns: described.map(({ name, type, unit = null, meaning = null }) => ({ name, type: type as 'text', unit, meaning })),
			rows,
			leftOut: problems.length,
		}),
	};
}
