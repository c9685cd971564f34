/** Whether the first bytes of a file are those of a proftool profile: one JSON object with the keys of one at its top. */
export function isProftoolProfile(head: string): boolean {
	if (!/^\s*\{/.test(head)) {
		return false;
	}
	// Strings are blanked, so that their words do not count; keys are told by the colon behind them.
	const keys = [...head.matchAll(/"((?:[^"\\]|\\[\s\S])*)(?:"\s*(:)?|\\?$)/g)].filter(([, , colon]) => colon !== undefined).map(([, key]) => key);
	const first = keys.slice(0, 12);
	const known = ['compilationKind', 'executionId', 'totalPeriod', 'code', 'compileId', 'period'].filter((key) => first.includes(key));
	return known.length >= 2 && (first.includes('code') || first.includes('totalPeriod'));
}
