/** Memory of compilations as Flight Recorder tells of it, beside what the JVM printed of the same run. */
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { memorySource, type Source } from '../bytes/source.js';
import { readJfrEvents } from '../formats/jfr/read.js';
import { memoryOfTexts } from './memory-recording.js';
import { recordedMemory, withRecorded } from './recorded-memory.js';

const folder = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'jvm', 'jfr-events');

function unpacked(...parts: string[]): Source {
	return memorySource(parts.join('/'), zlib.gunzipSync(fs.readFileSync(path.join(folder, ...parts))));
}

const recorded = recordedMemory(readJfrEvents(unpacked('jdk25', 'run.jfr.gz'), 'compilations'));
const printed = memoryOfTexts('memory.txt', [zlib.gunzipSync(fs.readFileSync(path.join(folder, 'jdk25', 'memory.txt.gz'))).toString('utf8')]).compilations;

test('each compilation of the recording has the peak that the JVM printed', () => {
	expect(recorded.length).toBe(29);
	const byId = new Map(printed.map((one) => [one.compileId, one]));
	for (const { compileId, compiler, method, signature, totalBytes } of recorded) {
		const other = byId.get(compileId);
		expect({ compiler, method, signature, totalBytes }).toEqual({
			compiler: other?.compiler,
			method: other?.method,
			signature: other?.signature,
			totalBytes: other?.totalBytes,
		});
	}
});

test('beside the statistics it adds when each was compiled, and nothing twice', () => {
	const { compilations, problems } = withRecorded(printed, recorded, 'run.jfr');
	expect(problems).toEqual([]);
	expect(compilations).toHaveLength(printed.length);
	expect(compilations.filter(({ span }) => span !== undefined)).toHaveLength(29);
	expect(compilations.every((one, i) => one.totalBytes === printed[i]?.totalBytes)).toBe(true);
});

test('compilations that statistics do not list are added; other peaks are told', () => {
	const [first, ...others] = recorded;
	const changed = recorded.slice(1).map((one, i) => (i === 0 ? { ...one, totalBytes: one.totalBytes + 1 } : one));
	const { compilations, problems } = withRecorded(changed, recorded, 'run.jfr');
	expect(compilations).toHaveLength(recorded.length);
	expect(compilations.at(-1)).toBe(first);
	expect(compilations[0]?.totalBytes).toBe((others[0]?.totalBytes ?? 0) + 1);
	expect(problems.map(({ message }) => message)).toEqual(['tells another peak than the statistics of 1 of 28 compilations']);
});

test('a recording of another run is left out', () => {
	const other = recorded.map((one) => ({ ...one, method: `Other.${one.compileId}` }));
	const { compilations, problems } = withRecorded(printed, other, 'run.jfr');
	expect(compilations).toBe(printed);
	expect(problems).toHaveLength(1);
});

test('what was not counted is not told', () => {
	expect(recordedMemory(readJfrEvents(unpacked('jdk17', 'run.jfr.gz'), 'compilations'))).toEqual([]);
});
