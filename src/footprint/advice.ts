/** What follows from the numbers of a compilation: where its peak is, what would have stopped it, how to see it again. */
import { type CompilerMemory, type MemoryDetails, UNKNOWN_METHOD } from '../model/compiler-memory.js';
import type { Advice } from './results.js';

export interface AdvisedCompilation extends CompilerMemory {
	readonly handle: string;
	readonly details: () => MemoryDetails;
}

const KIBIBYTE = 1 << 10;
const MEBIBYTE = 1 << 20;

/** Of one compilation, which is one of `all`. */
export function adviseOn(compilation: AdvisedCompilation, all: readonly AdvisedCompilation[]): Advice[] {
	const { handle, method, signature, compiler, totalBytes } = compilation;
	const advice: Advice[] = [];
	const say = (kind: Advice['kind'], text: string, flag: string | null = null): void => {
		advice.push({ kind, handle, text, flag });
	};
	if (totalBytes === 0) {
		return [];
	}
	const { phases, timeline } = compilation.details();
	const peak = largestCell(compilation, phases);
	if (peak !== null) {
		const where = peak.phase === null ? `arena ${peak.arena}` : `phase ${peak.phase === '' ? '(without a name)' : peak.phase}, arena ${peak.arena}`;
		say('peak', `${where}: ${mebibytes(peak.bytes)} of the ${mebibytes(totalBytes)} at the peak (${percent(peak.bytes, totalBytes)})`);
	}
	const [temporary] = timeline.filter(({ temporaryPeakBytes }) => temporaryPeakBytes !== null).sort((x, y) => above(y) - above(x));
	if (temporary !== undefined) {
		const { phase, sequence, temporaryPeakBytes } = temporary;
		say(
			'temporary-peak',
			`${phase} (number ${sequence}) held ${mebibytes(above(temporary))} for a while: ${mebibytes(temporaryPeakBytes ?? 0)} inside it, ${mebibytes(temporary.bytes)} after`,
		);
	}
	const same = method === UNKNOWN_METHOD ? [compilation] : all.filter((one) => one.method === method && one.signature === signature);
	const smaller = same.map((one) => one.totalBytes).filter((bytes) => bytes < totalBytes);
	if (same.length > 1) {
		const list = same.map((one) => `${one.handle} ${one.compiler} ${mebibytes(one.totalBytes)}`);
		say('recompiled', `compiled ${same.length} times: ${list.slice(0, 6).join(', ')}${list.length > 6 ? ', …' : ''}`);
	}
	if (compilation.hitLimit) {
		const outcomes: Record<string, string> = { oom: 'and was stopped', ok: 'and finished all the same: it was near its end' };
		const outcome = outcomes[compilation.result ?? ''] ?? 'and has no result';
		say('stopped', `hit its limit of ${mebibytes(compilation.limitBytes ?? 0)} ${outcome}`);
	}
	const pattern = commandPattern(method, signature);
	if (pattern !== null) {
		const low = smaller.reduce((most, bytes) => Math.max(most, bytes), 0);
		const early = earlyBytes(timeline);
		const isEarly = early > low && limitBetween(low, early) !== null;
		const limit = limitBetween(low, isEarly ? early : totalBytes);
		if (limit !== null) {
			const late = isEarly || timeline.length === 0 ? '' : '; it is passed near the end, where C2 may finish all the same';
			const larger = same.filter((one) => one.totalBytes > totalBytes).length;
			const also = larger === 0 ? '' : `; it stops ${larger === 1 ? 'the larger one' : `the ${larger} larger ones`} of it too`;
			const rest = smaller.length === 0 ? '' : `; the other compilations of it (up to ${mebibytes(low)}) would go on`;
			say(
				'limit',
				`a limit for this method alone that would have stopped ${handle} (${mebibytes(totalBytes)})${also}${rest}${late}`,
				quoted(`-XX:CompileCommand=memlimit,${pattern},${limit}~stop`),
			);
		}
		say(
			'reproduce',
			`to see it again${compiler === 'c1' ? '' : ', with its tables'}; -Xbatch keeps the order of compilations`,
			`-Xbatch ${quoted(`-XX:CompileCommand=memstat,${pattern},print`)}`,
		);
	}
	return advice;
}

/** The first compilations that went over a budget, most expensive first. */
export function overBudget<T extends CompilerMemory>(compilations: readonly T[], budgetBytes: number): T[] {
	return compilations.filter(({ totalBytes }) => totalBytes > budgetBytes).sort((a, b) => b.totalBytes - a.totalBytes);
}

function above({ bytes, deltaBytes, temporaryPeakBytes }: MemoryDetails['timeline'][number]): number {
	return (temporaryPeakBytes ?? 0) - Math.max(bytes, bytes - deltaBytes);
}

/** The compiler gives up at its next check, not at once: what it held before the last quarter of its phases is sure to be seen. */
function earlyBytes(timeline: MemoryDetails['timeline']): number {
	const early = timeline.slice(0, Math.floor(0.75 * timeline.length));
	return early.reduce((most, { bytes }) => Math.max(most, bytes), 0);
}

function largestCell({ byArena }: CompilerMemory, phases: MemoryDetails['phases']): { phase: string | null; arena: string; bytes: number } | null {
	let best: { phase: string | null; arena: string; bytes: number } | null = null;
	const rows = phases.length > 0 ? phases : [{ name: null, byArena }];
	for (const { name, byArena: cells } of rows) {
		cells.bytes.forEach((bytes, i) => {
			if (bytes > (best?.bytes ?? 0)) {
				best = { phase: name, arena: cells.arenas[i]!, bytes };
			}
		});
	}
	return best;
}

/** A method as -XX:CompileCommand takes it; null for names that it cannot hold. */
function commandPattern(method: string, signature: string | null): string | null {
	const dot = method.lastIndexOf('.');
	const pattern = `${method.slice(0, dot).replaceAll('.', '/')}.${method.slice(dot + 1)}${signature ?? ''}`;
	return dot > 0 && /^[\w/$.<>()[;-]+$/.test(pattern) && !pattern.includes('0x') ? pattern : null;
}

/** Brackets, `$`, `<` and `;` mean something to a shell. */
function quoted(flag: string): string {
	return /[$<>();[]/.test(flag) ? `'${flag}'` : flag;
}

/** The largest whole size that is below `above` and not below `low`: in MiB if there is one, else in KiB. */
function limitBetween(low: number, high: number): string | null {
	for (const [unit, name] of [
		[MEBIBYTE, 'M'],
		[KIBIBYTE, 'K'],
	] as const) {
		const size = Math.ceil(high / unit) - 1;
		if (size > 0 && size * unit >= low) {
			return `${size}${name}`;
		}
	}
	return null;
}

function mebibytes(bytes: number): string {
	return bytes < MEBIBYTE / 10 ? `${(bytes / KIBIBYTE).toFixed(1)}K` : `${(bytes / MEBIBYTE).toFixed(2)}M`;
}

function percent(part: number, whole: number): string {
	return `${((100 * part) / whole).toFixed(1)} %`;
}
