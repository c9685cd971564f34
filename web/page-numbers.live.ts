/** As page-numbers.test.ts, of the large recordings: takes no other tool, but minutes of a slow machine. */
import { beforeAll, expect, test } from 'vitest';
import { unpackFixtures } from '../test/fixtures.js';
import { checkComparison, checkRecordings } from './testing/check-recording.js';
import { foldersOfRecordings, SMALL_BYTES } from './testing/recordings.js';

beforeAll(unpackFixtures);

test('each view of each large recording', async () => {
	expect(await checkRecordings(foldersOfRecordings().filter(({ sizeBytes }) => sizeBytes > SMALL_BYTES))).toBeGreaterThan(60);
});

test.each([
	['fixtures/jvm/recorded-compilations/changed/a', 'fixtures/jvm/recorded-compilations/changed/b'],
	['fixtures/jvm/ledger/jdk17', 'fixtures/jvm/ledger/jdk25'],
	['fixtures/agent/jdk17', 'fixtures/agent/jdk25'],
	['fixtures/jvm/perfasm/jdk17-arraySum', 'fixtures/jvm/perfasm/jdk25-arraySum'],
])('the comparison of %s and %s', checkComparison);
