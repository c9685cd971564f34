/** Rows of a store's tables as they are collected. Columns that a row does not name are null. */
import type { Cell } from '../../model/table.js';
import { Ids } from '../ids.js';
import { STORE_TABLES, type StoreTableName, storeTable } from '../schema.js';

export type FactRow = Readonly<Record<string, Cell | bigint | undefined>>;

/** All facts of one run, table by table. */
export class Facts {
	readonly ids = new Ids();
	readonly run: bigint;
	private readonly rows: Record<StoreTableName, FactRow[]>;

	constructor(run: bigint) {
		this.run = run;
		this.rows = Object.fromEntries(STORE_TABLES.map((name) => [name, [] as FactRow[]])) as Record<StoreTableName, FactRow[]>;
	}

	add(table: StoreTableName, row: FactRow): void {
		this.rows[table].push(row);
	}

	count(table: StoreTableName): number {
		return this.rows[table].length;
	}

	/** In the order of the table's columns. Rows are sorted by what the table is sorted by: equal values lie side by side. */
	*cells(table: StoreTableName): Generator<readonly Cell[], void, undefined> {
		const { columns, order } = storeTable(table);
		const hasRun = columns.some(({ name }) => name === 'run');
		for (const row of this.rows[table].sort((a, b) => compareRows(a, b, order))) {
			yield columns.map(({ name }): Cell => {
				const value = name === 'run' && hasRun ? this.run : (row[name] ?? null);
				return typeof value === 'bigint' ? String(value) : typeof value === 'number' && !Number.isFinite(value) ? null : value;
			});
		}
	}
}

function compareRows(a: FactRow, b: FactRow, order: readonly string[]): number {
	for (const name of order) {
		const [left, right] = [a[name] ?? '', b[name] ?? ''];
		if (left !== right) {
			return left < right ? -1 : 1;
		}
	}
	return 0;
}
