/** The analysed column of a report: whether the recording wants its samples moved, and where they go. */
import { type Instructions, lookAt } from '../model/instructions.js';
import { SparseColumn } from '../model/sparse-column.js';
import type { Attribution } from './attribute.js';
import type { SkidVerdict } from './hot-results.js';
import { type SampledCode, ScratchColumn } from './sampled-code.js';
import { calibrateSkid, isPreciseEvent, movedWeights } from './skid.js';

/** `auto`: as the recording's own calibration says. */
export type SkidMode = 'auto' | 'on' | 'off';

export interface JudgedSkid {
	/** Those that were given. */
	readonly heats: readonly SampledCode[];
	readonly verdict: SkidVerdict;
}

/** Looks at each once, when it is made: what its instructions are need not be kept for a second look. */
export function judgeSkid(heats: Iterable<SampledCode>, { samples, event }: Attribution, mode: SkidMode): JudgedSkid {
	const all: SampledCode[] = [];
	const calibration = calibrateSkid(piecesOf(heats, all));
	const isPrecise = isPreciseEvent(`${samples.events[event] ?? ''}${samples.modifiers[event] ?? ''}`);
	const isShifted = mode === 'on' || (mode === 'auto' && !isPrecise && calibration.verdict === 'shift');
	const reason =
		mode === 'on'
			? `moved on request; ${calibration.reason}`
			: mode === 'off'
				? 'not moved, on request'
				: isPrecise
					? 'not moved: the event is precise'
					: calibration.reason;
	return { heats: all, verdict: { isShifted, share: calibration.share, samples: calibration.samples, reason } };
}

function* piecesOf(heats: Iterable<SampledCode>, all: SampledCode[]): Generator<{ code: Instructions; seen: Float64Array }> {
	const scratch = new ScratchColumn();
	for (const heat of heats) {
		all.push(heat);
		if (heat.instructions !== null) {
			yield { code: heat.instructions, seen: scratch.with(heat.seenAt) };
		}
	}
}

/** Where the samples of code were waited for. */
export function analyseSkid({ instructions, seenAt, labels }: SampledCode, scratch: ScratchColumn): SparseColumn | null {
	return instructions === null
		? null
		: lookAt(instructions, (columns) => {
				const { weights } = movedWeights(instructions, columns, scratch.with(seenAt), entriesOf(columns.address, labels));
				return new SparseColumn(instructions.length, weights);
			});
}

/** Where the JVM enters a method from outside. */
function entriesOf(address: Float64Array, labels: ReadonlyMap<number, string>): number[] {
	return [...labels.keys()].map((i) => address[i]!);
}
