/**
 * Where a profiler puts a sample when debug information is only where threads can stop (calls and polls): the default, -XX:-DebugNonSafepoints.
 * HotSpot takes the first description (PcDesc) that ends behind the sampled address, whatever is executed in between; behind the
 * last one only the compiled method is known (forte.cpp; JFR from JDK 25), or the sample is lost (JFR before). Safepoints are told from the other
 * descriptions by their oop maps, which are printed beside them.
 */
import { firstWhere } from '../model/binary-search.js';
import { DebugInfo, type Frame, type Instructions } from '../model/instructions.js';
import { addBlame, type Blame, emptyBlame } from './blame.js';
import type { SampledCode } from './prediction-input.js';
import type { PrintedMethod } from './printed-method.js';

export interface NearestDebugInfo {
	readonly blame: Blame;
	/** Samples behind the last description: JFR before JDK 25 loses them. */
	readonly behindLast: number;
	/**
	 * `every instruction`: the code was compiled with descriptions between safepoints too, so the difference can be told. `safepoints only`: it
	 * was not, and the positions of the samples are such nearest ones themselves. `no oop maps`: the text does not tell safepoints apart.
	 */
	readonly described: 'every instruction' | 'safepoints only' | 'no oop maps';
}

/** Of the samples in printed code, in samples. */
export function nearestDebugInfo(sampled: readonly SampledCode[]): NearestDebugInfo {
	const blame = emptyBlame();
	let safepoints = 0;
	let others = 0;
	let behindLast = 0;
	for (const { method, counts } of sampled) {
		const { instructions } = method;
		const stops = safepointsOf(method);
		const unknown: readonly Frame[] = [{ method: method.code.name, bci: 0, line: null }];
		for (let i = 0; i < counts.length; i++) {
			if (counts[i]! > 0) {
				const frames = nearestFrames(instructions, stops, i);
				addBlame(blame, frames ?? unknown, counts[i]!);
				behindLast += frames === null ? counts[i]! : 0;
			}
		}
		safepoints += stops.length;
		for (const bits of instructions.debugInfo) {
			others += (bits & SAFEPOINT) === DebugInfo.Frames ? 1 : 0;
		}
	}
	return {
		blame,
		behindLast,
		described: safepoints === 0 && others > 0 ? 'no oop maps' : others < FEWEST_OTHERS * safepoints ? 'safepoints only' : 'every instruction',
	};
}

/** The samples behind the last description of their compilation: JFR before JDK 25 loses them, later ones show the poll that comes next. */
export function behindLastDescription(sampled: readonly SampledCode[]): SampledCode[] {
	return sampled.map((row) => {
		const stops = safepointsOf(row.method);
		return { ...row, counts: row.counts.map((count, i) => (count > 0 && nearestFrames(row.method.instructions, stops, i) === null ? count : 0)) };
	});
}

/** Some descriptions bear no oop map although they are of safepoints: of code at the end of a text, or lines that are lost. */
const FEWEST_OTHERS = 0.02;

const SAFEPOINT = DebugInfo.Frames | DebugInfo.OopMap;

/** Instructions beside which a safepoint is described, ascending. */
function safepointsOf({ instructions: { debugInfo } }: PrintedMethod): Int32Array {
	const result: number[] = [];
	for (let i = 0; i < debugInfo.length; i++) {
		if ((debugInfo[i]! & SAFEPOINT) === SAFEPOINT) {
			result.push(i);
		}
	}
	return Int32Array.from(result);
}

/** What is described at the first safepoint that ends behind the address of an instruction; null behind the last one. */
function nearestFrames(instructions: Instructions, safepoints: Int32Array, i: number): readonly Frame[] | null {
	for (let at = firstWhere(safepoints.length, (k) => safepoints[k]! >= i); at < safepoints.length; at++) {
		const frames = instructions.frames(safepoints[at]!);
		if (frames.length > 0) {
			return frames;
		}
	}
	return null;
}
