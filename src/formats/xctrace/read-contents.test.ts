import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { isXctraceContents, readXctraceStart } from './read-contents.js';

const read = (xml: string) => readXctraceStart(memorySource('toc.xml', Buffer.from(xml)));
const run = (number: number, date: string): string =>
	`<run number="${number}"><info><summary><start-date>${date}</start-date><duration>9</duration></summary></info></run>`;

test('the start of the recording, in any zone', () => {
	const fixture = path.resolve(import.meta.dirname, '../../../fixtures/jvm/perfasm/xctrace-derived-jdk25-mapGet/xctrace-toc.xml.gz');
	const text = gunzipSync(fs.readFileSync(fixture)).toString();
	expect(isXctraceContents(text)).toBe(true);
	expect(read(text)).toEqual({ startedEpochMs: Date.UTC(2026, 10, 20, 21, 44, 33, 245), problems: [] });
	expect(read(`<?xml version="1.0"?><trace-toc>\n${run(1, '\n2023-05-01T12:00:00.000+02:00 ')}\n</trace-toc>`)).toEqual({
		startedEpochMs: Date.UTC(2023, 4, 1, 10),
		problems: [],
	});
	expect(isXctraceContents('<?xml version="1.0"?><trace-query-result>')).toBe(false);
});

test.each([
	['several runs', `<trace-toc>${run(1, '2023-05-01T12:00:00.000Z')}${run(2, '2023-05-01T12:01:00.000Z')}</trace-toc>`, '2 runs with a start'],
	['no run', '<trace-toc/>', 'no run tells when it began'],
	['no date', `<trace-toc>${run(1, 'yesterday')}</trace-toc>`, 'no run tells when it began'],
	['a date without a zone', `<trace-toc>${run(1, '2023-05-01T12:00:00.000')}</trace-toc>`, 'no run tells when it began'],
	['not all of it', '<trace-toc><run><summary><start-date>2023', 'not well-formed'],
])('%s: nothing is known, and that is said', (_, xml, message) => {
	const { startedEpochMs, problems } = read(xml);
	expect(startedEpochMs).toBeNull();
	expect(problems[0]).toMatchObject({ message: expect.stringContaining(message) });
});
