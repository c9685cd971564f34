/**
 * The summary of Native Memory Tracking (`jcmd PID VM.native_memory summary`, `-XX:+PrintNMTStatistics`, error reports): how much the JVM counts for its
 * compilers, and of how much in all. Forms as JDK 17 and 25 print them; older ones have no peaks, and answers to `summary.diff` have changes beside the values.
 */
import type { NativeMemory } from '../../model/compiler-memory.js';

/** The line above a summary. */
export const NATIVE_MEMORY_TITLE = 'Native Memory Tracking:';

const SIZE = String.raw`(\d{1,15})([KMG]B)?(?: [+-]\d{1,15}(?:[KMG]B)?)?`;
const TOTAL = new RegExp(`^Total: reserved=${SIZE}, committed=${SIZE}$`);
const CATEGORY = new RegExp(String.raw`^- {1,60}(\S.{0,80}) \(reserved=${SIZE}, committed=${SIZE}(?:, [^()]{1,80})?\)$`);
const ARENA = new RegExp(String.raw`^\(arena=${SIZE} #(\d{1,15})(?: [+-]\d{1,15})?\)(?: \((?:at peak|peak=${SIZE} #\d{1,15})\))?$`);
const OTHER = /^(?:\(|malloc: |mmap: |$)/;
const UNITS: Readonly<Record<string, number>> = { '': 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 };

/** A summary that begins with the line before. */
export class NativeMemorySummary {
	private readonly file: string;
	private readonly line: number;
	private totalCommittedBytes: number | null = null;
	private compiler: Pick<NativeMemory, 'reservedBytes' | 'committedBytes'> = { reservedBytes: null, committedBytes: null };
	private arena: Pick<NativeMemory, 'arenaBytes' | 'arenaPeakBytes' | 'arenas'> = { arenaBytes: null, arenaPeakBytes: null, arenas: null };
	private isCompiler = false;

	constructor(file: string, line: number) {
		this.file = file;
		this.line = line;
	}

	/** false: the line is none of a summary, which has ended before it. */
	take(text: string): boolean {
		const trimmed = text.trim();
		const [, , , total, totalUnit] = TOTAL.exec(trimmed) ?? [];
		if (total !== undefined) {
			const isFirst = this.totalCommittedBytes === null;
			this.totalCommittedBytes ??= bytesOf(total, totalUnit);
			return isFirst;
		}
		const category = CATEGORY.exec(trimmed);
		if (category !== null) {
			const [, name, reserved, reservedUnit, committed, committedUnit] = category;
			this.isCompiler = name === 'Compiler';
			if (this.isCompiler) {
				this.compiler = { reservedBytes: bytesOf(reserved, reservedUnit), committedBytes: bytesOf(committed, committedUnit) };
			}
			return true;
		}
		const arena = ARENA.exec(trimmed);
		if (arena !== null && this.isCompiler) {
			const [, now, unit, arenas, peak, peakUnit] = arena;
			const arenaBytes = bytesOf(now, unit);
			const isAtPeak = trimmed.endsWith('(at peak)');
			this.arena = { arenaBytes, arenaPeakBytes: peak === undefined ? (isAtPeak ? arenaBytes : null) : bytesOf(peak, peakUnit), arenas: Number(arenas) };
		}
		return OTHER.test(trimmed);
	}

	/** null: nothing of a summary came. */
	finish(): NativeMemory | null {
		const { file, line, totalCommittedBytes } = this;
		return totalCommittedBytes === null ? null : { file, line, totalCommittedBytes, ...this.compiler, ...this.arena };
	}
}

function bytesOf(digits = '0', unit = ''): number {
	return Number(digits) * UNITS[unit]!;
}
