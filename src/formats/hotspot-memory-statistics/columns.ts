/**
 * Tables with a row for each compilation (JDK 25; `ctyp total … method`) or each method (JDK 22 to 24; `total NA RA … method`, JDK changes 8317683,
 * 8318016, 8320682, 8331087). The columns are found by the names in the head: everything between `total` and the first known one is an arena.
 */

/** The first columns after the arenas: `#nodes` in JDK 25, `result` before. */
const AFTER_ARENAS = ['#nodes', 'result'];

/** The names in the head of such a table, null for any other line. */
export function tableColumns(line: string): string[] | null {
	const names = line.trim().split(/\s+/);
	const isHead = (names[0] === 'total' || (names[0] === 'ctyp' && names[1] === 'total')) && names.at(-1) === 'method';
	return isHead && AFTER_ARENAS.some((name) => names.includes(name)) ? names : null;
}

/** The arenas of a table: `type` is one of C2's, and in older forms also the column of the compiler. */
export function arenasOf(columns: readonly string[]): string[] {
	return columns.slice(firstArena(columns), endOfArenas(columns));
}

export function firstArena(columns: readonly string[]): number {
	return columns.indexOf('total') + 1;
}

function endOfArenas(columns: readonly string[]): number {
	return columns.findIndex((name) => AFTER_ARENAS.includes(name));
}

export interface TableFields {
	/** By the column's name; all but `method`. */
	readonly texts: ReadonlyMap<string, string>;
	readonly bytes: readonly number[];
	readonly totalBytes: number;
	readonly limitBytes: number | null;
	readonly hitLimit: boolean;
	readonly spelling: string;
}

const BLANKS = /\s+/g;

/** The fields of a row, or null when the line is none. Fields that are too wide shift the rest; blanks still divide them. */
export function tableFields(line: string, columns: readonly string[]): TableFields | null {
	const text = line.trimStart();
	const texts = new Map<string, string>();
	const bytes: (number | null)[] = [];
	const first = firstArena(columns);
	const end = endOfArenas(columns);
	let position = 0;
	BLANKS.lastIndex = 0;
	for (let i = 0; i < columns.length - 1; i++) {
		const column = columns[i]!;
		const blank = BLANKS.exec(text);
		if (blank === null) {
			return null;
		}
		const field = text.slice(position, blank.index);
		// A compiler that gives no result leaves the column empty.
		if (column === 'result' && !/^[a-z]/i.test(field)) {
			BLANKS.lastIndex = position;
			continue;
		}
		if (i >= first && i < end) {
			bytes.push(sizeOf(field));
		} else {
			texts.set(column, field);
		}
		position = BLANKS.lastIndex;
	}
	const totalBytes = sizeOf(texts.get('total') ?? '');
	const limit = texts.get('limit') ?? '-';
	const hitLimit = limit.endsWith('*');
	const limitBytes = sizeOf(hitLimit ? limit.slice(0, -1) : limit);
	const spelling = text.slice(position).trimEnd();
	if (totalBytes === null || bytes.includes(null) || spelling === '') {
		return null;
	}
	return { texts, bytes: bytes as number[], totalBytes, limitBytes, hitLimit, spelling };
}

const UNITS: Record<string, number> = { '': 1, B: 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };

/** Bytes; older forms may shorten to `20480K`. null for what is no size. */
function sizeOf(text: string): number | null {
	const [, digits, unit = ''] = /^(\d{1,15})([BKMG]?)$/.exec(text) ?? [];
	return digits === undefined ? null : Number(digits) * UNITS[unit]!;
}
