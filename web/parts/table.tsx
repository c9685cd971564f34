/** A table of any length: columns by which it can be sorted, rows that open something. */
import type { ComponentChildren } from 'preact';
import { type KeyHint, usePage } from './context.js';
import { textsOf } from './copied.js';
import { useWindowWidth } from './measure.js';
import { Virtual } from './virtual.js';

export interface Column<T> {
	readonly key: string;
	readonly head: ComponentChildren;
	/** A track of the grid, as `minmax(0, 1fr)` or `72px`. */
	readonly width: string;
	readonly isNumber?: boolean;
	/** What it is sorted by, the largest first (texts: the first letters first); left out: not sortable. */
	readonly by?: (row: T) => number | string;
	readonly cell: (row: T) => ComponentChildren;
	/** What the head means. */
	readonly title?: string;
	/** 1 goes first when the window is narrow, 2 next. */
	readonly dispensable?: 1 | 2;
}

interface TableProps<T> {
	readonly id: string;
	readonly label: string;
	readonly columns: readonly Column<T>[];
	readonly rows: readonly T[];
	/** The key of a column, with `-` before it the other way round. */
	readonly sort: string;
	readonly onSort: (sort: string) => void;
	readonly active: number;
	readonly onActive: (position: number) => void;
	readonly onEnter: (position: number) => void;
	readonly keys?: readonly KeyHint[];
	readonly rowHeight?: number;
	readonly reveal?: number;
	readonly rowClass?: (row: T) => string | undefined;
}

const TABLE_KEYS: readonly KeyHint[] = [
	['j k', 'rows'],
	['Enter', 'open'],
	['o', 'sort by the next column'],
];

/** Window widths below which columns are left out. */
const SPARE_BELOW = { 1: 1380, 2: 1000 } as const;

export function sortRows<T>(rows: readonly T[], columns: readonly Column<T>[], sort: string): T[] {
	const column = columns.find(({ key }) => key === sort.replace(/^-/, ''));
	const by = column?.by;
	if (by === undefined) {
		return [...rows];
	}
	const keyed = rows.map((row, i) => ({ row, value: by(row), i }));
	keyed.sort((a, b) => {
		const order = typeof a.value === 'string' || typeof b.value === 'string' ? (a.value < b.value ? -1 : a.value > b.value ? 1 : 0) : b.value - a.value || 0;
		return (sort.startsWith('-') ? -order : order) || a.i - b.i;
	});
	return keyed.map(({ row }) => row);
}

const GAP = 14;
const PADDING = 24;

/** What the columns need at least, in pixels. */
function leastWidth<T>(columns: readonly Column<T>[]): number {
	return columns.reduce((sum, { width }) => sum + Number(/\d+/.exec(width)?.[0] ?? 0), PADDING + GAP * (columns.length - 1));
}

export function Table<T>(props: TableProps<T>) {
	const { rows, sort } = props;
	const width = useWindowWidth();
	const columns = props.columns.filter(({ dispensable }) => dispensable === undefined || width >= SPARE_BELOW[dispensable]);
	const template = columns.map((column) => column.width).join(' ');
	const isBackwards = sort.startsWith('-');
	const sorted = sort.replace(/^-/, '');
	const nextSort = (): void => {
		const sortable = columns.filter(({ by }) => by !== undefined);
		const at = sortable.findIndex(({ key }) => key === sorted);
		props.onSort(isBackwards || at < 0 ? (sortable[(at + 1) % sortable.length]?.key ?? '') : `-${sorted}`);
	};
	const page = usePage();
	const copied = props.columns.filter(({ key }) => key !== 'heat');
	const cellClass = ({ isNumber }: Column<T>): string => `cell${isNumber ? ' number' : ''}`;
	return (
		<Virtual
			id={props.id}
			label={props.label}
			role="grid"
			class="table"
			count={rows.length}
			textHead={() =>
				textsOf(
					page,
					copied.map(({ head }) => head),
				)
					.map((text, i) => text || copied[i]!.key)
					.join('\t')
			}
			text={(position) =>
				textsOf(
					page,
					copied.map((column) => column.cell(rows[position] as T)),
				).join('\t')
			}
			rowHeight={props.rowHeight ?? 25}
			active={props.active}
			onActive={props.onActive}
			onEnter={props.onEnter}
			onKey={(event) => {
				if (event.key === 'o') {
					nextSort();
					return true;
				}
				return false;
			}}
			keys={props.keys ?? TABLE_KEYS}
			reveal={props.reveal ?? -1}
			head={columns.map((column) => (
				<div
					key={column.key}
					role="columnheader"
					class={cellClass(column)}
					title={column.title}
					aria-sort={
						column.by === undefined ? undefined : column.key === sorted ? (isBackwards === (column.isNumber === true) ? 'ascending' : 'descending') : 'none'
					}
				>
					{column.by === undefined ? (
						column.head === '' ? (
							<span class="sr">{column.key}</span>
						) : (
							column.head
						)
					) : (
						<button type="button" tabIndex={-1} onClick={() => props.onSort(column.key === sorted && !isBackwards ? `-${column.key}` : column.key)}>
							{column.head}
							{column.key === sorted && <span aria-hidden="true">{isBackwards ? ' ▴' : ' ▾'}</span>}
						</button>
					)}
				</div>
			))}
			rowProps={(position) => {
				const more = props.rowClass?.(rows[position] as T);
				return more === undefined ? {} : { class: more };
			}}
			row={(position) =>
				columns.map((column) => (
					<div key={column.key} role="gridcell" class={cellClass(column)}>
						{column.cell(rows[position] as T)}
					</div>
				))
			}
			template={template}
			leastWidth={leastWidth(columns)}
		/>
	);
}
