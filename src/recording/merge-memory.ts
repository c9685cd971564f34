/**
 * Makes one compilation of all that a file says of it: the same one may stand in print mode, in a table, in a verbose block and in an error report, and other
 * lines tell its limit, its tier and why it was given up.
 */

import type { MemoryStatistics, StatisticRow, TaskNote } from '../formats/hotspot-memory-statistics/rows.js';
import { type CompilerMemory, type MemoryDetails, NO_DETAILS } from '../model/compiler-memory.js';

export interface OpenedCompilation extends CompilerMemory {
	/** `c12`; `c12@2` for the second one of this id; `m3` for the third row of a form that counts methods. */
	readonly handle: string;
	/** The tables of it; read when they are asked for. */
	readonly details: () => MemoryDetails;
}

export interface UnnamedCompilation extends CompilerMemory {
	readonly details: () => MemoryDetails;
}

/** In the order in which they first stand in the file. */
export function mergeRows(statistics: MemoryStatistics, readDetails: (row: StatisticRow) => MemoryDetails): UnnamedCompilation[] {
	const byKey = new Map<string, StatisticRow[]>();
	statistics.rows.forEach((row, i) => {
		// Rows without an id count methods, and stand once in a table.
		const key = row.compileId === null ? `row ${i}` : `${row.compiler} ${row.compileId} ${row.totalBytes} ${row.spelling}`;
		const known = byKey.get(key);
		if (known === undefined) {
			byKey.set(key, [row]);
		} else {
			known.push(row);
		}
	});
	return [...byKey.values()].map((rows) => merged(rows, statistics, readDetails));
}

function merged(rows: readonly StatisticRow[], { hits, tasks }: MemoryStatistics, readDetails: (row: StatisticRow) => MemoryDetails): UnnamedCompilation {
	const [first] = rows as [StatisticRow, ...StatisticRow[]];
	const find = <T>(value: (row: StatisticRow) => T | null): T | null => {
		for (const row of rows) {
			const found = value(row);
			if (found !== null) {
				return found;
			}
		}
		return null;
	};
	const hit = hits.find(({ compileId, compiler, spelling }) => compileId === first.compileId && compiler === first.compiler && spelling === first.spelling);
	const task = taskOf(first, tasks);
	const byPhase = find((row) => row.byPhase ?? null);
	const tables = rows.find(({ details }) => details !== null);
	const { compileId, compiler, method, signature, totalBytes } = first;
	return {
		compileId,
		compiler,
		level: task?.level ?? null,
		osrBci: task?.osrBci ?? null,
		method,
		signature,
		totalBytes,
		byArena: (rows.find(({ byArena }) => byArena.arenas.length > 0) ?? first).byArena,
		...(byPhase === null ? {} : { byPhase }),
		nodes: find(({ nodes }) => nodes),
		result: find(({ result }) => result),
		limitBytes: hit?.limitBytes ?? find(({ limitBytes }) => limitBytes),
		hitLimit: hit !== undefined || rows.some(({ hitLimit }) => hitLimit),
		seconds: find(({ seconds }) => seconds),
		thread: find(({ thread }) => thread),
		timesCompiled: find(({ timesCompiled }) => timesCompiled),
		skipped: task?.skipped ?? null,
		details: () => (tables === undefined ? NO_DETAILS : readDetails(tables)),
	};
}

/** What was said of the task of this id, if it is of the same compiler. */
function taskOf({ compileId, compiler }: StatisticRow, tasks: ReadonlyMap<string, TaskNote>): TaskNote | null {
	const task = compileId === null ? undefined : tasks.get(compileId);
	const isOther = task?.level == null || (compiler === 'c1' && task.level > 3) || (compiler === 'c2' && task.level < 4);
	return task === undefined || isOther ? null : task;
}

export function nameCompilations(compilations: readonly UnnamedCompilation[]): OpenedCompilation[] {
	const counts = new Map<string, number>();
	return compilations.map((compilation, i) => {
		const base = compilation.compileId === null ? `m${i + 1}` : `c${compilation.compileId}`;
		const count = (counts.get(base) ?? 0) + 1;
		counts.set(base, count);
		return { ...compilation, handle: count === 1 ? base : `${base}@${count}` };
	});
}
