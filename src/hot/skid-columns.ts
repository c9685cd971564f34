/** The analysed column of a report: whether the recording wants its samples moved, and where they go. */
import type { Attribution } from './attribute.js';
import type { CodeHeat, SkidVerdict } from './hot-results.js';
import { calibrateSkid, isPreciseEvent, moveSkid } from './skid.js';

/** `auto`: as the recording's own calibration says. */
export type SkidMode = 'auto' | 'on' | 'off';

export function analyseSkid(
	heats: readonly CodeHeat[],
	{ samples, event }: Attribution,
	mode: SkidMode,
): { verdict: SkidVerdict; analysed: (Float64Array | null)[] } {
	const none = heats.map(() => null);
	const pieces = heats.flatMap(({ instructions, seen }) => (instructions === null ? [] : [{ code: instructions, seen }]));
	const calibration = calibrateSkid(pieces);
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
	return {
		verdict: { isShifted, share: calibration.share, samples: calibration.samples, reason },
		analysed: isShifted
			? heats.map(({ instructions, seen, labels }) =>
					instructions === null ? null : moveSkid(instructions, seen, entriesOf(instructions.address, labels)).analysed,
				)
			: none,
	};
}

/** Where the JVM enters a method from outside. */
function entriesOf(address: Float64Array, labels: ReadonlyMap<number, string>): number[] {
	return [...labels.keys()].map((i) => address[i]!);
}
