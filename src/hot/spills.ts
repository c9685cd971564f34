/** Hot loops of native programs that keep registers in the stack frame: samples at their spills and reloads, told from the code. */

import type { ChainFrame } from '../model/debug-information.js';
import { spillAccesses } from './frame-slots.js';
import { type ChainAt, type HotRemark, placedRow } from './hot-remarks.js';
import type { CodeHeat, HotReport, Region } from './hot-results.js';

/** Loops that fewer samples are in are not looked at. */
const LEAST_PERCENT = 1;

/** Most samples at spills and reloads first. */
export function spilledLoops(report: HotReport, chainAt: ChainAt): HotRemark[] {
	const known = new Map<CodeHeat, ReturnType<typeof spillAccesses>>();
	const rows: HotRemark[] = [];
	for (const region of report.regions) {
		const { heat, loop } = region;
		if (region.share.percent < LEAST_PERCENT) {
			break;
		}
		const code = heat?.instructions ?? null;
		if (heat === null || code === null || loop === null || heat.code.library === undefined) {
			continue;
		}
		const accesses = known.get(heat) ?? spillAccesses(Array.from({ length: code.length }, (_, i) => code.textAt(i)));
		known.set(heat, accesses);
		const row = rowOf(report, chainAt, region, heat, accesses);
		if (row !== null) {
			rows.push(row);
		}
	}
	return rows.sort((a, b) => b.samples - a.samples);
}

function rowOf(report: HotReport, chainAt: ChainAt, region: Region, heat: CodeHeat, accesses: ReturnType<typeof spillAccesses>): HotRemark | null {
	const own = region.lines.filter((i) => accesses[i] !== null);
	const weights = heat.analysed ?? heat.seen;
	const samples = own.reduce((sum, i) => sum + weights[i]!, 0);
	if (samples === 0) {
		return null;
	}
	// What the compiler adds often has no line of its own: then it is that of the loop's hottest instruction.
	const placeOf = (i: number): ChainFrame | undefined => chainAt(heat.code, heat.instructions?.address[i] ?? 0)[0];
	const byHeat = (rows: readonly number[]): number[] => [...rows].filter((i) => weights[i]! > 0).sort((a, b) => weights[b]! - weights[a]!);
	const place = [...byHeat(own), ...byHeat(region.lines)].map(placeOf).find((one) => one !== undefined && one.line > 0);
	const spills = own.filter((i) => accesses[i]?.isStore).length;
	const reloads = own.filter((i) => accesses[i]?.isLoad).length;
	const slots = new Set(own.map((i) => accesses[i]?.slot)).size;
	const parts = [...(reloads === 0 ? [] : [counted(reloads, 'reload')]), ...(spills === 0 ? [] : [counted(spills, 'spill')])];
	const words = `${parts.join(' and ')} of registers (${counted(slots, 'slot')} of the frame) in the loop, which has ${region.share.percent.toFixed(1)} %`;
	return placedRow(report, 'spills', heat, place, words, samples, region.handle);
}

function counted(count: number, word: string): string {
	return `${count} ${word}${count === 1 ? '' : 's'}`;
}
