/** What several findings ask of a run: a method's time over all its versions, lines of bytecodes, time of kinds of work. */
import { costOf, SLOW } from '../hot/instruction-cost.js';
import type { ThreadClass } from '../model/thread-class.js';
import { wilsonInterval } from '../statistics/shares.js';
import type { JoinedRun } from './joined-run.js';

export const TOP_TIER = 4;

export function percentText(percent: number): string {
	return `${percent.toFixed(1)} %`;
}

/** Percent of all samples in code of the method: C1, C2, OSR. */
export function percentOfMethod({ compilations }: JoinedRun, method: string): number {
	return compilations.reduce((sum, row) => sum + (row.method === method ? row.percent : 0), 0);
}

/** Of all samples; the 95 % interval's lower limit decides whether it is worth a sentence. */
export interface TimeShare {
	readonly percent: number;
	readonly low: number;
}

/** Samples of the JVM in threads of these classes whose activity is one of these; null: any. */
export function activityShare({ threadTime }: JoinedRun, classes: readonly ThreadClass[], activities: readonly string[] | null): TimeShare {
	const counted = threadTime?.counted ?? 0;
	let samples = 0;
	for (const row of threadTime?.classes ?? []) {
		if (classes.includes(row.class)) {
			samples += activities === null ? row.samples : row.activities.reduce((sum, { name, samples: own }) => sum + (activities.includes(name) ? own : 0), 0);
		}
	}
	const { percent, low } = wilsonInterval(samples, counted);
	return { percent: counted === 0 ? 0 : percent, low: counted === 0 ? 0 : low };
}

/** In the interpreter, of all samples. */
export function interpreterPercent({ hot }: JoinedRun): number {
	return hot === null || hot.attribution.counted === 0 ? 0 : (100 * (hot.reasons.get('interpreter') ?? 0)) / hot.attribution.counted;
}

/** The line of a bytecode, from the debug information of sampled code: its own, else that of the nearest one before it; null where none has one. */
export function lineOf({ hot }: JoinedRun, method: string, bci: number): number | null {
	let best = -1;
	let line: number | null = null;
	for (const { instructions } of hot?.code ?? []) {
		for (const frames of instructions?.positions ?? []) {
			for (const frame of frames) {
				if (frame.method === method && frame.line !== null && frame.bci <= bci && frame.bci > best) {
					best = frame.bci;
					line = frame.line;
				}
			}
		}
	}
	return line;
}

/** The line of a method with most samples in its code; null where none has one. */
export function hottestLine({ hot }: JoinedRun, method: string): number | null {
	const lines = new Map<number, number>();
	for (const { code, instructions, seen } of hot?.code ?? []) {
		if (instructions === null || code.name !== method) {
			continue;
		}
		for (let i = 0; i < instructions.length; i++) {
			const line = seen[i]! > 0 ? instructions.positions[instructions.position[i]!]?.at(-1)?.line : null;
			if (line != null) {
				lines.set(line, (lines.get(line) ?? 0) + seen[i]!);
			}
		}
	}
	return [...lines].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}

export interface SlowInstruction {
	readonly kind: 'division' | 'atomic' | 'barrier' | 'other';
	readonly text: string;
	readonly compileId: string;
	/** The innermost method that it is of. */
	readonly method: string;
	readonly line: number | null;
	readonly bci: number | null;
	/** Of all samples, those that waited for it. */
	readonly percent: number;
}

/** Instructions that are slow by themselves and were waited for, hottest first; the samples of the instruction behind one are its own, where skid was not removed. */
export function slowInstructions({ hot }: JoinedRun): SlowInstruction[] {
	const counted = hot?.attribution.counted ?? 0;
	const rows: SlowInstruction[] = [];
	for (const { code, instructions, seen, analysed } of hot?.code ?? []) {
		if (instructions === null || code.compileId === null) {
			continue;
		}
		for (let i = 0; i < instructions.length; i++) {
			const next = seen[i + 1] ?? 0;
			if (seen[i] === 0 && next === 0 && (analysed?.[i] ?? 0) === 0) {
				continue;
			}
			const text = instructions.text[i]!;
			const cost = costOf(text);
			const samples = analysed?.[i] ?? (costOf(instructions.text[i + 1] ?? '') >= SLOW ? seen[i]! : seen[i]! + next);
			if (cost >= SLOW && samples > 0) {
				const frame = instructions.positions[instructions.position[i]!]?.[0];
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
