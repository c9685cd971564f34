/**
 * What HotSpot logs of its safepoints (safepoint.cpp, JDK 17 to 25; the last form also of JDK 8):
 *   Safepoint "G1CollectFull", Time since last: 7 ns, Reaching safepoint: 4 ns, At safepoint: 2 ns, Total: 6 ns       -Xlog:safepoint
 *   G1CollectFull   [   12      1 ][    4466896309   84176   7402085   4474382570 ]      1                            -Xlog:safepoint+stats
 *   # "loop" #12 prio=5 cpu=163.00ms tid=0x00007fca94121740 nid=0x33d runnable                                        -XX:+SafepointTimeout
 *   Total time for which application threads were stopped: 0.0012 seconds, Stopping threads took: 0.0001 seconds      -XX:+PrintGCApplicationStoppedTime
 *   Entering safepoint region: RevokeBias   safepoint cleanup tasks, 0.0000796 secs                                   before it, JDK 9 to 12
 *   1.234: RevokeBias   [   18   0   1   ]   [   0   0   0   0   3   ]  0                 -XX:+PrintSafepointStatistics (JDK 8 to 12; milliseconds)
 *   Safepoint synchronization initiated using futex wait barrier. (11 threads)                                       -Xlog:safepoint=debug
 *   Evaluating  safepoint VM operation: G1CollectFull   Executing safepoint VM operation: G1CollectFull (System.gc())  -Xlog:vmthread=debug (JDK 17, 25)
 * JDK 17 has `Cleanup`, JDK 25 `Leaving safepoint` and `Threads`. All are printed when a safepoint ends, but for late threads, begins, and the form of JDK 8,
 * which is printed for some hundred safepoints at once with the time of their begin. The file may hold other lines too: standard output, other tags.
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { type Problem, SkippedLines } from '../../model/problem.js';
import type { LateThread, LoggedTime, Safepoint, SafepointTimeout } from '../../model/safepoint.js';
import { readLogDecorations } from '../shared/hotspot/log-decorations.js';

/** Safepoints in the order of the log, and timeouts. */
export interface SafepointLog {
	/** In the order of the file. */
	readonly safepoints: readonly Safepoint[];
	/** Timeouts whose safepoint was not logged. */
	readonly timeouts: readonly SafepointTimeout[];
	/** Lines that begin as those of a safepoint and are cut or damaged. */
	readonly lostLines: number;
	readonly problems: readonly Problem[];
}

/** Never throws on content. */
export function readSafepointLog(source: Source): SafepointLog {
	const reader = new Reader(source.name);
	forEachLine(source, (line, offset, number) => reader.line(line, offset, number));
	return reader.end();
}

/** Whether some of the first lines of a file tell of safepoints; the file may hold anything else too. */
export function isSafepointLog(head: string): boolean {
	return CANDIDATE.test(head) && head.split('\n').some((line) => KINDS.some((kind) => kind.test(messageOf(line).message)));
}

const CANDIDATE =
	/Safepoint "|Safepoint synchronization initiated|SafepointSynchronize::begin: Timeout|application threads were stopped|Maximum sync time {2}|VM Operation {2}|initially_running wait_to_block/;
