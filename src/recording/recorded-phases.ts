/**
 * Phases of a compilation as Flight Recorder tells them. C2 tells of itself at many places, and of the time since the last of them (JfrCompilerPhase): what it tells
 * at the levels that are always told are its phases, with all that it told in more detail before that inside of them.
 */
import type { JfrCompilerPhase } from '../formats/jfr/compiler-events.js';
import type { CompilationPhase } from '../model/jit-compilation.js';

/** Parsing, final code, and the passes between. */
const MOST_OF_A_PHASE = 2;
/** Places are told with a word for the side of the pass that they are on. */
const SIDE = /^After /;

/** The events are those of one compilation, in their order. */
export function recordedPhases(events: readonly JfrCompilerPhase[]): CompilationPhase[] {
	const rows: CompilationPhase[] = [];
	let inside: CompilationPhase[] = [];
	for (const { ms, durationMs, phase, level } of events) {
		const endMs = ms === null || durationMs === null ? null : ms + durationMs;
		const row = { name: phase.replace(SIDE, ''), depth: 1, startMs: ms, endMs, nodes: null, liveNodes: null, memoryBytes: null };
		if ((level ?? 1) > MOST_OF_A_PHASE) {
			inside.push(row);
			continue;
		}
		rows.push({ ...row, depth: 0, startMs: inside[0]?.startMs ?? ms }, ...inside);
		inside = [];
	}
	rows.push(...inside);
	return rows;
}
