/** What the forms of a diff report (text, JSON, Markdown) share: numbers, the words for a change. */
import { splitMethodName } from '../model/method-name.js';
import type { CallsiteChange, Change, ChangeCategory, Place } from '../profdiff/changes.js';
import type { Move } from '../profdiff/moves.js';
import { beforeAfter, type ChangeCounts } from '../profdiff/results.js';
import { columns } from './terminal.js';

const CATEGORY_WORDS: Readonly<Record<ChangeCategory, string>> = {
	'lost-inlining': 'inlining lost',
	'new-inlining': 'newly inlined',
	'new-indirect': 'newly indirect',
	'lost-indirect': 'no longer indirect',
	'other-call': 'other calls',
	'lost-optimization': 'optimizations lost',
	'new-optimization': 'new optimizations',
	'compiled-only-in-a': 'compiled only in A',
	'compiled-only-in-b': 'compiled only in B',
};

/** Changes in their own right by category, in words, largest first. */
export function categoryWords({ byCategory }: ChangeCounts): (readonly [word: string, count: number])[] {
	return byCategory.map(([category, count]) => [CATEGORY_WORDS[category], count]);
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
 * The changes that matter, in order of rank: in their own right, no details unless there is nothing else, and at most two of a
 * method, since the hottest one would fill the screen.
 */
export function topChanges(changes: readonly Change[], isLeftOut: (change: Change) => boolean): Change[] {
	const candidates = changes.filter((change) => change.noise !== true && change.cause === null && !isLeftOut(change));
	const telling = candidates.filter((change) => !(change.kind === 'optimization' && change.isDetail));
	const perMethod = new Map<string, number>();
	return (telling.length > 0 ? telling : candidates).filter(({ methodName }) => {
		const before = perMethod.get(methodName) ?? 0;
		perMethod.set(methodName, before + 1);
		return before < 2;
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
	const parts = briefName(methodName).split('.');
	return parts.slice(-2).join('.');
}

export function placeText(where: readonly Place[]): string {
	return where.map(({ methodName, bci }) => `${atBci(bci)} ${methodName ?? 'unknown'}`.trim()).join(' > ');
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
