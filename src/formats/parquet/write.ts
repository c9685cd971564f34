/** Tables as Parquet files (parquet.apache.org), a group of rows at a time: memory does not grow with the table. */
import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import type { Cell, ColumnType, Table } from '../../model/table.js';

const ROWS_OF_GROUP = 50_000;
const TYPES = { text: 'STRING', integer: 'INT64', number: 'DOUBLE', boolean: 'BOOLEAN', id: 'INT64' } as const;

/** What tables of many runs need beside a table's own. */
export interface ParquetForm {
	/** How pages are compressed, where that is not Snappy. */
	readonly compression?: { readonly codec: 'ZSTD' | 'GZIP'; readonly compress: (bytes: Uint8Array) => Uint8Array };
	/** Smallest and largest value of each column; false: left out, for files that nobody chooses by them. */
	readonly hasStatistics?: boolean;
	/** Further key-value metadata. */
	readonly metadata?: Readonly<Record<string, string>>;
}

/** Values of a table's columns, all in memory; ids and whole numbers may be `bigint`. */
export interface ColumnTable extends Omit<Table, 'rows'> {
	readonly values: readonly (readonly (Cell | bigint)[])[];
}

/**
 * All columns may hold null. `createdBy`: who the file says wrote it. The file's key-value metadata has the table's name and what a row is, and of each column with a
 * unit `unit.COLUMN`, with a meaning `meaning.COLUMN`.
 */
export function writeParquet(table: Table, createdBy: string, write: (bytes: Uint8Array) => void, form: ParquetForm = {}): void {
	const { writer, writeGroup } = openWriter(table, createdBy, write, form);
	let group: (readonly Cell[])[] = [];
	const writeRows = (): void => {
		writeGroup((i) => group.map((row) => row[i] ?? null));
		group = [];
	};
	for (const row of table.rows()) {
		group.push(row);
		if (group.length === ROWS_OF_GROUP) {
			writeRows();
		}
	}
	if (group.length > 0) {
		writeRows();
	}
	writer.finish();
}

/** The same of columns. */
export function writeParquetColumns(table: ColumnTable, createdBy: string, write: (bytes: Uint8Array) => void, form: ParquetForm = {}): void {
	const { values } = table;
	const { writer, writeGroup } = openWriter(table, createdBy, write, form);
	const length = values[0]?.length ?? 0;
	for (let from = 0; from < length; from += ROWS_OF_GROUP) {
		const isAll = length <= ROWS_OF_GROUP;
		writeGroup((i) => (isAll ? values[i]! : values[i]!.slice(from, from + ROWS_OF_GROUP)));
	}
	writer.finish();
}

interface OpenWriter {
	readonly writer: ParquetWriter;
	/** The values of each column. */
	writeGroup(valuesOf: (column: number) => readonly (Cell | bigint)[]): void;
}

function openWriter(
	{ name: tableName, meaning, columns }: Omit<Table, 'rows'>,
	createdBy: string,
	write: (bytes: Uint8Array) => void,
	form: ParquetForm,
): OpenWriter {
	const columnData = (valuesOf: (column: number) => readonly (Cell | bigint)[]) =>
		columns.map(({ name, type }, i) => {
			const values = valuesOf(i);
			return { name, data: type === 'integer' || type === 'id' ? values.map((value) => whole(value, type)) : [...values], type: TYPES[type], nullable: true };
		});
	const bytes = new ByteWriter();
	const handOn = (): void => {
		write(bytes.getBytes().slice());
		bytes.index = 0;
	};
	const writer = new ParquetWriter({
		writer: Object.assign(bytes, { flush: handOn, finish: handOn }),
		schema: schemaFromColumnData({ columnData: columnData(() => []) }),
		createdBy,
		statistics: form.hasStatistics ?? true,
		...(form.compression === undefined ? {} : { codec: form.compression.codec, compressors: { [form.compression.codec]: form.compression.compress } }),
		kvMetadata: [
			...Object.entries(form.metadata ?? {}).map(([key, value]) => ({ key, value })),
			{ key: 'table', value: tableName },
			...(meaning === undefined ? [] : [{ key: 'row', value: meaning }]),
			...columns.flatMap(({ name, unit }) => (unit === undefined ? [] : [{ key: `unit.${name}`, value: unit }])),
			...columns.flatMap((column) => (column.meaning === undefined ? [] : [{ key: `meaning.${column.name}`, value: column.meaning }])),
		],
	});
	return { writer, writeGroup: (valuesOf) => writer.write({ columnData: columnData(valuesOf), rowGroupSize: ROWS_OF_GROUP }) };
}

function whole(value: Cell | bigint, type: ColumnType): bigint | null {
	return value === null || typeof value === 'bigint' ? value : type === 'id' ? BigInt(value as string) : BigInt(Math.round(value as number));
}
