/** The result of `assay order lint`: docs/schema/order-lint.json. */
import type { ColdCode, OrderLint } from '../../startup/results.js';
import type { OrderLintResult } from '../results.js';
import type { Streamed } from '../streamed.js';

export function lintResult({ symbols, found, hasDebugNames, sections, coverage, findings }: OrderLint, cold: ColdCode | null): Streamed<OrderLintResult> {
	return { symbols, found, sections, hasDebugNames, coverage: coverage.map(({ isOfBytes: _isOfBytes, ...one }) => one), cold, findings };
}
