import { expect, test } from 'vitest';
import { filterOptions, isOfThreads } from './sample-filter.js';

test('whether threads were chosen', () => {
	expect([{}, { thread: null, threadClass: null }, { wholeRun: true }].map(isOfThreads)).toEqual([false, false, false]);
	expect([{ thread: 'main' }, { thread: '' }, { threadClass: 'gc' } as const].map(isOfThreads)).toEqual([true, true, true]);
});

test('the options that say the same', () => {
	expect(filterOptions({})).toEqual([]);
	expect(filterOptions({ thread: 'worker-*' })).toEqual(['--thread', 'worker-*']);
	expect(filterOptions({ threadClass: 'java' })).toEqual(['--class', 'java']);
	expect(filterOptions({ wholeRun: true })).toEqual(['--window', 'all']);
	expect(filterOptions({ thread: 'main', threadClass: 'java', wholeRun: true })).toEqual(['--class', 'java', '--thread', 'main', '--window', 'all']);
});
