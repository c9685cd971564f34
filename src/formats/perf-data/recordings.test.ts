/** Real recordings of perf 6.1 against the text that its `perf script` printed of them, sample by sample. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { linesOfSamples } from '../../../test/sample-lines.js';
import { memorySource, type Source } from '../../bytes/source.js';
import { zstdStreams } from '../../recording/zstd-stream.js';
import { readNativeSymbolsFile } from '../native-symbols/read.js';
import { readPerfScript } from '../perf-script/read.js';
import { type PerfData, readPerfData } from './read.js';

const fixtures = path.resolve(import.meta.dirname, '../../../fixtures/perf-data');
const bytesOf = (name: string): Buffer => gunzipSync(fs.readFileSync(path.join(fixtures, `${name}.gz`)));
const open = (name: string): Source => memorySource(name, bytesOf(name));
const { symbols, problems: ofSymbols } = readNativeSymbolsFile(open('native-symbols.txt'));
const openZstd = await zstdStreams();
const read = (bytes: Uint8Array): PerfData => readPerfData(memorySource('perf.data', bytes), 'all', { symbols, openZstd });

test('symbols', () => {
	expect(ofSymbols).toEqual([]);
});

describe.each(['plain', 'stacks', 'compressed', 'pipe', 'no-inherit', 'java'])('%s', (name) => {
	test('is what perf script prints', () => {
		const native = read(bytesOf(`${name}.data`));
		const text = readPerfScript(open(`${name}.script.txt`), 'all');
		expect(native.problems).toEqual([]);
		expect(text.samples.length).toBeGreaterThan(300);
		expect(linesOfSamples(native)).toEqual(linesOfSamples(text));
	});

	test('cut somewhere it gives what lies before', () => {
		const bytes = bytesOf(`${name}.data`);
		const { length } = read(bytes).samples;
		for (let i = 1; i < 40; i++) {
			const cut = read(bytes.subarray(0, Math.floor((bytes.length * i) / 40) + i));
			expect(cut.samples.length).toBeLessThanOrEqual(length);
			// What comes from a pipe does not say how much there is.
			expect(cut.problems.length).toBeGreaterThanOrEqual(name === 'pipe' ? 0 : 1);
		}
	});

	test('with flipped bits it is read without an error', () => {
		const bytes = bytesOf(`${name}.data`);
		for (let i = 0; i < 40; i++) {
			const damaged = Buffer.from(bytes);
			for (let at = i; at < damaged.length; at += 997 + i) {
				damaged[at] = damaged[at]! ^ (1 << (i % 8));
			}
			const { samples, threads } = read(damaged);
			expect(threads?.of.length ?? 0).toBe(samples.length);
		}
	});
});

test('a file of a perf that was killed is read to its end', () => {
	const { samples, problems } = read(bytesOf('unfinished.data'));
	expect(problems.map(({ message }) => message)).toEqual(['was not completed: perf was killed, or still runs']);
	expect([samples.length, samples.events, samples.places.some(({ symbol }) => symbol === '_int_malloc')]).toEqual([3654, ['cpu-clock'], true]);
});
