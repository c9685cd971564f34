/** `--weight TRACE=N`: how much each of the named traces counts. */
import path from 'node:path';
import type { WeightedTrace } from '../../answers/order/open-layout.js';
import { shortName } from '../../answers/order/trace-names.js';
import { UsageError } from '../../model/problem.js';
import type { ParsedOptions } from '../options.js';

/** The positionals, each with its weight, 1 by default; a name that is none of theirs is wrong use. */
export function weightedTraces(parsed: ParsedOptions): WeightedTrace[] {
	const weights = parsed.positionals.map(() => 1);
	for (const text of parsed.values('weight')) {
		const [, name = '', number = ''] = /^(.*)=(\d{1,9}(?:\.\d{1,9})?)$/.exec(text) ?? [];
		if (name === '' || !(Number(number) > 0)) {
			throw new UsageError(`--weight takes TRACE=N with N above 0, not "${text}"`);
		}
		const matching = parsed.positionals.flatMap((trace, i) => (trace === name || path.basename(trace) === name || shortName(trace) === name ? [i] : []));
		if (matching.length === 0) {
			throw new UsageError(`--weight ${text}: there is no trace "${name}"`);
		}
		for (const i of matching) {
			weights[i] = Number(number);
		}
	}
	return parsed.positionals.map((file, i) => ({ file, weight: weights[i]! }));
}
