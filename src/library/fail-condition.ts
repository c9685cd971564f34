/** Conditions of `failOn`, as those of `--fail-on`. */
import { UsageError } from '../model/problem.js';
import { FAIL_CONDITIONS, type FailCondition, parseFailCondition } from '../profdiff/findings.js';

/** Throws a {@link UsageError} for what is none. */
export function failCondition(text: string): FailCondition {
	const condition = parseFailCondition(text);
	if (condition === null) {
		throw new UsageError(`failOn takes ${FAIL_CONDITIONS.join(', ')}, each with a share in per cent if wanted (lost-inlining:0.5), not "${text}"`);
	}
	return condition;
}
