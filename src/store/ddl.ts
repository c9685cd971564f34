/**
 * What an engine of your own needs to see a store: external tables over the same files in a Hive catalog of Trino, and the same as Iceberg tables. Statements may be run
 * again: after a new day, or when assay has added columns.
 */

import { UsageError } from '../model/problem.js';
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
	/** Of `iceberg`: the Hive catalog whose tables are taken over. */
	readonly icebergCatalog: string;
}

const TYPES: Readonly<Record<ColumnType, string>> = { id: 'bigint', text: 'varchar', integer: 'bigint', number: 'double', boolean: 'boolean' };

export function ddlStatements({ kind, location, catalog, schema, icebergCatalog }: DdlRequest): string[] {
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
	return kind === 'trino' ? statements : [...statements, ...icebergStatements(schema, icebergCatalog)];
}

/** The procedure takes the files of a Hive table as they lie; each may be added once. */
function icebergStatements(schema: string, catalog: string): string[] {
	const iceberg = `${quoted(catalog)}.${quoted(schema)}`;
	return [
		`CREATE SCHEMA IF NOT EXISTS ${iceberg}`,
		...STORE_SCHEMA.flatMap(({ name, columns }) => {
			const list = [...columns.map((column) => `${quoted(column.name)} ${TYPES[column.type]}`), `${DAY_COLUMN} varchar`].join(', ');
			const table = `${iceberg}.${quoted(`${name}`)}`;
			return [
				`CREATE TABLE IF NOT EXISTS ${table} (${list}) WITH (format = 'PARQUET', partitioning = ARRAY['${DAY_COLUMN}'])`,
				`ALTER TABLE ${table} EXECUTE add_files_from_table(schema_name => ${literal(schema)}, table_name => ${literal(name)})`,
			];
		}),
	];
}

/** Names of the schema are ours; those of catalogs and schemas come from the command line. */
function quoted(name: string): string {
	return `"${name.replaceAll('"', '""')}"`;
}

export async function applyDdl(engine: Engine, statements: readonly string[], onDone: (done: number) => void): Promise<void> {
	for (const [i, statement] of statements.entries()) {
		await engine.run(statement);
		onDone(i + 1);
	}
}
