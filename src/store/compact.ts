/**
 * `assay compact`: the runs of a store, day by day, as a few large files of a new store, sorted for the questions and compressed with Zstandard. Builds of a service lie in
 * files of their own where they are large enough, so that a question about one leaves the others' out. The old store is only read, as it was when the job began: others may go on writing into it. Each table's rows are counted before and after. Runs that the new store has already are left
 * alone, so that a job that was killed, or a later one, goes on where the last ended.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { CompactResult } from '../answers/results.js';
import { InputError, type Problem } from '../model/problem.js';
import type { LogFile } from '../recording/log-file.js';
import { reasonOf } from '../recording/system-error.js';
import { type DuckDbEngine, type DuckDbOptions, openDuckDb } from './engine/duckdb.js';
import { hiddenBeside, listStore, manyFileOf, runsListOf, runsTogether, type StoreFile, writeWhole } from './files.js';
import { idOf, nameOfId } from './ids.js';
import { checkedFiles } from './query.js';
import { STORE_TABLES, STORE_VERSION, type StoreTable, type StoreTableName, storeTable } from './schema.js';
import { literal } from './sql-text.js';

export interface CompactRequest {
	readonly store: LogFile;
	readonly into: LogFile;
	readonly duckDb: Pick<DuckDbOptions, 'memoryBytes' | 'threads'>;
	/** Decisions of a day from which a build has files of its own; left out: a group of rows. */
	readonly ownFilesFrom?: number | undefined;
	readonly onProgress?: ((what: string) => void) | undefined;
}

export interface CompactAnswer {
	readonly result: CompactResult;
	readonly problems: readonly Problem[];
}

type Totals = { -readonly [Key in keyof CompactResult['tables'][number]]: CompactResult['tables'][number][Key] };

/** Rows of a group: less and there is little to leave out, more and a question reads too much. */
const ROWS_OF_GROUP = 122_880;

/** Throws an {@link InputError} where the new store cannot be written, or rows would be lost. */
export async function compactStore({ store, into, duckDb, ownFilesFrom = ROWS_OF_GROUP, onProgress }: CompactRequest): Promise<CompactAnswer> {
	if (path.resolve(store.filePath) === path.resolve(into.filePath)) {
		throw new InputError({ severity: 'error', file: into.name, message: 'is the store itself', action: 'name a new folder' });
	}
	const listing = listStore(store.filePath, store.name);
	const problems: Problem[] = [...listing.problems];
	const totals = new Map<StoreTableName, Totals>(
		STORE_TABLES.map((table) => [table, { table, rowsBefore: 0, rowsAfter: 0, filesBefore: 0, filesAfter: 0, bytesBefore: 0, bytesAfter: 0 }]),
	);
	const days = [...new Set(listing.files.map(({ day }) => day))].sort();
	let runs = 0;
	try {
		for (const table of STORE_TABLES) {
			fs.mkdirSync(path.join(into.filePath, table), { recursive: true });
		}
		for (const [i, day] of days.entries()) {
			onProgress?.(`${day}, ${i + 1} of ${days.length} days`);
			const checked = await checkedFiles({ ...listing, files: listing.files.filter((file) => file.day === day) }, duckDb);
			problems.push(...checked.problems);
			const engine = await openDuckDb(store.filePath, [], { ...duckDb, writable: [into.filePath] });
			try {
				runs += await new Day(engine, day, checked.files, into.filePath, totals).write(ownFilesFrom);
			} finally {
				engine.close();
			}
		}
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === undefined) {
			throw error;
		}
		throw new InputError({
			severity: 'error',
			file: into.name,
			message: `cannot be written (${reasonOf(error)})`,
			action: 'the old store is as it was: make room, and compact again',
		});
	}
	return { result: { store: store.name, into: into.name, runs, tables: [...totals.values()] }, problems };
}

interface ChosenRun {
	readonly run: string;
	readonly name: string;
	/** With its service. */
	readonly build: string;
	readonly decisions: number;
}

/** Runs of a build stay together; builds with fewer decisions lie with the next. */
function groupsOf(runs: readonly ChosenRun[], ownFilesFrom: number): ChosenRun[][] {
	const groups: ChosenRun[][] = [];
	let decisions = 0;
	let build: string | null = null;
	for (const run of runs) {
		const last = groups.at(-1);
		if (last === undefined || (run.build !== build && decisions >= ownFilesFrom)) {
			groups.push([run]);
			decisions = 0;
		} else {
			last.push(run);
		}
		build = run.build;
		decisions += run.decisions;
	}
	return groups;
}

/** All tables of a day; those of runs last. */
class Day {
	private readonly engine: DuckDbEngine;
	private readonly day: string;
	private readonly files: readonly StoreFile[];
	private readonly into: string;
	private readonly totals: ReadonlyMap<StoreTableName, Totals>;

	constructor(engine: DuckDbEngine, day: string, files: readonly StoreFile[], into: string, totals: ReadonlyMap<StoreTableName, Totals>) {
		this.engine = engine;
		this.day = day;
		this.files = files;
		this.into = into;
		this.totals = totals;
	}

	/** How many runs are new in the new store. */
	async write(ownFilesFrom: number): Promise<number> {
		const chosen = await this.newRuns();
		this.removeUnfinished();
		for (const group of groupsOf(chosen, ownFilesFrom)) {
			await this.writeGroup(group);
		}
		return chosen.length;
	}