const SAFEPOINT = /^Safepoint "/;
const STOPPED = /Total time for which application threads were stopped: /;
/** The summary at the JVM's end: all that a program without a safepoint leaves. */
const STATISTICS_END = /^Maximum sync time +\d+ (?:ns|ms)\s*$/;
const STATISTICS_HEAD = /^VM Operation +\[ threads: /;
const TIMEOUT = /^# SafepointSynchronize::begin: Timeout detected/;
const OLD_HEAD = /^\s*vmop\s+\[ ?threads:\s+total initially_running wait_to_block ?\]\s*\[ ?time:\s+spin\s+block\s+sync\s+cleanup\s+vmop ?\]/;
const OLD_ROW =
	/^(?:\d{4}-\S+: )?\s*\d+[.,]\d+:\s+(\S.*?)\s{1,100}\[\s*(\d{1,9})\s+(\d{1,9})\s+\d+\s*\]\s*\[\s*\d+\s+\d+\s+(\d{1,12})\s+(\d{1,12})\s+(\d{1,12})\s*\]\s+\d+\s*$/;
const OLD_ROW_START = /^(?:\d{4}-\S+: )?\s*\d+[.,]\d+:\s+\S.*?\s{1,100}\[\s*\d+\s/;
const BEGIN = /^Safepoint synchronization initiated\b/;
const BEGIN_THREADS = /\((\d+)(?: threads)?\)\s*$/;
const OPERATION = /^(?:Evaluating|Executing) {1,8}(?:nested {1,8})?(safepoint|non-safepoint) VM operation: (.*)$/;
/** The JVM ends in these: System.exit, and the end of its last thread. */
const ENDS_JVM = /^(?:Exit|Halt)\b/;
const KINDS = [SAFEPOINT, STOPPED, STATISTICS_HEAD, STATISTICS_END, TIMEOUT, OLD_HEAD, BEGIN];

const STATISTICS = /^(\S.*?)\s{1,100}\[\s*(\d+)\s+(\d+)\s*\]\[\s*((?:\d{1,18}\s+){3,4})\]\s+\d+\s*$/;
const STATISTICS_START = /^\S.*\s\[\s*\d+\s+\d+\s*\]/;
const STOPPED_LINE = /Total time for which application threads were stopped: (\d+[.,]\d+) seconds(?:, Stopping threads took: (\d+[.,]\d+) seconds)?\s*$/;
const ENTERING_LINE = /^Entering safepoint region: (.*)$/;
const CLEANUP_LINE = /^safepoint cleanup tasks, (\d+[.,]\d+) secs\s*$/;
const RUNNING_LINE = /Application time: (\d+[.,]\d+) seconds\s*$/;
const NATIVE_ID = /\bnid=(0x[0-9a-f]{1,16}|\d{1,19})\b/g;
const LIST_END = /^# SafepointSynchronize::begin: \(End of list\)/;
/** `0.123: ` and `2026-01-02T03:04:05.678+0000: 0.123: ` before the lines of JDK 8. */
const OLD_STAMP = /^(?:\d{4}-\d\d-\d\dT\S+: )?\s*(\d+[.,]\d+): /;
/** How far the end of a safepoint may lie from where another form puts it: times of the old statistics are cut to milliseconds. */
const NEAR_NS = 20e6;

type Row = { -readonly [K in keyof Safepoint]: Safepoint[K] };

class Reader {
	private readonly rows: Row[] = [];
	private readonly timeouts: SafepointTimeout[] = [];
	private readonly lost: SkippedLines;
	private lostLines = 0;
	/** Row of the statistics: the plain line that follows tells the same safepoint with more. */
	private statistics: Row | null = null;
	/** How many times a row of the statistics has, as their head says; 0 before one. */
	private statisticsTimes = 0;
	private timeout: { time: LoggedTime; threads: LateThread[] } | null = null;
	private timeoutLine = 0;
	private isInList = false;
	/** Rows of the old statistics, and rows that tell of a stop only: of the same safepoints where both are there. */
	private readonly oldRows: Row[] = [];
	private readonly stops = new Set<Row>();
	private hasOldHead = false;
	private ranNs: number | null = null;
	/** Of the safepoint whose end comes next: what its lines before told. */
	private entered: { operation: string | null; cleanupNs: number | null } = { operation: null, cleanupNs: null };
	/** A begin whose end did not come yet. */
	private begun: { readonly operation: string | null; readonly threads: number | null; readonly time: LoggedTime; readonly line: number } | null = null;
	/** What the JVM's own thread said it would do next. */
	private operation: string | null = null;
	private hasBegins = false;
	/** The summary at the JVM's end: its last safepoint is the one in which it ended. */
	private hasEnded = false;
	private lastTime: LoggedTime = NO_TIME;

	constructor(file: string) {
		this.lost = new SkippedLines(file, 'the line of a safepoint is cut or damaged');
	}

	line(line: string, offset: number, number: number): void {
		const { message, time, tags } = messageOf(line);
		this.lastTime = time.uptimeNs === null && time.monotonicNs === null && time.epochNs === null ? this.lastTime : time;
		if (this.isInList && this.takeLateThread(message, offset, number)) {
			return;
		}
		if (SAFEPOINT.test(message)) {
			this.add(plainRow(message, time, number), offset, number);
		} else if (STOPPED.test(message)) {
			this.takeStopped(message, time, offset, number);
		} else if (RUNNING_LINE.test(message)) {
			this.ranNs = secondsToNs(RUNNING_LINE.exec(message)?.[1] as string);
		} else if (ENTERING_LINE.test(message)) {
			this.entered = { operation: ENTERING_LINE.exec(message)?.[1]?.trimEnd() || null, cleanupNs: null };
		} else if (CLEANUP_LINE.test(message)) {
			this.entered.cleanupNs = secondsToNs(CLEANUP_LINE.exec(message)?.[1] as string);
		} else if (TIMEOUT.test(message)) {
			this.endTimeout();
			this.timeout = { time, threads: [] };
			this.timeoutLine = number;
			this.isInList = true;
		} else if (STATISTICS_HEAD.test(message)) {
			this.statisticsTimes = /\bcleanup\b/.test(message) ? 4 : 3;
		} else if (STATISTICS_END.test(message)) {
			this.hasEnded = true;
		} else if (BEGIN.test(message)) {
			this.endStatistics();
			this.endTimeout();
			this.hasBegins = true;
			this.begun = { operation: this.operation, threads: Number(BEGIN_THREADS.exec(message)?.[1] ?? Number.NaN) || null, time, line: number };
			this.operation = null;
		} else if (OPERATION.test(message)) {
			const [, kind, name = ''] = OPERATION.exec(message)!;
			this.operation = kind === 'safepoint' ? name.trimEnd() : null;
		} else if (OLD_HEAD.test(message)) {
			this.hasOldHead = true;
		} else if (this.hasOldHead && OLD_ROW_START.test(message)) {
			this.takeOldRow(message, time, offset, number);
		} else if ((tags === null ? this.statisticsTimes > 0 : tags === 'safepoint,stats') && STATISTICS_START.test(message)) {
			this.takeStatistics(message, time, offset, number);
		}
	}

	end(): SafepointLog {
		this.endStatistics();
		this.endUnfinished();
		this.endTimeout();
		this.joinOldRows();
		return { safepoints: this.rows, timeouts: this.timeouts, lostLines: this.lostLines, problems: this.lost.problems() };
	}

	private add(row: Row | null, offset: number, number: number): void {
		if (row === null) {
			this.lose(offset, number);
			return;
		}
		const { statistics } = this;
		if (statistics !== null && statistics.operation === row.operation && statistics.totalNs === row.totalNs) {
			this.statistics = null;
			row.runningThreads ??= statistics.runningThreads;
			row.totalThreads ??= statistics.totalThreads;
		}
		this.endStatistics();
		this.push(row);
	}

	private push(row: Row): void {
		this.begun = null;
		row.timeout = this.timeout;
		this.timeout = null;
		this.isInList = false;
		this.rows.push(row);
	}

	/**
	 * The log ends before the safepoint does: the JVM was killed or still runs. A begin without operation or late threads may be that of the JVM's normal end, which has no
	 * line of its own; a log with statistics has a summary behind that.
	 */
	private endUnfinished(): void {
		const { begun, timeout } = this;
		const isOwnEnd = begun?.operation == null || ENDS_JVM.test(begun.operation);
		if (begun !== null && (timeout !== null || (!this.hasEnded && (this.statisticsTimes > 0 || !isOwnEnd)))) {
			const waited = elapsed(begun.time, this.lastTime);
			const { operation, threads, line } = begun;
			this.push({ ...EMPTY, operation, totalThreads: threads, reachingNs: waited, totalNs: waited ?? 0, end: this.lastTime, unfinished: 'begun', line });
		} else if (timeout !== null && begun === null && (this.hasBegins || this.rows.length > 0)) {
			this.push({ ...EMPTY, operation: this.operation, end: timeout.time, unfinished: 'late', line: this.timeoutLine });
		}
	}

	private takeStatistics(message: string, time: LoggedTime, offset: number, number: number): void {
		this.endStatistics();
		const [, operation, total, running, list = ''] = STATISTICS.exec(message) ?? [];
		const times = list.trim().split(/\s+/).map(Number);
		if (operation === undefined || (this.statisticsTimes > 0 && times.length !== this.statisticsTimes)) {
			this.lose(offset, number);
			return;
		}
		const hasCleanup = times.length === 4;
		this.statistics = {
			...EMPTY,
			operation,
			totalThreads: Number(total),
			runningThreads: Number(running),
			reachingNs: times[0]!,
			cleanupNs: hasCleanup ? times[1]! : null,
			atSafepointNs: times[hasCleanup ? 2 : 1]!,
			totalNs: times.at(-1)!,
			end: time,
			line: number,
		};
	}

	/** Statistics alone, without the plain line. */
	private endStatistics(): void {
		const { statistics } = this;
		this.statistics = null;
		if (statistics !== null) {
			this.push(statistics);
		}
	}

	private takeStopped(message: string, time: LoggedTime, offset: number, number: number): void {
		const [, total, reaching] = STOPPED_LINE.exec(message) ?? [];
		if (total === undefined) {
			this.lose(offset, number);
			return;
		}
		const reachingNs = reaching === undefined ? null : secondsToNs(reaching);
		const totalNs = secondsToNs(total);
		this.endStatistics();
		const { operation, cleanupNs } = this.entered;
		const row: Row = {
			...EMPTY,
			operation: operation ?? this.begun?.operation ?? null,
			totalThreads: this.begun?.threads ?? null,
			sinceLastNs: this.ranNs,
			reachingNs,
			cleanupNs,
			atSafepointNs: reachingNs === null ? null : Math.max(0, totalNs - reachingNs - (cleanupNs ?? 0)),
			totalNs,
			end: time,
			line: number,
		};
		this.stops.add(row);
		this.push(row);
		this.ranNs = null;
		this.entered = { operation: null, cleanupNs: null };
	}

	private takeOldRow(message: string, time: LoggedTime, offset: number, number: number): void {
		const [, operation, total, running, sync, cleanup, vmop] = OLD_ROW.exec(message) ?? [];
		if (operation === undefined) {
			this.lose(offset, number);
			return;
		}
		const [reachingNs, cleanupNs, atSafepointNs] = [sync, cleanup, vmop].map((ms) => Number(ms) * 1e6) as [number, number, number];
		const totalNs = reachingNs + cleanupNs + atSafepointNs;
		this.oldRows.push({
			...EMPTY,
			operation: operation === 'no vm operation' ? null : operation,
			totalThreads: Number(total),
			runningThreads: Number(running),
			reachingNs,
			cleanupNs,
			atSafepointNs,
			totalNs,
			end: { ...time, uptimeNs: time.uptimeNs === null ? null : time.uptimeNs + totalNs },
			line: number,
		});
	}

	/** The old statistics name the operation, the lines of stops have exact times: of one safepoint both make one row. */
	private joinOldRows(): void {
		if (this.oldRows.length === 0) {
			return;
		}
		const stops = this.rows.filter((row) => this.stops.has(row));
		const isInOrder = stops.some(({ end }) => end.uptimeNs === null) && stops.length === this.oldRows.length;
		let next = 0;
		for (const [i, old] of this.oldRows.entries()) {
			const ofOld = (stop: Row): number => (isInOrder ? 0 : (stop.end.uptimeNs ?? Number.NaN) - (old.end.uptimeNs ?? Number.NaN));
			next = isInOrder ? i : next;
			while (next < stops.length && ofOld(stops[next]!) < -NEAR_NS) {
				next++;
			}
			const stop = stops[next];
			if (stop !== undefined && Math.abs(ofOld(stop)) <= NEAR_NS) {
				next++;
				stop.operation = old.operation;
				stop.totalThreads = old.totalThreads;
				stop.runningThreads = old.runningThreads;
				stop.reachingNs ??= old.reachingNs;
				stop.cleanupNs = old.cleanupNs;
				stop.atSafepointNs ??= old.atSafepointNs;
			} else {
				this.rows.push(old);
			}
		}
		if (this.rows.every(({ end }) => end.uptimeNs !== null)) {
			this.rows.sort((a, b) => (a.end.uptimeNs ?? 0) - (b.end.uptimeNs ?? 0));
		}
	}

	/** Whether the line belongs to the list of late threads. */
	private takeLateThread(message: string, offset: number, number: number): boolean {
		if (LIST_END.test(message)) {
			this.isInList = false;
			return true;
		}
		if (!message.startsWith('# "')) {
			return message.startsWith('# ') && !TIMEOUT.test(message);
		}
		const thread = lateThread(message);
		if (thread === null) {
			this.lose(offset, number);
		} else {
			const cpu = /\bcpu=(\d+(?:[.,]\d+)?)ms\b/.exec(message)?.[1];
			this.timeout?.threads.push({ ...thread, cpuMs: cpu === undefined ? null : Number(cpu.replace(',', '.')) });
		}
		return true;
	}

	private endTimeout(): void {
		if (this.timeout !== null) {
			this.timeouts.push(this.timeout);
		}
		this.timeout = null;
	}

	private lose(offset: number, number: number): void {
		this.lostLines++;
		this.lost.add(number, offset);
	}
}

const NO_TIME: LoggedTime = { uptimeNs: null, monotonicNs: null, epochNs: null };

/** On the finest clock that both have; null where they have none. */
function elapsed(from: LoggedTime, to: LoggedTime): number | null {
	const clock = (['monotonicNs', 'uptimeNs', 'epochNs'] as const).find((name) => from[name] !== null && to[name] !== null);
	return clock === undefined ? null : Math.max(0, to[clock]! - from[clock]!);
}

const EMPTY: Row = {
	operation: null,
	sinceLastNs: null,
	reachingNs: null,
	cleanupNs: null,
	atSafepointNs: null,
	leavingNs: null,
	totalNs: 0,
	runningThreads: null,
	totalThreads: null,
	end: NO_TIME,
	unfinished: null,
	timeout: null,
	line: 0,
};

/** `# "name" #12 daemon prio=9 … nid=0x1a2b …`: the name, which may hold quotes, and the id behind it. */
function lateThread(message: string): Pick<LateThread, 'name' | 'threadId'> | null {
	const ids = [...message.matchAll(NATIVE_ID)];
	const end = ids.length === 0 ? -1 : message.lastIndexOf('" ', ids.at(-1)?.index);
	const id = ids.find(({ index }) => index > end);
	return end < 3 || id === undefined ? null : { name: message.slice(3, end), threadId: Number(id[1]) };
}

/** The name of an operation holds no quotes; what follows are names and numbers, of which a total has to be there. */
function plainRow(message: string, end: LoggedTime, line: number): Row | null {
	const [whole = '', operation] = /^Safepoint "([^"]*)", /.exec(message) ?? [];
	if (operation === undefined) {
		return null;
	}
	const row: Row = { ...EMPTY, operation, end, line };
	let total: number | null = null;
	for (const part of message.slice(whole.length).trimEnd().split(', ')) {
		const [, name, value] = /^([A-Z][A-Za-z ]*): (\d{1,18}) ns$/.exec(part) ?? [];
		const ns = Number(value);
		if (name === 'Time since last') {
			row.sinceLastNs = ns;
		} else if (name === 'Reaching safepoint') {
			row.reachingNs = ns;
		} else if (name === 'Cleanup') {
			row.cleanupNs = ns;
		} else if (name === 'At safepoint') {
			row.atSafepointNs = ns;
		} else if (name === 'Leaving safepoint') {
			row.leavingNs = ns;
		} else if (name === 'Total') {
			total = ns;
		} else {
			const [, running, all] = /^(?:Threads: )?(?:(\d+) runnable|(\d+) total)$/.exec(part) ?? [];
			row.runningThreads = running === undefined ? row.runningThreads : Number(running);
			row.totalThreads = all === undefined ? row.totalThreads : Number(all);
		}
	}
	// A number that was cut off has no unit; then the part is not known, and the total is missing.
	row.totalNs = total ?? 0;
	return total === null || row.reachingNs === null || row.atSafepointNs === null ? null : row;
}

interface Message {
	readonly message: string;
	readonly time: LoggedTime;
	readonly tags: string | null;
}

function messageOf(line: string): Message {
	const decorations = readLogDecorations(line);
	if (decorations !== null) {
		const { uptimeMs, clockNs, epochMs, message, tags } = decorations;
		return {
			message,
			tags,
			time: { uptimeNs: uptimeMs === null ? null : Math.round(uptimeMs * 1e6), monotonicNs: clockNs, epochNs: epochMs === null ? null : epochMs * 1e6 },
		};
	}
	const stamp = OLD_STAMP.exec(line);
	const uptimeNs = stamp === null ? null : secondsToNs(stamp[1]!);
	return { message: line, tags: null, time: { uptimeNs, monotonicNs: null, epochNs: null } };
}

function secondsToNs(text: string): number {
	return Math.round(Number(text.replace(',', '.')) * 1e9);
}
