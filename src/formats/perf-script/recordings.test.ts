/** Both ways of reading give the same of recordings, where all lines are usual ones. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { read, readPlainly, unusualOf } from '../../../test/perf-lines.js';

const fixtures = path.resolve(import.meta.dirname, '../../../fixtures/jvm/perfasm');
const recordings = fs.readdirSync(fixtures).filter((name) => fs.existsSync(path.join(fixtures, name, 'perf.script.txt.gz')));

test.each(recordings)('the recording %s', (name) => {
	const bytes = gunzipSync(fs.readFileSync(path.join(fixtures, name, 'perf.script.txt.gz')));
	expect(read(bytes)).toEqual(readPlainly(bytes));
	const lines = bytes.toString('utf8').split('\n').filter(Boolean);
	expect(unusualOf(lines)).toEqual([]);
});
