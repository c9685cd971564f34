/** Real recordings of fixtures/jvm, in memory. */
import path from 'node:path';
import { memorySource, type Source } from '../src/bytes/source.js';
import { readPacked } from './packed.js';

export const RECORDINGS = path.resolve(import.meta.dirname, '..', 'fixtures', 'jvm', 'perfasm');

export function recordedText(recording: string, file = 'hotspot.log.zst'): string {
	return readPacked(path.join(RECORDINGS, recording, file)).toString();
}

export function textSource(text: string, name = 'a.log'): Source {
	return memorySource(name, Buffer.from(text));
}
