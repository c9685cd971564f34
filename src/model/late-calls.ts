/** Samples at instructions whose description was wrong and left out ({@link DebugInfo.LateCall}): they are counted for what is described around them. */
import type { GeneratedCode } from './generated-code.js';
import { DebugInfo, type Instructions } from './instructions.js';
import type { Problem } from './problem.js';
import type { SparseColumn } from './sparse-column.js';

interface SampledInstructions {
	readonly code: GeneratedCode;
	readonly instructions: Instructions | null;
	/** Samples by instruction. */
	readonly seenAt: SparseColumn;
}

/** Of less than this share nothing is said. */
const SMALL_SHARE = 0.005;

/** A warning where they are more than a few of `all` samples. */
export function lateCallDoubts(rows: readonly SampledInstructions[], all: number, file: string): Problem[] {
	let samples = 0;
	let most = 0;
	let hottest: GeneratedCode | null = null;
	for (const row of rows) {
		const own = row.instructions === null ? 0 : samplesOfLateCalls(row.instructions, row.seenAt);
		samples += own;
		hottest = own > most ? row.code : hottest;
		most = Math.max(most, own);
	}
	if (hottest === null || samples < SMALL_SHARE * all) {
		return [];
	}
	const { name, compileId } = hottest;
	return [
		{
			severity: 'warning',
			file,
			message: `C2's debug information puts ${samples} samples (${((100 * samples) / all).toFixed(1)} %) at calls that it inlined late (boxing, string builders, or what the log names), where its code has none; most of them lie in ${compileId === null ? '' : `c${compileId} `}${name}`,
			action: 'they are counted for the bytecodes that are described around them; other profilers show them at the call',
		},
	];
}

function samplesOfLateCalls(code: Instructions, { rows, values }: SparseColumn): number {
	if (code.mayBeWrong?.(rows) === false || code.wrongCalls?.().length === 0) {
		return 0;
	}
	const { length, debugInfo } = code;
	let sum = 0;
	for (let k = 0; k < rows.length; k++) {
		let at = rows[k]!;
		while (at < length && (debugInfo[at]! & (DebugInfo.Frames | DebugInfo.LateCall)) === 0) {
			at++;
		}
		sum += at < length && (debugInfo[at]! & DebugInfo.Frames) === 0 ? values[k]! : 0;
	}
	return sum;
}
