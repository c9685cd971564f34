/** What is said of servers that a workload left behind. */
import { expect, test } from 'vitest';
import { stillRunning } from './run-measure.js';

test('who they are, and what their trace lacks', () => {
	expect(stillRunning(1, [])).toEqual([]);
	expect(stillRunning(2, [71]).map(({ file, message }) => `${file} ${message}`)).toEqual([
		'workload 2 left a process behind that still runs (71): what only it ran is in no trace, and it is there in all timed runs',
	]);
	expect(stillRunning(3, [71, 72])[0]?.message).toBe(
		'left 2 processes behind that still run (71, 72): what only they ran is in no trace, and they are there in all timed runs',
	);
});
