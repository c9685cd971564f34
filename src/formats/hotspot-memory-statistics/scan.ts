/**
 * Finds the compiler memory statistics in the output of a JVM: print mode (`-XX:CompileCommand=memstat,…,print`) between other lines, tables of
 * `jcmd Compiler.memory` and of the exit, error reports, hits of a limit. One pass over the lines; the timelines, nearly all of the bytes, are only
 * skipped, and read on demand ({@link readDetails}). Forms as OpenJDK 25 prints them (fixtures/jvm/memstat), heads of JDK 22 to 24 too.
 */
import { forEachLineOfBytes } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import type { NativeMemory } from '../../model/compiler-memory.js';
import type { Problem } from '../../model/problem.js';
import { PRINTED_CODE } from '../shared/hotspot/printed-code-lines.js';
import { tableColumns } from './columns.js';
import { LaterLines } from './later-lines.js';
import { elementTask, limitLine, printHead, type TaskLine, taskLine } from './line-forms.js';
import { NATIVE_MEMORY_TITLE, NativeMemorySummary } from './native-memory.js';
import { PastedTables } from './pasted-tables.js';
import { PHASE_TITLE, phaseTitle } from './phase-title.js';
import { PrintBlock } from './print-block.js';
import { RowKeeper } from './row-keeper.js';
import type { LimitHit, MemoryStatistics, TaskNote } from './rows.js';
import { type OpenTable, PlainTable, VerboseTable } from './table-block.js';
import { WordFinder } from './word-finder.js';

/** A jcmd table has 64 rows at most; thousands of tables are the output of somebody who polls. */
const MAX_TABLES = 1000;
const MAX_SUMMARIES = 1000;
const MAX_TASKS = 1_000_000;
const BLANK = 0x20;
const LESS = 0x3c;
const COLON = 0x3a;

/** Never throws on content. Memory grows with the number of compilations, up to a bound, not with the bytes. */
export function scanMemoryStatistics(source: Source): MemoryStatistics {
	const scanner = new Scanner(source);
	const take = (bytes: Uint8Array, start: number, end: number, offset: number, number: number): void => scanner.line(bytes, start, end, offset, number);
	forEachLineOfBytes(source, take, undefined, PRINTED_CODE);
	return scanner.finish();
}

/** The title of a table, until the table begins. */
interface Title {
	readonly text: string;
	readonly offset: number;
	processId: string | null;
	offending: boolean;
}

class Scanner {
	private readonly file: string;
	private readonly problems: Problem[] = [];
	private readonly rows: RowKeeper;
	private readonly hits = new Map<string, LimitHit>();
	private readonly tasks = new Map<string, TaskNote>();
	private readonly words = new WordFinder(WORDS);
	private currentTask: string | null = null;
	private block: PrintBlock | null = null;
	private pasted: PastedTables | null = null;
	private table: OpenTable | null = null;
	private summary: NativeMemorySummary | null = null;
	private readonly nativeMemory: NativeMemory[] = [];
	/** What the lines before said that the next ones depend on. */
	private title: Title | null = null;
	private processId: { readonly text: string; readonly offset: number; readonly line: number } | null = null;
	private legend: string[] | null = null;
	private lastHit: LimitHit | null = null;
	private expectsTask = false;
	/** null: something of statistics was seen, and lines that tell of tasks are read at once. */
	private later: LaterLines | null;
	private spellingOfReport: { readonly text: string; readonly offset: number } | null = null;

	constructor(source: Source) {
		this.file = source.name;
		this.later = new LaterLines(source);
		this.rows = new RowKeeper(this.file, this.problems);
	}

	line(bytes: Uint8Array, start: number, end: number, offset: number, number: number): void {
		if (this.block !== null) {
			if (this.block.skips(bytes, start, end)) {
				return;
			}
			const text = decodeUtf8(bytes, start, end);
			const next = this.block.take(text, offset, offset + end - start + 1);
			if (next === 'taken') {
				return;
			}
			this.rows.addOf(this.block.totalBytes, this.block.finish(next === 'closed'));
			this.block = null;
			if (next === 'closed') {
				return;
			}
			this.outside(text, offset, number);
			return;
		}
		if (this.table !== null) {
			if (this.table.skips(bytes, start, end)) {
				return;
			}
			const text = decodeUtf8(bytes, start, end);
			if (this.table.take(text, offset, offset + end - start + 1, number)) {
				return;
			}
			this.closeTable();
			this.outside(text, offset, number);
			return;
		}
		if (this.pasted !== null) {
			const text = decodeUtf8(bytes, start, end);
			const next = this.pasted.take(text, offset, offset + end - start + 1);
			if (next !== 'taken') {
				this.closePasted();
			}
			if (next === 'foreign') {
				this.outside(text, offset, number);
			}
			return;
		}
		if (this.summary !== null) {
			if (this.summary.take(decodeUtf8(bytes, start, end))) {
				return;
			}
			this.closeSummary();
		}
		if (this.later !== null) {
			this.beforeStatistics(this.later, bytes, start, end, offset, number);
			return;
		}
		const isElement = bytes[start] === LESS && start < end;
		if (this.title !== null || this.expectsTask || mayTellOfTask(bytes, start, end) || (!isElement && this.words.isIn(bytes, start, end))) {
			this.outside(decodeUtf8(bytes, start, end), offset, number);
		}
	}

