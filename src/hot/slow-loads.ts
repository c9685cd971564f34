/**
 * Loads that hot loops wait for: where most of a loop's samples lie at the loads of one bytecode, once skid is removed, what they read comes late. A loop that waits
 * for nothing has its samples spread over its instructions.
 */
import type { Instructions } from '../model/instructions.js';
import type { HotReport, Region } from './hot-results.js';
import { costOf, LOAD } from './instruction-cost.js';
import type { SlowInstruction } from './slow-instructions.js';

/** Below this part of the samples a loop is not looked at. */
const LEAST_PERCENT = 5;
/** Of smaller loops each instruction has a large part anyway. */
const LEAST_INSTRUCTIONS = 8;
/** Of the loop's samples, and of what its loads would have if all instructions took the same time. */
const LEAST_SHARE = 0.4;
const LEAST_TIMES = 4;
/** The stack is in the nearest cache. */
const OF_STACK = /\(%[re]sp\b|\[[re]?sp\b/;

/** Hottest first. */
export function slowLoads({ regions, attribution }: HotReport): SlowInstruction[] {
	const result: SlowInstruction[] = [];
	for (const region of regions) {
		if ((100 * region.samples) / attribution.counted < LEAST_PERCENT) {
			break;
		}
		const { heat, loop, lines } = region;
		const instructions = heat?.instructions ?? null;
		const analysed = heat?.analysedAt ?? null;
		if (heat === null || instructions === null || analysed === null || heat.code.compileId === null || loop === null || lines.length < LEAST_INSTRUCTIONS) {
			continue;
		}
		const most = mostAwaited(region, instructions, (i) => analysed.at(i));
		if (most !== null) {
			const frame = instructions.frames(most.hottest)[0];
			result.push({
				kind: 'load',
				text: instructions.textAt(most.hottest).trim(),
				compileId: heat.code.compileId,
				method: frame?.method ?? heat.code.name,
				line: frame?.line ?? null,
				bci: frame?.bci ?? null,
				percent: (100 * most.samples) / attribution.counted,
			});
		}
	}
	return result.sort((a, b) => b.percent - a.percent);
}

interface Loads {
	samples: number;
	count: number;
	/** The one with most samples. */
	hottest: number;
}

/** The loads of one bytecode, of which an unrolled loop has several; null where nothing stands out. */
function mostAwaited({ lines }: Region, code: Instructions, samplesAt: (instruction: number) => number): Loads | null {
	const byBytecode = new Map<string, Loads>();
	let total = 0;
	for (const i of lines) {
		const samples = samplesAt(i);
		total += samples;
		if (costOf(code.formAt(i)) !== LOAD || OF_STACK.test(code.formAt(i))) {
			continue;
		}
		const [frame] = code.frames(i);
		const key = frame === undefined ? `${i}` : `${frame.method} ${frame.bci}`;
		const loads = byBytecode.get(key) ?? { samples: 0, count: 0, hottest: i };
		loads.hottest = samples > samplesAt(loads.hottest) ? i : loads.hottest;
		loads.samples += samples;
		loads.count++;
		byBytecode.set(key, loads);
	}
	const most = [...byBytecode.values()].reduce<Loads | null>((best, one) => (best === null || one.samples > best.samples ? one : best), null);
	const isEven = (loads: Loads): boolean => loads.samples < LEAST_SHARE * total || loads.samples * lines.length < LEAST_TIMES * loads.count * total;
	return most === null || isEven(most) ? null : most;
}
