/** Tables of `assay memory` as CSV (RFC 4180, with a head): compilations, the phases of one, or the changes of a comparison. */

import type { ShownCompilation } from '../answers/memory-result.js';
import type { ArenaBytes } from '../model/compiler-memory.js';
import type { Cell } from '../model/table.js';
import { csvRow } from './csv.js';
import type { MemoryComparisonView, MemoryView } from './memory-view.js';
import type { TextWriter } from './text-writer.js';

export function writeMemoryCsv(writer: TextWriter, { compilations, chosen }: MemoryView): void {
	if (chosen !== null) {
		writePhases(writer, chosen);
		return;
	}
	const arenas = arenasOf(compilations.map(({ byArena }) => byArena));
	const tail = ['nodes', 'result', 'limitBytes', 'hitLimit', 'seconds', 'thread'];
	row(writer, ['handle', 'compileId', 'compiler', 'level', 'osrBci', 'method', 'signature', 'totalBytes', ...arenas, ...tail]);
	for (const one of compilations) {
		const { handle, compileId, compiler, level, osrBci, method, signature, totalBytes, byArena, nodes, result, limitBytes, hitLimit, seconds, thread } = one;
		const head = [handle, compileId, compiler, level, osrBci, method, signature, totalBytes];
		row(writer, [...head, ...cells(byArena, arenas), nodes, result, limitBytes, hitLimit, seconds, thread]);
	}
}

function writePhases(writer: TextWriter, chosen: readonly ShownCompilation[]): void {
	const tables = chosen.map((compilation) => ({ handle: compilation.handle, phases: compilation.details().phases }));
	const arenas = arenasOf(tables.flatMap(({ phases }) => phases.map(({ byArena }) => byArena)));
	row(writer, ['handle', 'phase', 'totalBytes', ...arenas]);
	for (const { handle, phases } of tables) {
		for (const { name, totalBytes, byArena } of phases) {
			row(writer, [handle, name, totalBytes, ...cells(byArena, arenas)]);
		}
	}
}

export function writeMemoryComparisonCsv(writer: TextWriter, { comparison }: MemoryComparisonView): void {
	row(writer, ['handle', 'method', 'signature', 'compiler', 'kind', 'bytesA', 'bytesB', 'deltaBytes', 'runsA', 'runsB', 'noise', 'pValue']);
	for (const { handle, method, signature, compiler, kind, a, b, isNoise, pValue } of comparison.changes) {
		row(writer, [handle, method, signature, compiler, kind, a.bytes, b.bytes, b.bytes - a.bytes, a.runs, b.runs, isNoise, pValue]);
	}
}

function arenasOf(lists: readonly ArenaBytes[]): string[] {
	const seen = new Set<ArenaBytes['arenas']>(lists.map(({ arenas }) => arenas));
	return [...new Set([...seen].flat())];
}

function cells({ arenas, bytes }: ArenaBytes, columns: readonly string[]): number[] {
	return columns.map((column) => bytes[arenas.indexOf(column)] ?? 0);
}

function row(writer: TextWriter, values: readonly Cell[]): void {
	writer.raw(csvRow(values));
}