	/** Most logs have no statistics: nobody wants to know of their tasks. */
	private beforeStatistics(later: LaterLines, bytes: Uint8Array, start: number, end: number, offset: number, number: number): void {
		const isOfTask = mayTellOfTask(bytes, start, end);
		const isOtherElement = bytes[start] === LESS && start < end && !isOfTask;
		if (!isOtherElement && this.words.isIn(bytes, start, end)) {
			this.readTasks(later);
			this.outside(decodeUtf8(bytes, start, end), offset, number);
		} else if (isOfTask && bytes[end - 1] === COLON && mayBeProcessId(bytes, start, end)) {
			this.outside(decodeUtf8(bytes, start, end), offset, number);
		} else if (isOfTask) {
			later.add(offset, end - start);
			if (later.isFull) {
				this.readTasks(later);
			}
		}
	}

	private readTasks(later: LaterLines): void {
		this.later = null;
		later.forEach((text) => {
			this.ofTask(text);
		});
	}

	private ofTask(text: string): boolean {
		const task = text.startsWith('<') ? elementTask(text) : taskLine(text);
		if (task !== null) {
			this.note(task);
		}
		return task !== null;
	}

	finish(): MemoryStatistics {
		if (this.block !== null) {
			this.rows.addOf(this.block.totalBytes, this.block.finish(false));
		}
		this.closePasted();
		this.closeTable();
		this.closeSummary();
		const { rows, dropped } = this.rows.finish();
		const { tasks, currentTask, nativeMemory, problems } = this;
		return { rows, droppedRows: dropped, tables: this.rows.tables, hits: [...this.hits.values()], tasks, currentTask, nativeMemory, problems };
	}

	private outside(text: string, offset: number, number: number): void {
		if (this.title !== null) {
			this.afterTitle(this.title, text, offset, number);
			return;
		}
		if (this.expectsTask) {
			this.expectsTask = false;
			const task = taskLine(text);
			if (task !== null) {
				this.currentTask = task.compileId;
				this.note(task);
				return;
			}
		}
		const head = printHead(text);
		if (head !== null) {
			const at = head.hasTables ? null : offset + text.length + 1;
			const block = new PrintBlock(this.file, this.problems, head, 'print', offset, number);
			if (at === null) {
				this.block = block;
			} else {
				this.rows.addOf(block.totalBytes, block.finishLine(at));
			}
			return;
		}
		const limit = limitLine(text);
		if (limit !== null) {
			this.limit(limit, number);
			return;
		}
		const usage = /^Total Usage: (\d{1,15}) $/.exec(text);
		if (usage !== null && this.lastHit !== null) {
			this.openReportBlock(Number(usage[1]), this.lastHit.spelling, offset, number);
			return;
		}
		const pasted = phaseTitle(text);
		if (pasted !== null) {
			this.pasted = new PastedTables(this.file, this.problems, pasted, offset, number);
			return;
		}
		if (this.ofTask(text)) {
			return;
		}
		if (text.startsWith('Current CompileTask:')) {
			this.expectsTask = true;
		} else if (/^\d+:$/.test(text)) {
			this.processId = { text, offset, line: number };
		} else if (text.trim() === NATIVE_MEMORY_TITLE) {
			this.summary = new NativeMemorySummary(this.file, number);
		} else if (/^(?:Compiler Memory Statistic\b|Compilation memory statistics)/.test(text)) {
			this.openTitle(text, offset, number);
		}
	}

	private openTitle(text: string, offset: number, number: number): void {
		if (/disabled|unavailable|not yet initialized/i.test(text)) {
			this.warn(number, `the JVM says: ${text.trim()}`, 'start it with -XX:CompileCommand=memstat,*.*,collect to have a statistic');
			return;
		}
		const own = this.processId !== null && this.processId.line === number - 1 ? this.processId : null;
		this.title = {
			text,
			offset: own?.offset ?? offset,
			processId: own === null ? null : own.text.slice(0, -1),
			offending: text.includes('offending compilation'),
		};
		this.legend = null;
		this.spellingOfReport = null;
	}

