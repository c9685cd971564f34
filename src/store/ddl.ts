/**
 * What an engine of your own needs to see a store: external tables over the same files in a Hive catalog of Trino, and the same as Iceberg tables. Statements may be run
 * again: after a new day, or when assay has added columns.
 */

import { InputError, UsageError } from '../model/problem.js';
import type { ColumnType } from '../model/table.js';
import type { Engine } from './engine/result.js';
import { DAY_COLUMN, STORE_SCHEMA } from './schema.js';
import { literal } from './sql-text.js';

export const DDL_KINDS = ['trino', 'iceberg'] as const;
type DdlKind = (typeof DDL_KINDS)[number];

export interface DdlRequest {
	readonly kind: DdlKind;
	/** Where the engine finds the store: `s3://bucket/store`, `local:///store`. */
	readonly location: string;
	readonly catalog: string;
	readonly schema: string;
	/** Of `iceberg`: the catalog that takes over the tables; it has the same metastore. */
	readonly icebergCatalog: string;
	/** Of `iceberg`: which days each table has. */
	readonly days: ReadonlyMap<string, readonly string[]>;
}

const TYPES: Readonly<Record<ColumnType, string>> = { id: 'bigint', text: 'varchar', integer: 'bigint', number: 'double', boolean: 'boolean' };

export function ddlStatements({ kind, location, catalog, schema, icebergCatalog, days }: DdlRequest): string[] {
	if (!/^[a-z][a-z0-9+.-]*:\/\/\S*$/.test(location)) {
		throw new UsageError(`--location takes the address by which the engine sees the store, such as s3://bucket/store, not "${location}"`);
	}
	const base = location.endsWith('/') ? location.slice(0, -1) : location;
	const hive = `${quoted(catalog)}.${quoted(schema)}`;
	const statements = [`CREATE SCHEMA IF NOT EXISTS ${hive}`];
	for (const { name, columns } of STORE_SCHEMA) {
		const list = [...columns.map((column) => `${quoted(column.name)} ${TYPES[column.type]}`), `${DAY_COLUMN} varchar`].join(', ');
		const options = `external_location = ${literal(`${base}/${name}`)}, format = 'PARQUET', partitioned_by = ARRAY['${DAY_COLUMN}']`;
		statements.push(`CREATE TABLE IF NOT EXISTS ${hive}.${quoted(name)} (${list}) WITH (${options})`);
		for (const column of columns.filter(({ since }) => since > 1)) {
			statements.push(`ALTER TABLE ${hive}.${quoted(name)} ADD COLUMN IF NOT EXISTS ${quoted(column.name)} ${TYPES[column.type]}`);
		}
		statements.push(
			`CALL ${quoted(catalog)}.system.sync_partition_metadata(schema_name => ${literal(schema)}, table_name => ${literal(name)}, mode => 'FULL')`,
		);
	}
	return kind === 'trino' ? statements : [...statements, ...icebergStatements(schema, icebergCatalog, days)];
}

/**
 * The procedure takes the files of a Hive table of the same metastore as they lie, a partition at a time, and each once. Two tables of a metastore cannot have one name:
 * those of Iceberg have a schema of their own. Trino 476 compares the columns of the one with the versions of the other, so that each column has to be added by itself.
 */
function icebergStatements(schema: string, catalog: string, days: ReadonlyMap<string, readonly string[]>): string[] {
	const iceberg = `${quoted(catalog)}.${quoted(`${schema}_iceberg`)}`;
	return [
		`CREATE SCHEMA IF NOT EXISTS ${iceberg}`,
		...STORE_SCHEMA.flatMap(({ name, columns }) => {
			const table = `${iceberg}.${quoted(name)}`;
			return [
				`CREATE TABLE IF NOT EXISTS ${table} (${DAY_COLUMN} varchar) WITH (format = 'PARQUET', partitioning = ARRAY['${DAY_COLUMN}'])`,
				...columns.map((column) => `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${quoted(column.name)} ${TYPES[column.type]}`),
				...(days.get(name) ?? []).map((day) => {
					const of = `schema_name => ${literal(schema)}, table_name => ${literal(name)}`;
					return `ALTER TABLE ${table} EXECUTE add_files_from_table(${of}, partition_filter => map(ARRAY['${DAY_COLUMN}'], ARRAY[${literal(day)}]))`;
				}),
			];
		}),
	];
}

/** Names of the schema are ours; those of catalogs and schemas come from the command line. */
function quoted(name: string): string {
	return `"${name.replaceAll('"', '""')}"`;
}

/** How many days of tables Iceberg had already: it refuses to take a file twice. */
export async function applyDdl(engine: Engine, statements: readonly string[], onDone: (done: number) => void): Promise<number> {
	let known = 0;
	for (const [i, statement] of statements.entries()) {
		try {
			await engine.run(statement);
		} catch (error) {
			if (!(error instanceof InputError && error.problem.message.includes(KNOWN_FILE))) {
				throw error;
			}
			known++;
		}
		onDone(i + 1);
	}
	return known;
}

const KNOWN_FILE = 'File already exists';
