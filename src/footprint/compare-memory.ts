/**
 * Two sides, each of one run or several: which methods cost their compiler more or less memory, and in which phase and arena. A method stands for its largest
 * compilation in a run; a compiler's tiers are apart.
 */
import type { CompilerMemory, MemoryDetails } from '../model/compiler-memory.js';
import { withoutHiddenAddress } from '../model/hidden-class.js';
import { meansProbability } from '../statistics/permutation.js';
import { isSignificant } from '../statistics/significance.js';
import type { CellChange, MemoryChange, MemoryComparison, MemorySide } from './results.js';

interface ComparedCompilation extends CompilerMemory {
	readonly details: () => MemoryDetails;
}

/** The compilations of one run. */
export type ComparedRun = readonly ComparedCompilation[];

/** How many of the changes have their cells told: each needs the tables of its compilations. */
const WITH_CELLS = 200;
/** How many runs a side may have: the labellings of 16 runs, 12,870, are tried for each method. */
export const MAX_RUNS_PER_SIDE = 8;

export function compareMemory(a: readonly ComparedRun[], b: readonly ComparedRun[]): MemoryComparison {
	const sides = [a.map(largestByMethod), b.map(largestByMethod)] as const;
	const keys = new Set(sides.flatMap((side) => side.flatMap((run) => [...run.keys()])));
	const hasRepeats = a.length > 1 || b.length > 1;
	const changes: (Omit<MemoryChange, 'handle' | 'cells'> & { readonly of: readonly (readonly ComparedCompilation[])[] })[] = [];
	let unchanged = 0;
	for (const key of keys) {
		const of = sides.map((side) => side.flatMap((run) => run.get(key) ?? []));
		const [inA, inB] = of.map((compilations) => compilations.map(({ totalBytes }) => totalBytes)) as [number[], number[]];
		const [sideA, sideB] = [sideOf(inA), sideOf(inB)];
		if (sideA.bytes === sideB.bytes && inA.length > 0 && inB.length > 0) {
			unchanged++;
			continue;
		}
		const kind = inA.length === 0 ? 'appeared' : inB.length === 0 ? 'vanished' : 'changed';
		// A method that a run did not compile cost nothing there.
		const padded = (values: readonly number[], runs: number): number[] =>
			kind === 'changed' ? [...values] : [...values, ...Array<number>(runs - values.length).fill(0)];
		const pValue = hasRepeats ? meansProbability(padded(inA, a.length), padded(inB, b.length)) : null;
		const [{ method, signature, compiler }] = of.flat() as [ComparedCompilation];
		changes.push({ method, signature, compiler, a: sideA, b: sideB, kind, isNoise: pValue === null ? null : !isSignificant(pValue), pValue, of });
	}
	const size = ({ a: before, b: after }: { a: MemorySide; b: MemorySide }): number => Math.abs(after.bytes - before.bytes);
	changes.sort((x, y) => Number(x.isNoise === true) - Number(y.isNoise === true) || size(y) - size(x) || (x.method < y.method ? -1 : 1));
	return {
		runsA: a.length,
		runsB: b.length,
		totalA: meanTotal(a),
		totalB: meanTotal(b),
		changes: changes.map(({ of, ...change }, i) => ({ ...change, handle: `d${i + 1}`, cells: i < WITH_CELLS ? cellChanges(of) : [] })),
		unchanged,
	};
}

function largestByMethod(run: ComparedRun): Map<string, ComparedCompilation> {
	const largest = new Map<string, ComparedCompilation>();
	for (const compilation of run) {
		const key = `${compilation.compiler} ${withoutHiddenAddress(compilation.method)} ${compilation.signature ?? ''}`;
		const known = largest.get(key);
		if (known === undefined || known.totalBytes < compilation.totalBytes) {
			largest.set(key, compilation);
		}
	}
	return largest;
}

function sideOf(values: readonly number[]): MemorySide {
	return { bytes: values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length, runs: values.length, values };
}

function meanTotal(runs: readonly ComparedRun[]): number {
	return runs.length === 0 ? 0 : runs.reduce((sum, run) => sum + run.reduce((total, { totalBytes }) => total + totalBytes, 0), 0) / runs.length;
}

/** Means over the runs of each side that compiled it. */
function cellChanges(of: readonly (readonly ComparedCompilation[])[]): CellChange[] {
	const cells = new Map<string, { phase: string; arena: string; bytes: [number, number] }>();
	// Where one side has no tables, arenas are all that can be compared.
	const hasTables = of.every((compilations) => compilations.every(({ details }) => details().phases.length > 0));
	of.forEach((compilations, side) => {
		for (const compilation of compilations) {
			const rows = hasTables ? compilation.details().phases : [{ name: '', byArena: compilation.byArena }];
			for (const { name, byArena } of rows) {
				byArena.arenas.forEach((arena, i) => {
					const key = `${name} ${arena}`;
					const cell = cells.get(key) ?? { phase: name, arena, bytes: [0, 0] };
					cell.bytes[side] = cell.bytes[side]! + byArena.bytes[i]! / compilations.length;
					cells.set(key, cell);
				});
			}
		}
	});
	return [...cells.values()]
		.map(({ phase, arena, bytes: [bytesA, bytesB] }) => ({ phase: hasTables ? phase : '(all phases)', arena, bytesA, bytesB }))
		.filter(({ bytesA, bytesB }) => bytesA !== bytesB)
		.sort((x, y) => Math.abs(y.bytesB - y.bytesA) - Math.abs(x.bytesB - x.bytesA));
}