	/** Between a title and its table: a legend, blank lines, a cutoff; or the method of an error report. */
	private afterTitle(title: Title, text: string, offset: number, number: number): void {
		if (title.offending) {
			const usage = /^Total Usage: (\d{1,15}) $/.exec(text);
			if (usage !== null && this.spellingOfReport !== null) {
				this.title = null;
				this.openReportBlock(Number(usage[1]), this.spellingOfReport.text, this.spellingOfReport.offset, number);
			} else if (this.spellingOfReport === null && text.includes('::')) {
				this.spellingOfReport = { text, offset };
			} else {
				this.title = null;
				this.outside(text, offset, number);
			}
			return;
		}
		const columns = tableColumns(text);
		if (columns !== null) {
			const isOld = !columns.includes('ctyp');
			this.table = new PlainTable({ ...title, indent: text.length - text.trimStart().length, legend: this.legend ?? [], columns }, isOld, (row) =>
				this.rows.add(row),
			);
			this.title = null;
		} else if (/^ *Method +: /.test(text)) {
			const indent = text.length - text.trimStart().length;
			this.table = new VerboseTable({ ...title, indent, legend: [], columns: [] }, this.file, this.problems, (row) => this.rows.add(row));
			this.title = null;
			this.table.take(text, offset, offset + text.length + 1, number);
		} else if (/^ *(?:Legend:|\S+ *: )|^ *(?:\(cutoff: .*|\(\d+\/\d+\)|)$/.test(text)) {
			this.legend ??= [];
			this.legend.push(text);
		} else if (/unavailable|No entries/.test(text)) {
			this.warn(number, `the JVM says: ${text.trim()}`, 'there is nothing to show');
			this.title = null;
		} else {
			this.title = null;
			this.outside(text, offset, number);
		}
	}

	private openReportBlock(totalBytes: number, spelling: string, offset: number, number: number): void {
		const hit = [...this.hits.values()].find((one) => one.spelling === spelling);
		const compileId = hit?.compileId ?? this.currentTask;
		const head = { compiler: hit?.compiler ?? 'c2', compileId, result: null, spelling, totalBytes, arenas: [], bytes: [] };
		this.block = new PrintBlock(this.file, this.problems, head, 'error-report', offset, number);
	}

	private limit({ compiler, compileId, spelling, limitBytes, nowBytes }: NonNullable<ReturnType<typeof limitLine>>, line: number): void {
		const key = `${compiler} ${compileId} ${spelling}`;
		const known = this.hits.get(key);
		this.lastHit = known ?? { compileId, compiler, spelling, limitBytes, nowBytes, hits: 0, line };
		this.lastHit.hits++;
		this.lastHit.nowBytes = nowBytes;
		this.hits.set(key, this.lastHit);
	}

	private note({ compileId, level, osrBci, skipped }: TaskLine): void {
		const known = this.tasks.get(compileId);
		if (known === undefined) {
			if (this.tasks.size < MAX_TASKS) {
				this.tasks.set(compileId, { level, osrBci, skipped });
			}
		} else {
			known.osrBci ??= osrBci;
			known.skipped ??= skipped;
		}
	}

	private closeTable(): void {
		if (this.table !== null) {
			const table = this.table.finish();
			if (this.rows.tables.length < MAX_TABLES) {
				this.rows.tables.push(table);
			}
			this.table = null;
		}
	}

	private closePasted(): void {
		const make = this.pasted?.finish() ?? null;
		if (this.pasted !== null && make !== null) {
			this.rows.addOf(this.pasted.totalBytes, make);
		}
		this.pasted = null;
	}

	private closeSummary(): void {
		const summary = this.summary?.finish() ?? null;
		if (summary !== null && this.nativeMemory.length < MAX_SUMMARIES) {
			this.nativeMemory.push(summary);
		}
		this.summary = null;
	}

	private warn(line: number, message: string, action: string): void {
		this.problems.push({ severity: 'warning', file: this.file, line, message, action });
	}
}

/** Anywhere in a line: other output may stand before them. */
const WORDS = [
	'Arena usage ',
	'Hit MemLimit',
	'Compiler Memory Statistic',
	'Compilation memory statistics',
	'Current CompileTask:',
	'Total Usage: ',
	NATIVE_MEMORY_TITLE,
	PHASE_TITLE,
];

/** `1234:`, as jcmd begins its answers. */
function mayBeProcessId(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end - 1; i++) {
		if (bytes[i]! < 0x30 || bytes[i]! > 0x39) {
			return false;
		}
	}
	return true;
}

/** The first bytes of a line of PrintCompilation, of jcmd's process id, or of an element of LogCompilation. */
function mayTellOfTask(bytes: Uint8Array, start: number, end: number): boolean {
	let i = start;
	while (i < end && bytes[i] === BLANK) {
		i++;
	}
	const first = bytes[i]!;
	if (first === LESS) {
		// <nmethod, <task, <task_queued
		return bytes[i + 1] === 0x6e || (bytes[i + 1] === 0x74 && bytes[i + 2] === 0x61);
	}
	// Lines of code begin with 0x and an address.
	return first >= 0x30 && first <= 0x39 && bytes[i + 1] !== 0x78;
}
