/** Functions of a unit, and what was inlined into them, as trees of addresses (DWARF 5, 3.3). */
import { At, Form, Tag } from './constants.js';
import { Cursor } from './cursor.js';
import { type Ranges, rangesOf } from './ranges.js';
import { type Entry, readEntry, type Unit } from './unit.js';

/** A function with code of its own, or one that was inlined. */
export interface Scope {
	readonly isInlined: boolean;
	/** Of the entry that names it, in the section. */
	readonly origin: number;
	readonly ranges: Ranges;
	/** Where it was called from, if it was inlined; 0 where it is not told. */
	readonly callFile: number;
	readonly callLine: number;
	readonly callColumn: number;
	readonly inlined: Scope[];
}

const wants = (tag: number): boolean => tag === Tag.Subprogram || tag === Tag.InlinedSubroutine;

/** Throws a DwarfError on damage. `base`: the unit's address. */
export function readFunctions(unit: Unit, base: number): Scope[] {
	const cursor = new Cursor(unit.sections.section('info'), unit.sections.isLittle, unit.firstEntry);
	const functions: Scope[] = [];
	/** For each open list of children the function around. */
	const around: (Scope | null)[] = [];
	while (cursor.at < unit.end) {
		const entry = readEntry(unit, cursor, wants);
		if (entry === null) {
			if (around.length <= 1) {
				break;
			}
			around.pop();
			continue;
		}
		let scope = around.at(-1) ?? null;
		if (wants(entry.tag)) {
			const own = scopeOf(unit, entry, base);
			if (own.isInlined) {
				scope?.inlined.push(own);
			} else if (own.ranges.length > 0) {
				functions.push(own);
			}
			scope = own;
		}
		if (entry.hasChildren) {
			around.push(scope);
		} else if (around.length === 0) {
			break;
		}
	}
	return functions;
}

function scopeOf(unit: Unit, { offset, tag, values }: Entry, base: number): Scope {
	const isInlined = tag === Tag.InlinedSubroutine;
	return {
		isInlined,
		origin: offset,
		ranges: rangesOf(unit, values, base),
		callFile: values.get(At.CallFile)?.number ?? 0,
		callLine: values.get(At.CallLine)?.number ?? 0,
		callColumn: values.get(At.CallColumn)?.number ?? 0,
		inlined: [],
	};
}

/** Where an entry says that it is described further: in the section, in a unit of it. null: nowhere. */
export function originOf(unit: Unit, { values }: Entry): number | null {
	const value = values.get(At.AbstractOrigin) ?? values.get(At.Specification);
	if (value === undefined || value.form === Form.GnuRefAlt || value.form === Form.RefSig8) {
		return null;
	}
	return value.form === Form.RefAddr ? value.number : unit.offset + value.number;
}

export function holds(ranges: Ranges, address: number): boolean {
	for (let i = 0; i < ranges.length; i += 2) {
		if (address >= ranges[i]! && address < ranges[i + 1]!) {
			return true;
		}
	}
	return false;
}
