import { expect, test } from 'vitest';
import { called, handLayout, ran } from '../../test/text-layout.js';
import { coldCode } from './cold-code.js';
import { layTrace } from './trace-on-layout.js';

const layout = handLayout(4096, [
	{ name: 'main', size: 100 },
	{ name: 'large', size: 1000 },
	{ name: 'larger', size: 9000 },
	{ name: 'other', size: 5000 },
]);
const laid = (...traces: Parameters<typeof layTrace>[0][]) => traces.map((trace) => layTrace(trace, layout));

test('bytes that any trace executes count once; what no trace executes of a function that ran is cold', () => {
	// 10 bytes of main; of large 4 and, overlapping, 6; of larger its last 8000.
	const first = ran([4096, 10], [4196, 4], ...Array.from({ length: 1000 }, (_, i) => [6196 + 8 * i, 8] as const));
	const second = ran([4198, 6], [4106, 5]);
	expect(coldCode(layout, laid(first, second))).toEqual({
		sizeBytes: 10_100,
		executedBytes: 15 + 8 + 8000,
		executedPages: 2,
		functions: [
			{ symbol: 'larger', sizeBytes: 9000, executedBytes: 8000 },
			{ symbol: 'large', sizeBytes: 1000, executedBytes: 8 },
		],
	});
});

test('256 bytes are worth it, 255 are not', () => {
	const cold = (executed: number) => coldCode(layout, laid(ran(...Array.from({ length: executed }, (_, i) => [4196 + i, 1] as const))))?.functions.length;
	expect([cold(744), cold(745)]).toEqual([1, 0]);
});

test('where a trace tells functions only, nothing is said', () => {
	expect(coldCode(layout, [])).toBeNull();
	expect(coldCode(layout, laid(ran([4096, 4]), called('large')))).toBeNull();
});
