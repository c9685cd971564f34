/**
 * Every number that a view of the page shows is that of the commands: of the whole run, of a range of time, of a class of threads. Of the small recordings of
 * fixtures/ and examples/; `page-numbers.live.ts` looks at the large ones.
 */
import { expect, test } from 'vitest';
import { checkComparison, checkRecordings } from './testing/check-recording.js';
import { foldersOfRecordings, SMALL_BYTES } from './testing/recordings.js';

test('each view of each small recording', async () => {
	expect(await checkRecordings(foldersOfRecordings().filter(({ sizeBytes }) => sizeBytes <= SMALL_BYTES))).toBeGreaterThan(40);
});

test.each([
	['examples/a', 'examples/b'],
	['fixtures/native/demo', 'fixtures/native/grown'],
])('the comparison of %s and %s', checkComparison);
