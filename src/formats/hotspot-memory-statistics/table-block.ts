/** Tables of `jcmd Compiler.memory`, of the JVM's exit and of error reports: a row for each compilation, or (`verbose=true`) a block for each. */

import type { Problem } from '../../model/problem.js';
import { splitSpelledMethod } from '../shared/hotspot/spelled-method.js';
import { arenaOfDescription } from './arena-names.js';
import { arenasOf, tableFields } from './columns.js';
import { nameOf } from './line-forms.js';
import { PhaseSums } from './phase-sums.js';
import type { StatisticRow, StatisticTable } from './rows.js';

export interface TableHead {
	readonly text: string;
	readonly offset: number;
	readonly processId: string | null;
	readonly indent: number;
	readonly legend: readonly string[];
	readonly columns: readonly string[];
}

export interface OpenTable {
	/** A line that needs no look. */
	skips(bytes: Uint8Array, start: number, end: number): boolean;
	/** false: the line is none of this table, which has ended before it. */
	take(text: string, offset: number, end: number, number: number): boolean;
	finish(): StatisticTable;
}

type AddRow = (row: StatisticRow) => void;

const TOTAL = /^ *Total: (\d+) \(C1: (\d+), C2: (\d+)\)$/;
const OMITTED = /^ *\((\d+) compilations smaller than (\d+) omitted\)$/;

export class PlainTable implements OpenTable {
	private readonly head: TableHead;
	private readonly isOld: boolean;
	private readonly add: AddRow;
	private readonly arenas: readonly string[];
	private readonly rows: StatisticRow[] = [];
	private total: StatisticTable['total'] = null;
	private omitted: StatisticTable['omitted'] = null;
	private end: number;

	constructor(head: TableHead, isOld: boolean, add: AddRow) {
		this.head = head;
		this.isOld = isOld;
		this.add = add;
		this.arenas = arenasOf(head.columns);
		this.end = head.offset;
	}

	skips(): boolean {
		return false;
	}

	take(text: string, offset: number, end: number, number: number): boolean {
		const total = TOTAL.exec(text);
		const omitted = OMITTED.exec(text);
		if (total !== null) {
			this.total = { all: Number(total[1]), c1: Number(total[2]), c2: Number(total[3]) };
		} else if (omitted !== null) {
			this.omitted = { count: Number(omitted[1]), minsizeBytes: Number(omitted[2]) };
		} else if (!/^ *(?:No entries\.|\(\d+\/\d+\))$/.test(text)) {
			const row = this.total === null ? this.row(text, offset, end, number) : null;
			if (row === null) {
				return false;
			}
			this.rows.push(row);
			this.add(row);
		}
		this.end = end;
		return true;
	}

	finish(): StatisticTable {
		const { text: title, offset, processId, indent, legend, columns } = this.head;
		const { rows, total, omitted, end } = this;
		return { title, processId, verbose: false, indent, legend, columns, rows, omitted, total, block: { start: offset, end } };
	}

	private row(text: string, offset: number, end: number, line: number): StatisticRow | null {
		const fields = tableFields(text, this.head.columns);
		if (fields === null) {
			return null;
		}
		const value = (name: string): string | null => fields.texts.get(name) || null;
		const number = (name: string): number | null => {
			const found = value(name);
			return found === null || !/^\d+(?:\.\d+)?$/.test(found) ? null : Number(found);
		};
		const nodes = number('#nodes');
		return {
			compileId: value('id'),
			compiler: value('ctyp') ?? value('type') ?? 'unknown',
			level: null,
			osrBci: null,
			...splitSpelledMethod(fields.spelling),
			totalBytes: fields.totalBytes,
			byArena: { arenas: this.arenas, bytes: fields.bytes },
			nodes: this.isOld && nodes === 0 ? null : nodes,
			result: value('result'),
			limitBytes: fields.limitBytes,
			hitLimit: fields.hitLimit,
			seconds: number('time'),
			thread: value('thread'),
			timesCompiled: number('#rc'),
			skipped: null,
			form: 'table',
			spelling: fields.spelling,
			line,
			block: { start: offset, end },
			details: null,
		};
	}
}

const FIELD = /^ *(Method|Compiler|Arena Usage at peak|Nodes at peak|Compile ID|Result|Thread|Timestamp) *: ?(.*)$/;
const TOTAL_FIELD = 'Arena Usage at peak';
const BLANK = 0x20;
const ANGLES = [0x3c, 0x3e];

export class VerboseTable implements OpenTable {
	private readonly head: TableHead;
	private readonly file: string;
	private readonly problems: Problem[];
	private readonly add: AddRow;
	private readonly rows: StatisticRow[] = [];
	private fields = new Map<string, string>();
	private start = { offset: 0, line: 0 };
	private sums = new PhaseSums();
	private arenas: { names: string[]; bytes: number[] } = { names: [], bytes: [] };
	private isTimeline = false;
	private end: number;

