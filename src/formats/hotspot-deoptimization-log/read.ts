/**
 * Uncommon traps that were hit, as -Xlog:deoptimization=debug tells of them (log_deopt in deoptimization.cpp, JDK 18 to 25):
 *   [0.178s][debug][deoptimization] cid= 493     level=4 java.lang.String.foo(I)I trap_bci=19 unstable_if reinterpret pc=0x00007f06dbeef2c4 relative_pc=0x…344
 * with `osr` before the level and `osr_bci=14` behind the trap's index in OSR compilations. The method is the one whose bytecode trapped, which
 * may be inlined into the compilation's.
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { type Problem, SkippedLines } from '../../model/problem.js';
import { readLogDecorations } from '../shared/hotspot/log-decorations.js';

/** A deoptimization as -Xlog:deoptimization tells of it. */
export interface LoggedDeoptimization {
	/** Milliseconds since the JVM's start; null where the line has no such stamp. */
	readonly timeMs: number | null;
	/** Nanoseconds of the monotonic clock, where the line has it. */
	readonly clockNs: number | null;
	/** Milliseconds since 1970, where the line has it. */
	readonly epochMs: number | null;
	/** The operating system's number of the thread, where the line has it (decoration `tid`). */
	readonly threadId: number | null;
	/** As HotSpot prints it, with `%` behind that of an OSR compilation. */
	readonly compileId: string;
	readonly level: number | null;
	/** Where an OSR compilation was entered; null of others. */
	readonly osrBci: number | null;
	/** Holder and name with dots. */
	readonly method: string;
	/** JVM descriptor, `(ILjava/lang/String;)I`. */
	readonly signature: string;
	/** Bytecode index of the trap in that method. */
	readonly bci: number;
	/** `unstable_if`, `class_check`, `bimorphic_or_optimized_type_check`, … */
	readonly reason: string;
	/** `reinterpret`, `maybe_recompile`, `make_not_entrant`, `none`, … */
	readonly action: string;
	/** Address of the trap. */
	readonly pc: number;
	/** Its distance from the beginning of the compilation's code, in bytes. */
	readonly codeOffsetBytes: number;
	/** Line in the file, from 1. */
	readonly line: number;
}

/** The rows of a log of deoptimizations. */
export interface DeoptimizationLog {
	/** In the order of the file. */
	readonly rows: readonly LoggedDeoptimization[];
	/** Lines that begin a trap and do not tell of it to the end. */
	readonly lostLines: number;
	readonly problems: readonly Problem[];
}

const TRAP =
	/^cid= {0,8}(\d{1,9}) (osr| {3}) level=(-?\d{1,3}) (\S[^\s(]{0,7999})(\(\S{0,8000}) trap_bci=(-?\d{1,6}) (?:osr_bci=(-?\d{1,6}) )?(\S+) (\S+) pc=0x([0-9a-f]{8}|[0-9a-f]{16}) relative_pc=0x([0-9a-f]{8}|[0-9a-f]{16})\s*$/;

/** Never throws on content. Lines of other kinds, of the same tag too, are passed over. */
export function readDeoptimizationLog(source: Source): DeoptimizationLog {
	const rows: LoggedDeoptimization[] = [];
	const lost = new SkippedLines(source.name, 'expected an uncommon trap: compile id, method, index, reason and action');
	let lostLines = 0;
	forEachLine(source, (line, offset, number) => {
		if (!line.includes('cid=')) {
			return;
		}
		const row = rowOf(line, number);
		if (row !== null) {
			rows.push(row);
		} else if (isTrapLine(line)) {
			lostLines++;
			lost.add(number, offset);
		}
	});
	return { rows, lostLines, problems: lost.problems() };
}

/** Whether the first bytes of a file are those of this format. */
export function isDeoptimizationLog(head: string): boolean {
	return head.split('\n').some((line) => isTrapLine(line) && rowOf(line, 1) !== null);
}

function isTrapLine(line: string): boolean {
	const decorations = readLogDecorations(line);
	return decorations !== null && (decorations.tags ?? 'deoptimization') === 'deoptimization' && decorations.message.startsWith('cid=');
}

function rowOf(line: string, number: number): LoggedDeoptimization | null {
	const decorations = readLogDecorations(line);
	const match = decorations === null ? null : TRAP.exec(decorations.message);
	if (decorations === null || match === null) {
		return null;
	}
	const [, id = '', kind, level, method = '', signature = '', bci, osrBci, reason = '', action = '', pc = '', codeOffset = ''] = match;
	if (pc.length !== codeOffset.length) {
		return null;
	}
	const { uptimeMs, clockNs, epochMs, threadId } = decorations;
	return {
		timeMs: uptimeMs,
		clockNs,
		epochMs,
		threadId,
		compileId: kind === 'osr' ? `${id}%` : id,
		level: Number(level) < 0 ? null : Number(level),
		osrBci: osrBci === undefined ? null : Number(osrBci),
		method,
		signature,
		bci: Number(bci),
		reason,
		action,
		pc: Number.parseInt(pc, 16),
		codeOffsetBytes: Number.parseInt(codeOffset, 16),
		line: number,
	};
}
