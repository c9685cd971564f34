/** The analysed column of a report: whether the recording wants its samples moved, and where they go. */
import { lookAt } from '../model/instructions.js';
import { SparseColumn } from '../model/sparse-column.js';
import type { Attribution } from './attribute.js';
import type { SkidVerdict } from './hot-results.js';
import type { SampledCode, ScratchColumn } from './sampled-code.js';
import { isPreciseEvent, movedWeights, SkidCalibrator } from './skid.js';

/** `auto`: as the recording's own calibration says. */
export type SkidMode = 'auto' | 'on' | 'off';

/** Whether samples are moved, by all code with samples, one piece after the other. */
export class SkidJudge {
	/** False where they are not, whatever the samples say. */
	readonly mayShift: boolean;
	private readonly mode: SkidMode;
	private readonly isPrecise: boolean;
	private readonly calibrator = new SkidCalibrator();

	constructor({ samples, event }: Attribution, mode: SkidMode) {
		this.mode = mode;
		this.isPrecise = isPreciseEvent(`${samples.events[event] ?? ''}${samples.modifiers[event] ?? ''}`);
		this.mayShift = mode === 'on' || (mode === 'auto' && !this.isPrecise);
	}

	add({ instructions, seenAt }: SampledCode): void {
		if (instructions !== null) {
			this.calibrator.add(instructions, seenAt);
		}
	}

	verdict(): SkidVerdict {
		const { mode } = this;
		const calibration = this.calibrator.result();
		const isShifted = mode === 'on' || (this.mayShift && calibration.verdict === 'shift');
		const reason =
			mode === 'on'
				? `moved on request; ${calibration.reason}`
				: mode === 'off'
					? 'not moved, on request'
					: this.isPrecise
						? 'not moved: the event is precise'
						: calibration.reason;
		return { isShifted, share: calibration.share, samples: calibration.samples, reason };
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
