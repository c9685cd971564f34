/** What the forms of a diff report (text, JSON, Markdown) share: numbers, the words for a change. */
import { simpleName, splitMethodName } from '../model/method-name.js';
import type { CallsiteChange, Change, ChangeCategory, Place } from '../profdiff/changes.js';
import type { Move } from '../profdiff/moves.js';
import type { NoiseTest, Shift } from '../profdiff/noise.js';
import { beforeAfter, type ChangeCounts } from '../profdiff/results.js';
import { countSplits } from '../statistics/splits.js';
import { thousands } from './quantities.js';
import { columns, shortenMiddle } from './terminal.js';
import { visible } from './visible.js';

const CATEGORY_WORDS: Readonly<Record<ChangeCategory, string>> = {
	'lost-inlining': 'inlining lost',
	'new-inlining': 'newly inlined',
	'new-indirect': 'newly indirect',
	'lost-indirect': 'no longer indirect',
	'other-call': 'other calls',
	'lost-optimization': 'optimizations lost',
	'new-optimization': 'new optimizations',
	refusal: 'refusals told by one side only',
	'compiled-only-in-a': 'compiled only in A',
	'compiled-only-in-b': 'compiled only in B',
};

/** Changes in their own right by category, in words, largest first. */
export function categoryWords({ byCategory }: ChangeCounts): (readonly [word: string, count: number])[] {
	return byCategory.map(([category, count]) => [
		count === 1 ? CATEGORY_WORDS[category].replace(/(optimization|refusal|call)s/, '$1') : CATEGORY_WORDS[category],
		count,
	]);
}

/** How many runs the sides have. */
export interface SideSizes {
	readonly a: number;
	readonly b: number;
}

/** `changed: of the 10 ways to split the runs 3 + 3, no other differs as much`. Not for too few runs. */
export function verdictText({ verdict, rank, tried, splits }: NoiseTest, { a, b }: SideSizes): string {
	if (rank === 1 && verdict === 'within chance') {
		return `${verdict}: nothing stands out, though no other split ${a} + ${b} differs as much`;
	}
	const ways = tried < splits ? `${thousands(tried)} splits ${a} + ${b} (sampled)` : `the ${thousands(splits)} ways to split the runs ${a} + ${b}`;
	const others = rank === 1 ? 'no other differs' : rank === 2 ? '1 other differs' : `${thousands(rank - 1)} others differ`;
	return `${verdict}: of ${ways}, ${others} as much`;
}

/** `3 + 3 runs can be 1 of 10 at best, 4 + 4 runs 1 of 35, 5 + 5 runs 1 of 126`: what more runs could tell. */
export function moreRunsText({ a, b }: SideSizes): string {
	const next = Math.max(a, b) + (a === b ? 1 : 0);
	if (next > 5) {
		return 'more runs a side tell smaller differences';
	}
	const best = (runs: number): string => `1 of ${thousands(countSplits(runs, runs))}`;
	return `${a} + ${b} runs can be 1 of ${thousands(countSplits(a, b))} at best, ${next} + ${next} runs ${best(next)}, ${next + 1} + ${next + 1} runs ${best(next + 1)}`;
}

/** `direct, inlining too deep`: what is decided more often on one side. */
export function shiftText({ kind, text }: Shift): string {
	return visible(kind === 'optimization' ? (text ?? '') : text === null ? kind : `${kind}, ${text}`);
}

/** `0 0 0 → 13 29 21`: how often in each run. */
export function shiftCounts({ countsA, countsB }: Shift): string {
	const side = (counts: readonly number[]): string => (counts.length <= 5 ? counts.join(' ') : `${Math.min(...counts)} to ${Math.max(...counts)}`);
	return `${side(countsA)} → ${side(countsB)}`;
}

/** How many changes each one took along. */
export function countConsequences(changes: readonly Change[]): Map<Change, number> {
	const counts = new Map<Change, number>();
	for (const { cause } of changes) {
		if (cause !== null) {
			counts.set(cause, (counts.get(cause) ?? 0) + 1);
		}
	}
	return counts;
}

/**
 * The changes that matter, in order of rank: in their own right, and at most two of a method and four of a shift, which would fill the screen. Details, and the
 * optimizations of a method whose calls or compilation changed too, are consequences: they stand here where there is nothing else.
 */
