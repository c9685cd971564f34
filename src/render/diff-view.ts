/** What the forms of a diff report (text, JSON, Markdown) share: handles, numbers, the words for a change. */
import { splitMethodName } from '../model/method-name.js';
import type { CallsiteChange, Change, Place } from '../profdiff/changes.js';
import type { ComparedMethod, RunsComparison } from '../profdiff/compare-runs.js';
import type { DiffFilter } from '../profdiff/diff-filter.js';
import type { Finding } from '../profdiff/findings.js';
import type { Move } from '../profdiff/moves.js';
import { columns } from './terminal.js';

/** A run of a side, and what was read of it. */
export interface RunEvidence {
	readonly name: string;
	/** Whose log it is. */
	readonly logKind: 'Graal' | 'HotSpot';
	readonly compilations: number;
	readonly methods: number;
	readonly logFiles: number;
	readonly otherFiles: number;
	readonly duplicateIds: number;
	readonly kind: 'JIT' | 'AOT' | null;
	readonly profile: {
		readonly name: string;
		readonly totalPeriod: number;
		/** Sum of the periods of the compilations in the log. */
		readonly compiledPeriod: number;
		readonly entries: number;
		readonly found: number;
		readonly sameName: number;
		readonly duplicateEntries: number;
		/** Taken although it does not belong to the log. */
		readonly forced: boolean;
	} | null;
}

/** Of all compilations of a method at the top tier in one run; null is what its files do not tell. */
export interface SideFacets {
	readonly samples: number | null;
	/** Of the JVM's samples. */
	readonly percent: number | null;
	/** Half the 95 % interval, in percentage points. */
	readonly halfInterval: number | null;
	readonly codeBytes: number;
	/** Sum of what their compilations held at their peaks. */
	readonly memoryBytes: number | null;
}

export interface MethodFacets {
	readonly a: SideFacets | null;
	readonly b: SideFacets | null;
}

export interface DiffReport {
	readonly comparison: RunsComparison;
	readonly runsA: readonly RunEvidence[];
	readonly runsB: readonly RunEvidence[];
	/** How many runs each side needs before anything is a difference. */
	readonly runsNeeded: number;
	readonly findings: readonly Finding[];
	readonly failed: boolean;
	readonly filter: DiffFilter;
	/** What decides about a reason of an inliner, in short; null where nothing is known of it. */
	readonly deciding: (reason: string) => string | null;
	readonly methodHandles: ReadonlyMap<string, string>;
	/** By method, of the first run of each side; empty where these are no recordings of a JVM. */
	readonly facets: ReadonlyMap<string, MethodFacets>;
	readonly changeHandles: ReadonlyMap<Change, string>;
	/** What the filters leave. */
	isShownMethod(method: ComparedMethod): boolean;
	isShownChange(change: Change): boolean;
}

export interface ChangeCounts {
	/** All that is not noise. */
	readonly changed: number;
	/** Those among them that no other change took along. */
	readonly inTheirOwnRight: number;
	readonly noise: number;
	/** Those in their own right in words, largest first. */
	readonly byCategory: readonly (readonly [string, number])[];
}

const CATEGORY_WORDS: Record<string, string> = {
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

export function countChanges(changes: readonly Change[]): ChangeCounts {
	const real = changes.filter((change) => change.noise !== true);
	const own = real.filter((change) => change.cause === null);
	const counts = new Map<string, number>();
	for (const { categories } of own) {
		const word = CATEGORY_WORDS[categories[0] as string] ?? '';
		counts.set(word, (counts.get(word) ?? 0) + 1);
	}
	return {
		changed: real.length,
		inTheirOwnRight: own.length,
		noise: changes.length - real.length,
		byCategory: [...counts].sort((a, b) => b[1] - a[1]),
	};
}

/** Handles by rank: `d1` the first change, `m1` the first method. */
export function changeHandles(changes: readonly Change[]): Map<Change, string> {
	return new Map(changes.map((change, index) => [change, `d${index + 1}`]));
}

export function methodHandles(methods: readonly ComparedMethod[]): Map<string, string> {
	return new Map(methods.map(({ name }, index) => [name, `m${index + 1}`]));
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

/** What a decision was on the two sides, in words; null where it was not there. */
export function beforeAfter(change: Change): { before: string | null; after: string | null } {
	switch (change.kind) {
		case 'callsite':
			return { before: change.before, after: change.after };
		case 'optimization': {
			const text = `${change.name} ${change.event}`;
			return change.isInA ? { before: text, after: null } : { before: null, after: text };
		}
		case 'compilation':
			return change.isInA ? { before: 'compiled', after: null } : { before: null, after: 'compiled' };
	}
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
