/**
 * DuckDB (duckdb.org) inside assay: views over a store's files, one a table, in a database in memory. It may read the store and nothing else, installs nothing, and runs
 * one SELECT at a time. The package is loaded when the first question is asked.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { DuckDBConnection, DuckDBResultReader, DuckDBValue } from '@duckdb/node-api';
import { InputError, UsageError } from '../../model/problem.js';
import type { Cell, ColumnType } from '../../model/table.js';
import type { StoreFile } from '../files.js';
import { DAY_COLUMN, STORE_SCHEMA, type StoreTable } from '../schema.js';
import { literal } from '../sql-text.js';
import { type Engine, type EngineResult, type RunOptions, wholeNumber } from './result.js';

export interface DuckDbOptions {
	readonly memoryBytes: number;
	readonly threads: number;
	/** Folders of files that statements of assay's own may write; none: nothing is written. */
	readonly writable?: readonly string[];
}

export const DEFAULT_DUCKDB: DuckDbOptions = { memoryBytes: 2e9, threads: 2 };

const TYPES: Readonly<Record<ColumnType, string>> = { id: 'BIGINT', text: 'VARCHAR', integer: 'BIGINT', number: 'DOUBLE', boolean: 'BOOLEAN' };

export interface DuckDbEngine extends Engine {
	readonly name: 'duckdb';
	/** Statements of assay's own, which may write where {@link DuckDbOptions} allows. */
	execute(sql: string): Promise<EngineResult>;
}

/** `folder`: of the store, an absolute path. */
export async function openDuckDb(
	folder: string,
	files: readonly StoreFile[],
	{ memoryBytes, threads, writable = [] }: DuckDbOptions = DEFAULT_DUCKDB,
): Promise<DuckDbEngine> {
	const { DuckDBInstance, StatementType } = await loadPackage();
	// What does not fit into the memory goes there, and goes away with the engine.
	const spill = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-duckdb-'));
	const instance = await DuckDBInstance.create(':memory:', {
		threads: String(threads),
		memory_limit: `${Math.round(memoryBytes / 1e6)}MB`,
		autoinstall_known_extensions: 'false',
		autoload_known_extensions: 'false',
		allow_community_extensions: 'false',
		temp_directory: spill,
	});
	const connection = await instance.connect();
	const close = (): void => {
		connection.closeSync();
		instance.closeSync();
		fs.rmSync(spill, { recursive: true, force: true });
	};
	await connection.run(`SET allowed_directories = [${[folder, spill, ...writable].map(literal).join(', ')}]`);
	await connection.run('SET enable_external_access = false');
	await connection.run('SET preserve_insertion_order = false');
	// Else it counts no progress; what it would print is not wanted.
	await connection.run('SET enable_progress_bar = true');
	await connection.run('SET enable_progress_bar_print = false');
	await connection.run('SET progress_bar_time = 0');
	await connection.run('SET lock_configuration = true');
	try {
		for (const table of STORE_SCHEMA) {
			const view = viewOf(
				table,
				files.filter((file) => file.table === table.name),
			);
			await attempt(() => connection.run(view));
		}
	} catch (error) {
		close();
		throw error;
	}
	const execute = (sql: string, options: RunOptions = {}): Promise<EngineResult> => read(connection, sql, options);
	return {
		name: 'duckdb',
		execute,
		async run(sql, options) {
			const statements = await attempt(() => connection.extractStatements(sql));
			if (statements.count !== 1) {
				throw new UsageError(`one SELECT is expected, and these are ${statements.count} statements`);
			}
			const { statementType } = await attempt(() => statements.prepare(0));
			if (statementType !== StatementType.SELECT && statementType !== StatementType.EXPLAIN) {
				throw new UsageError('a SELECT is expected: questions change nothing');
			}
			return execute(sql, options);
		},
		close,
	};
}

async function loadPackage(): Promise<typeof import('@duckdb/node-api')> {
	try {
		return await import('@duckdb/node-api');
	} catch {
		throw new InputError({
			severity: 'error',
			file: '@duckdb/node-api',
			message: 'is not installed, or not for this machine: it is an optional package',
			action: 'npm install @duckdb/node-api, or ask an engine of your own: --engine trino',
		});
	}
}

/** All columns, also where no file has them yet. */
function viewOf({ name, columns }: StoreTable, files: readonly StoreFile[]): string {
	const empty = columns.map((column) => `CAST(NULL AS ${TYPES[column.type]}) AS "${column.name}"`);
	const nothing = `SELECT ${empty.join(', ')}, CAST(NULL AS VARCHAR) AS ${DAY_COLUMN} WHERE false`;
	if (files.length === 0) {
		return `CREATE VIEW "${name}" AS ${nothing}`;
	}
	const list = files.map(({ filePath }) => literal(filePath)).join(', ');
	const read = `read_parquet([${list}], hive_partitioning = true, hive_types = {'${DAY_COLUMN}': VARCHAR}, union_by_name = true)`;
	// What files lack comes from the empty part: an older file may have fewer columns.
	return `CREATE VIEW "${name}" AS ${nothing} UNION ALL BY NAME SELECT * FROM ${read}`;
}

const STEP_MS = 200;

async function read(connection: DuckDBConnection, sql: string, { signal, onProgress }: RunOptions): Promise<EngineResult> {
	const interrupt = (): void => connection.interrupt();
	signal?.addEventListener('abort', interrupt, { once: true });
	const timer = onProgress === undefined ? null : setInterval(() => onProgress(progressOf(connection)), STEP_MS);
	try {
		signal?.throwIfAborted();
		return resultOf(await attempt(() => connection.runAndReadAll(sql)));
	} finally {
		signal?.removeEventListener('abort', interrupt);
		if (timer !== null) {
			clearInterval(timer);
		}
	}
}

/** Of statements of many steps it often tells nothing: less than nothing, or what hardly moves. */
function progressOf({ progress }: DuckDBConnection): number | null {
	return progress.percentage >= 1 ? progress.percentage : null;
}

function resultOf(reader: DuckDBResultReader): EngineResult {
	const names = reader.columnNames();
	const types = reader.columnTypes().map((type) => typeOf(String(type)));
	const rows = reader.getRows().map((row) => row.map(cellOf));
	return { columns: names.map((name, i) => ({ name, type: types[i]! })), rows };
}

function typeOf(type: string): ColumnType {
	return /^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER)$/.test(type)
		? 'integer'
		: /^(?:DOUBLE|FLOAT|DECIMAL)/.test(type)
			? 'number'
			: type === 'BOOLEAN'
				? 'boolean'
				: 'text';
}

function cellOf(value: DuckDBValue): Cell {
	switch (typeof value) {
		case 'bigint':
			return wholeNumber(value);
		case 'number':
			return Number.isFinite(value) ? value : null;
		case 'string':
		case 'boolean':
			return value;
		default:
			return value === null ? null : decimalOrText(String(value));
	}
}

/** Decimals come as objects that spell themselves. */
function decimalOrText(text: string): Cell {
	return /^-?\d{1,15}\.\d{1,15}$/.test(text) ? Number(text) : text;
}

async function attempt<T>(run: () => Promise<T>): Promise<T> {
	try {
		return await run();
	} catch (error) {
		const said = error instanceof Error ? error.message : String(error);
		throw new InputError({ severity: 'error', file: 'DuckDB', message: (said.split('\n')[0] ?? '').trim(), action: 'mend the question, or the store' });
	}
}
