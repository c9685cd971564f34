/** Tables as Parquet files (parquet.apache.org), a group of rows at a time: memory does not grow with the table. */
import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import type { Cell, ColumnType, Table } from '../../model/table.js';

const ROWS_OF_GROUP = 50_000;
const TYPES = { text: 'STRING', integer: 'INT64', number: 'DOUBLE', boolean: 'BOOLEAN', id: 'INT64' } as const;

/** What tables of many runs need beside a table's own. */
export interface ParquetForm {
	/** How pages are compressed, where that is not Snappy. */
	readonly compression?: { readonly codec: 'ZSTD' | 'GZIP'; readonly compress: (bytes: Uint8Array) => Uint8Array };
	/** Further key-value metadata. */
	readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * All columns may hold null. `createdBy`: who the file says wrote it. The file's key-value metadata has the table's name and what a row is, and of each column with a
 * unit `unit.COLUMN`, with a meaning `meaning.COLUMN`.
 */
export function writeParquet(
	{ name: tableName, meaning, columns, rows }: Table,
	createdBy: string,
	write: (bytes: Uint8Array) => void,
	form: ParquetForm = {},
): void {
	const columnData = (group: readonly (readonly Cell[])[]) =>
		columns.map(({ name, type }, i) => ({ name, data: group.map((row) => cell(row[i] ?? null, type)), type: TYPES[type], nullable: true }));
	const bytes = new ByteWriter();
	const handOn = (): void => {
		write(bytes.getBytes().slice());
		bytes.index = 0;
	};
	const writer = new ParquetWriter({
		writer: Object.assign(bytes, { flush: handOn, finish: handOn }),
		schema: schemaFromColumnData({ columnData: columnData([]) }),
		createdBy,
		...(form.compression === undefined ? {} : { codec: form.compression.codec, compressors: { [form.compression.codec]: form.compression.compress } }),
		kvMetadata: [
			...Object.entries(form.metadata ?? {}).map(([key, value]) => ({ key, value })),
			{ key: 'table', value: tableName },
			...(meaning === undefined ? [] : [{ key: 'row', value: meaning }]),
			...columns.flatMap(({ name, unit }) => (unit === undefined ? [] : [{ key: `unit.${name}`, value: unit }])),
			...columns.flatMap((column) => (column.meaning === undefined ? [] : [{ key: `meaning.${column.name}`, value: column.meaning }])),
		],
	});
	let group: (readonly Cell[])[] = [];
	const writeGroup = (): void => {
		writer.write({ columnData: columnData(group), rowGroupSize: ROWS_OF_GROUP });
		group = [];
	};
	for (const row of rows()) {
		group.push(row);
		if (group.length === ROWS_OF_GROUP) {
			writeGroup();
		}
	}
	if (group.length > 0) {
		writeGroup();
	}
	writer.finish();
}

function cell(value: Cell, type: ColumnType): Cell | bigint {
	if (value === null) {
		return null;
	}
	return type === 'integer' ? BigInt(Math.round(value as number)) : type === 'id' ? BigInt(value as string) : value;
}