export function topChanges(changes: readonly Change[], isLeftOut: (change: Change) => boolean): Change[] {
	const candidates = changes.filter((change) => change.noise !== true && change.cause === null && !isLeftOut(change));
	const explained = new Set(
		candidates.filter(({ kind, categories }) => kind !== 'optimization' && categories[0] !== 'other-call').map(({ methodName }) => methodName),
	);
	const telling = candidates.filter((change) => change.kind !== 'optimization' || !(change.isDetail || explained.has(change.methodName)));
	const perMethod = new Map<string, number>();
	const perShift = new Map<Shift, number>();
	return (telling.length > 0 ? telling : candidates).filter((change) => {
		const ofMethod = perMethod.get(change.methodName) ?? 0;
		const { shift } = change;
		const ofShift = shift === null ? 0 : (perShift.get(shift) ?? 0);
		const isTaken = ofMethod < 2 && ofShift < 4;
		if (isTaken) {
			perMethod.set(change.methodName, ofMethod + 1);
			if (shift !== null) {
				perShift.set(shift, ofShift + 1);
			}
		}
		return isTaken;
	});
}

export type ChangeMark = '-' | '+' | '*';

export function changeMark(change: Change): ChangeMark {
	const { before, after } = beforeAfter(change);
	return before === null ? '+' : after === null ? '-' : '*';
}

/** `inlined → direct`, or one of the two where the other side has nothing. */
export function callsiteState({ before, after }: CallsiteChange): string {
	return before === null ? `${after}` : after === null ? `${before}` : `${before} → ${after}`;
}

/** The same in a column: the long words cut. */
export function briefState(change: CallsiteChange): string {
	return callsiteState(change).replaceAll('devirtualized', 'devirt.');
}

export function percent(share: number | null, digits = 2): string {
	return share === null ? '–' : (share * 100).toFixed(digits);
}

/** `12.34 % → 5.60 %`, the width of a column. */
export function shareColumn(a: number | null, b: number | null): string {
	return a === null && b === null ? '' : `${percent(a).padStart(5)} → ${percent(b).padStart(5)} %`;
}

/** `12.34→5.60`, per cent. */
export function briefShares(a: number | null, b: number | null): string {
	return a === null && b === null ? '' : `${percent(a)}→${percent(b)}`;
}

/** The name of a method without its parameters, for places where there is little room. */
export function briefName(methodName: string | null): string {
	return methodName === null ? 'unknown' : splitMethodName(methodName).method;
}

/** Simple name of a class and method: `HashMap.getNode`. */
export function shortName(methodName: string | null): string {
	return simpleName(briefName(methodName));
}

export function placeText(where: readonly Place[]): string {
	return where.map((place) => `${atPlace(place)} ${place.methodName ?? 'unknown'}`.trim()).join(' > ');
}

/** ` demo.c:38`, of two sides ` demo.c:38→41`; where no line of source is told ` @12`. */
export function atPlace({ bci, source }: Place): string {
	const { a = null, b = null } = source ?? {};
	if (a === null || b === null || a === b) {
		return a === null && b === null ? atBci(bci) : ` ${a ?? b}`;
	}
	const line = b.lastIndexOf(':');
	return ` ${a}→${a.startsWith(b.slice(0, line + 1)) ? b.slice(line + 1) : b}`;
}

/** `3/3 → 0/3` */
export function runsText({ runsA, ofA, runsB, ofB }: Change): string {
	return `${runsA}/${ofA} → ${runsB}/${ofB}`;
}

export function moveName(move: Move): string {
	return move.what === 'phase' ? move.phase : (move.callee ?? 'unknown');
}

/** ` @12`; nothing for the negative indices that compilers give to code without one. */
export function atBci(bci: number): string {
	return bci < 0 ? '' : ` @${bci}`;
}

/** To `width` columns, and never to less than four. */
export function shorten(text: string, width: number): string {
	return shortenMiddle(visible(text), Math.max(4, width));
}

/** Items in lines. */
export function wrapList(items: readonly string[], width: number): string[] {
	const lines: string[] = [''];
	items.forEach((item, index) => {
		const text = index === items.length - 1 ? item : `${item},`;
		const last = lines[lines.length - 1]!;
		if (last !== '' && columns(last) + 1 + columns(text) > width) {
			lines.push(text);
		} else {
			lines[lines.length - 1] = last === '' ? text : `${last} ${text}`;
		}
	});
	return lines;
}
