/** The result of `assay order lint` as JSON: see docs/json.md. */
import type { OrderLint } from '../startup/results.js';
import type { JsonStream } from './json-stream.js';

export function writeLintJson(json: JsonStream, { symbols, found, hasDebugNames, sections, coverage, findings }: OrderLint): void {
	json.field('symbols', symbols);
	json.field('found', found);
	json.field('sections', sections);
	json.field('hasDebugNames', hasDebugNames);
	json.field(
		'coverage',
		coverage.map(({ isOfBytes: _isOfBytes, ...one }) => one),
	);
	json.field('findings', findings);
}
