/** Adds up the table at the peak while it goes by: bytes by arena and by phase, and whether the rows are whole. */
import type { CompilerMemory } from '../../model/compiler-memory.js';
import { phaseColumns, phaseRow } from './details.js';

export class PhaseSums {
	/** null before the head of the table. */
	arenas: readonly string[] | null = null;
	bytes: number[] = [];
	readonly phases: string[] = [];
	readonly phaseBytes: number[] = [];
	totalBytes = 0;
	/** Rows whose arenas do not sum to their total. */
	badRows = 0;

	/** Nothing without a table. */
	byPhase(): Pick<CompilerMemory, 'byPhase'> {
		return this.phases.length === 0 ? {} : { byPhase: { phases: sharedList(this.phases), bytes: this.phaseBytes.slice() } };
	}

	/** false: the line is none of the table. */
	take(line: string): boolean {
		if (this.arenas === null) {
			const arenas = phaseColumns(line);
			this.arenas = arenas === null ? null : sharedList(arenas);
			this.bytes = this.arenas?.map(() => 0) ?? [];
			return this.arenas !== null;
		}
		const row = phaseRow(line, this.arenas);
		if (row === null) {
			return false;
		}
		let sum = 0;
		row.byArena.bytes.forEach((value, i) => {
			this.bytes[i] = this.bytes[i]! + value;
			sum += value;
		});
		this.totalBytes += row.totalBytes;
		this.phases.push(row.name);
		this.phaseBytes.push(row.totalBytes);
		if (sum !== row.totalBytes) {
			this.badRows++;
		}
		return true;
	}
}

const LISTS = new Map<string, readonly string[]>();
/** A compiler has some hundred phases, in some thousand orders. */
const MOST_LISTS = 10_000;

/** Names one after the other, the same array for the same ones: thousands of rows have the same, and each name would keep the line that it was cut from. */
function sharedList(names: readonly string[]): readonly string[] {
	const key = names.join('\n');
	let list = LISTS.get(key);
	if (list === undefined) {
		// Of one string of its own, not of lines.
		list = Buffer.from(key).toString().split('\n');
		if (LISTS.size < MOST_LISTS) {
			LISTS.set(key, list);
		}
	}
	return list;
}
