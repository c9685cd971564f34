/** The result of `assay memory` as JSON: see docs/json.md. One compilation after the other: their tables are read while they are written. */
import type { ArenaBytes } from '../model/compiler-memory.js';
import type { JsonSink } from './json-stream.js';
import type { MemoryComparisonView, MemoryView, ShownCompilation } from './memory-view.js';

export function writeMemoryJson(json: JsonSink, view: MemoryView): void {
	const compilations = view.chosen ?? view.compilations;
	json.beginList('compilations');
	for (const compilation of compilations) {
		json.item(memoryRow(compilation));
	}
	json.closeTo(json.depth - 1);
	// What PrintCompilation, LogCompilation or events told besides.
	json.field(
		'tasks',
		compilations
			.filter(({ level, osrBci, skipped, timesCompiled }) => level !== null || osrBci !== null || skipped !== null || timesCompiled !== null)
			.map(({ handle, level, osrBci, skipped, timesCompiled }) => ({ handle, level, osrBci, skipped, timesCompiled })),
	);
	json.field(
		'totalBytes',
		view.compilations.reduce((sum, { totalBytes }) => sum + totalBytes, 0),
	);
	json.field('omitted', view.omitted);
	json.field('advice', view.advice);
	if (view.budget !== null) {
		const { bytes, over } = view.budget;
		json.field('budget', { bytes, over: over.map(({ handle }) => handle) });
	}
	if (view.replay !== null) {
		const { events, malformed, isCrashed } = view.replay;
		json.field('replay', { events, crashed: isCrashed, malformed });
	}
}

export type CompilationMemoryJson = ReturnType<typeof memoryRow>;

/** An item of `compilations`. */
export function memoryRow(compilation: ShownCompilation) {
	const { handle, compileId, compiler, method, signature, totalBytes, byArena, nodes, result, limitBytes, hitLimit, seconds, thread } = compilation;
	const { phases, timeline } = compilation.details();
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

export function writeMemoryComparisonJson(json: JsonSink, { nameA, nameB, comparison }: MemoryComparisonView): void {
	const { runsA, runsB, totalA, totalB, changes, unchanged } = comparison;
	json.field('a', { name: nameA, runs: runsA, totalBytes: totalA });
	json.field('b', { name: nameB, runs: runsB, totalBytes: totalB });
	json.field('unchanged', unchanged);
	json.beginList('changes');
	for (const { handle, method, signature, compiler, kind, a, b, isNoise, pValue, cells } of changes) {
		json.item({
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
		});
	}
	json.closeTo(json.depth - 1);
}
