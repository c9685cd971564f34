/** The results of `assay memory` and `assay memory --compare`: docs/schema/memory.json. Tables of compilations are read while the result is taken. */
import { type MemoryAtOnce, memoryAtOnce } from '../footprint/memory-at-once.js';
import { type PhaseTotal, phaseTotals } from '../footprint/phase-totals.js';
import type { Advice, MemoryComparison, Replay } from '../footprint/results.js';
import type { ArenaBytes, NativeMemory } from '../model/compiler-memory.js';
import type { Problem } from '../model/problem.js';
import type { OpenedCompilation } from '../recording/merge-memory.js';
import type { CompareMemoryResult, MemoryResult } from './results.js';
import { type Frozen, mapped, type Streamed } from './streamed.js';

/** Its tables are read when they are asked for, from files that have to be open. */
export type ShownCompilation = OpenedCompilation;

/** What is known of the compilers' memory in one run. */
export interface OpenedMemory {
	/** In the order of the files. */
	readonly compilations: readonly ShownCompilation[];
	/** Compilations that were not kept. */
	readonly omitted: number;
	/** What the JVM itself counts for its compilers; empty where nothing tells. */
	readonly nativeMemory: readonly NativeMemory[];
	/** Of a replay: events, and those that fit nothing; null of files. */
	readonly replay: Pick<Replay, 'events' | 'malformed' | 'isCrashed'> | null;
	readonly problems: readonly Problem[];
}

/** What was asked of it. */
export interface MemorySelection {
	readonly budget: { readonly bytes: number; readonly over: readonly ShownCompilation[] } | null;
	/** On the most expensive compilation, or on those chosen. */
	readonly advice: readonly Advice[];
	/** Only these; null: all. */
	readonly chosen: readonly ShownCompilation[] | null;
}

/** Of all compilations together. */
export interface MemoryTotals {
	/** Empty where no compilation has phases. */
	readonly byPhase: readonly PhaseTotal[];
	/** null where nothing tells when compilations ran. */
	readonly atOnce: MemoryAtOnce | null;
}

export function memoryTotals(compilations: readonly ShownCompilation[]): MemoryTotals {
	return { byPhase: phaseTotals(compilations), atOnce: memoryAtOnce(compilations) };
}

/** The result of `assay memory`. */
export function memoryResult(
	opened: Pick<OpenedMemory, 'compilations' | 'omitted' | 'nativeMemory' | 'replay'>,
	selection: MemorySelection,
): Streamed<MemoryResult> {
	return { compilations: mapped(selection.chosen ?? opened.compilations, memoryRow), ...memoryOverview(opened, selection) };
}

/** The result without the compilations. */
export function memoryOverview(
	{ compilations, omitted, nativeMemory, replay }: Pick<OpenedMemory, 'compilations' | 'omitted' | 'nativeMemory' | 'replay'>,
	{ chosen, budget, advice }: MemorySelection,
): Frozen<Omit<MemoryResult, 'compilations'>> {
	const { byPhase, atOnce } = memoryTotals(compilations);
	return {
		// What PrintCompilation, LogCompilation or events told besides.
		tasks: (chosen ?? compilations)
			.filter(({ level, osrBci, skipped, timesCompiled }) => level !== null || osrBci !== null || skipped !== null || timesCompiled !== null)
			.map(({ handle, level, osrBci, skipped, timesCompiled }) => ({ handle, level, osrBci, skipped, timesCompiled })),
		totalBytes: compilations.reduce((sum, { totalBytes }) => sum + totalBytes, 0),
		omitted,
		...(byPhase.length === 0 ? {} : { byPhase: byPhase.map(({ phase, bytes }) => ({ phase, bytes })) }),
		...(atOnce === null ? {} : { atOnce: { ...atOnce, handles: [...atOnce.handles], parts: [...atOnce.parts] } }),
		...(nativeMemory.length === 0 ? {} : { nativeMemory: nativeMemory.map((one) => ({ ...one })) }),
		advice,
		...(budget === null ? {} : { budget: { bytes: budget.bytes, over: budget.over.map(({ handle }) => handle) } }),
		...(replay === null ? {} : { replay: { events: replay.events, crashed: replay.isCrashed, malformed: replay.malformed } }),
	};
}

/** An item of `compilations`. */
export type CompilationMemoryJson = Frozen<MemoryResult['compilations'][number]>;
/** The same without the tables of the compilation. */
export type CompilationMemorySummary = Omit<CompilationMemoryJson, 'phases' | 'timeline'>;

/** What is told of a compilation without its tables, which are not read. */
export function memorySummaryRow(compilation: ShownCompilation): CompilationMemorySummary {
	const { handle, compileId, compiler, method, signature, totalBytes, byArena, nodes, result, limitBytes, hitLimit, seconds, thread } = compilation;
	return {
		handle,
		compileId,
		compiler,
		method,
		signature,
		totalBytes,
		byArena: arenasJson(byArena),
		nodes,
		result,
		...(limitBytes === null ? {} : { limitBytes }),
		hitLimit,
		seconds,
		thread,
	};
}

/** An item of `compilations`. */
export function memoryRow(compilation: ShownCompilation): CompilationMemoryJson {
	const { phases, timeline } = compilation.details();
	return {
		...memorySummaryRow(compilation),
		phases: phases.map(({ name, totalBytes: bytes, byArena: cells }) => ({ name, totalBytes: bytes, byArena: arenasJson(cells) })),
		timeline: timeline.map(({ sequence, depth, phase, isContinued, bytes, deltaBytes, nodes: live, temporaryPeakBytes }) => ({
			sequence,
			depth,
			phase,
			continued: isContinued,
			bytes,
			deltaBytes,
			nodes: live,
			...(temporaryPeakBytes === null ? {} : { temporaryPeakBytes }),
		})),
	};
}

function arenasJson({ arenas, bytes }: ArenaBytes): Record<string, number> {
	return Object.fromEntries(arenas.map((arena, i) => [arena, bytes[i]!]));
}

/** The result of `assay memory --compare`. */
export function memoryComparisonResult(nameA: string, nameB: string, comparison: MemoryComparison): Streamed<CompareMemoryResult> {
	const { runsA, runsB, totalA, totalB, changes, unchanged } = comparison;
	return {
		a: { name: nameA, runs: runsA, totalBytes: totalA },
		b: { name: nameB, runs: runsB, totalBytes: totalB },
		unchanged,
		changes: mapped(changes, ({ handle, method, signature, compiler, kind, a, b, isNoise, pValue, cells }) => ({
			handle,
			method,
			signature,
			compiler,
			kind,
			bytesA: a.bytes,
			bytesB: b.bytes,
			deltaBytes: b.bytes - a.bytes,
			valuesA: a.values,
			valuesB: b.values,
			noise: isNoise,
			pValue,
			cells: cells.map(({ phase, arena, bytesA, bytesB }) => ({ phase, arena, bytesA, bytesB, deltaBytes: bytesB - bytesA })),
		})),
	};
}
