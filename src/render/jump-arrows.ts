/** Jumps as lines beside a listing. */

const MAX_COLUMNS = 6;

/**
 * A text for each of `rows` lines, all of one width: `╭`, `╰` where a jump starts, `▸` where it ends, `│` between. `jumps` are pairs of
 * rows. Short jumps are nearest to the code; those that would take more than six columns are left out.
 */
export function jumpArrows(rows: number, jumps: readonly (readonly [number, number])[]): string[] {
	const columns: { readonly from: number; readonly to: number; readonly jump: readonly [number, number] }[][] = [];
	const sorted = jumps.filter(([from, to]) => from !== to).sort((a, b) => Math.abs(a[0] - a[1]) - Math.abs(b[0] - b[1]));
	for (const jump of sorted) {
		const from = Math.min(...jump);
		const to = Math.max(...jump);
		let column = columns.find((used) => used.every((other) => other.to < from || other.from > to));
		if (column === undefined && columns.length < MAX_COLUMNS) {
			column = [];
			columns.push(column);
		}
		column?.push({ from, to, jump });
	}
	if (columns.length === 0) {
		return new Array<string>(rows).fill('');
	}
	const grid = Array.from({ length: rows }, () => new Array<string>(columns.length + 1).fill(' '));
	columns.forEach((column, i) => {
		const at = columns.length - 1 - i;
		for (const { from, to, jump } of column) {
			for (let row = from; row <= to; row++) {
				const cells = grid[row]!;
				cells[at] = row === from ? '╭' : row === to ? '╰' : '│';
			}
			for (const row of [from, to]) {
				const cells = grid[row]!;
				for (let x = at + 1; x < columns.length; x++) {
					cells[x] = cells[x] === ' ' || cells[x] === '─' ? '─' : cells[x] === '│' ? '┼' : cells[x]!;
				}
				cells[columns.length] = row === jump[1] ? '▸' : cells[columns.length] === '▸' ? '▸' : '─';
			}
		}
	});
	return grid.map((cells) => cells.join(''));
}
