/**
 * Thread dumps as text, one or many after the other, other output between them: jstack, `jcmd Thread.print` and SIGQUIT (Full thread dump, JDK 8 to
 * 25, with -l and -e too), `jcmd Thread.dump_to_file` (JDK 21 and later), and what Java programs print of ThreadInfo or Thread.getAllStackTraces:
 *   "mixer" #26 prio=5 os_prio=0 cpu=12.30ms elapsed=6.90s tid=0x00007fb9c40eb410 nid=8791 runnable  [0x00007fb9a4aac000]
 *      java.lang.Thread.State: RUNNABLE
 *   	at Mixer.divide(Mixer.java:14)
 *   #26 "mixer" RUNNABLE 2026-11-21T07:02:50.002225393Z
 *       at Mixer.divide(Mixer.java:14)
 *   "mixer" prio=5 Id=22 RUNNABLE
 *   	at app//Mixer.divide(Mixer.java:14)
 *   Thread[#22,mixer,5,main]
 *   	at app//Mixer.divide(Mixer.java:14)
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { SkippedLines } from '../../model/problem.js';
import { ThreadDumpBuilder, type ThreadDumps } from './series.js';

const STATES = 'NEW|RUNNABLE|BLOCKED|WAITING|TIMED_WAITING|TERMINATED';
const FULL_DUMP = /^Full thread dump /;
const QUOTED = /^"(.*)"(?: |$)([\s\S]*)/;
const NUMBERED = new RegExp(`^#(\\d+) "(.*)"(?: virtual)?(?: (${STATES}))?(?: (\\d{4}-\\d\\d-\\d\\dT\\S+Z))?$`);
const BRACKETED = /^(?:Virtual)?Thread\[#?\d{0,19},?(.*?)(?:,\d+,[^,]*)?\]/;
const STATE = new RegExp(`^ {2,}java\\.lang\\.Thread\\.State: (${STATES})\\b`);
const STATE_OF_INFO = new RegExp(`\\bId=\\d+ (${STATES})\\b`);
const FRAME = /^\s+(?:at )?([^\s(][^(]*\([^()]*\))\s*$/;
const MOUNTED = /^ {2,}Mounted virtual thread /;
const CARRYING = /^ {2,}Carrying virtual thread /;
const DUMP_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\S+Z$/;
/** At most so many threads without any frame may begin a file. */
const HEAD_LINES = 2000;

/** Whether some of the first lines of a file are those of a thread dump: a thread, then a state or a frame. */
export function isThreadDump(head: string): boolean {
	const lines = head.split('\n', HEAD_LINES).map((line) => line.trimEnd());
	return lines.some(
		(line, i) =>
			FULL_DUMP.test(line) ||
			(headOf(line) !== null && /^(?:\s+at [^\s(]+\(.*\)| {4,}[^\s(]+\(\S.*\)| {2,}java\.lang\.Thread\.State: .*)$/.test(lines[i + 1] ?? '')),
	);
}

interface OpenThread {
	readonly name: string | null;
	readonly id: number;
	state: string | null;
	readonly time: string | null;
	/** A thread of the JVM itself has none, of a state neither. */
	frames: number[];
	isTruncated: boolean;
	/** Its own frames are those that run the virtual thread. */
	isCarrier: boolean;
}

/** Never throws on content. */
export function readThreadDumps(source: Source): ThreadDumps {
	const builder = new ThreadDumpBuilder();
	const skipped = new SkippedLines(source.name, 'a frame of a thread dump is cut or damaged');
	let thread: OpenThread | null = null;
	let dumpTime: string | null = null;
	/** First thread of the last dump: where it comes again another dump begins, also without a head. */
	let seen = new Set<string>();
	const end = (): void => {
		if (thread !== null && !thread.isCarrier) {
			builder.thread(thread.name, thread.id, thread.state, thread.frames, thread.time, thread.isTruncated);
		}
		thread = null;
	};
	forEachLine(source, (line, offset, number) => {
		const head = headOf(line);
		if (head !== null) {
			end();
			const key = `${head.name} ${head.id}`;
			if (builder.dumps === 0 || seen.has(key)) {
				builder.dumps++;
				seen = new Set();
			}
			seen.add(key);
			thread = { ...head, time: head.time ?? dumpTime, frames: [], isTruncated: false, isCarrier: false };
		} else if (FULL_DUMP.test(line) || DUMP_TIME.test(line)) {
			end();
			dumpTime = DUMP_TIME.test(line) ? line : null;
			builder.dumps++;
			seen = new Set();
		} else if (thread !== null) {
			takeLine(builder, thread, line, () => skipped.add(number, offset));
			if (line.trim() === '' && thread.frames.length > 0) {
				end();
			}
		}
	});
	end();
	return builder.build(skipped.problems());
}

function takeLine(builder: ThreadDumpBuilder, thread: OpenThread, line: string, damaged: () => void): void {
	const state = STATE.exec(line)?.[1];
	if (state !== undefined) {
		thread.state = state;
	} else if (CARRYING.test(line)) {
		thread.isCarrier = true;
	} else if (MOUNTED.test(line)) {
		thread.isCarrier = false;
		thread.frames = [];
		thread.state ??= 'RUNNABLE';
	} else if (line.trim() === '...') {
		thread.isTruncated = true;
	} else {
		const frame = FRAME.exec(line)?.[1];
		const number = frame === undefined ? -1 : builder.frame(frame);
		if (number >= 0) {
			thread.frames.push(number);
		} else if (/^\s+at /.test(line)) {
			damaged();
		}
	}
}

function headOf(line: string): { name: string | null; id: number; state: string | null; time: string | null } | null {
	const first = line.charCodeAt(0);
	if (first === 0x22) {
		const [, name, rest = ''] = QUOTED.exec(line) ?? [];
		if (name === undefined) {
			return null;
		}
		const nid = /\bnid=(0x[0-9a-f]{1,8}|\d{1,9})\b/.exec(rest)?.[1];
		return { name, id: nid === undefined ? -1 : Number(nid), state: STATE_OF_INFO.exec(rest)?.[1] ?? null, time: null };
	}
	if (first === 0x23) {
		const [, , name, state, time] = NUMBERED.exec(line) ?? [];
		return name === undefined ? null : { name: name === '' ? null : name, id: -1, state: state ?? null, time: time ?? null };
	}
	if (first === 0x54 || first === 0x56) {
		const name = BRACKETED.exec(line)?.[1];
		return name === undefined ? null : { name, id: -1, state: null, time: null };
	}
	return null;
}
