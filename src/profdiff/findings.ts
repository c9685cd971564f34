/** Conditions for continuous integration: which changes are not wanted. */
import type { Change, ChangeCategory } from './changes.js';
import { cost } from './changes.js';
import type { ComparedMethod } from './compare-runs.js';
import { hotOnlyIn } from './results.js';

export const FAIL_CONDITIONS = [
	'lost-inlining',
	'new-inlining',
	'new-indirect',
	'lost-indirect',
	'other-call',
	'lost-optimization',
	'new-optimization',
	'refusal',
	'compiled-only-in-a',
	'compiled-only-in-b',
	'hot-only-in-a',
	'hot-only-in-b',
	'any',
] as const;

export interface FailCondition {
	readonly what: (typeof FAIL_CONDITIONS)[number];
	/** Smallest share of the period, 0 to 1, that counts. */
	readonly threshold: number;
}

export interface Finding {
	readonly condition: FailCondition;
	readonly change: Change | null;
	readonly method: ComparedMethod | null;
}

/** `lost-inlining`, `lost-inlining:0.5` or `lost-inlining:0.5%` (per cent of the period); null when it is none. */
export function parseFailCondition(text: string): FailCondition | null {
	const [name, threshold = '0', ...rest] = text.split(':');
	const what = FAIL_CONDITIONS.find((condition) => condition === name);
	const percent = /^\d+(\.\d+)?%?$/.test(threshold) ? Number.parseFloat(threshold) : Number.NaN;
	return what === undefined || rest.length > 0 || Number.isNaN(percent) ? null : { what, threshold: percent / 100 };
}

/** Changes that are noise, and those that another change took along, are no findings. */
export function findFindings(conditions: readonly FailCondition[], changes: readonly Change[], methods: readonly ComparedMethod[]): Finding[] {
	return conditions.flatMap((condition): Finding[] => {
		if (condition.what === 'hot-only-in-a' || condition.what === 'hot-only-in-b') {
			const isInA = condition.what === 'hot-only-in-a';
			return methods
				.filter((method) => hotOnlyIn(method) === (isInA ? 'A' : 'B') && ((isInA ? method.shareA : method.shareB) ?? 0) >= condition.threshold)
				.map((method) => ({ condition, change: null, method }));
		}
		return changes
			.filter((change) => change.noise !== true && change.cause === null && cost(change) >= condition.threshold)
			.filter(({ categories }) => condition.what === 'any' || categories.includes(condition.what as ChangeCategory))
			.map((change) => ({ condition, change, method: null }));
	});
}