	constructor(head: TableHead, file: string, problems: Problem[], add: AddRow) {
		this.head = head;
		this.file = file;
		this.problems = problems;
		this.add = add;
		this.end = head.offset;
	}

	/** Lines of the timeline begin with blanks and a mark. */
	skips(bytes: Uint8Array, start: number, end: number): boolean {
		if (!this.isTimeline || end - start < 8) {
			return false;
		}
		let i = start;
		while (bytes[i] === BLANK && i < end) {
			i++;
		}
		return ANGLES.includes(bytes[i]!);
	}

	take(text: string, offset: number, end: number, number: number): boolean {
		const trimmed = text.trim();
		const [, name, value = ''] = FIELD.exec(text) ?? [];
		const isInside = this.fields.size > 0;
		if (name === 'Method') {
			this.close(offset, isInside);
			this.fields.set(name, value);
			this.start = { offset, line: number };
		} else if (isInside && name !== undefined) {
			this.fields.set(name, value);
		} else if (isInside && trimmed === '------------------------') {
			this.close(end, false);
		} else if (isInside && trimmed.startsWith('Allocation timel')) {
			this.isTimeline = true;
		} else if (trimmed !== '' && !(isInside && this.takeTableLine(text, trimmed))) {
			return false;
		}
		this.end = end;
		return true;
	}

	finish(): StatisticTable {
		this.close(this.end, this.fields.size > 0);
		const { text: title, offset, processId, indent } = this.head;
		const { rows, end } = this;
		return { title, processId, verbose: true, indent, legend: [], columns: [], rows, omitted: null, total: null, block: { start: offset, end } };
	}

	private takeTableLine(text: string, trimmed: string): boolean {
		if (trimmed.startsWith('Arena Usage by') || trimmed.startsWith('Phase seq. number') || this.isTimeline) {
			return text.startsWith(' ');
		}
		const [, description, bytes] = /^(.*\S) *: (\d{1,15})$/.exec(trimmed) ?? [];
		if (description !== undefined) {
			this.arenas.names.push(arenaOfDescription(description));
			this.arenas.bytes.push(Number(bytes));
			return true;
		}
		return this.sums.take(text);
	}

	private close(end: number, isCut: boolean): void {
		const method = this.fields.get('Method');
		if (method !== undefined && !/^ *\d/.test(this.fields.get(TOTAL_FIELD) ?? '')) {
			this.warn(`the block of ${method.trim()} ends before its total`, 'it is left out');
		} else if (method !== undefined) {
			const row = this.row(method.trimEnd(), end);
			if (isCut) {
				this.warn(`the block of ${nameOf(row)} has no end`, 'what was printed of it is taken');
			}
			const sum = row.byArena.bytes.reduce((a, b) => a + b, 0);
			if (sum !== row.totalBytes || this.sums.badRows > 0) {
				this.warn(`the arenas of ${nameOf(row)} sum to ${sum}, not to ${row.totalBytes}`, 'lines are lost or mixed with other output; the total is as printed');
			}
			this.rows.push(row);
			this.add(row);
		}
		this.fields = new Map();
		this.sums = new PhaseSums();
		this.arenas = { names: [], bytes: [] };
		this.isTimeline = false;
	}

	private row(spelling: string, end: number): StatisticRow {
		const text = (name: string): string | null => this.fields.get(name)?.trim() || null;
		const number = (name: string): number | null => {
			const [found] = /^\d+(?:\.\d+)?/.exec(text(name) ?? '') ?? [];
			return found === undefined ? null : Number(found);
		};
		const [, result = null, limit] = /^(\S+)(?: \(memory limit was: (\d+)\))?$/.exec(text('Result') ?? '') ?? [];
		const { sums } = this;
		const byArena = sums.arenas === null ? { arenas: this.arenas.names, bytes: this.arenas.bytes } : { arenas: sums.arenas, bytes: sums.bytes };
		return {
			compileId: text('Compile ID'),
			compiler: text('Compiler') ?? 'unknown',
			level: null,
			osrBci: null,
			...splitSpelledMethod(spelling),
			totalBytes: number(TOTAL_FIELD) ?? 0,
			byArena,
			...sums.byPhase(),
			nodes: number('Nodes at peak'),
			result,
			limitBytes: limit === undefined ? null : Number(limit),
			hitLimit: result === 'oom',
			seconds: number('Timestamp'),
			thread: text('Thread'),
			timesCompiled: null,
			skipped: null,
			form: 'verbose',
			spelling,
			line: this.start.line,
			block: { start: this.start.offset, end },
			details: sums.arenas === null ? null : { start: this.start.offset, end },
		};
	}

	private warn(message: string, action: string): void {
		this.problems.push({ severity: 'warning', file: this.file, line: this.start.line, message, action });
	}
}
