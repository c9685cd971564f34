/** Instructions that are slow by themselves: where they were waited for, and for how long. */
import { isOfRuntime } from '../model/c-runtime.js';
import type { Instructions } from '../model/instructions.js';
import type { SparseColumn } from '../model/sparse-column.js';
import type { CodeHeat, HotReport } from './hot-results.js';
import { costOf, SLOW } from './instruction-cost.js';

export interface SlowInstruction {
	/** `load`: what it reads comes late. */
	readonly kind: 'division' | 'atomic' | 'barrier' | 'load' | 'other';
	readonly text: string;
	readonly compileId: string;
	/** The innermost method that it is of. */
	readonly method: string;
	readonly line: number | null;
	readonly bci: number | null;
	/** Of all samples, those that waited for it. */
	readonly percent: number;
}

const REPEATED = /^\s*rep/;

/**
 * Instructions that are slow by themselves and were waited for, hottest first; the samples of the instruction behind one are its own, where skid was not
 * removed.
 */
export function slowInstructions({ attribution, code: heats }: HotReport): SlowInstruction[] {
	const { counted } = attribution;
	const rows: SlowInstruction[] = [];
	for (const { code, instructions, seenAt, analysedAt, slowAt } of heats) {
		if (instructions === null || code.compileId === null) {
			continue;
		}
		const isRuntime = code.library !== undefined && isOfRuntime(code.library, code.name);
		for (const i of slowAt) {
			const seen = seenAt.at(i);
			const samples = analysedAt?.at(i) ?? (costOf(instructions.formAt(i + 1)) >= SLOW ? seen : seen + seenAt.at(i + 1));
			const text = instructions.textAt(i);
			// What fills and copies memory takes as long as there is memory.
			if (samples > 0 && !(isRuntime && REPEATED.test(text))) {
				const frame = instructions.frames(i)[0];
				rows.push({
					kind: kindOf(text.trim()),
					text: text.trim(),
					compileId: code.compileId,
					method: frame?.method ?? code.name,
					line: frame?.line ?? null,
					bci: frame?.bci ?? null,
					percent: (100 * samples) / counted,
				});
			}
		}
	}
	return rows.sort((a, b) => b.percent - a.percent);
}

/** {@link CodeHeat.slowAt}: of much code they are found while it is looked at anyway. */
export function slowAmong(instructions: Instructions, seenAt: SparseColumn, analysedAt: SparseColumn | null): number[] {
	const near = new Set<number>();
	for (const i of seenAt.rows) {
		if (i > 0) {
			near.add(i - 1);
		}
		near.add(i);
	}
	for (const i of analysedAt?.rows ?? []) {
		near.add(i);
	}
	return [...near].filter((i) => costOf(instructions.formAt(i)) >= SLOW).sort((a, b) => a - b);
}

/** `lock addl $0x0,-0x40(%rsp)` is how HotSpot makes a write to a volatile field visible on x86-64. */
function kindOf(text: string): SlowInstruction['kind'] {
	if (/^(?:\w*div|fprem|v?div)/.test(text)) {
		return 'division';
	}
	if (/^lock addl \$0x0,|^(?:mfence|sfence|lfence|dmb|dsb|isb)\b/.test(text)) {
		return 'barrier';
	}
	return /^(?:lock|xchg|cmpxchg|xadd|cas|ldadd|lda?xr|stl?xr|stadd|swp)/.test(text) ? 'atomic' : 'other';
}
