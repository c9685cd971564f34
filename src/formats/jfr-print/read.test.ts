import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { isJfrPrintJson, readJfrPrintJson } from './json.js';
import { isJfrPrintText, readJfrPrintText } from './text.js';

const folder = path.resolve(import.meta.dirname, '..', '..', '..', 'fixtures', 'jvm', 'jfr');

function bytesOf(name: string): Buffer {
	return zlib.gunzipSync(fs.readFileSync(path.join(folder, `${name}.gz`)));
}

test('both forms are told by their beginnings', () => {
	for (const name of ['jdk17', 'jdk25', 'async-profiler']) {
		expect(isJfrPrintJson(bytesOf(`${name}.print.json`).toString('latin1', 0, 4000))).toBe(true);
		expect(isJfrPrintText(bytesOf(`${name}.print.txt`).toString('latin1', 0, 4000))).toBe(true);
	}
	expect(isJfrPrintText('a.B {\n  x = 1\n}\n')).toBe(false);
	expect(isJfrPrintJson('{"events": []}')).toBe(false);
});

test('text: threads, lines, cut stacks, weights, what failed', () => {
	const { samples, problems, lostCpuTimeSamples } = readJfrPrintText(
		memorySource(
			'a.txt',
			Buffer.from(
				'jdk.CPUTimeSample {\n  startTime = 06:46:44.343 (2026-11-21)\n  failed = false\n  biased = true\n  eventThread = "a "b" c" (javaThreadId = 21)\n  stackTrace = [\n' +
					'    Mixer.hash(String, int) line: 23\n    java.lang.Object.wait0(long)\n    ...\n  ]\n}\n\n' +
					'profiler.WallClockSample {\n  startTime = 06:46:44.343\n  sampledThread = "VM Thread" (osThreadId = 7)\n  state = "STATE_SLEEPING"\n  samples = 3\n  stackTrace = [\n' +
					'    libc.so.6.__futex_abstimed_wait_common() line: 0\n  ]\n}\n' +
					'jdk.CPUTimeSample {\n  startTime = 1\n  failed = true\n  stackTrace = null\n}\n' +
					'jdk.CPUTimeSamplesLost {\n  startTime = 1\n  lostSamples = 5\n}\njdk.ExecutionSample {\n',
			),
		),
	);
	expect(samples.length).toBe(3);
	expect(samples.timeNs).toBeNull();
	expect([...samples.thread].map((thread) => samples.threads[thread]?.name)).toEqual(['a "b" c', 'VM Thread', null]);
	expect([...samples.weight]).toEqual([1, 3, 1]);
	expect([...samples.isBiased]).toEqual([1, 0, 0]);
	expect([...samples.stack]).toEqual([0, 1, -1]);
	expect([...samples.stacks.isTruncated]).toEqual([1, 0]);
	expect(samples.frames.methods.map(({ row }) => row)).toEqual(['Mixer.hash', 'java.lang.Object.wait0', '(native)']);
	expect([...samples.frames.line]).toEqual([23, -1, -1]);
	expect(lostCpuTimeSamples).toBe(5);
	expect(problems).toHaveLength(1);
});

describe('damage', () => {
	const json = bytesOf('jdk17.print.json').subarray(0, 60_000);
	const text = bytesOf('jdk25.print.txt').subarray(0, 20_000);

	test('a cut file gives the events before', () => {
		const { samples, problems } = readJfrPrintJson(memorySource('a.json', json));
		expect(samples.length).toBeGreaterThan(3);
		expect(problems).toHaveLength(1);
	});

	test('anything may be changed', () => {
		fc.assert(
			fc.property(fc.array(fc.record({ at: fc.nat(), value: fc.nat(255) }), { maxLength: 60 }), (changes) => {
				for (const [bytes, read] of [
					[json, readJfrPrintJson],
					[text, readJfrPrintText],
				] as const) {
					const copy = Buffer.from(bytes);
					for (const { at, value } of changes) {
						copy[at % copy.length] = value;
					}
					expect(read(memorySource('a', copy)).samples.length).toBeLessThan(1000);
				}
			}),
			{ numRuns: 40 },
		);
	});
});
