import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import type { Cell, Table } from '../../model/table.js';
import { writeParquet, writeParquetColumns } from './write.js';

function written(table: Table): ArrayBuffer {
	const pieces: Uint8Array[] = [];
	writeParquet(table, 'assay 1', (bytes) => void pieces.push(bytes));
	const { buffer, byteOffset, byteLength } = Buffer.concat(pieces);
	return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
}

const COLUMNS = [
	{ name: 'a text', type: 'text' },
	{ name: 'an integer', type: 'integer' },
	{ name: 'a number', type: 'number' },
	{ name: 'a boolean', type: 'boolean' },
] as const;

test('cells of each type, and null', async () => {
	const rows: Cell[][] = [['é', 2 ** 53, 0.5, true], [null, null, null, null], ['', -3.4, -1, false], ['short row']];
	const file = written({ name: 't', columns: COLUMNS, rows: () => rows });
	expect(await parquetReadObjects({ file })).toEqual([
		{ 'a text': 'é', 'an integer': 2n ** 53n, 'a number': 0.5, 'a boolean': true },
		{ 'a text': null, 'an integer': null, 'a number': null, 'a boolean': null },
		{ 'a text': '', 'an integer': -3n, 'a number': -1, 'a boolean': false },
		{ 'a text': 'short row', 'an integer': null, 'a number': null, 'a boolean': null },
	]);
	const { created_by, schema, row_groups } = parquetMetadata(file);
	expect(created_by).toBe('assay 1');
	expect(schema.slice(1).map(({ name, type, repetition_type }) => [name, type, repetition_type])).toEqual([
		['a text', 'BYTE_ARRAY', 'OPTIONAL'],
		['an integer', 'INT64', 'OPTIONAL'],
		['a number', 'DOUBLE', 'OPTIONAL'],
		['a boolean', 'BOOLEAN', 'OPTIONAL'],
	]);
	expect(row_groups.map(({ num_rows }) => num_rows)).toEqual([4n]);
});

test.each([
	[0, []],
	[50_000, [50_000n]],
	[50_001, [50_000n, 1n]],
])('%d rows in groups of at most 50,000', async (length, groups) => {
	const numbers = Array.from({ length }, (_, i) => i);
	const file = written({ name: 't', columns: [{ name: 'n', type: 'number' }], rows: () => numbers.map((number) => [number]) });
	expect(parquetMetadata(file).row_groups.map(({ num_rows }) => num_rows)).toEqual(groups);
	expect((await parquetReadObjects({ file })).map(({ n }) => n)).toEqual(numbers);
});

test('columns are written as the rows of the same values are', () => {
	const rows: Cell[][] = Array.from({ length: 50_001 }, (_, i) => [`text ${i % 7}`, i % 5 === 0 ? null : i, i / 3, i % 2 === 0]);
	const values = COLUMNS.map(({ type }, i) => rows.map((row) => (type === 'integer' && row[i] !== null ? BigInt(row[i] as number) : row[i]!)));
	const pieces: Uint8Array[] = [];
	writeParquetColumns({ name: 't', columns: COLUMNS, values }, 'assay 1', (bytes) => void pieces.push(bytes));
	expect(Buffer.concat(pieces).equals(Buffer.from(written({ name: 't', columns: COLUMNS, rows: () => rows })))).toBe(true);
});

test('what a row is, and units and meanings of columns, stand in the metadata of the file', () => {
	const columns = [
		{ name: 'doneMs', type: 'number', unit: 'ms' },
		{ name: 'method', type: 'text', meaning: 'holder and name' },
	] as const;
	const { key_value_metadata } = parquetMetadata(written({ name: 'compilations', meaning: 'a compilation', columns, rows: () => [[1, 'a']] }));
	expect(key_value_metadata).toEqual([
		{ key: 'table', value: 'compilations' },
		{ key: 'row', value: 'a compilation' },
		{ key: 'unit.doneMs', value: 'ms' },
		{ key: 'meaning.method', value: 'holder and name' },
	]);
});