	/** Those that the new store does not have, by service and build. */
	private async newRuns(): Promise<ChosenRun[]> {
		const ofRuns = this.filesOf('runs');
		if (ofRuns.length === 0) {
			return [];
		}
		const known = runsTogether(this.into, this.day);
		const decisions = this.filesOf('decisions');
		const counted =
			decisions.length === 0 ? 'SELECT NULL AS run, 0 AS decisions WHERE false' : `SELECT run, count(*) AS decisions FROM ${readOf(decisions)} GROUP BY run`;
		const { rows } = await this.engine.execute(
			`SELECT r.run, r.name, r.service, r.build, coalesce(c.decisions, 0) FROM (SELECT DISTINCT run, name, service, build FROM ${readOf(ofRuns)}) r LEFT JOIN (${counted}) c ON c.run = r.run ORDER BY r.service, r.build, r.name`,
		);
		return rows
			.map(
				([run, name, service, build, count]): ChosenRun => ({
					run: String(run),
					name: String(name),
					build: JSON.stringify([service, build]),
					decisions: Number(count),
				}),
			)
			.filter(({ name }) => !known.has(name));
	}

	private async writeGroup(group: readonly ChosenRun[]): Promise<void> {
		const { day, into } = this;
		const name = nameOfId(idOf('many', day, ...group.map((one) => one.name).sort()));
		await this.engine.execute('CREATE OR REPLACE TEMP TABLE chosen (run BIGINT)');
		await this.engine.execute(`INSERT INTO chosen VALUES ${group.map(({ run }) => `(${BigInt(run)})`).join(', ')}`);
		const names = new Set(group.map((one) => one.name));
		for (const table of STORE_TABLES.filter((one) => one !== 'runs')) {
			await this.writeTable(table, name, names);
		}
		writeWhole(runsListOf(into, day, name), (write) => write(Buffer.from(`${[...names].sort().join('\n')}\n`)));
		await this.writeTable('runs', name, names);
	}

	private filesOf(table: StoreTableName): StoreFile[] {
		return this.files.filter((file) => file.table === table);
	}

	/** What a job that was killed left: tables of runs that are not there. */
	private removeUnfinished(): void {
		for (const table of STORE_TABLES) {
			const folder = path.dirname(manyFileOf(this.into, table, this.day, 'x'));
			for (const file of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
				const isUnfinished = file.endsWith('.many.parquet') && !fs.existsSync(path.join(path.dirname(manyFileOf(this.into, 'runs', this.day, 'x')), file));
				if (isUnfinished || file.startsWith('.')) {
					fs.rmSync(path.join(folder, file), { force: true });
				}
			}
		}
	}

	private async writeTable(name: StoreTableName, file: string, names: ReadonlySet<string>): Promise<void> {
		const table = storeTable(name);
		const hasRun = table.columns.some((column) => column.name === 'run');
		// Of a run that was not collected to its end there may be files: they do not count.
		const files = this.filesOf(name).filter(({ run }) => run === null || names.has(run));
		if (files.length === 0) {
			return;
		}
		const total = this.totals.get(name)!;
		const rows = `SELECT ${hasRun ? '' : 'DISTINCT '}${columnsOf(table)} FROM (${emptyOf(table)} UNION ALL BY NAME SELECT * FROM ${readOf(files)}) every ${hasRun ? 'WHERE run IN (SELECT run FROM chosen)' : ''}`;
		const before = await this.count(`(${rows}) counted`);
		if (before === 0) {
			return;
		}
		const target = manyFileOf(this.into, name, this.day, file);
		fs.mkdirSync(path.dirname(target), { recursive: true });
		const beside = hiddenBeside(target);
		const metadata = `{"assay.store": '${STORE_VERSION}', "table": ${literal(name)}}`;
		await this.engine.execute(
			`COPY (${rows} ORDER BY ${table.order.map((column) => `"${column}"`).join(', ')}) TO ${literal(beside)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 9, PARQUET_VERSION v2, ROW_GROUP_SIZE ${ROWS_OF_GROUP}, KV_METADATA ${metadata})`,
		);
		const after = await this.count(`read_parquet(${literal(beside)})`);
		if (after !== before) {
			fs.rmSync(beside, { force: true });
			throw new InputError({
				severity: 'error',
				file: target,
				message: `has ${after} rows, and ${before} were to be written`,
				action: 'nothing of this day is in the new store',
			});
		}
		total.rowsBefore += before;
		total.rowsAfter += after;
		total.filesBefore += files.length;
		total.bytesBefore += files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
		total.filesAfter++;
		total.bytesAfter += fs.statSync(beside).size;
		fs.renameSync(beside, target);
	}

	private async count(from: string): Promise<number> {
		const { rows } = await this.engine.execute(`SELECT count(*) FROM ${from}`);
		return Number(rows[0]?.[0] ?? 0);
	}
}

function columnsOf({ columns }: StoreTable): string {
	return columns.map(({ name }) => `"${name}"`).join(', ');
}

const TYPES = { id: 'BIGINT', text: 'VARCHAR', integer: 'BIGINT', number: 'DOUBLE', boolean: 'BOOLEAN' } as const;

function emptyOf({ columns }: StoreTable): string {
	return `SELECT ${columns.map(({ name, type }) => `CAST(NULL AS ${TYPES[type]}) AS "${name}"`).join(', ')} WHERE false`;
}

function readOf(files: readonly StoreFile[]): string {
	return `read_parquet([${files.map(({ filePath }) => literal(filePath)).join(', ')}], union_by_name = true, hive_partitioning = false)`;
}
