/** Of each sample the instruction that it lies in: a piece of code is looked at once for all of its samples. */
import { lastAtOrBelow } from '../model/binary-search.js';
import { lookAt } from '../model/instructions.js';
import type { CodeHeat, HotReport } from './hot-results.js';

/** For each sample, counted or not, the number of its instruction in the code that it belongs to; -1 where none is known. */
export function sampledInstructions({ attribution, code }: Pick<HotReport, 'attribution' | 'code'>): Int32Array {
	const { samples, numbered, map, target } = attribution;
	const heats = new Map(code.map((heat) => [heat.code, heat]));
	const bySampled = new Map<CodeHeat, number[]>();
	for (let i = 0; i < samples.length; i++) {
		const piece = map.code[target[i]!];
		const heat = piece === undefined ? undefined : heats.get(piece);
		if (heat !== undefined) {
			const rows = bySampled.get(heat);
			if (rows === undefined) {
				bySampled.set(heat, [i]);
			} else {
				rows.push(i);
			}
		}
	}
	const result = new Int32Array(samples.length).fill(-1);
	for (const [{ instructions }, rows] of bySampled) {
		if (instructions !== null) {
			lookAt(instructions, ({ address, end }) => {
				for (const i of rows) {
					const wanted = numbered.addresses[numbered.of[i]!]!;
					const at = lastAtOrBelow(address, wanted);
					result[i] = at >= 0 && wanted < end[at]! ? at : -1;
				}
			});
		}
	}
	return result;
}
