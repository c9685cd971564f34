/** Rows of a store's tables as they are collected. Columns that a row does not name are null. */
import type { Cell } from '../../model/table.js';
import { STORE_TABLES, type StoreTable, type StoreTableName, storeTable } from '../schema.js';

export type FactRow = Readonly<Record<string, Cell | bigint | undefined>>;

type FactCell = Cell | bigint;

/** All facts of one run, table by table. */
export class Facts {
	readonly run: bigint;
	private readonly tables: Readonly<Record<StoreTableName, FactTable>>;

	constructor(run: bigint) {
		this.run = run;
		this.tables = Object.fromEntries(STORE_TABLES.map((name) => [name, new FactTable(storeTable(name), run)])) as Record<StoreTableName, FactTable>;
	}

	add(table: StoreTableName, row: FactRow): void {
		this.tables[table].add(row);
	}

	count(table: StoreTableName): number {
		return this.tables[table].length;
	}

	/** The values of each column of the table. Rows are sorted by what the table is sorted by: equal values lie side by side. */
	columns(table: StoreTableName): FactCell[][] {
		return this.tables[table].sorted();
	}
}

class FactTable {
	length = 0;
	private readonly run: bigint;
	private readonly names: readonly string[];
	private readonly values: FactCell[][];
	/** Of the columns that rows are sorted by. */
	private readonly order: readonly number[];

	constructor({ columns, order }: StoreTable, run: bigint) {
		this.run = run;
		this.names = columns.map(({ name }) => name);
		this.values = columns.map(() => []);
		this.order = order.map((name) => this.names.indexOf(name)).filter((i) => this.names[i] !== 'run');
	}

	add(row: FactRow): void {
		const { names, values } = this;
		for (let i = 0; i < names.length; i++) {
			const name = names[i]!;
			const value = name === 'run' ? this.run : (row[name] ?? null);
			values[i]!.push(typeof value === 'number' && !Number.isFinite(value) ? null : value);
		}
		this.length++;
	}

	sorted(): FactCell[][] {
		const keys = this.order.map((i) => this.values[i]!.map((value) => value ?? ''));
		const rows = new Uint32Array(this.length)
			.map((_, i) => i)
			.sort((a, b) => {
				for (let i = 0; i < keys.length; i++) {
					const left = keys[i]![a]!;
					const right = keys[i]![b]!;
					if (left !== right) {
						return left < right ? -1 : 1;
					}
				}
				return a - b;
			});
		return this.values.map((column) => column.map((_, i) => column[rows[i]!]!));
	}
}
