/** Real recordings of fixtures/jvm, in memory. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { memorySource, type Source } from '../src/bytes/source.js';

export const RECORDINGS = path.resolve(import.meta.dirname, '..', 'fixtures', 'jvm', 'perfasm');

export function recordedText(recording: string, file = 'hotspot.log.gz'): string {
	return gunzipSync(fs.readFileSync(path.join(RECORDINGS, recording, file))).toString();
}

export function textSource(text: string, name = 'a.log'): Source {
	return memorySource(name, Buffer.from(text));
}
