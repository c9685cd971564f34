/** Memory of all compilations by phase, each at its own peak. */
import type { CompilerMemory, MemoryDetails } from '../model/compiler-memory.js';

export interface PhaseTotal {
	/** null: of compilations that no table tells phases of (C1). */
	readonly phase: string | null;
	readonly bytes: number;
}

/** Most first; their sum is that of all peaks. Empty where no compilation has phases. */
export function phaseTotals(
	compilations: readonly (Pick<CompilerMemory, 'totalBytes' | 'byPhase'> & { readonly details: () => MemoryDetails })[],
): PhaseTotal[] {
	const sums = new Map<string | null, number>();
	const add = (phase: string | null, bytes: number): void => {
		sums.set(phase, (sums.get(phase) ?? 0) + bytes);
	};
	for (const { byPhase, totalBytes, details } of compilations) {
		if (byPhase !== undefined) {
			byPhase.phases.forEach((phase, i) => {
				add(phase, byPhase.bytes[i]!);
			});
			continue;
		}
		const { phases } = details();
		for (const { name, totalBytes: bytes } of phases) {
			add(name, bytes);
		}
		if (phases.length === 0) {
			add(null, totalBytes);
		}
	}
	const rows = [...sums].map(([phase, bytes]) => ({ phase, bytes })).filter(({ bytes }) => bytes > 0);
	return rows.some(({ phase }) => phase !== null) ? rows.sort((a, b) => b.bytes - a.bytes) : [];
}
